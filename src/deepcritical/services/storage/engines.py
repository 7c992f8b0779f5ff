"""Differences between SQLite and PostgreSQL: connections, locks, and transient errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from deepcritical.services.storage.database_url import sqlite_file

REFUSED = (sa.exc.DBAPIError, sa.exc.TimeoutError)
"""Errors of a database's library when the database cannot be used."""
ERRORS = (*REFUSED, OSError)
"""Errors of a database that cannot be used."""
_MOMENTARY_STATES = ("40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300")
"""SQLSTATE of what is worth another try: conflicts, a restart, too many connections."""
_BEGIN = "begin"
"""Execution option: how SQLite begins the transaction."""


def engine_of(url: str, *, threads: int, busy_s: float) -> sa.Engine:
    """An engine with as many connections as threads; nothing is opened yet."""
    if url.startswith("sqlite"):
        waits = {"timeout": busy_s, "check_same_thread": False}
        engine = sa.create_engine(url, pool_size=threads, max_overflow=0, connect_args=waits)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    return sa.create_engine(
        url,
        pool_size=threads,
        max_overflow=0,
        pool_pre_ping=True,  # a restart of the server costs no transaction
        connect_args={"connect_timeout": 10},
    )


def reading_engine_of(url: str, *, busy_s: float) -> sa.Engine:
    """An engine whose connections the database itself keeps from writing."""
    if file := sqlite_file(url):
        place = f"{file.as_uri()}?mode=ro"
        return sa.create_engine(
            "sqlite://",
            creator=lambda: sqlite3.connect(
                place, uri=True, timeout=busy_s, check_same_thread=False
            ),
            poolclass=sa.QueuePool,
        )
    options = {"connect_timeout": 10, "options": "-c default_transaction_read_only=on"}
    return sa.create_engine(url, connect_args=options)


def probing_engine_of(url: str, *, within_s: float) -> sa.Engine:
    """An engine for one look at a PostgreSQL server, which must answer within so many seconds."""
    waits = {"connect_timeout": max(2, int(within_s))}
    options = f"-c statement_timeout={int(within_s * 1000)}"
    return sa.create_engine(url, connect_args={**waits, "options": options})


def write_nothing(connection: sa.Connection) -> str:
    """Do what a database refuses that can only be read; return its version. Roll it back."""
    if sa.inspect(connection).has_table("schema_migrations"):
        connection.exec_driver_sql("UPDATE schema_migrations SET name = name WHERE name = ''")
    else:
        connection.exec_driver_sql("CREATE TABLE probe (made INTEGER)")
    found = connection.dialect.server_version_info or ()
    return ".".join(map(str, found))


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # so that we begin transactions, and no statement does
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")


def _begin_sqlite(connection: sa.Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))


@contextmanager
def alone(engine: sa.Engine, lock: int) -> Iterator[sa.Connection]:
    """One transaction that no other process that asks for it has at the same time."""
    if engine.dialect.name == "sqlite":
        with _prepared_file(engine) as connection, connection.begin():
            yield connection
        return
    with engine.begin() as connection:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))
        yield connection


@contextmanager
def _prepared_file(engine: sa.Engine) -> Iterator[sa.Connection]:
    with engine.connect().execution_options(**{_BEGIN: "BEGIN EXCLUSIVE"}) as connection:
        raw = connection.connection.driver_connection
        assert raw is not None  # noqa: S101 - only a pooled connection that was given back has none
        _keep_a_log(raw)
        # A table that is made anew is dropped on the way, which must delete nothing elsewhere.
        raw.execute("PRAGMA foreign_keys = OFF")
        try:
            yield connection
        finally:
            raw.execute("PRAGMA foreign_keys = ON")


def _keep_a_log(raw: Any) -> None:
    """Switch the file to its write-ahead log, which stays so.

    Of two processes that do so at the same moment SQLite refuses one at once, without its usual
    wait. The refusal is raised like that of a statement, so that it is tried again.
    """
    statement = "PRAGMA journal_mode = WAL"
    try:
        raw.execute(statement)
    except sqlite3.OperationalError as error:
        raise sa.exc.OperationalError(statement, None, error) from error


def inserting(connection: sa.Connection, table: sa.Table) -> Any:
    """An insert that knows what to do about rows that are there; both databases write it alike."""
    from sqlalchemy.dialects import postgresql, sqlite

    of = postgresql if connection.dialect.name == "postgresql" else sqlite
    return of.insert(table)


def is_momentary(error: BaseException) -> bool:
    """Return whether the same may succeed when it is tried again soon."""
    if not isinstance(error, sa.exc.DBAPIError):
        return False
    state = getattr(error.orig, "sqlstate", None)
    locked = "locked" in str(error.orig) or "database schema has changed" in str(error.orig)
    return error.connection_invalidated or state in _MOMENTARY_STATES or locked
