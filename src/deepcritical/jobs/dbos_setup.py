"""Sets up the durable engine: its database, its format, its threads, its log."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any, Literal, NamedTuple

from dbos import DBOS, DBOSConfig, Serializer

from deepcritical.domain import errors
from deepcritical.services.storage import engines
from deepcritical.services.storage.database_problems import kind_of, said_by
from deepcritical.services.storage.database_url import sqlite_file

APP = "deepcritical"
SHARED = "shared_runs"
"""The queue for the runs of servers, with a partition for each user."""
LEFT = "runs"
"""The queue for runs that a process had begun for itself, when it is gone."""
QUEUE_POLL_S = 0.25
"""Interval at which a worker with a free slot polls the queues.

A poll of both took 11 ms of a slow core: at 0.1 s an idle server used a ninth of it.
"""
POLL_S = 0.1
"""Interval at which the engine looks for notifications."""
VERSION = "4"
"""Pinned, so that new code continues runs of older code; raised when it cannot."""
THREADS = 16
CONNECTIONS = 5
_ERRORS: dict[str, type[Exception]] = {
    **{kind.__name__: kind for kind in (ValueError, TimeoutError)},
    **{name: kind for name, kind in errors.ERRORS.items() if issubclass(kind, errors.StorageError)},
}
"""The exceptions that keep their type on record; every other one becomes a RuntimeError."""


class Shares(NamedTuple):
    """Limits on concurrent runs."""

    slots: int
    """Of one worker."""
    of_user: int
    """Of one user, on all workers."""
    of_all: int | None = None
    """On all workers; None sets no limit."""
    settles: bool = True
    """True where these limits replace those of earlier processes."""


class JsonSerializer(Serializer):
    """Records as JSON: write access to the database must not run code here."""

    def name(self) -> str:
        """Return the name kept with each record."""
        return "deepcritical_json_1"

    def serialize(self, data: Any) -> str:
        """Return JSON; NaN and unknown types are refused."""
        return json.dumps(
            data, default=_plain, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )

    def deserialize(self, serialized_data: str) -> Any:
        """Return the data; a tuple comes back as a list."""
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
    """A connection as durable as those of the runs: commits survive the end of any process.

    By default every step would wait for the disk, with the file locked for all others.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute("PRAGMA synchronous = NORMAL")


def config_of(url: str, worker: str) -> DBOSConfig:
    """Return the configuration for the database of this normalised address."""
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
        # The thread that looks for them sleeps so long, and an engine that ends waits for it.
        notification_listener_polling_interval_sec=POLL_S,
        log_level="CRITICAL",
    )


def prepare_file(url: str) -> None:
    """Let a SQLite file be read while it is written, which the engine does not do."""
    if file := sqlite_file(url):
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")


def register_queues(shares: Shares) -> None:
    """Dequeue runs from now on; the limits of the last process that settles them hold.

    The runs in LEFT have no partition of their user. They get a quarter of a worker, so that they
    keep the users of servers from nothing.
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
        polling_interval_sec=QUEUE_POLL_S,
        on_conflict=conflict,
    )
    DBOS.register_queue(
        LEFT,
        worker_concurrency=max(1, shares.slots // 4),
        polling_interval_sec=QUEUE_POLL_S,
        on_conflict=conflict,
    )


def quiet() -> None:
    """Keep the engine's log off the terminal: users read the events of a run.

    With a handler of ours the engine adds none that prints.
    """
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    logger.propagate = False


@asynccontextmanager
async def refusals_told() -> AsyncIterator[None]:
    """Raise StorageError, with advice, where the database refuses what the engine asks."""
    try:
        yield
    except engines.REFUSED as error:
        raise kind_of(error)(
            f"The steps of runs cannot be recorded: {said_by(error)}.",
            "See to the database, above all to the room on its disk; "
            "`deepcritical traces resume` then goes on with the run.",
        ) from error
