"""A model whose server refuses a connection for a moment, or at every address that it has."""

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest
from pydantic import BaseModel
from pydantic_ai import exceptions as failures
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from deepcritical.domain.budget import RunLimits
from deepcritical.models.asking import Asker
from deepcritical.models.desk import Asked, RunDesk
from deepcritical.models.failing import NoAnswerError, is_unreachable
from deepcritical.models.providers import model_server
from deepcritical.prompts.asks import Prompt

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
