"""The layers below the retry of `SourceClient`: left alone where down, paced, and read whole."""

from __future__ import annotations

import asyncio
import math

import httpx

from deepcritical.tools.network import BREAKS_OFF, Unpacker, kept_headers
from deepcritical.tools.rate_limiter import Limiter, Turns

_WRITTEN = "send_request_body.complete"
"""What httpx calls the moment when a request was written."""


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
        """Send when there is a place, and say when it was sent."""
        async with self._turns.turn(request.extensions.get("by")) as sent:

            async def trace(event: str, _info: object) -> None:
                if event.endswith(_WRITTEN):
                    await sent()

            request.extensions |= {"sent": sent, "trace": trace}
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
                await _read_into(body, response)
            breaks_off = body.breaks_off or response.extensions.get(BREAKS_OFF)
            return httpx.Response(
                response.status_code,
                headers=kept_headers(response.headers),
                content=body.body,
                extensions={BREAKS_OFF: True} if breaks_off else {},
            )
        finally:
            await response.aclose()


async def _read_into(body: Unpacker, response: httpx.Response) -> None:
    if response.is_stream_consumed:
        body.take(response.content)
        return
    async for piece in response.aiter_raw():
        body.take(piece)
