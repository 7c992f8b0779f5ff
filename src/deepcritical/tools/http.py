"""How every source speaks HTTP: cached, checked, retried and paced, each in a layer of its own.

A request passes, from the outside in: cache > check > retry > pace > secrets > network. So a cached
answer costs no permit, a refused or oversized answer is never cached, every attempt is paced, and a
key is added below the cache, which never sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import NamedTuple

import httpx
import requests
from hishel import AsyncBaseStorage
from hishel.httpx import AsyncCacheTransport
from pyrate_limiter import Limiter
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential_jitter,
)

from deepcritical.domain.errors import RateLimitError, SearchError

__all__ = ["MAX_BODY_BYTES", "Payload", "RequestsTransport", "SourceClient"]

MAX_BODY_BYTES = 20_000_000
"""Largest answer that is read; a page of 1,000 records with abstracts is a quarter of it."""
ATTEMPTS = 4
_RETRIED = frozenset({429, 500, 502, 503, 504})
_TRANSPORT_ERRORS = (httpx.TransportError, requests.RequestException)


class Payload(NamedTuple):
    """The body of an answer with status 200."""

    content: bytes
    cached: bool
    """Whether it came from the cache and not from the source."""


class SourceClient:
    """The HTTP client of one source.

    Args:
        name: Name of the source, for errors.
        base_url: Where it is; a path is appended.
        limiter: Paces every attempt; shared by all clients of one host.
        network: Sends a request; httpx's own transport by default.
        storage: Keeps answers; None caches nothing.
        ttl_s: Seconds for which an answer is kept.
        secrets: Query parameters that no cache, log or error may hold.
        timeout_s: Seconds without a byte after which an attempt has failed.
        wait_s: Seconds before the first retry; doubled for each further one.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        limiter: Limiter,
        network: httpx.AsyncBaseTransport | None = None,
        storage: AsyncBaseStorage | None = None,
        ttl_s: float = 86_400.0,
        secrets: Mapping[str, str] | None = None,
        timeout_s: float = 10.0,
        wait_s: float = 0.5,
    ) -> None:
        self.name = name
        self._caching = {"ttl": ttl_s}
        transport: httpx.AsyncBaseTransport = network or httpx.AsyncHTTPTransport()
        transport = _Secrets(transport, secrets or {})
        transport = _Paced(transport, limiter)
        transport = _Retried(transport, wait_s)
        transport = _Checked(transport, name)
        if storage is not None:
            transport = AsyncCacheTransport(transport, storage=storage)
        self._client = httpx.AsyncClient(
            base_url=base_url,
            transport=transport,
            timeout=timeout_s,
            headers={"User-Agent": "DeepCritical (literature research)"},
        )

    async def get(self, path: str, params: Mapping[str, str | int]) -> Payload:
        """The body of a GET.

        Raises:
            RateLimitError: The source still refuses after all attempts.
            SearchError: It cannot be reached, or answers with something else than data.
        """
        return await self._send(self._client.build_request("GET", path, params=dict(params)))

    async def post(self, path: str, data: Mapping[str, str | int]) -> Payload:
        """The body of a POST of form fields, which is never cached; raises as `get` does."""
        form = {name: str(value) for name, value in data.items()}
        return await self._send(self._client.build_request("POST", path, data=form))

    async def _send(self, request: httpx.Request) -> Payload:
        request.extensions["caching"] = self._caching
        try:
            response = await self._client.send(request)
        except _TRANSPORT_ERRORS as error:
            raise SearchError(
                f"{self.name} cannot be reached ({type(error).__name__}).",
                "Check the network, or use --snapshot demo.",
            ) from error
        status = response.extensions.get("caching")
        return Payload(response.content, cached=bool(status and status["from_cache"]))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class _Layer(httpx.AsyncBaseTransport):
    """A transport over another one."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Checked(_Layer):
    """Reads the whole body, up to the limit, and lets only data through."""

    def __init__(self, inner: httpx.AsyncBaseTransport, name: str) -> None:
        super().__init__(inner)
        self._name = name

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        try:
            if response.status_code != httpx.codes.OK:
                raise self._refused(response)
            return httpx.Response(
                200,
                headers={"content-type": response.headers.get("content-type", "")},
                content=await self._body(response),
            )
        finally:
            await response.aclose()

    async def _body(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MAX_BODY_BYTES:
                raise SearchError(
                    f"{self._name} sent more than {MAX_BODY_BYTES // 1_000_000} MB.",
                    "Ask for fewer records.",
                )
        kind = response.headers.get("content-type", "")
        # An outage page with status 200 must be neither parsed nor kept.
        if "html" in kind or bytes(body[:200]).lstrip().lower().startswith(
            (b"<!doctype html", b"<html")
        ):
            raise SearchError(
                f"{self._name} answered with a web page instead of data.", "Try later."
            )
        return bytes(body)

    def _refused(self, response: httpx.Response) -> SearchError:
        code = response.status_code
        if code == httpx.codes.TOO_MANY_REQUESTS:
            return RateLimitError(
                f"{self._name} refuses more requests for the moment (status 429).",
                "Try again in a minute.",
                _retry_after_s(response),
            )
        return SearchError(f"{self._name} answered with status {code}.", "Try again later.")


class _Retried(_Layer):
    """Sends a request again after 429, 5xx and transport errors, and after nothing else."""

    def __init__(self, inner: httpx.AsyncBaseTransport, wait_s: float) -> None:
        super().__init__(inner)
        self._backoff = wait_exponential_jitter(initial=wait_s, max=8.0, jitter=wait_s)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        attempts = AsyncRetrying(
            stop=stop_after_attempt(ATTEMPTS),
            wait=self._wait,
            retry=retry_if_exception_type((*_TRANSPORT_ERRORS, _RetryableError)),
            reraise=True,
        )
        try:
            return await attempts(self._attempt, request)
        except _RetryableError as last:
            return last.response

    async def _attempt(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        if response.status_code in _RETRIED:
            await response.aclose()
            raise _RetryableError(response)
        return response

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = _retry_after_s(error.response) if isinstance(error, _RetryableError) else None
        return self._backoff(state) if asked is None else asked


class _RetryableError(Exception):
    """An answer that is worth another attempt."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def _retry_after_s(response: httpx.Response) -> float | None:
    """Seconds that the source asked to wait, as far as it gave a number; at most 60."""
    try:
        return min(60.0, max(0.0, float(response.headers["retry-after"])))
    except (KeyError, ValueError):
        return None


class _Paced(_Layer):
    """Waits for a permit before every attempt."""

    def __init__(self, inner: httpx.AsyncBaseTransport, limiter: Limiter) -> None:
        super().__init__(inner)
        self._limiter = limiter

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await self._limiter.try_acquire_async("request")
        return await self._inner.handle_async_request(request)


class _Secrets(_Layer):
    """Adds parameters that nothing above may see."""

    def __init__(self, inner: httpx.AsyncBaseTransport, secrets: Mapping[str, str]) -> None:
        super().__init__(inner)
        self._secrets = dict(secrets)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._secrets:
            # A copy: the request that the cache and the errors know stays as it is.
            request = httpx.Request(
                request.method,
                request.url.copy_merge_params(self._secrets),
                headers=request.headers,
                stream=request.stream,
                extensions=request.extensions,
            )
        return await self._inner.handle_async_request(request)


class RequestsTransport(httpx.AsyncBaseTransport):
    """Sends by `requests` in a thread: ClinicalTrials.gov refuses httpx by its TLS fingerprint."""

    def __init__(self, session: Callable[[], requests.Session] = requests.Session) -> None:
        self._session = session()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send in a thread; the body is read up to the limit."""
        return await asyncio.to_thread(self._sent, request)

    def _sent(self, request: httpx.Request) -> httpx.Response:
        limits = request.extensions.get("timeout", {})
        with self._session.request(
            request.method,
            str(request.url),
            headers={"User-Agent": request.headers["user-agent"], "Accept": "application/json"},
            timeout=(limits.get("connect"), limits.get("read")),
            stream=True,
        ) as response:
            body = bytearray()
            for chunk in response.iter_content(65_536):
                body += chunk
                if len(body) > MAX_BODY_BYTES:
                    break  # the check above refuses it
            headers = {
                name: response.headers[name]
                for name in ("content-type", "retry-after")
                if name in response.headers
            }
            return httpx.Response(response.status_code, headers=headers, content=bytes(body))

    async def aclose(self) -> None:
        """Close the connections."""
        self._session.close()
