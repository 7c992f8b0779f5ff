"""A start that is repeated begins one run: on another server, after a restart, at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deepcritical.domain.base import Model
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.recipe import Once, Recipe
from deepcritical.domain.traces import TraceStatus
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.services.database import Database
from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION
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


@pytest.mark.slow
async def test_two_requests_with_one_key_at_the_same_moment(servers: Services) -> None:
    asked = [Once.of("ada", "made-up", Asked(question=text)) for text in (QUESTION, "Another?")]
    both = [servers(conducts=False) for _ in asked]
    for server, once in zip(both, asked, strict=True):
        begun(server, once)
    told = await asyncio.gather(*map(RunService.began, both, asked), return_exceptions=True)
    assert sorted(map(type, told), key=str) == [bool, QuestionError]
    assert True in told
    for server in both:
        await server.close()
