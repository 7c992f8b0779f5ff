"""One limiter for each host, at which runs take turns; and quotas of those who ask.

This one is shared by every run of the process; for many processes there is one in a database.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import nullcontext
from typing import Protocol

import pyrate_limiter
from pyrate_limiter import InMemoryBucket, Rate, RateItem

from deepcritical.tools.deadline import Deadline

__all__ = ["Limiter", "Quota", "Turns", "limiter_for", "new_limiter"]

_WINDOW_MS = 1_070
_BUFFER_MS = 5
"""A request on a new connection arrives later than one on an open connection, so permits that are
a second apart can arrive closer. What is more than a second is that margin, 7 % of speed."""


class Limiter(Protocol):
    """Protocol: gives the permits for requests to one host, to who came first."""

    async def try_acquire_async(self, name: str) -> bool:
        """Return True when one request may be sent at once.

        Raises:
            SearchError: There is no telling.
        """
        ...


class Turns:
    """The permits of one run at one host.

    It waits for one at a time. So each run has one place in the queue of the limiter, however many
    requests it has, and runs take turns.

    Args:
        limiter: Gives the permits, to all runs.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter
        self._one = asyncio.Lock()

    async def permit(self, by: Deadline | None = None) -> None:
        """Wait until one request may be sent; until then the deadline moves on.

        Raises:
            SearchError: As of the limiter.
        """
        with by.paused() if by else nullcontext():
            async with self._one:
                await self._limiter.try_acquire_async("request")


_limiters: dict[tuple[str, int], Limiter] = {}
# A cache decorator lets two threads make one each at first use, and the host would see both.
_making = threading.Lock()


def limiter_for(host: str, per_second: int) -> Limiter:
    """The limiter of a host, always the same one.

    Args:
        host: Name of the host; all its paths count together (E-utilities: ESearch and EFetch).
        per_second: Requests that may arrive within any second.
    """
    with _making:
        if (host, per_second) not in _limiters:
            _limiters[host, per_second] = new_limiter(per_second)
        return _limiters[host, per_second]


def new_limiter(per_second: int) -> Limiter:
    """A limiter of its own, for so many requests in any second."""
    bucket = InMemoryBucket([Rate(per_second, _WINDOW_MS)])
    return pyrate_limiter.Limiter(bucket, buffer_ms=_BUFFER_MS)


class Quota:
    """At most so many within a time, counted for each key on its own; nothing ever waits.

    One process counts for itself, in one event loop.

    Args:
        most: How many.
        per_s: Seconds within which.
        clock: Monotonic seconds.
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
