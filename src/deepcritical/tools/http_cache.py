"""Where answers of sources are kept between runs."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import anysqlite
from hishel import AsyncBaseStorage, AsyncSqliteStorage

from deepcritical.domain.errors import ConfigurationError

__all__ = ["AsyncBaseStorage", "open_cache"]

# An answer that cannot be kept is passed on all the same, as when two runs write at once. The
# library logs that with its traceback, which without a handler of somebody's would go to stderr.
logging.getLogger("hishel").addHandler(logging.NullHandler())


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
            _OTHER_FILE,
        ) from error
    except sqlite3.DatabaseError as error:
        raise ConfigurationError(
            f"The cache {path} cannot be used: {error}.", _OTHER_FILE
        ) from error
    # With a path of its own it would make folders on the event loop.
    return AsyncSqliteStorage(connection=await anysqlite.connect(str(path), isolation_level=None))


_OTHER_FILE = "Name another file in DEEPCRITICAL_HTTP_CACHE, or set it to nothing."


def _made(path: Path) -> None:
    """Make the file, and look whether it can be read as a database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    # Operational errors are of the moment, such as a lock of another run.
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA schema_version")
