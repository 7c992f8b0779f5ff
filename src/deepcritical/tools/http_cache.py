"""Caches answers of sources between runs."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import anysqlite
from hishel import AsyncBaseStorage as AsyncBaseStorage
from hishel import AsyncSqliteStorage

from deepcritical.domain.errors import ConfigurationError

_LOG = logging.getLogger(__name__)


class _InALine(logging.Handler):
    """Says what the library could not keep without its traceback, which looks like a crash.

    The answer is passed on all the same, as when two runs write at once.
    """

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        why = f": {str(error) or type(error).__name__}" if error else ""
        _LOG.log(record.levelno, "%s%s", record.getMessage(), why)


logging.getLogger("hishel").addHandler(_InALine())
logging.getLogger("hishel").propagate = False


async def open_cache(path: Path) -> AsyncBaseStorage:
    """The cache in an SQLite file, which is made if it is missing; it closes its connection.

    Raises ConfigurationError.
    """
    try:
        await asyncio.to_thread(_made, path)
    except (OSError, sqlite3.DatabaseError) as error:
        why = f"written: {error.strerror}" if isinstance(error, OSError) else f"used: {error}"
        raise ConfigurationError(
            f"The cache {path} cannot be {why}.",
            "Name another file in DEEPCRITICAL_HTTP_CACHE, or set it to nothing.",
        ) from error
    # With a path of its own it would make folders on the event loop.
    return AsyncSqliteStorage(connection=await anysqlite.connect(str(path), isolation_level=None))


def _made(path: Path) -> None:
    """Make the file, and look whether it can be read as a database."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.touch()
    elif not os.access(path, os.R_OK | os.W_OK):
        # Not by opening it: to close a file drops the locks that this process has on it.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    # Operational errors are of the moment, such as a lock of another run.
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA schema_version")
