"""The HTTP client of all sources: cache, checks, retries and pacing, each in its own layer.

A request passes, from the outside in: cache > check > retry > down > pace > whole > secrets >
network. So a cached answer takes no place at the host, a refused or oversized answer is never
cached, every attempt is paced and bounded, a host that nobody reaches is soon left alone, and a key
is added below the cache, which never sees it.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import httpx
from hishel import AsyncBaseStorage
from hishel.httpx import AsyncCacheTransport
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    wait_exponential,
    wait_random,
)

from deepcritical.domain.errors import ConfigurationError, RateLimitError, SearchError
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.network import (
    BREAKS_OFF,
    Down,
    DownError,
    Layer,
    Paced,
    RequestsTransport,
    Whole,
    network_for,
)
from deepcritical.tools.rate_limiter import Limiter

ATTEMPTS = 4
LONGEST_GET = 1_800
"""Bytes of one parameter above which it is sent by POST; 200 ids of PubMed have fewer."""
_LONGEST_WAIT_S = 60.0
"""A source that asks for a longer wait is not asked again: nobody waits for an answer that long."""
_RETRIED = frozenset({429, 500, 502, 503, 504})

Check = Callable[[bytes], object]
"""Raises SearchError for a body that is no answer, such as an error message with status 200.

One that returns False lets the body through, but not into the cache.
"""


class NoMatchError(SearchError):
    """The source answered 404: some of them say so that nothing matches."""


class Payload(NamedTuple):
    """The body of an answer with status 200."""

    content: bytes
    cached: bool
    """True if it came from the cache and not from the source."""


class SourceClient:
    """The HTTP client of one source.

    Args:
        name: Name of the source, for errors.
        base_url: Where it is; a path is appended.
        limiter: Gives a permit for every attempt; shared by all clients of one host.
        network: Sends a request; by default httpx, through the proxy of the environment if any.
        storage: Keeps answers; None caches nothing. It may be shared, so whoever made it closes it.
        ttl_s: Seconds for which an answer is kept.
        secrets: Query parameters that no cache, log or error may hold.
        timeout_s: Seconds without a byte after which an attempt has failed.
        attempt_s: Seconds after which an attempt has failed, however many bytes still arrive.
        wait_s: Seconds before the first retry; doubled for each further one.
        setting: Name of the setting that gave the address, where it is none of ours: then an
            address where there is no such thing is wrong, and not down.
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
        attempt_s: float = 30.0,
        wait_s: float = 0.5,
        setting: str = "",
    ) -> None:
        if secrets and isinstance(network, RequestsTransport):
            raise ValueError("RequestsTransport takes no secrets: urllib3 logs whole addresses")
        self.name = name
        self._setting = setting
        self._caching = {"ttl": ttl_s}
        transport: httpx.AsyncBaseTransport = network or network_for(base_url)
        transport = _Secrets(transport, secrets or {})
        transport = Whole(transport, name, attempt_s)
        transport = Down(Paced(transport, limiter))
        transport = _Retried(transport, wait_s)
        transport = _Checked(transport, name, setting)
        if storage is not None:
            transport = _Cached(transport, storage=storage)
        self._client = httpx.AsyncClient(
            base_url=base_url,
            transport=transport,
            timeout=timeout_s,
            headers={
                "User-Agent": "DeepCritical (literature research)",
                "Accept-Encoding": "gzip, deflate",
            },
        )

    async def get(
        self,
        path: str,
        params: Mapping[str, str | int],
        check: Check | None = None,
        by: Deadline | None = None,
        form_path: str = "",
    ) -> Payload:
        """The body of a GET; with a long parameter of a POST to `form_path`, which is never cached.

        Args:
            path: Below the base URL.
            params: Query parameters, without the secrets.
            check: Refuses a body that is no answer, which is then not kept; run in a thread.
            by: When the request ends, whatever it waits for; None sets no limit.
            form_path: Where a POST of the same fields goes; '' where there is none.

        Raises:
            RateLimitError: The source still refuses after all attempts.
            SearchError: It cannot be reached, sends no data, or not in time.
            ConfigurationError: There is no such thing at an address that was set.
        """
        texts = {name: str(value) for name, value in params.items()}
        try:
            if form_path and any(len(text.encode()) > LONGEST_GET for text in texts.values()):
                request = self._client.build_request("POST", form_path, data=texts)
            else:
                request = self._client.build_request("GET", path, params=texts)
        except (httpx.InvalidURL, UnicodeError) as error:
            message = f"The query cannot be sent to {self.name} as an address."
            raise SearchError(message, "Shorten the question.") from error
        return await self._send(request, check, by)

    async def post_json(
        self, path: str, body: object, check: Check | None = None, by: Deadline | None = None
    ) -> Payload:
        """The body of a POST of JSON, which is never cached; else as `get`."""
        return await self._send(self._client.build_request("POST", path, json=body), check, by)

    async def _send(
        self, request: httpx.Request, check: Check | None, by: Deadline | None
    ) -> Payload:
        request.extensions |= {"caching": self._caching, "check": check, "by": by}
        try:
            async with by.limit() if by else asyncio.timeout_at(None) as limit:
                response = await self._client.send(request)
        except _NotKeptError as passed:
            response = passed.response
        except TimeoutError as error:
            if not limit.expired():
                raise  # a defect: every other time-out has an error of its own
            told = f"{self.name} did not answer in time{_waiting_of(by)}."
            raise SearchError(told, "Try again later.") from error
        except httpx.TransportError as error:
            if self._setting and _names_no_host(error):
                raise _wrong_address(self.name, self._setting, "no host has its name") from error
            raise SearchError(
                f"{self.name} cannot be reached ({type(error).__name__}).",
                "Check the network, or use --snapshot demo.",
            ) from error
        status = response.extensions.get("caching")
        return Payload(response.content, cached=bool(status and status["from_cache"]))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class _Cached(AsyncCacheTransport):
    """A cache that outlives its client: other clients share the storage."""

    async def aclose(self) -> None:
        await self.next_transport.aclose()


class _Checked(Layer):
    """Lets only data through."""

    def __init__(self, inner: httpx.AsyncBaseTransport, name: str, setting: str) -> None:
        super().__init__(inner)
        self._name = name
        self._setting = setting
        self._heard = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        self._heard |= response.status_code == httpx.codes.OK
        # Of one that has answered before, it is one record that is not there.
        missing = response.status_code == httpx.codes.NOT_FOUND and not self._heard
        if self._setting and missing:
            raise _wrong_address(self._name, self._setting, "it answers with status 404")
        if response.status_code != httpx.codes.OK:
            raise self._refused(response)
        # An outage page or nothing at all with status 200 must be neither parsed nor kept.
        if _is_web_page(response) or not response.content.strip():
            message = f"{self._name} answered with a web page or with nothing."
            raise SearchError(message, "Try again later.")
        check = request.extensions.get("check")
        if check and await asyncio.to_thread(check, response.content) is False:
            raise _NotKeptError(response)
        return response

    def _refused(self, response: httpx.Response) -> SearchError:
        code = response.status_code
        if code == httpx.codes.TOO_MANY_REQUESTS:
            return RateLimitError(
                f"{self._name} refuses more requests for the moment (status 429).",
                "Try again in a minute.",
                _retry_after_s(response),
            )
        kind = NoMatchError if code == httpx.codes.NOT_FOUND else SearchError
        return kind(f"{self._name} answered with status {code}.", _advice(code))


def _wrong_address(name: str, setting: str, why: str) -> ConfigurationError:
    told = f"The address of {name} in {setting} is wrong: {why}."
    return ConfigurationError(told, f"Correct {setting}, or remove it.")


def _names_no_host(error: BaseException) -> bool:
    """Return whether a host name was not resolved, by the error's type or its words."""
    chain = (error, error.__cause__, error.__context__)
    return any(
        isinstance(one, socket.gaierror) or re.search(r"NameResolution|Name or service", str(one))
        for one in chain
    )


def _waiting_of(by: Deadline | None) -> str:
    if by is None or by.waited_s < 1:
        return ""
    return f", of which {by.waited_s:.0f} s passed in waiting for the limit that all runs share"


class _NotKeptError(Exception):
    """An answer that is passed on round the cache, which keeps whatever it is given."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response


def _advice(code: int) -> str:
    if code in (400, 414):
        return "Put the question in other or fewer words."
    return "Check the key of this source." if code == 401 else "Try again later."


def _is_web_page(response: httpx.Response) -> bool:
    start = response.content[:1000].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    # Not in the content type alone: proxies label their pages as they like.
    marked = start.startswith(b"<") and (b"<html" in start or b"<!doctype html" in start)
    return marked or "html" in response.headers.get("content-type", "").lower()


class _Retried(Layer):
    """Sends a request again after 429, 5xx and transport errors, and after nothing else."""

    def __init__(self, inner: httpx.AsyncBaseTransport, wait_s: float) -> None:
        super().__init__(inner)
        self._backoff = wait_exponential(multiplier=wait_s, max=8.0) + wait_random(0, wait_s)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        attempts = AsyncRetrying(
            stop=_has_ended,
            wait=self._wait,
            retry=retry_if_exception(_is_worth_another),
            reraise=True,
        )
        try:
            return await attempts(self._attempt, request)
        except _RetryableError as last:
            return last.response

    async def _attempt(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        # Cut to the last, what is whole of it may still be read.
        if response.status_code in _RETRIED or response.extensions.get(BREAKS_OFF):
            raise _RetryableError(response)
        return response

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = _retry_after_s(error.response) if isinstance(error, _RetryableError) else None
        return asked if asked is not None else self._backoff(state)


def _has_ended(state: RetryCallState) -> bool:
    """Return whether no attempts are left, or the next would exceed the longest wait."""
    by: Deadline | None = state.args[0].extensions.get("by")
    wait_s = state.upcoming_sleep
    too_late = by is not None and wait_s >= by.left_s
    return state.attempt_number >= ATTEMPTS or too_late or wait_s > _LONGEST_WAIT_S


def _is_worth_another(error: BaseException) -> bool:
    may_pass = isinstance(error, httpx.TransportError) and not isinstance(error, DownError)
    return may_pass or isinstance(error, _RetryableError)


class _RetryableError(Exception):
    """An answer that is worth another attempt."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response


def _retry_after_s(response: httpx.Response) -> float | None:
    """Seconds that the source asked to wait, as a number or a date."""
    asked = response.headers.get("retry-after", "")
    try:
        date = None if asked.replace(".", "", 1).isdecimal() else parsedate_to_datetime(asked)
        wait_s = (date - datetime.now(UTC)).total_seconds() if date else float(asked)
    except (TypeError, ValueError):  # the former: a date without a zone
        return None
    return max(0.0, wait_s)


class _Secrets(Layer):
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
