"""One limiter for each host, shared by every run of the process."""

from __future__ import annotations

import threading

from pyrate_limiter import InMemoryBucket, Limiter, Rate

__all__ = ["limiter_for", "new_limiter"]

_WINDOW_MS = 1_070
_BUFFER_MS = 5
"""A request on a new connection arrives later than one on an open connection, so permits that are
a second apart can arrive closer. What is more than a second is that margin, 7 % of speed."""

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
    return Limiter(InMemoryBucket([Rate(per_second, _WINDOW_MS)]), buffer_ms=_BUFFER_MS)
