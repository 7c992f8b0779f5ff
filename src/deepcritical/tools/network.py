"""Where a request leaves the program: by httpx, or by `requests` in a thread.

Both go through the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) unless
NO_PROXY exempts the host, by one reading of these variables: that of `requests`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future

import httpx
import requests
from requests.utils import get_environ_proxies, select_proxy

from deepcritical.domain.errors import ConfigurationError

__all__ = ["MAX_BODY_BYTES", "RequestsTransport", "check_packing", "kept_headers", "network_for"]

MAX_BODY_BYTES = 20_000_000
"""Largest answer that is read; a page of 1,000 records with abstracts is a quarter of it."""
_BROKEN_OFF = requests.exceptions.BaseHTTPError  # type: ignore[attr-defined] # urllib3's own


def network_for(url: str) -> httpx.AsyncHTTPTransport:
    """The transport of httpx to a host, through the proxy of the environment if it has one.

    An `AsyncClient` looks for a proxy only where it makes its transport itself.

    Args:
        url: Any address at the host.

    Raises:
        ConfigurationError: The proxy is none that can be used.
    """
    proxy = select_proxy(url, get_environ_proxies(url))
    if not proxy:
        return httpx.AsyncHTTPTransport()
    try:
        return httpx.AsyncHTTPTransport(proxy=proxy if "://" in proxy else f"http://{proxy}")
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        # The address of a proxy may hold a password, so it is not named.
        raise ConfigurationError(
            "The proxy that the environment names cannot be used.",
            "Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, as in http://proxy.example.org:3128.",
        ) from error


def check_packing(headers: Mapping[str, str]) -> None:
    """Refuse a body that is packed otherwise than was asked for.

    Packed twice or by brotli, a few kilobytes unpack to gigabytes in a single piece.

    Raises:
        httpx.DecodingError: It is.
    """
    packing = headers.get("content-encoding", "identity").lower()
    if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise httpx.DecodingError(f"packed by {packing}")


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that are passed on, of a request and of an answer."""
    names = ("content-type", "retry-after", "user-agent", "accept-encoding")
    return {name: headers[name] for name in names if name in headers}


class RequestsTransport(httpx.AsyncBaseTransport):
    """Sends by `requests` in a thread: ClinicalTrials.gov refuses httpx by its TLS fingerprint.

    The thread is a daemon of its own. One of the loop's pool would be waited for when the loop
    ends, and a server that sends nothing, or a byte now and then, would hold up the exit.
    """

    def __init__(self) -> None:
        self._session = requests.Session()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send in a thread, which ends soon after a cancellation."""
        body = await request.aread()
        answer: Future[httpx.Response] = Future()
        answer.set_running_or_notify_cancel()  # the thread may settle it whatever happens here
        given_up = threading.Event()

        def run() -> None:
            try:
                answer.set_result(self._sent(request, body, given_up))
            except Exception as error:  # noqa: BLE001 - raised where the answer is awaited
                answer.set_exception(error)

        threading.Thread(target=run, name="requests", daemon=True).start()
        try:
            return await asyncio.wrap_future(answer)
        finally:
            given_up.set()

    def _sent(
        self, request: httpx.Request, body: bytes, given_up: threading.Event
    ) -> httpx.Response:
        limits = request.extensions.get("timeout", {})
        try:
            with self._session.request(
                request.method,
                str(request.url),
                headers=kept_headers(request.headers),
                data=body or None,
                timeout=(limits.get("connect"), limits.get("read")),
                stream=True,
                allow_redirects=False,  # as httpx: another address is not paced
            ) as response:
                check_packing(response.headers)
                content = _read_up_to_limit(response, given_up)
                return httpx.Response(
                    response.status_code, headers=kept_headers(response.headers), content=content
                )
        # Their texts hold the whole address; they must not be chained.
        except requests.Timeout:
            raise httpx.ReadTimeout("no answer in time") from None
        except (requests.RequestException, _BROKEN_OFF) as error:
            raise httpx.NetworkError(type(error).__name__) from None

    async def aclose(self) -> None:
        """Close the connections."""
        self._session.close()


def _read_up_to_limit(response: requests.Response, given_up: threading.Event) -> bytes:
    """What has arrived, piece by piece: `iter_content` waits until a piece is full."""
    body = bytearray()
    while not given_up.is_set() and len(body) <= MAX_BODY_BYTES:  # more is refused above
        piece = response.raw.read1(65_536, decode_content=True)
        if not piece:
            break
        body += piece
    return bytes(body)
