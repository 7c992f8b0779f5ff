"""Tools by name: checked input, progress that never goes back, one result, nothing shared."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.errors import (
    DeepCriticalError,
    QuestionDeclinedError,
    ResearchCancelled,
    StorageError,
    ToolInputError,
    UnknownToolError,
)
from deepcritical.domain.tool.registry import (
    ToolCaller,
    ToolConfig,
    ToolProgress,
    ToolRegistry,
    ToolResult,
    ToolStep,
)


class Count(Model):
    upto: int = Field(ge=1, le=3)


def counting(*ran: list[str], ends: bool = True) -> ToolConfig:
    """A tool that tells of each number; what it was run for is kept."""

    async def execute(inputs: Count, caller: ToolCaller) -> AsyncGenerator[ToolStep, None]:
        try:
            for number in range(1, inputs.upto + 1):
                # The first number tells most: progress must not go back with the others.
                yield ToolProgress(stage="count", message=str(number), progress=1 / number)
            if ends:
                yield ToolResult(text=f"{caller.user_id}: {inputs.upto}", payload={})
                yield ToolResult(text="nobody reads this", payload={})
        finally:
            for kept in ran:
                kept.append("closed")

    return ToolConfig("count", "Counts.", Count, execute)


async def steps(
    registry: ToolRegistry, inputs: dict[str, object], name: str = "count"
) -> list[ToolStep]:
    return [step async for step in registry.call(name, inputs, ToolCaller("ada"))]


async def test_progress_comes_as_it_is_made_and_the_result_is_the_last() -> None:
    *told, result = await steps(ToolRegistry([counting()]), {"upto": 3})
    assert [step.message for step in told if isinstance(step, ToolProgress)] == ["1", "2", "3"]
    assert [step.progress for step in told if isinstance(step, ToolProgress)] == [1.0, 1.0, 1.0]
    assert result == ToolResult(text="ada: 3", payload={})


@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        ({}, "upto"),
        ({"upto": 9}, "upto"),
        ({"upto": "many"}, "upto"),
        ({"upto": 1, "user_id": "eve"}, "user_id"),
    ],
    ids=str,
)
async def test_what_does_not_fit_the_schema_is_told_and_nothing_runs(
    inputs: dict[str, object], named: str
) -> None:
    ran: list[str] = []
    with pytest.raises(ToolInputError, match=named) as raised:
        await steps(ToolRegistry([counting(ran)]), inputs)
    assert raised.value.advice == "It takes: upto."
    assert ran == []


async def test_an_unknown_tool_is_told_with_those_that_there_are() -> None:
    with pytest.raises(UnknownToolError, match=r"'guess'.*count"):
        await steps(ToolRegistry([counting()]), {"upto": 1}, "guess")


async def test_a_tool_that_ends_without_a_result_is_a_defect() -> None:
    with pytest.raises(ValueError, match="without a result"):
        await steps(ToolRegistry([counting(ends=False)]), {"upto": 1})


@pytest.mark.parametrize("begun", [False, True], ids=["at once", "under way"])
@pytest.mark.parametrize(
    "error",
    [
        StorageError("It is full.", "Make room."),
        QuestionDeclinedError("Which one?", "Say which.", "several_meanings", ("one", "two")),
        ResearchCancelled(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_tool_that_fails_ends_with_a_result_that_says_so(
    error: DeepCriticalError | ResearchCancelled, begun: bool
) -> None:
    ran: list[str] = []

    async def execute(_inputs: Count, _caller: ToolCaller) -> AsyncGenerator[ToolStep, None]:
        try:
            if begun:
                yield ToolProgress(stage="count", message="1", progress=0.5)
            raise error
        finally:
            ran.append("closed")

    failing = ToolConfig("count", "Fails.", Count, execute)
    *told, result = await steps(ToolRegistry([failing]), {"upto": 1})
    assert len(told) == begun
    assert isinstance(result, ToolResult)
    assert result.failed
    assert result.payload["error"] == type(error).__name__
    assert result.text
    assert ran == ["closed"]
    with pytest.raises(type(error)) as again:
        result.raise_for_error()
    assert str(again.value) == str(error)
    ToolResult(text="", payload={}).raise_for_error()


async def test_who_stops_listening_closes_the_tool() -> None:
    ran: list[str] = []
    listening = ToolRegistry([counting(ran)]).call("count", {"upto": 3})
    await anext(listening)
    await listening.aclose()
    assert ran == ["closed"]


def test_registries_share_nothing_and_a_name_is_taken_once() -> None:
    one, other = ToolRegistry(), ToolRegistry()
    one.register_tool(counting())
    assert [tool.name for tool in one.tools] == ["count"]
    assert other.tools == ()
    with pytest.raises(ValueError, match="registered already"):
        one.register_tool(counting())
