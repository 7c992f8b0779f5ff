"""The operator's view of workers, on both databases; looking changes nothing."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import RunStarted
from deepcritical.domain.run.recipe import Recipe
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.services.storage import engines
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import sqlite_file
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.operations import Operations, ReadOnlyDatabase, StuckBecause
from deepcritical.services.storage.schema import MIGRATIONS, migrate
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.databases import fresh_database, on_server, raw_text
from tests.losses import lost

TTL_S = 15.0
MOST_TAKEOVERS = 5
BEGUN = RunStarted(question=QUESTION, reasoner="rules")


class Jobs:
    """Takes runs in as a server does, and works on them as workers do."""

    def __init__(self, traces: ToolTraceService) -> None:
        self.traces = traces
        self.board = JobBoard(traces.database)

    async def add(self, user_id: str = "ada", *, queue_limit_s: float = 60.0) -> str:
        run_id = str(uuid4())
        recipe = Recipe(
            tool="research", question=QUESTION, limits=RunLimits(), searched_on="2999-01-01"
        )
        board = JobBoard(self.traces.database, queue_limit_s=queue_limit_s)
        await board.add(run_id, recipe, {"question": QUESTION}, user_id, "server")
        return run_id

    async def begun(self, worker: str, *, times: int = 1) -> str:
        run_id = await self.add()
        for _ in range(times - 1):
            await self.board.begin(run_id, "a worker that dies")
            await lost(self.traces, {worker, "gone"})
        await self.board.begin(run_id, worker)
        await self.traces.append_event(run_id, BEGUN)
        return run_id


@pytest.fixture
def jobs(traces: ToolTraceService) -> Jobs:
    return Jobs(traces)


@pytest.fixture
async def seen(url: str) -> AsyncIterator[Operations]:
    async with looking(url) as operations:
        yield operations


class looking:  # noqa: N801 - a context manager
    """A look at a database, closed in the end."""

    def __init__(self, url: str) -> None:
        self.database = ReadOnlyDatabase(url)
        self.operations = Operations(self.database, ttl_s=TTL_S, most_takeovers=MOST_TAKEOVERS)

    async def __aenter__(self) -> Operations:
        return self.operations

    async def __aexit__(self, *_: object) -> None:
        await self.operations.close()


class TestQueue:
    async def test_waiting_runs_are_counted_by_user_the_longest_wait_first(
        self, jobs: Jobs, seen: Operations
    ) -> None:
        await jobs.add("ada")
        await asyncio.sleep(0.05)
        for _ in range(2):
            await jobs.add("bob")
        await jobs.begun("one")
        first, second = await seen.waiting()
        assert (first.user_id, first.runs) == ("ada", 1)
        assert (second.user_id, second.runs) == ("bob", 2)
        assert first.oldest_wait_s > second.oldest_wait_s >= 0.0
        assert first.oldest_wait_s < 60.0

    async def test_an_empty_queue_and_runs_that_ended_are_not_shown(
        self, jobs: Jobs, seen: Operations
    ) -> None:
        run_id = await jobs.add()
        assert len(await seen.waiting()) == 1
        await jobs.traces.cancel_trace(run_id, user_id="ada")
        assert await seen.waiting() == ()


class TestWorkers:
    async def test_each_has_its_sign_of_life_and_its_runs(
        self, jobs: Jobs, seen: Operations
    ) -> None:
        await jobs.board.beat("one", TTL_S)
        await jobs.board.beat("two", TTL_S, conducts=False)
        for worker in ("one", "one", "gone"):
            await jobs.begun(worker)
        later, earlier = await seen.workers()
        assert (later.name, later.alive, later.conducts, later.runs) == ("two", True, False, 0)
        assert (earlier.name, earlier.alive, earlier.conducts, earlier.runs) == (
            "one",
            True,
            True,
            2,
        )
        assert 0.0 <= later.beat_s <= earlier.beat_s < TTL_S

    async def test_one_without_a_recent_sign_of_life_is_lost(self, jobs: Jobs, url: str) -> None:
        await jobs.board.beat("one", TTL_S)
        await asyncio.sleep(0.05)
        operations = Operations(ReadOnlyDatabase(url), ttl_s=0.01, most_takeovers=MOST_TAKEOVERS)
        (worker,) = await operations.workers()
        await operations.close()
        assert not worker.alive


class TestStuck:
    async def test_each_reason_is_told_and_a_healthy_run_is_not(
        self, jobs: Jobs, seen: Operations
    ) -> None:
        await jobs.board.beat("one", TTL_S)
        healthy = await jobs.begun("one")
        lost = await jobs.begun("gone")
        often = await jobs.begun("one", times=MOST_TAKEOVERS)
        overdue = await jobs.add(queue_limit_s=0.0)
        await jobs.add()
        await asyncio.sleep(0.02)
        found = {(run.run_id, run.because): run for run in await seen.stuck(silent_s=60.0)}
        assert set(found) == {
            (lost, StuckBecause.LOST),
            (often, StuckBecause.TAKEN_OVER_OFTEN),
            (overdue, StuckBecause.OVERDUE),
        }
        taken = found[often, StuckBecause.TAKEN_OVER_OFTEN]
        assert (taken.takeovers, taken.worker) == (MOST_TAKEOVERS - 1, "one")
        silent = {run.run_id for run in await seen.stuck(silent_s=0.001) if run.because == "silent"}
        assert silent == {healthy, lost, often}

    async def test_a_run_that_only_its_own_process_conducted_is_silent_in_the_end(
        self, traces: ToolTraceService, seen: Operations
    ) -> None:
        made = await traces.create_trace("research", {"question": QUESTION}, user_id="ada")
        await traces.append_event(made.id, BEGUN)
        await asyncio.sleep(0.02)
        (run,) = await seen.stuck(silent_s=0.001)
        assert (run.run_id, run.because, run.worker) == (made.id, StuckBecause.SILENT, "")

    async def test_nothing_of_a_question_is_shown(self, jobs: Jobs, seen: Operations) -> None:
        await jobs.begun("gone")
        shown = str([await seen.stuck(1.0), await seen.waiting(), await seen.counts()])
        assert "examplol" not in shown.lower()


@pytest.mark.slow
async def test_the_runs_of_a_day_are_counted_by_tool_and_state(
    url: str, traces: ToolTraceService, seen: Operations, tmp_path: Path
) -> None:
    kept = ToolTraceService(Database(url))
    runs = run_service(snapshot(tmp_path / "made.jsonl", paper(1)), traces=kept)
    await runs.submit(QUESTION).result()
    await runs.close()
    waiting = await traces.create_trace("deep_research", {"question": QUESTION})
    await traces.cancel_trace(waiting.id)
    counted = {(c.tool_name, c.status): c.runs for c in await seen.counts()}
    assert counted == {
        ("research", TraceStatus.COMPLETED): 1,
        ("deep_research", TraceStatus.CANCELLED): 1,
    }


class TestOnlyReads:
    async def test_the_database_refuses_what_would_be_written(self, jobs: Jobs, url: str) -> None:
        await jobs.add()
        before = await asyncio.to_thread(content, url)
        async with looking(url) as seen:
            for look in (seen.waiting(), seen.workers(), seen.stuck(1.0), seen.counts()):
                await look
            with pytest.raises(StorageError, match=r"read.?only"):
                await seen.database.write(
                    lambda connection: connection.execute(sa.text("DELETE FROM jobs"))
                )
        assert await asyncio.to_thread(content, url) == before

    async def test_a_user_who_may_only_select_sees_all(self, tmp_path: Path) -> None:
        with fresh_database("postgresql", tmp_path) as url, reader_of(url) as reading:
            kept = ToolTraceService(Database(url))
            jobs = Jobs(kept)
            await jobs.add()
            await jobs.board.beat("one", TTL_S)
            await jobs.begun("gone")
            grant(url, reading)
            async with looking(reading) as seen:
                assert [run.user_id for run in await seen.waiting()] == ["ada"]
                assert [worker.name for worker in await seen.workers()] == ["one"]
                assert [run.because for run in await seen.stuck(60.0)] == [StuckBecause.LOST]
                assert sum(count.runs for count in await seen.counts()) == 2
            # And it is these rights that hold, not our own restraint.
            other = Database(reading)
            with pytest.raises(StorageError, match="permission denied"):
                await other.write(
                    lambda connection: connection.execute(sa.text("DELETE FROM jobs"))
                )
            await other.close()
            await kept.close()


def content(url: str) -> str:
    """Return the content of a database; of SQLite without the locks, which readers use, too."""
    file = sqlite_file(url)
    if file is None:
        return raw_text(url)
    with closing(sqlite3.connect(file)) as connection:
        return "\n".join(connection.iterdump())


@contextmanager
def reader_of(url: str) -> Iterator[str]:
    """The address of the same database for a user of its own, who has no rights yet."""
    user = f"dc_reader_{uuid4().hex}"
    on_server(f"CREATE ROLE {user} LOGIN")
    scheme, _, rest = url.partition("://")
    try:
        yield f"{scheme}://{user}@{rest.rpartition('@')[2]}"
    finally:
        execute(url, f"DROP OWNED BY {user}")
        on_server(f"DROP ROLE {user}")


def grant(url: str, reading: str) -> None:
    user = reading.partition("://")[2].partition("@")[0]
    execute(url, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}")


def execute(url: str, statement: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


def make_older(url: str, migrations: list[str]) -> None:
    engine = engines.engine_of(url, threads=1, busy_s=1.0)
    with engines.alone(engine, 1) as connection:
        migrate(connection, migrations)
    engine.dispose()


class TestOtherVersions:
    @pytest.fixture(params=["sqlite", "postgresql"])
    def url(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
        """An empty database: which tables it has is what these tests are about."""
        with fresh_database(request.param, tmp_path) as url:
            yield url

    async def test_a_database_without_the_newest_migration_is_refused_and_left_as_it_is(
        self, url: str
    ) -> None:
        *older, newest = MIGRATIONS
        await asyncio.to_thread(make_older, url, older)
        before = await asyncio.to_thread(content, url)
        async with looking(url) as seen:
            with pytest.raises(StorageError, match=f"lacks the migration {newest}"):
                await seen.waiting()
        assert await asyncio.to_thread(content, url) == before

    async def test_one_of_a_newer_version_is_refused(
        self, traces: ToolTraceService, url: str
    ) -> None:
        await traces.list_traces()
        await traces.database.write(
            lambda c: c.execute(
                sa.text("INSERT INTO schema_migrations VALUES ('9999_made_up', CURRENT_TIMESTAMP)")
            )
        )
        async with looking(url) as seen:
            with pytest.raises(StorageError, match="9999_made_up"):
                await seen.counts()

    async def test_an_empty_one_is_refused_and_stays_empty(self, url: str) -> None:
        async with looking(url) as seen:
            with pytest.raises(StorageError, match=r"no database|lacks the migration 0001"):
                await seen.workers()
        file = sqlite_file(url)
        assert file is None or not file.exists()
