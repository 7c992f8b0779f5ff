"""Messages for a damaged, full or read-only database, on the command line and over HTTP."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from fastapi.testclient import TestClient

from deepcritical.domain.errors import (
    DatabaseBusyError,
    DatabaseDamagedError,
    DatabaseFullError,
    DatabaseReadOnlyError,
    DatabaseUnreachableError,
    StorageError,
)
from deepcritical.domain.run.events import Notice
from deepcritical.interfaces.cli.output import exit_code
from deepcritical.interfaces.problems import add_handlers
from deepcritical.services.storage import database
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_problems import check_integrity, problem_of
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.engines import engine_of
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conformance.test_traces import numbered
from tests.databases import fresh_database, locked


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def test_damage_within_the_file_is_found_before_anybody_asks(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE made (text TEXT)")
        connection.executemany("INSERT INTO made VALUES (?)", [("made up" * 200,)] * 300)
        connection.commit()
    content = bytearray(file.read_bytes())
    content[40_000:48_000] = bytes(8_000)
    file.write_bytes(content)
    with pytest.raises(DatabaseDamagedError, match=r"is damaged.*backup"):
        Database(normalised_url(f"sqlite:///{file}")).check()
    assert file.read_bytes() == content


def test_a_large_file_holds_the_start_up_no_longer_than_said(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE made (number INTEGER PRIMARY KEY)")
        rows = ((number,) for number in range(200_000))
        connection.executemany("INSERT INTO made VALUES (?)", rows)
        connection.commit()
    assert check_integrity(file, 60.0)
    assert not check_integrity(file, 0.0)


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        ("53100", DatabaseFullError),
        ("25006", DatabaseReadOnlyError),
        ("XX001", DatabaseDamagedError),
    ],
)
def test_what_postgresql_says_by_its_codes(state: str, kind: type[StorageError]) -> None:
    with fresh_database("postgresql", Path()) as url:
        made = engine_of(url, threads=2, busy_s=5.0)
        raising = sa.text(f"DO $$ BEGIN RAISE 'made up' USING ERRCODE = '{state}'; END $$")
        with made.connect() as connection, pytest.raises(sa.exc.DBAPIError) as caught:
            connection.execute(raising)
        made.dispose()
    problem = problem_of(caught.value, "made-up")
    assert type(problem) is kind
    assert problem.advice


@pytest.mark.parametrize(
    ("kind", "code", "status", "reason"),
    [
        (DatabaseDamagedError, 18, 500, "database_damaged"),
        (DatabaseReadOnlyError, 19, 503, "database_read_only"),
        (DatabaseFullError, 20, 507, "database_full"),
        (DatabaseUnreachableError, 21, 503, "database_unreachable"),
        (DatabaseBusyError, 11, 503, "database_busy"),
        (StorageError, 11, 503, ""),
    ],
)
def test_each_is_told_apart_by_programs(
    kind: type[StorageError], code: int, status: int, reason: str
) -> None:
    assert exit_code(kind("It cannot be used.", "See to it.")) == code
    app = FastAPI()
    add_handlers(app)

    @app.get("/")
    async def fail() -> None:
        raise kind("It cannot be used.", "See to it.")

    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/")
    assert (answer.status_code, answer.json()["reason"]) == (status, reason)
    assert answer.json()["advice"] == "See to it."
    assert ("Retry-After" in answer.headers) is (
        reason in ("database_unreachable", "database_busy")
    )


def service(file: Path) -> ToolTraceService:
    return ToolTraceService(Database(normalised_url(f"sqlite:///{file}")))


class TestLock:
    async def test_it_is_waited_for(self, file: Path) -> None:
        traces = service(file)
        trace = await traces.create_trace("research", {})
        holder = locked(file)
        await asyncio.to_thread(holder.__enter__)
        writing = asyncio.create_task(
            traces.append_events(trace.id, numbered(trace.id, Notice(message="a")))
        )
        await asyncio.sleep(0.3)
        assert not writing.done()
        await asyncio.to_thread(holder.__exit__, None, None, None)
        assert await writing == 1
        await traces.close()

    async def test_one_that_stays_is_told_and_nothing_is_half_done(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "BUSY_S", 0.05)
        traces = service(file)
        trace = await traces.create_trace("research", {})
        entries = numbered(trace.id, Notice(message="a"))
        holder = locked(file)
        await asyncio.to_thread(holder.__enter__)
        with pytest.raises(StorageError, match="locked by another process"):
            await traces.append_events(trace.id, entries)
        await asyncio.to_thread(holder.__exit__, None, None, None)
        assert await traces.events(trace.id) == ()
        assert await traces.append_events(trace.id, entries) == 1
        await traces.close()

    async def test_a_file_that_another_process_prepares_is_waited_for(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "BUSY_S", 0.0)
        monkeypatch.setattr(database, "ATTEMPTS", 1)
        holder = locked(file, "BEGIN IMMEDIATE")
        await asyncio.to_thread(holder.__enter__)
        traces = service(file)
        with pytest.raises(StorageError, match="locked by another process"):
            await traces.create_trace("research", {})
        monkeypatch.setattr(database, "ATTEMPTS", 1000)
        creating = asyncio.create_task(traces.create_trace("research", {}))
        await asyncio.sleep(0.2)
        assert not creating.done()
        await asyncio.to_thread(holder.__exit__, None, None, None)
        assert await traces.get_trace((await creating).id) is not None
        await traces.close()

    async def test_readers_do_not_wait_for_a_writer(self, file: Path) -> None:
        traces = service(file)
        trace = await traces.create_trace("research", {})
        holder = locked(file, "BEGIN IMMEDIATE")
        await asyncio.to_thread(holder.__enter__)
        async with asyncio.timeout(60):  # who waits for the writer fails after BUSY_S
            assert await traces.get_trace(trace.id) == trace
        await asyncio.to_thread(holder.__exit__, None, None, None)
        await traces.close()
