"""How the durable engine is set up: its database, its format, its threads, its voice."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any, Literal, NamedTuple

from dbos import DBOS, DBOSConfig, Serializer

from deepcritical.domain import errors
from deepcritical.services import engines
from deepcritical.services.database_problems import kind_of, said_by
from deepcritical.services.database_url import sqlite_file

__all__ = [
    "APP",
    "LEFT",
    "POLL_S",
    "SHARED",
    "JsonSerializer",
    "Shares",
    "config_of",
    "prepare_file",
    "quiet",
    "refusals_told",
    "register_queues",
]

APP = "deepcritical"
SHARED = "shared_runs"
"""Where the runs of servers wait for a worker that is free, those of each user on their own."""
LEFT = "runs"
"""Where runs that a process had begun for itself wait when it is gone."""
POLL_S = 0.1
"""How often a worker with a free slot looks for a run that waits."""
VERSION = "3"
"""Pinned, so that new code goes on with runs of older code; raised when old ones cannot go on."""
THREADS = 16
CONNECTIONS = 5
_ERRORS: dict[str, type[Exception]] = {
    **{kind.__name__: kind for kind in (ValueError, TimeoutError)},
    **{name: kind for name, kind in errors.ERRORS.items() if issubclass(kind, errors.StorageError)},
}
"""The exceptions that come back as what they were; every other one comes back as RuntimeError."""


class Shares(NamedTuple):
    """How many runs may be under way at once."""

    slots: int
    """Of one worker."""
    of_user: int
    """Of one user, on all workers."""
    of_all: int | None = None
    """On all workers; None for as many as they take."""
    settles: bool = True
    """Whether these limits replace those of the processes before."""


class JsonSerializer(Serializer):
    """Records as JSON: whoever can write the database must not be able to run code here."""

    def name(self) -> str:
        """Kept with each record."""
        return "deepcritical_json_1"

    def serialize(self, data: Any) -> str:
        """As JSON; NaN and unknown types are refused."""
        return json.dumps(
            data, default=_plain, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )

    def deserialize(self, serialized_data: str) -> Any:
        """As it was, but for tuples, which come back as lists."""
        value = json.loads(serialized_data, object_hook=_revived)
        if isinstance(value, dict) and set(value) == {"args", "kwargs"}:
            value["args"] = tuple(value["args"])
        return value


def _plain(value: object) -> dict[str, str]:
    if isinstance(value, BaseException):
        return {"$error": type(value).__name__, "text": str(value)[:2000]}
    raise TypeError(f"{type(value).__name__} is not JSON")


def _revived(value: dict[str, Any]) -> Any:
    if value.keys() != {"$error", "text"}:
        return value
    return _ERRORS.get(value["$error"], RuntimeError)(value["text"])


class _Connection(sqlite3.Connection):
    """One that is as durable as those of the runs: it survives the end of any process.

    By default every step would wait for the disk, with the file locked for all others.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute("PRAGMA synchronous = NORMAL")


def config_of(url: str, worker: str) -> DBOSConfig:
    """The engine in the database of this normalised address."""
    return DBOSConfig(
        name=APP,
        system_database_url=url,
        sys_db_pool_size=CONNECTIONS,
        db_engine_kwargs={"connect_args": {"factory": _Connection}} if sqlite_file(url) else {},
        executor_id=worker,
        application_version=VERSION,
        serializer=JsonSerializer(),
        max_executor_threads=THREADS,
        use_listen_notify=False,  # nothing here waits for notifications
        log_level="CRITICAL",
    )


def prepare_file(url: str) -> None:
    """Make a SQLite file one that is read while it is written, which the engine does not do."""
    if file := sqlite_file(url):
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")


def register_queues(shares: Shares) -> None:
    """Have what waits dequeued from now on; the limits of the last process that settles them hold.

    What processes left that had begun it for themselves has no line of its user: it gets a quarter
    of a worker, so that it keeps the users of servers from none.
    """

    def within_all(most: int) -> int:  # the engine refuses a limit beyond the one of all
        return min(most, shares.of_all or most)

    conflict: Literal["always_update", "never_update"] = (
        "always_update" if shares.settles else "never_update"
    )
    DBOS.register_queue(
        SHARED,
        worker_concurrency=within_all(shares.slots),
        partition_concurrency=within_all(shares.of_user),
        global_concurrency=shares.of_all,
        polling_interval_sec=POLL_S,
        on_conflict=conflict,
    )
    DBOS.register_queue(
        LEFT,
        worker_concurrency=max(1, shares.slots // 4),
        polling_interval_sec=POLL_S,
        on_conflict=conflict,
    )


def quiet() -> None:
    """Keep the engine's own words off the terminal: what a user must know is in the run's events.

    A handler of ours is there before the engine would add one that prints.
    """
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = False


@asynccontextmanager
async def refusals_told() -> AsyncIterator[None]:
    """Within it, a database that refuses what the engine asks is an error for users.

    Raises:
        StorageError: It does.
    """
    try:
        yield
    except engines.REFUSED as error:
        raise kind_of(error)(
            f"The steps of runs cannot be recorded: {said_by(error)}.",
            "See to the database, above all to the room on its disk; "
            "`deepcritical traces resume` then goes on with the run.",
        ) from error
