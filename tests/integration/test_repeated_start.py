"""A start that is repeated begins one run: on another server, after a restart, at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from deepcritical.domain.base import Model
from deepcritical.domain.errors import DatabaseBusyError, QuestionError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import RunStarted
from deepcritical.domain.run.recipe import Once, Recipe
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs import known_runs
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage import database
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import sqlite_file
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION
from tests.databases import locked
from tests.integration.durably import Services
from tests.integration.modelled import records


class Asked(Model):
    """The request of a client."""

    question: str = QUESTION


@pytest.fixture
def servers(url: str, tmp_path: Path) -> Services:
    return Services(url, records(tmp_path))


def begun(server: RunService, once: Once | None = None) -> Run:
    given = once or Once.of("ada", "made-up", Asked())
    return server.submit(QUESTION, once=given, user_id="ada")


@pytest.mark.slow
async def test_on_two_servers_and_after_a_restart(servers: Services) -> None:
    once = Once.of("ada", "made-up", Asked())
    first, second = servers(conducts=False), servers(conducts=False)
    assert not await first.began(once)
    one = begun(first)
    assert begun(first) is one
    await first.runs_of("ada")  # the database knows it
    assert await second.began(once)
    assert not await second.began(Once.of("eve", "made-up", Asked()))
    with pytest.raises(QuestionError, match="another request"):
        await second.began(Once.of("ada", "made-up", Asked(question="Another?")))
    await first.close()
    await second.close()
    third = servers()
    assert await third.began(once)
    await third.close()
    traces = ToolTraceService(Database(servers.url))
    assert [trace.id for trace in await traces.list_traces("ada")] == [once.run_id]
    await traces.close()


@pytest.mark.slow
async def test_which_another_server_takes_in_at_the_same_moment(servers: Services) -> None:
    once = Once.of("ada", "made-up", Asked())
    traces = ToolTraceService(Database(servers.url))
    recipe = Recipe(
        tool="research", question=QUESTION, limits=RunLimits(), searched_on="2999-01-01"
    )
    board = JobBoard(traces.database)
    assert await board.add(once.run_id, recipe, {"question": QUESTION}, "ada", "another server")
    assert not await board.add(once.run_id, recipe, {}, "ada", "a third one")
    server = servers(ttl_s=1.0)
    async with asyncio.timeout(60):
        assert (await begun(server).result()).references  # by whoever goes on for the other one
    (kept,) = await traces.list_traces("ada")
    assert (kept.id, kept.status) == (once.run_id, TraceStatus.COMPLETED)
    await traces.close()
    await server.close()


def two() -> list[Once]:
    """Two different requests with one key."""
    return [Once.of("ada", "made-up", Asked(question=text)) for text in (QUESTION, "Another?")]


async def answered(server: RunService, once: Once) -> bool:
    """The answer to a client who repeats the start for as long as it is told to."""
    async with asyncio.timeout(60):
        while True:
            with suppress(DatabaseBusyError):
                return await server.began(once)


@asynccontextmanager
async def held_up(url: str) -> AsyncIterator[None]:
    """No run can be stored in the database within."""
    if file := sqlite_file(url):
        with locked(file):
            yield
        return
    import psycopg

    async with await psycopg.AsyncConnection.connect(url.replace("+psycopg", "")) as other:
        await other.execute("LOCK TABLE tool_traces IN ACCESS EXCLUSIVE MODE")
        yield


async def one_winner(both: Sequence[RunService]) -> None:
    told = await asyncio.gather(*map(answered, both, two()), return_exceptions=True)
    assert sorted(map(type, told), key=str) == [bool, QuestionError]
    assert True in told


@pytest.mark.slow
async def test_two_requests_with_one_key_at_the_same_moment(servers: Services) -> None:
    both = [servers(conducts=False) for _ in range(2)]
    for server, once in zip(both, two(), strict=True):
        begun(server, once)
    await one_winner(both)
    for server in both:
        await server.close()


@pytest.mark.slow
async def test_while_the_database_is_busy_no_request_is_said_to_be_first(
    servers: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_runs, "DECIDED_S", 0.1)
    both = [servers(conducts=False) for _ in range(2)]
    await both[0].start_engine()  # a process has one engine: the other's run ends with its process
    async with held_up(servers.url):
        for server, once in zip(both, two(), strict=True):
            begun(server, once)
            with pytest.raises(DatabaseBusyError, match="same key again"):
                await server.began(once)
    await one_winner(both)
    for server in both:
        await server.close()


@pytest.mark.slow
async def test_of_runs_that_end_with_their_process_one_is_first_too(
    servers: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (file := sqlite_file(servers.url)):
        pytest.skip("PostgreSQL lets a transaction wait for as long as it takes")
    monkeypatch.setattr(database, "ATTEMPTS", 1)
    monkeypatch.setattr(database, "BUSY_S", 0.1)
    both = [servers(conducts=False) for _ in range(2)]
    await both[0].start_engine()  # a process has one engine: the other's run ends with its process
    with locked(file):
        runs = [begun(server, once) for server, once in zip(both, two(), strict=True)]
        for server, once in zip(both, two(), strict=True):
            with pytest.raises(DatabaseBusyError):
                await server.began(once)
    await one_winner(both)
    await asyncio.gather(*(run.result() for run in runs), return_exceptions=True)
    traces = both[0].traces
    assert traces
    (kept,) = await traces.list_traces("ada")
    events = [logged.event for logged in await traces.events(kept.id)]
    assert sum(isinstance(event, RunStarted) for event in events) == 1  # none of the other's
    for server in both:
        await server.close()
