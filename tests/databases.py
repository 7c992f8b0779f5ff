"""Databases for tests: a file of its own each time, and a database of its own on a real server.

The server is the one of ``DEEPCRITICAL_TEST_POSTGRES``, or one on this machine that trusts it. With
``DEEPCRITICAL_TEST_BACKENDS=servers`` every test that asks for no kind has PostgreSQL, and an index
of vectors on a server of Chroma.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.upkeep import TTL_S
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url, sqlite_file
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService

SERVER = os.environ.get(
    "DEEPCRITICAL_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/postgres"
)
TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"
"""Cuts every connection to a database of PostgreSQL."""
ON_SERVERS = os.environ.get("DEEPCRITICAL_TEST_BACKENDS", "local") == "servers"


@cache
def why_no_server() -> str:
    """Return the reason that PostgreSQL cannot be tested here; '' if it can."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    try:
        psycopg.connect(SERVER, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        return f"no PostgreSQL answers: {str(error).splitlines()[0]}"
    return ""


def on_server(statement: str) -> None:
    import psycopg

    with psycopg.connect(SERVER, autocommit=True) as server:
        server.execute(statement.encode())


@contextmanager
def fresh_database(kind: str, folder: Path, like: str = "") -> Iterator[str]:
    """The normalised address of a database, which is gone in the end.

    Args:
        kind: ``sqlite``, ``postgresql``, or ``any`` for what the tests are run on.
        folder: Where a file is made.
        like: The address of one of the same kind to begin with as a copy of; '' for an empty one.
    """
    if kind == "sqlite" or (kind == "any" and not ON_SERVERS):
        file = folder / "runs.sqlite"
        if like:
            made = sqlite_file(like)
            assert made is not None
            shutil.copyfile(made, file)
        yield normalised_url(f"sqlite:///{file}")
        return
    if why := why_no_server():
        pytest.skip(why)
    name = f"dc_test_{uuid4().hex}"
    on_server(f"CREATE DATABASE {name}" + (f" TEMPLATE {like.rpartition('/')[2]}" if like else ""))
    try:
        yield normalised_url(f"{SERVER.rpartition('/')[0]}/{name}")
    finally:
        on_server(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def migrated_database(kind: str, folder: Path) -> Iterator[str]:
    """The address of a database with all tables, those of the durable engine too, and no run.

    To make them takes PostgreSQL hundreds of statements, to copy them one.
    """
    # Not for the processes that tests start, which import this module, too.
    from dbos import DBOS

    from deepcritical.jobs.dbos_setup import config_of, prepare_file

    with fresh_database(kind, folder) as url:
        Database(url)._engine().dispose()
        prepare_file(url)
        DBOS(config=config_of(url, "none"))
        try:
            DBOS.launch()
        finally:
            DBOS.destroy()
        yield url


def raw_text(url: str) -> str:
    """Everything that a database holds, as text."""
    file = sqlite_file(url)
    if file is None:
        return _raw_tables(url)
    # What is in the log of SQLite is not in its file yet.
    parts = sorted(file.parent.glob(f"{file.name}*"))
    return "".join(part.read_bytes().decode("utf-8", "replace") for part in parts)


def _raw_tables(url: str) -> str:
    import psycopg

    found = []
    with psycopg.connect(url.replace("+psycopg", "")) as server:
        names = server.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in names.fetchall():
            rows = server.execute(f"SELECT t::text FROM {name} t".encode())  # noqa: S608 - our own
            found += [text for (text,) in rows.fetchall()]
    return "\n".join(found)


@contextmanager
def locked(file: Path, how: str = "BEGIN EXCLUSIVE") -> Iterator[None]:
    """Another writer holds the SQLite file."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute(how)
        yield
        other.execute("ROLLBACK")


def build_durable(
    traces: ToolTraceService,
    *,
    slots: int = 20,
    of_user: int | None = None,
    of_all: int | None = None,
    conducts: bool = True,
    one_shot: bool = False,
    ttl_s: float = TTL_S,
    **of_board: Any,
) -> DurableRuns:
    """Durable runs in the database of these traces; `of_board` are options of its `JobBoard`."""
    return DurableRuns(
        JobBoard(traces.database, **of_board),
        traces,
        slots=slots,
        most=(of_user, of_all),
        conducts=conducts,
        one_shot=one_shot,
        ttl_s=ttl_s,
    )
