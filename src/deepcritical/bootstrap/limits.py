"""Which limits on requests hold: those of this process, or those that all workers share."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from deepcritical.services.database import Database
from deepcritical.services.database_url import sqlite_file
from deepcritical.services.finishing import SOON_S, to_the_end
from deepcritical.services.shared_limiter import SharedLimits
from deepcritical.settings import Settings
from deepcritical.tools.rate_limiter import Limiter, limiter_for

__all__ = ["LimiterOf", "open_limits"]

LimiterOf = Callable[[str, int], Limiter]
"""The limiter of a host, for so many requests a second."""

_open: dict[str, tuple[SharedLimits, int]] = {}
"""With their users, by the address of the database: the runs of a process share connections."""
# Runs may open and close their sources in several event loops.
_counting = threading.Lock()


@asynccontextmanager
async def open_limits(settings: Settings) -> AsyncIterator[LimiterOf]:
    """Limiters until the context ends; in PostgreSQL if runs are kept there."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    if url is None or sqlite_file(url):
        yield limiter_for
        return
    limits = _acquired(url)
    try:
        yield limits.of
    finally:
        if _released(url):
            await to_the_end(limits.close(), SOON_S)


def _acquired(url: str) -> SharedLimits:
    with _counting:
        # A worker that goes on beside newer ones opens it again and again: whenever it has runs.
        limits, users = _open.get(url) or (SharedLimits(Database(url, of_newer=True)), 0)
        _open[url] = limits, users + 1
        return limits


def _released(url: str) -> bool:
    """Whether that was the last user."""
    with _counting:
        limits, users = _open.pop(url)
        if users > 1:
            _open[url] = limits, users - 1
        return users == 1
