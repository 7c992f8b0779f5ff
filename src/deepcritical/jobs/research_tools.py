"""The tools of a registry that take minutes: each starts a run, and follows it to its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from pydantic import Field, JsonValue

from deepcritical.domain.base import Model
from deepcritical.domain.budget import Depth
from deepcritical.domain.documents import Document
from deepcritical.domain.events import Event
from deepcritical.domain.question import MAX_QUESTION_CHARS
from deepcritical.domain.tool_registry import (
    ToolCaller,
    ToolConfig,
    ToolProgress,
    ToolResult,
    ToolStep,
)
from deepcritical.jobs.run import RunOf
from deepcritical.jobs.runs import RunService
from deepcritical.reasoning.base import Reasoner
from deepcritical.reasoning.chatting import DEEP_RESEARCH, RESEARCH_REPORT

__all__ = ["Describe", "deep_research_tool", "research_report_tool"]

Describe = Callable[[Event], str]
"""An event as one line for people."""


class ResearchInput(Model):
    """What `deep_research` takes."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS)
    """Any biomedical question, best on one thing."""
    context: str = Field(default="", max_length=MAX_QUESTION_CHARS)
    """What should be known beside it: whom, what matters."""
    max_iterations: int | None = Field(default=None, ge=1, le=10)
    """Rounds of search at most; 10 by default."""


class ReportInput(Model):
    """What `research_report` takes."""

    question: str = Field(min_length=1, max_length=MAX_QUESTION_CHARS)
    """A drug and a condition, a condition alone, or a hypothesis."""
    depth: Depth = "standard"
    """How far the search goes."""


def deep_research_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """The answer to any biomedical question, by a checklist."""

    async def execute(inputs: ResearchInput, caller: ToolCaller) -> AsyncGenerator[ToolStep, None]:
        run = runs.ask(
            inputs.question,
            context=inputs.context,
            max_iterations=inputs.max_iterations,
            reasoner=await _reasoner(runs, caller),
            model_api_key=caller.model_api_key,
            user_id=caller.user_id,
        )
        async for step in _followed(run, describe):
            yield step
        answer = await run.result()
        output = answer.tool_output(run.run_id).model_dump(mode="json")
        yield ToolResult(text=answer.to_markdown(), payload=output)

    return ToolConfig(
        name=DEEP_RESEARCH,
        description="Researches any biomedical question with a checklist, in one to three minutes; "
        "ask the user first. For questions whose answer must weigh several studies: effects, "
        "safety, mechanisms, what is recommended. Not for look-ups.",
        input_schema=ResearchInput,
        streaming=True,
        executor=execute,
    )


def research_report_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """The report on whether a drug could be repurposed."""

    async def execute(inputs: ReportInput, caller: ToolCaller) -> AsyncGenerator[ToolStep, None]:
        run = runs.submit(
            inputs.question,
            depth=inputs.depth,
            reasoner=await _reasoner(runs, caller),
            model_api_key=caller.model_api_key,
            user_id=caller.user_id,
        )
        async for step in _followed(run, describe):
            yield step
        report = await run.result()
        output: dict[str, JsonValue] = {
            "trace_id": run.run_id,
            "report": report.model_dump(mode="json"),
        }
        yield ToolResult(text=report.to_markdown(), payload=output)

    return ToolConfig(
        name=RESEARCH_REPORT,
        description="Writes a report with a verdict on whether a drug could be repurposed for a "
        "condition, in one to three minutes; ask the user first. Not for other questions.",
        input_schema=ReportInput,
        streaming=True,
        executor=execute,
    )


async def _reasoner(runs: RunService, caller: ToolCaller) -> Reasoner:
    """The reasoner of the caller's own model, or the service's; it may load libraries."""
    return await asyncio.to_thread(runs.reasoner_of, caller.model, caller.model_api_key)


async def _followed(run: RunOf[Document], describe: Describe) -> AsyncGenerator[ToolStep, None]:
    """The run's events as progress. Who stops listening stops nothing: the run goes on."""
    yield ToolProgress(
        stage="queued", message=f"Run {run.run_id}", progress=0.0, data={"run_id": run.run_id}
    )
    async for logged in run.tail():
        yield ToolProgress(
            stage=logged.stage.value,
            message=describe(logged.event),
            progress=logged.progress,
            data=logged.model_dump(mode="json"),
        )
