"""The tools of a chat, of MCP and of REST; those that take minutes start a run and follow it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from deepcritical.domain.answer import Document, tool_sources
from deepcritical.domain.events import Event
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.tool_registry import (
    DeepResearchInput,
    ReportInput,
    ReportOutput,
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
from deepcritical.jobs.runs import RESEARCH, Given, RunService
from deepcritical.reasoning.chatting import DEEP_RESEARCH, RESEARCH_REPORT
from deepcritical.tools.registry import DEFAULT_NAMES

ASK_FIRST = "It takes 1-3 minutes: ask the user before you call it."

Describe = Callable[[Event], str]
"""An event as one line for people."""
_Steps = AsyncGenerator[ToolStep, None]


def deep_research_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """Return the tool that answers any biomedical question by a checklist."""

    async def execute(given: DeepResearchInput, caller: ToolCaller) -> _Steps:
        context, rounds = given.context, given.rounds
        own = await _checked(runs, DEEP_RESEARCH, given, caller, context)
        run = runs.ask(given.question, context=context, max_iterations=rounds, **own)
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
    """Return the tool that reports whether a drug could be repurposed."""

    async def execute(given: ReportInput, caller: ToolCaller) -> _Steps:
        own = await _checked(runs, RESEARCH, given, caller)
        run = runs.submit(given.question, depth=given.depth, **own)
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


async def _checked(
    runs: RunService,
    tool: str,
    asked: DeepResearchInput | ReportInput,
    caller: ToolCaller,
    context: str = "",
) -> Given:
    """Return the caller's model, key and documents for a question with which a run can begin."""
    key, user_id = caller.model_api_key, caller.user_id
    # Loading a model may load libraries.
    reasoner = await asyncio.to_thread(runs.reasoner_of, caller.model, key)
    await runs.check(asked.question, tool, context=context, reasoner=reasoner)
    documents = await runs.documents_of(asked.documents, user_id, reads_files=caller.reads_files)
    return Given(reasoner=reasoner, model_api_key=key, user_id=user_id, documents=documents)


async def _followed(run: RunOf[Document], describe: Describe) -> _Steps:
    """Yield the run's events as progress; a caller that stops listening does not stop the run."""
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
    """Return all tools of an application."""
    registry = ToolRegistry()
    for tool in (
        search_tool(open_sources),
        rag_tool(evidence),
        deep_research_tool(runs, describe),
        research_report_tool(runs, describe),
    ):
        registry.register_tool(tool)
    return registry
