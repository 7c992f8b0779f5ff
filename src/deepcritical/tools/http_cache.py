"""Where answers of sources are kept between runs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import anysqlite
from hishel import AsyncBaseStorage, AsyncSqliteStorage

from deepcritical.domain.errors import ConfigurationError

__all__ = ["AsyncBaseStorage", "open_cache"]


async def open_cache(path: Path) -> AsyncBaseStorage:
    """The cache in an SQLite file, which is made if it is missing; it closes its connection.

    Raises:
        ConfigurationError: The file cannot be there.
    """
    try:
        await asyncio.to_thread(_made, path)
    except OSError as error:
        raise ConfigurationError(
            f"The cache {path} cannot be written: {error.strerror}.",
            "Name another file in DEEPCRITICAL_HTTP_CACHE, or set it to nothing.",
        ) from error
    # With a path of its own it would make folders on the event loop.
    return AsyncSqliteStorage(connection=await anysqlite.connect(str(path), isolation_level=None))


def _made(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
