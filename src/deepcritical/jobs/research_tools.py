"""The tools of a chat; those that take minutes start a run, and follow it to its end.

They are the very ones that MCP and REST offer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from deepcritical.domain.answer import tool_sources
from deepcritical.domain.documents import Document
from deepcritical.domain.events import Event
from deepcritical.domain.own_documents import OwnDocument
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.research_tools import DeepResearchInput, ReportInput, ReportOutput
from deepcritical.domain.tool_registry import (
    ToolCaller,
    ToolConfig,
    ToolProgress,
    ToolRegistry,
    ToolResult,
    ToolStep,
)
from deepcritical.jobs.conduct import OpenSources
from deepcritical.jobs.evidence_tools import RunEvidence, rag_tool, search_tool
from deepcritical.jobs.run import RunOf
from deepcritical.jobs.runs import RunService
from deepcritical.reasoning.base import Reasoner
from deepcritical.reasoning.chatting import DEEP_RESEARCH, RESEARCH_REPORT
from deepcritical.tools.registry import DEFAULT_NAMES

__all__ = [
    "ASK_FIRST",
    "Describe",
    "deep_research_tool",
    "registered_tools",
    "research_report_tool",
]

ASK_FIRST = "It takes 1-3 minutes: ask the user before you call it."

Describe = Callable[[Event], str]
"""An event as one line for people."""
_Steps = AsyncGenerator[ToolStep, None]


def deep_research_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """The answer to any biomedical question, by a checklist."""

    async def execute(given: DeepResearchInput, caller: ToolCaller) -> _Steps:
        reasoner = await _reasoner(runs, caller)
        context = given.context
        await runs.check(given.question, DEEP_RESEARCH, context=context, reasoner=reasoner)
        run = runs.ask(
            given.question,
            context=context,
            max_iterations=given.rounds,
            reasoner=reasoner,
            model_api_key=caller.model_api_key,
            user_id=caller.user_id,
            documents=await _documents(runs, given, caller),
        )
        async for step in _followed(run, describe):
            yield step
        answer = await run.result()
        output = answer.tool_output(run.run_id).model_dump(mode="json")
        yield ToolResult(text=answer.to_markdown(), payload=output)

    return ToolConfig(
        name=DEEP_RESEARCH,
        description=f"Answer a biomedical question from {DEFAULT_NAMES} "
        "by a checklist: several rounds of search, each statement a located quote with its [n], "
        "and what stayed open. Use it when an answer needs several studies weighed: does a "
        "treatment work, is it safe, what is the mechanism, what is the dose. Do not use it for a "
        "definition, for one known paper or for a quick look-up (search for those), nor for advice "
        f"on a person's own treatment. {ASK_FIRST}",
        input_schema=DeepResearchInput,
        executor=execute,
    )


def research_report_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """The report on whether a drug could be repurposed."""

    async def execute(given: ReportInput, caller: ToolCaller) -> _Steps:
        reasoner = await _reasoner(runs, caller)
        await runs.check(given.question, reasoner=reasoner)
        run = runs.submit(
            given.question,
            depth=given.depth,
            reasoner=reasoner,
            model_api_key=caller.model_api_key,
            user_id=caller.user_id,
            documents=await _documents(runs, given, caller),
        )
        async for step in _followed(run, describe):
            yield step
        report = await run.result()
        output = await _report_output(run, report)
        yield ToolResult(text=output.report, payload=output.model_dump(mode="json"))

    return ToolConfig(
        name=RESEARCH_REPORT,
        description="Write a report on drug repurposing: the verdict by fixed rules, graded "
        "studies, mechanism chains, safety, stopped trials, contradictions. Use it for a drug and "
        "a condition, for a condition alone (candidates are ranked), or for a hypothesis to be "
        f"judged. Do not use it for other questions: deep_research answers those. {ASK_FIRST} "
        "depth deep takes up to 10 minutes.",
        input_schema=ReportInput,
        executor=execute,
    )


async def _report_output(run: RunOf[ResearchReport], report: ResearchReport) -> ReportOutput:
    last = (await run.events())[-1].event
    return ReportOutput(
        trace_id=run.run_id,
        verdict=report.headline,
        report=report.to_markdown(),
        sources=tool_sources(report.references, report.claims),
        gaps=report.gaps,
        iterations_used=report.search_iterations,
        stop_reason=getattr(last, "stop_reason", ""),
    )


async def _reasoner(runs: RunService, caller: ToolCaller) -> Reasoner:
    """The reasoner of the caller's own model, or the service's; it may load libraries."""
    return await asyncio.to_thread(runs.reasoner_of, caller.model, caller.model_api_key)


async def _documents(
    runs: RunService, given: DeepResearchInput | ReportInput, caller: ToolCaller
) -> tuple[OwnDocument, ...]:
    return await runs.documents_of(given.documents, caller.user_id, reads_files=caller.reads_files)


async def _followed(run: RunOf[Document], describe: Describe) -> _Steps:
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


def registered_tools(
    runs: RunService, open_sources: OpenSources, evidence: RunEvidence, describe: Describe
) -> ToolRegistry:
    """All tools of an application.

    Args:
        runs: Where research is submitted.
        open_sources: Opens what a search asks.
        evidence: The records of finished runs.
        describe: An event of a run as one line.
    """
    registry = ToolRegistry()
    registry.register_tool(search_tool(open_sources))
    registry.register_tool(rag_tool(evidence))
    registry.register_tool(deep_research_tool(runs, describe))
    registry.register_tool(research_report_tool(runs, describe))
    return registry
