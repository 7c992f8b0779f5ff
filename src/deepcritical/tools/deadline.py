"""The end of requests: the deadline of a source, and requests that end together.

Time in which a source waits for a rate limit does not count towards its deadline.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Deadline:
    """The end of the time that one source has, which moves on while a permit is waited for.

    It belongs to one event loop. Requests of one source may share it; while several of them wait,
    the time counts once. It ends after `latest_s` seconds, but no sooner than `within_s`, whatever
    was waited for; without them it takes as long as it takes.
    """

    def __init__(self, within_s: float, latest_s: float | None = None) -> None:
        self.within_s = within_s
        self.waited_s = 0.0
        self._clock = asyncio.get_running_loop().time
        now = self._clock()
        self._at = now + within_s
        self._latest = math.inf if latest_s is None else now + max(latest_s, within_s)
        self._waiting = 0
        self._waits_since = now
        self._limits: dict[asyncio.Timeout, float] = {}

    @property
    def left_s(self) -> float:
        """Seconds that are left; 0.0 when it is over."""
        return max(0.0, self._ends_at() - self._clock())

    @asynccontextmanager
    async def limit(self, grace_s: float = 0.0) -> AsyncIterator[asyncio.Timeout]:
        """End what is within the context so many seconds after it is over, by TimeoutError."""
        async with asyncio.timeout_at(None) as limit:
            self._limits[limit] = grace_s
            self._move(limit)
            try:
                yield limit
            finally:
                del self._limits[limit]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Wait for a permit; once it is over, that moves it no more."""
        if not self.left_s:
            yield
            return
        if not self._waiting:
            self._waits_since = self._clock()
        self._waiting += 1
        self._move(*self._limits)
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.waited_s += self._clock() - self._waits_since
            self._move(*self._limits)

    def _ends_at(self) -> float:
        return self._latest if self._waiting else min(self._at + self.waited_s, self._latest)

    def _move(self, *limits: asyncio.Timeout) -> None:
        ends_at = self._ends_at()
        for limit in limits:
            if not limit.expired():
                limit.reschedule(ends_at + self._limits[limit] if ends_at < math.inf else None)


async def together(calls: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run calls at once and return their results, in the order of the calls.

    If one fails or the caller is cancelled, all others are cancelled and have ended before this
    function does. `asyncio.gather` leaves them running: their next attempt would open a connection
    of a client that is closed, and nobody closes it.

    Raises:
        Exception: The first error of a call.
    """
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
