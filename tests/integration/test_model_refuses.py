"""A model whose server refuses a connection for a moment, or at every address that it has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel
from pydantic_ai import exceptions as failures
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from deepcritical.domain.run.budget import RunLimits
from deepcritical.models.asking import Asker
from deepcritical.models.desk import Asked, RunDesk
from deepcritical.models.failing import NoAnswerError, is_unreachable
from deepcritical.models.providers import model_server
from deepcritical.prompts.asks import Prompt
from deepcritical.reasoning.llm import LLMReasoner
from tests.conftest import QUESTION, ended, of_type, run_service
from tests.integration.modelled import many, modelled
from tests.servers.models import Fault, ModelServer

PROMPT = Prompt(task="made_up", rules="Answer.", text="A made-up question")


class Answer(BaseModel):
    """The typed answer that the model is asked for."""

    word: str


def asker(refuses: Callable[[int], bool]) -> Asker:
    """One over a model that refuses the connections of these requests, counted from 1."""
    requests = 0

    async def respond(_messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nonlocal requests
        requests += 1
        if refuses(requests):
            raise failures.ModelConnectionError(
                "made-up", "away", phase="connect", retry_after=0.0
            ) from ConnectionRefusedError()
        (tool,) = info.output_tools
        return ModelResponse(parts=[ToolCallPart(tool.name, {"word": str(requests)})])

    server = model_server("openai-chat:made-up", base_url="http://127.0.0.1:9/v1", api_key="no")
    return Asker(server, {server.name: FunctionModel(respond)}, RunDesk(RunLimits()))


async def ask(asking: Asker) -> str:
    return (await asking.ask("queries", PROMPT, Answer)).word


async def test_a_server_that_has_answered_and_is_away_for_a_moment_is_asked_again() -> None:
    asking = asker(lambda request: request == 2)
    assert await ask(asking) == "1"
    assert await ask(asking) == "3"
    assert asking.asked.given_up == ""


async def test_another_process_knows_that_the_server_has_answered() -> None:
    first = asker(lambda _: False)
    await ask(first)
    kept = Asked.model_validate(first.asked.model_dump(mode="json"))
    second = asker(lambda request: request <= 3)
    second.go_on(kept)
    with pytest.raises(NoAnswerError):
        await ask(second)
    assert second.asked.given_up == ""
    assert await ask(second) == "4"


def test_what_was_stored_before_says_that_it_has_not_answered() -> None:
    kept = asker(lambda _: False).asked.model_dump(mode="json")
    del kept["answered"]
    assert Asked.model_validate(kept).answered is False


async def test_a_server_that_has_not_answered_is_given_up_at_once() -> None:
    asking = asker(lambda _: True)
    with pytest.raises(NoAnswerError):
        await ask(asking)
    assert "connection" in asking.asked.given_up
    assert asking.asked.spent.unanswered == 1


async def refused() -> OSError:
    """The error of a name of two addresses, at neither of which anybody listens."""
    with pytest.raises(OSError, match="All connection attempts failed") as caught:
        await anyio.connect_tcp("a-name-of-two-addresses.test", 9)
    return caught.value


async def test_a_name_of_several_addresses_refuses_at_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def two(*_: object, **__: object) -> list[object]:
        return [(2, 1, 6, "", ("127.0.0.1", 9))] * 2

    monkeypatch.setattr("anyio._core._sockets.getaddrinfo", two)
    error = await refused()
    assert isinstance(error.__cause__, ExceptionGroup)
    assert is_unreachable(error)
    half = ExceptionGroup("one timed out", [ConnectionRefusedError(), TimeoutError()])
    assert not is_unreachable(half)


async def test_a_refused_connection_is_tried_and_told_once(tmp_path: Path) -> None:
    # Nobody may listen at the port for "discard" but who is set up to.
    address = "http://127.0.0.1:9/v1"
    server = model_server("openai-chat:made-up", base_url=address, api_key="made-up-key")
    run = run_service(many(tmp_path), LLMReasoner(server)).submit(QUESTION)
    events = await ended(run)
    report = await run.result()
    told = [notice for notice in report.notices if "without the model" in notice]
    assert len(told) == 1
    assert "DEEPCRITICAL_MODEL_BASE_URL" in told[0]
    spent = of_type(events, "judgement_made")[-1].spent
    assert (spent.calls, spent.unanswered) == (0, 1)
    assert report.references
    assert report.written_by.startswith("extractive (no model)")


async def test_a_server_that_answers_and_then_fails_is_asked_again(tmp_path: Path) -> None:
    def fails_for_a_while(server: ModelServer) -> None:
        numbers = iter(range(1_000))
        server.fault = lambda _asked: Fault(status=503) if next(numbers) == 1 else None

    run = await modelled(many(tmp_path, 10), fails_for_a_while)
    assert run.report
    assert not [notice for notice in run.report.notices if "without the model" in notice]
