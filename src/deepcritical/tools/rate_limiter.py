"""Rate limits: one limiter for each host, which runs share in turn, and quotas of callers.

This one is shared by every run of the process; for many processes there is one in a database.

A host that answers N requests a second has N places. A request takes a place before it is sent and
leaves it a second after the host surely had it. Of any N + 1 requests two had the same place, so
they came a second apart, however late a busy machine sends what it was allowed to send.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import Protocol

from pyrate_limiter import InMemoryBucket, Rate, RateItem

from deepcritical.tools.deadline import Deadline

Sent = Callable[[], Awaitable[None]]
"""Says that a request is written; see `Place`."""
_WINDOW_S = 1.02
"""Seconds for which a request counts; what is above one is for clocks that differ."""
_ON_ITS_WAY_S = 0.25
"""How long after it was written a request may reach its host, if no answer shows that it did."""


class Place(Protocol):
    """Protocol: a request's place at its host, from before it is sent."""

    async def sent(self) -> None:
        """The request is written: it reaches its host soon."""
        ...

    async def ended(self) -> None:
        """An answer was read, or it failed: it reached its host by now, or never will."""
        ...


class Limiter(Protocol):
    """Protocol: gives the places at one host, to who came first."""

    async def place(self) -> Place:
        """Wait until one request may be sent; raises SearchError where there is no telling."""
        ...


class Turns:
    """The requests of one run at one host.

    It waits for one place at a time. So each run has one place in the queue of the limiter, however
    many requests it has, and runs take turns.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._one = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, by: Deadline | None = None) -> AsyncIterator[Sent]:
        """Wait until one request may be sent, and send it within; yields what says that it was.

        While it waits, the deadline moves on.
        """
        with by.paused() if by else nullcontext():
            async with self._one:
                place = await self._limiter.place()
        try:
            yield place.sent
        finally:
            await place.ended()


class _Places:
    """The places at one host, for all event loops of the process."""

    def __init__(self, per_second: int) -> None:
        self._free_at = [0.0] * per_second
        # Without end for one whose request is not sent yet.
        self._holders: list[_Waiter | None] = [None] * per_second
        self._waiting: deque[_Waiter] = deque()
        self._lock = threading.Lock()

    async def place(self) -> Place:
        waiter = _Waiter()
        with self._lock:
            self._waiting.append(waiter)
            self._wake_first()
        try:
            return _Taken(self, await waiter.until(lambda: self._taken(waiter)), waiter)
        finally:
            with self._lock, suppress(ValueError):
                self._waiting.remove(waiter)
                self._wake_first()

    def free(self, number: int, holder: _Waiter, at: float) -> None:
        """Free a place at a moment, if it is not free before, and nobody else has it by now."""
        with self._lock:
            if self._holders[number] is holder:
                self._free_at[number] = min(self._free_at[number], at)
                self._wake_first()

    def _taken(self, waiter: _Waiter) -> int | float:
        """The number of a place that the first who waits takes; else seconds until there is one."""
        with self._lock:
            number = min(range(len(self._free_at)), key=self._free_at.__getitem__)
            wait_s = self._free_at[number] - time.monotonic()
            if self._waiting[0] is not waiter:
                return math.inf
            if wait_s > 0:
                return wait_s
            self._free_at[number] = math.inf
            self._holders[number] = waiter
            return number

    def _wake_first(self) -> None:
        while self._waiting and not self._waiting[0].wake():
            self._waiting.popleft()


class _Waiter:
    """One who waits, in the event loop that he is in."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()

    def wake(self) -> bool:
        """Let it look again; from any thread. False if its loop is closed: it will never look."""
        try:
            self._loop.call_soon_threadsafe(self._woken.set)
        except RuntimeError:
            return False
        return True

    async def until(self, look: Callable[[], int | float]) -> int:
        """Look, after the seconds that it says or when woken, until it finds a number."""
        while True:
            self._woken.clear()
            found = look()
            if isinstance(found, int):
                return found
            with suppress(TimeoutError):
                async with asyncio.timeout(None if math.isinf(found) else found):
                    await self._woken.wait()


class _Taken:
    """Implements `Place` within a process."""

    def __init__(self, places: _Places, number: int, holder: _Waiter) -> None:
        self._places = places
        self._number = number
        self._holder = holder

    async def sent(self) -> None:
        self._places.free(self._number, self._holder, time.monotonic() + _ON_ITS_WAY_S + _WINDOW_S)

    async def ended(self) -> None:
        self._places.free(self._number, self._holder, time.monotonic() + _WINDOW_S)


_limiters: dict[tuple[str, int], Limiter] = {}
# A cache decorator lets two threads make one each at first use, and the host would see both.
_making = threading.Lock()


def limiter_for(host: str, per_second: int) -> Limiter:
    """The limiter of a host, always the same one.

    All paths of a host count together (E-utilities: ESearch and EFetch).
    """
    with _making:
        if (host, per_second) not in _limiters:
            _limiters[host, per_second] = new_limiter(per_second)
        return _limiters[host, per_second]


def new_limiter(per_second: int) -> Limiter:
    """A limiter of its own, for so many requests in any second."""
    return _Places(per_second)


class Quota:
    """At most so many within a time, counted for each key on its own; nothing ever waits.

    One process counts for itself, in one event loop.
    """

    MAX_KEYS = 10_000
    """Those heard of least recently are forgotten beyond it, so that memory stays bounded."""

    def __init__(
        self, most: int, per_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = Rate(most, int(per_s * 1000))
        self._clock = clock
        self._buckets: OrderedDict[str, InMemoryBucket] = OrderedDict()

    def wait_s(self, key: str) -> float:
        """Count one; 0.0 if it fits, else the seconds after which one will."""
        bucket, now_ms = self._bucket(key)
        return 0.0 if bucket.put(RateItem(key, now_ms)) else self._left_s(bucket, now_ms)

    def full_s(self, key: str) -> float:
        """As `wait_s`, but counting none."""
        bucket, now_ms = self._bucket(key)
        return self._left_s(bucket, now_ms) if len(bucket.items) >= self._rate.limit else 0.0

    def _bucket(self, key: str) -> tuple[InMemoryBucket, int]:
        bucket = self._buckets.setdefault(key, InMemoryBucket([self._rate]))
        self._buckets.move_to_end(key)
        if len(self._buckets) > self.MAX_KEYS:
            self._buckets.popitem(last=False)
        now_ms = int(self._clock() * 1000)
        bucket.leak(now_ms)
        return bucket, now_ms

    def _left_s(self, bucket: InMemoryBucket, now_ms: int) -> float:
        return (bucket.items[0].timestamp + self._rate.interval - now_ms + 1) / 1000
