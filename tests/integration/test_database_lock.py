"""A database that another process holds: what is waited for, and what is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepcritical.domain.errors import (
    StorageError,
)
from deepcritical.domain.events import Notice
from deepcritical.services.storage import database
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conformance.test_traces import numbered
from tests.databases import locked


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


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
