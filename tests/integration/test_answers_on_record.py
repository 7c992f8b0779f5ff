"""A model's answer is on record before it is used, so that no kill has it paid twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.models import metering
from deepcritical.models.answers import Plan
from deepcritical.models.asking import Asker, open_asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.providers import model_server
from deepcritical.prompts.asks import ask_plan
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.model_answers import STEP, RunAnswers
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running


@pytest.fixture
async def run_id(traces: ToolTraceService) -> str:
    return (await traces.create_trace("research", {"question": QUESTION})).id


@asynccontextmanager
async def process(server: ModelServer, database: Database, run_id: str) -> AsyncIterator[Asker]:
    """A process that goes through a step of the run from its beginning."""
    book = await RunAnswers.of(database, run_id)
    async with running(server.app) as url:
        made = model_server("openai-chat:made-up", base_url=f"{url}v1", api_key="made-up-key")
        # The server is found at another port by each process, which no real one is.
        made.address = "http://model/v1"
        token = STEP.set("2:refine_question")
        async with open_asker(made, RunDesk(RunLimits(), book=book)) as asker:
            yield asker
        STEP.reset(token)


async def ask(asker: Asker, question: str = QUESTION) -> Plan:
    return await asker.ask("question", ask_plan(question), Plan)


async def test_an_answer_is_used_again_and_charged_once(
    traces: ToolTraceService, run_id: str
) -> None:
    server, found, spent = ModelServer(), [], []
    for _ in range(3):
        async with process(server, traces.database, run_id) as asker:
            found.append([await ask(asker), await ask(asker)])  # the same twice is asked twice
            spent.append(asker.purse.spent)
    assert len(server.asked) == 2
    assert found[0] == found[1] == found[2]
    assert spent[0].calls == 2
    assert spent[0] == spent[1] == spent[2]


async def test_what_was_in_flight_is_asked_again_and_both_are_charged(
    traces: ToolTraceService, run_id: str
) -> None:
    server = ModelServer()
    server.latency_s = 60.0
    async with process(server, traces.database, run_id) as asker:
        asking = asyncio.create_task(ask(asker))
        await server.arrived.wait()
        asking.cancel()
        await asyncio.wait([asking])
    server.latency_s = 0.0
    spent: list[Spent] = []
    for _ in range(2):
        async with process(server, traces.database, run_id) as asker:
            await ask(asker)
            spent.append(asker.purse.spent)
    assert len(server.asked) == spent[0].calls == 2
    assert spent[0] == spent[1]
    assert spent[0].tokens == server.tokens * 2  # the first answer was never given


async def test_what_failed_is_not_charged_when_it_is_asked_again(
    traces: ToolTraceService, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metering, "_LONGEST_WAIT_S", 0.0)
    server = ModelServer()
    server.fault = lambda _asked: Fault(status=503)
    async with process(server, traces.database, run_id) as asker:
        with pytest.raises(NoAnswerError):
            await ask(asker)
        assert not asker.purse.under_way
    server.fault = lambda _asked: None
    async with process(server, traces.database, run_id) as asker:
        await ask(asker)
        assert asker.purse.spent.calls == 1


async def test_a_database_that_is_away_costs_no_answer(
    traces: ToolTraceService, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_work: object) -> None:
        raise StorageError("It is away.")

    server = ModelServer()
    async with process(server, traces.database, run_id) as asker:
        monkeypatch.setattr(traces.database, "write", away)
        assert (await ask(asker)).searches
