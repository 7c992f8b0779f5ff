"""Sends requests, by httpx or by `requests` in a thread, paced and read whole.

Both go through the proxy that the environment names (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY) unless
NO_PROXY exempts the host, by one reading of these variables: that of `requests`.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import math
import os
import sqlite3
import threading
import zlib
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path

import anysqlite
import httpx
import requests
from hishel import AsyncBaseStorage as AsyncBaseStorage
from hishel import AsyncSqliteStorage
from requests.utils import get_environ_proxies, select_proxy
from urllib3.exceptions import NewConnectionError

from deepcritical.domain.errors import ConfigurationError, SearchError
from deepcritical.tools.rate_limiter import Limiter, Turns

BREAKS_OFF = "breaks_off"
"""Extension of an answer whose body ends inside."""

MAX_BODY_BYTES = 20_000_000
"""Largest answer that is read; a page of 1,000 records with abstracts is a quarter of it."""
_PIECE = 65_536
_ZLIB_OR_GZIP, _BARE = 47, -15
"""Windows of zlib: with either header, and without one, as some servers send deflate."""


class Unpacker:
    """Collects a body.

    Raises:
        httpx.RemoteProtocolError: It is packed otherwise than was asked for. Packed twice or by
            brotli, a few kilobytes unpack to gigabytes in a single piece.
    """

    def __init__(self, name: str, headers: Mapping[str, str]) -> None:
        self._name = name
        self._body = bytearray()
        packing = headers.get("content-encoding", "identity").lower()
        if packing not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise httpx.RemoteProtocolError(f"the body is packed by {packing}")
        self._packed = packing not in ("", "identity")
        self._may_be_bare = packing == "deflate"
        self._unzip = zlib.decompressobj(_ZLIB_OR_GZIP)

    def take(self, piece: bytes) -> None:
        """Unpack a piece of the body as it came.

        Raises:
            SearchError: The body is larger than any answer may be.
            httpx.RemoteProtocolError: It cannot be unpacked.
        """
        if not self._packed:
            self._keep(piece)
            return
        try:
            self._unpack(piece)
        except zlib.error as error:
            raise httpx.RemoteProtocolError("the body cannot be unpacked") from error

    def _unpack(self, piece: bytes) -> None:
        try:
            part = self._unzip.decompress(piece, _PIECE)
        except zlib.error:
            if not self._may_be_bare:
                raise
            self._unzip = zlib.decompressobj(_BARE)
            part = self._unzip.decompress(piece, _PIECE)
        self._may_be_bare = False
        self._keep(part)
        while self._unzip.unconsumed_tail:
            self._keep(self._unzip.decompress(self._unzip.unconsumed_tail, _PIECE))

    def _keep(self, part: bytes) -> None:
        self._body += part
        if len(self._body) > MAX_BODY_BYTES:
            self._body = bytearray()  # the error may hold this object for a while
            message = f"{self._name} sent more than {MAX_BODY_BYTES // 1_000_000} MB."
            raise SearchError(message, "Ask for fewer records.")

    @property
    def body(self) -> bytes:
        """The bytes read so far."""
        return bytes(self._body)

    @property
    def breaks_off(self) -> bool:
        """Return whether the body ends inside: as packed, or JSON or XML that does not end so."""
        body = self.body.strip()
        cut = body[:1] in _ENDS and not body.endswith(_ENDS[body[:1]])
        return cut or (self._packed and bool(body) and not self._unzip.eof)


_ENDS = {b"{": b"}", b"[": b"]", b"<": b">"}

_BROKEN_OFF = requests.exceptions.BaseHTTPError  # type: ignore[attr-defined] # urllib3's own


def network_for(url: str) -> httpx.AsyncHTTPTransport:
    """The transport of httpx to a host, through the proxy of the environment if it has one.

    An `AsyncClient` looks for a proxy only where it makes its transport itself.

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


def kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that are passed on, of a request and of an answer."""
    names = ("content-type", "retry-after", "user-agent", "accept-encoding")
    return {name: headers[name] for name in names if name in headers}


class RequestsTransport(httpx.AsyncBaseTransport):
    """Sends by `requests` in a thread: ClinicalTrials.gov refuses httpx by its TLS fingerprint.

    The thread is a daemon of its own. One of the loop's pool would be waited for when the loop
    ends, and a server that sends nothing, or a byte now and then, would hold up the exit.
    """

    def __init__(self, name: str = "The source") -> None:
        self._name = name
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
                read = Unpacker(self._name, response.headers)
                if response.ok:
                    _read_into(read, response, given_up)
                return httpx.Response(
                    response.status_code,
                    headers=kept_headers(response.headers),
                    content=read.body,
                    extensions={BREAKS_OFF: True} if read.breaks_off else {},
                )
        # Their texts hold the whole address; they must not be chained.
        except requests.ConnectTimeout:
            raise httpx.ConnectTimeout("no connection in time") from None
        except requests.Timeout:
            raise httpx.ReadTimeout("no answer in time") from None
        except requests.ConnectionError as error:
            raise _connection_error(error) from None
        except (requests.RequestException, _BROKEN_OFF) as error:
            raise httpx.NetworkError(type(error).__name__) from None

    async def aclose(self) -> None:
        """Close the connections."""
        self._session.close()


def _read_into(body: Unpacker, response: requests.Response, given_up: threading.Event) -> None:
    """Take what has arrived, piece by piece: `iter_content` waits until a piece is full."""
    while not given_up.is_set():
        piece = response.raw.read1(65_536, decode_content=False)
        if not piece:
            return
        body.take(piece)


def _connection_error(error: requests.ConnectionError) -> httpx.NetworkError:
    """As httpx would say it: whether there was no connection, or it broke off."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    kind = httpx.ConnectError if isinstance(reason, NewConnectionError) else httpx.NetworkError
    return kind(type(reason or error).__name__)


_WRITTEN = "send_request_body.complete"
"""The name that httpx gives to the moment when a request was written."""


class Layer(httpx.AsyncBaseTransport):
    """A transport over another one."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()


class DownError(httpx.ConnectError):
    """Nobody reached the host a moment ago."""


class Down(Layer):
    """Leaves a host alone for a while that could not be connected to twice.

    So not each of a run's queries waits for a host that is not there.
    """

    ATTEMPTS = 2
    FOR_S = 30.0

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        super().__init__(inner)
        self._failed = 0
        self._until = -math.inf

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send, unless the host was down a moment ago."""
        clock = asyncio.get_running_loop().time
        if clock() < self._until:
            raise DownError("it could not be reached a moment ago")
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            self._failed += 1
            if self._failed < self.ATTEMPTS:
                raise
            self._until = clock() + self.FOR_S
            raise DownError(str(error)) from error
        self._failed = 0
        return response


class Paced(Layer):
    """Takes a place at the host for every attempt."""

    def __init__(self, inner: httpx.AsyncBaseTransport, limiter: Limiter) -> None:
        super().__init__(inner)
        self._turns = Turns(limiter)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send when there is a place, and say when it was sent, where httpx sends it."""
        async with self._turns.turn(request.extensions.get("by")) as sent:

            async def trace(event: str, _info: object) -> None:
                if event.endswith(_WRITTEN):
                    await sent()

            request.extensions |= {"trace": trace}
            return await self._inner.handle_async_request(request)


class Whole(Layer):
    """Reads the whole body, up to the limits of size and time.

    It stands below the retry, so that a body that breaks off is asked for again.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, name: str, attempt_s: float) -> None:
        super().__init__(inner)
        self._name = name
        self._attempt_s = attempt_s

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send, and read the body."""
        try:
            async with asyncio.timeout(self._attempt_s):
                return await self._read(request)
        except TimeoutError:
            raise httpx.ReadTimeout(f"not read in {self._attempt_s:g} s", request=request) from None

    async def _read(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        try:
            body = Unpacker(self._name, response.headers)
            if response.status_code == httpx.codes.OK:
                if response.is_stream_consumed:
                    body.take(response.content)
                else:
                    async for piece in response.aiter_raw():
                        body.take(piece)
            breaks_off = body.breaks_off or response.extensions.get(BREAKS_OFF)
            return httpx.Response(
                response.status_code,
                headers=kept_headers(response.headers),
                content=body.body,
                extensions={BREAKS_OFF: True} if breaks_off else {},
            )
        finally:
            await response.aclose()


_LOG = logging.getLogger(__name__)


class _InALine(logging.Handler):
    """Says what the library could not keep without its traceback, which looks like a crash.

    The answer is passed on all the same, as when two runs write at once.
    """

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        why = f": {str(error) or type(error).__name__}" if error else ""
        _LOG.log(record.levelno, "%s%s", record.getMessage(), why)


logging.getLogger("hishel").addHandler(_InALine())
logging.getLogger("hishel").propagate = False


async def open_cache(path: Path) -> AsyncBaseStorage:
    """The cache in an SQLite file, which is made if it is missing; it closes its connection.

    Raises ConfigurationError.
    """
    try:
        await asyncio.to_thread(_made, path)
    except (OSError, sqlite3.DatabaseError) as error:
        why = f"written: {error.strerror}" if isinstance(error, OSError) else f"used: {error}"
        raise ConfigurationError(
            f"The cache {path} cannot be {why}.",
            "Name another file in DEEPCRITICAL_HTTP_CACHE, or set it to nothing.",
        ) from error
    # With a path of its own it would make folders on the event loop.
    return AsyncSqliteStorage(connection=await anysqlite.connect(str(path), isolation_level=None))


def _made(path: Path) -> None:
    """Make the file, and look whether it can be read as a database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch()
    elif not os.access(path, os.R_OK | os.W_OK):
        # Not by opening it: to close a file drops the locks that this process has on it.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    # Operational errors are of the moment, such as a lock of another run.
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA schema_version")
