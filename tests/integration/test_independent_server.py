"""Runs over a model's server that is not ours, and its own verdict on how its faults were met.

It answers every question in the form asked for and with made-up words, so that nothing of its
answers may reach a report. Streams are not asked for, so its faults of streams have no place here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from llmock.scenarios import Behavior, Fail, ToolFault
from llmock.testing import LLMockServer
from llmock.verdict import judge

from deepcritical.domain.checks import CheckState
from deepcritical.domain.errors import KeyRefusedError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import LoggedEvent
from deepcritical.interfaces.cli.checks import check_model
from deepcritical.jobs.run import Run
from deepcritical.models.providers import ModelServer, model_server
from deepcritical.reasoning.llm import LLMReasoner
from tests.conftest import QUESTION, ended, of_type, run_service
from tests.integration.modelled import records

APIS = {"openai-chat": "openai", "openai": "openai", "anthropic": "anthropic"}


@asynccontextmanager
async def served(*behaviors: Behavior) -> AsyncIterator[LLMockServer]:
    """The server on loopback, with what it is to do first."""
    server = await asyncio.to_thread(LLMockServer().start)
    server.state.scenarios.add(*behaviors)
    try:
        yield server
    finally:
        await asyncio.to_thread(server.stop)


def resolved(server: LLMockServer, api: str) -> ModelServer:
    address = server.base_url(APIS[api])
    return model_server(f"{api}:made-up", base_url=address, api_key="made-up-key", timeout_s=10)


async def ran(server: LLMockServer, api: str, folder: Path) -> tuple[Run, list[LoggedEvent]]:
    path = await asyncio.to_thread(records, folder)
    reasoner = LLMReasoner(resolved(server, api))
    run = run_service(path, reasoner, max_iterations=1, deadline_s=40).submit(QUESTION)
    async with asyncio.timeout(60):
        return run, await ended(run)


def findings(server: LLMockServer) -> set[str]:
    """Return the codes of the client's faults that the server found."""
    return {finding.code for finding in judge(server.state.journal.records(wait=2)).findings}


def made_by(events: list[LoggedEvent]) -> set[str]:
    return {event.made_by for event in of_type(events, "judgement_made")}


@pytest.mark.parametrize("api", APIS)
async def test_words_of_a_model_in_the_right_form_reach_no_report(tmp_path: Path, api: str) -> None:
    async with served() as server:
        run, events = await ran(server, api, tmp_path)
        assert findings(server) == set()
    assert run.report
    assert run.report.references
    # A search may have a model's words, and the search log says so; nothing else may.
    assert "mock" not in run.report.model_dump_json().lower().replace("mock-searches", "")
    assert "model" in made_by(events)


FAULTS: dict[str, tuple[Any, ...]] = {
    "429 with Retry-After": (Fail(429, retry_after=0.5, times=2),),
    "500 twice": (Fail(500, times=2),),
    "arguments that are no JSON": (ToolFault("malformed_arguments", times=1),),
    "a tool that was not offered": (ToolFault("unknown_tool", times=1),),
}


@pytest.mark.parametrize("api", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_passing_fault_is_overcome_as_the_server_wants_it(
    tmp_path: Path, fault: str, api: str
) -> None:
    async with served(*FAULTS[fault]) as server:
        run, events = await ran(server, api, tmp_path)
        assert findings(server) <= {"gave_up"}  # on the way in which it was asked first
    assert run.report
    assert made_by(events) & {"model", "model in part"}


@pytest.mark.slow
@pytest.mark.parametrize("api", APIS)
async def test_an_outage_leaves_the_report_to_the_rules(tmp_path: Path, api: str) -> None:
    async with served(Fail(503, times=None)) as server:
        run, events = await ran(server, api, tmp_path)
        assert "retry_storm" not in findings(server)
    assert run.report
    assert run.report.references
    assert made_by(events) == {"rules"}


@pytest.mark.parametrize("api", APIS)
async def test_a_refused_key_is_not_tried_again(tmp_path: Path, api: str) -> None:
    async with served(Fail(401, times=None)) as server:
        run, _ = await ran(server, api, tmp_path)
        with pytest.raises(KeyRefusedError):
            await run.result()
        assert findings(server) == set()


@pytest.mark.parametrize("api", APIS)
async def test_doctor_says_what_the_server_can_do(api: str) -> None:
    async with served() as server:
        checks = await check_model(resolved(server, api), "made-up place", RunLimits())
    assert [check.state for check in checks] == [*[CheckState.OK] * 3, CheckState.SKIPPED]
    assert "by a tool call" in checks[2].detail
    assert "misread" in checks[2].detail
