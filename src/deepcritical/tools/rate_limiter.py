"""One limiter for each host, shared by every run of the process."""

from __future__ import annotations

from functools import cache

from pyrate_limiter import Duration, InMemoryBucket, Limiter, Rate

__all__ = ["limiter_for"]


@cache
def limiter_for(host: str, per_second: int) -> Limiter:  # noqa: ARG001 - the key of the cache
    """The limiter of a host, always the same one.

    Args:
        host: Name of the host; all its paths count together (E-utilities: ESearch and EFetch).
        per_second: Requests that may begin within any second.
    """
    return Limiter(InMemoryBucket([Rate(per_second, Duration.SECOND)]))
