"""The tools of an application: research, a quick search, and the evidence of a finished run."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic import Field

from deepcritical.answering.of_report import follow_up
from deepcritical.domain.appraisal.checklist import Coverage
from deepcritical.domain.appraisal.evidence_table import EvidenceRow
from deepcritical.domain.base import Model
from deepcritical.domain.errors import StorageError, TraceNotFoundError
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.answer import (
    ChecklistCoverage,
    DeepAnswer,
    Document,
    ToolOutput,
    tool_sources,
)
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.events import Event
from deepcritical.domain.tool.chat import FoundRecords
from deepcritical.domain.tool.registry import (
    DeepResearchInput,
    Question,
    ReportInput,
    ReportOutput,
    SearchInput,
    ToolCaller,
    ToolConfig,
    ToolExecutor,
    ToolProgress,
    ToolRegistry,
    ToolResult,
    ToolStep,
)
from deepcritical.domain.tool.traces import fold
from deepcritical.jobs.run import OpenSources, RunOf, RunView
from deepcritical.jobs.runs import RunService
from deepcritical.reasoning.chatting import (
    DEEP_RESEARCH,
    RAG,
    RESEARCH_REPORT,
    SEARCH,
    read_look_up,
    search_queries,
)
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.tasks import SOON_S, to_the_end
from deepcritical.tools.registry import DEFAULT_NAMES
from deepcritical.tools.searching import search
from deepcritical.tools.snapshot import parse
from deepcritical.toolset.starting import Request, begun
from deepcritical.writing.ledger.auditing import records_of

ASK_FIRST = "It takes 1-3 minutes: ask the user before you call it."

Describe = Callable[[Event], str]
"""An event as one line for people."""
_Steps = AsyncGenerator[ToolStep, None]
_MOST_OPEN = 4
"""Runs whose records are kept in the index of vectors."""
_INTEGRITY_S = 10.0
_OF_WHICH = 3
_TYPES: dict[str, str] = {
    Design.RCT: "Randomized Controlled Trial",
    Design.REVIEW_OF_RCTS: "Systematic Review",
    Design.REVIEW_OF_COHORTS: "Systematic Review",
    Design.REVIEW_UNSTATED: "Systematic Review",
    Design.REVIEW_WITH_CASE_CONTROL: "Systematic Review",
    Design.REVIEW_WITH_ANIMALS: "Systematic Review",
    Design.NARRATIVE_REVIEW: "Review",
}
"""The publication type by which an index names a design, where it names one."""


def deep_research_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """Return the tool that answers any biomedical question by a checklist."""

    async def result(run: RunOf[DeepAnswer]) -> ToolResult:
        answer = await run.result()
        output = answer.tool_output(run.run_id)
        return ToolResult(text=answer.to_markdown(), payload=output.model_dump(mode="json"))

    return ToolConfig(
        name=DEEP_RESEARCH,
        description=f"Answer a biomedical question from {DEFAULT_NAMES} "
        "by a checklist: several rounds of search, each statement a located quote with its [n], "
        "and what stayed open. Use it when an answer needs several studies weighed: does a "
        "treatment work, is it safe, what is the mechanism, what is the dose. Do not use it for a "
        "definition, for one known paper or for a quick look-up (search for those), nor for advice "
        f"on a person's own treatment. {ASK_FIRST}",
        input_schema=DeepResearchInput,
        executor=_running(runs, describe, result),
    )


def research_report_tool(runs: RunService, describe: Describe) -> ToolConfig:
    """Return the tool that reports whether a drug could be repurposed."""

    async def result(run: RunOf[ResearchReport]) -> ToolResult:
        output = await _report_output(run, await run.result())
        return ToolResult(text=output.report, payload=output.model_dump(mode="json"))

    return ToolConfig(
        name=RESEARCH_REPORT,
        description="Write a report on drug repurposing: the verdict by fixed rules, graded "
        "studies, mechanism chains, safety, stopped trials, contradictions. Use it for a drug and "
        "a condition, for a condition alone (candidates are ranked), or for a hypothesis to be "
        f"judged. Do not use it for other questions: deep_research answers those. {ASK_FIRST} "
        "depth deep takes up to 10 minutes.",
        input_schema=ReportInput,
        executor=_running(runs, describe, result),
    )


def _running(
    runs: RunService, describe: Describe, result: Callable[[RunOf[Any]], Awaitable[ToolResult]]
) -> ToolExecutor:
    async def execute(given: Request, caller: ToolCaller) -> _Steps:
        run = await begun(runs, given, caller)
        async for step in _followed(run, describe):
            yield step
        yield await result(run)

    return execute


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


async def failed_output(run: RunView, why: str = "") -> ToolOutput:
    """Return the output of `deep_research` for a run without an answer: its progress until then.

    Without `why` the reason is taken from the events.

    Raises:
        StorageError: The database cannot be read.
    """
    told = fold(await run.events())
    items = told.state.checklist
    covered = ChecklistCoverage(
        satisfied=tuple(item.text for item in items if item.coverage is Coverage.SATISFIED),
        gaps=tuple(item.text for item in items if item.coverage is not Coverage.SATISFIED),
    )
    why = why or told.error_message or f"It was {told.status.value}."
    return ToolOutput.failed(run.run_id, why, covered, told.state.iterations)


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
    return ToolRegistry(
        (
            search_tool(open_sources),
            rag_tool(evidence),
            deep_research_tool(runs, describe),
            research_report_tool(runs, describe),
        )
    )


class RagInput(Model):
    """A question to a finished run."""

    run_id: str = Field(min_length=1, max_length=64)
    query: Question


def search_tool(open_sources: OpenSources) -> ToolConfig:
    """Return the tool that searches the sources once."""

    async def execute(inputs: SearchInput, _caller: ToolCaller) -> AsyncGenerator[ToolStep, None]:
        queries = await asyncio.to_thread(search_queries, inputs.query)
        async with open_sources() as sources:
            names = sources.handler.sources
            message = f"Searching {', '.join(names)}"
            yield ToolProgress(stage="search", message=message, progress=0.1)
            answers, records = await search(
                sources.handler, queries, _wanted(inputs), _INTEGRITY_S, sources.check_integrity
            )
        origin = ", ".join(names)
        failed = (a for a in answers if a.error)
        unread = dict.fromkeys(f"{a.source} could not be read: {a.error}" for a in failed)
        yield _found(origin, records, searched=True, notices=tuple(unread))

    return ToolConfig(
        name=SEARCH,
        description=f"Searches {DEFAULT_NAMES} once, in seconds. For "
        "look-ups and questions that single records answer: papers or trials on something, the "
        "latest of them, a PMID, DOI or NCT number, a figure. Not for weighing evidence.",
        input_schema=SearchInput,
        executor=execute,
    )


def rag_tool(evidence: RunEvidence) -> ToolConfig:
    """Return the tool that ranks the evidence of a finished run; nothing is searched."""

    async def execute(inputs: RagInput, _caller: ToolCaller) -> AsyncGenerator[ToolStep, None]:
        message = f"Asking the evidence of run {inputs.run_id[:8]}"
        yield ToolProgress(stage="retrieval", message=message, progress=0.1)
        yield await evidence.ranked(inputs.run_id, inputs.query)

    return ToolConfig(
        name=RAG,
        description="Asks the evidence of the finished run that the chat is about, in seconds. For "
        "every question about that run, its findings and its records. It knows nothing else.",
        input_schema=RagInput,
        executor=execute,
    )


class _Open(NamedTuple):
    records: Mapping[str, Evidence]
    """By evidence id."""
    named: str
    """The records as a phrase."""
    rag: LlamaIndexRAGService
    report: ResearchReport | None


class RunEvidence:
    """The indexed records of finished runs. Close it, so that they leave the index."""

    def __init__(self, runs: RunService, open_rag: Callable[[str], LlamaIndexRAGService]) -> None:
        self._runs = runs
        self._open_rag = open_rag
        self._opened: OrderedDict[str, _Open] = OrderedDict()
        # Two questions at once must not index one run twice.
        self._opening = asyncio.Lock()

    async def ranked(self, run_id: str, query: str) -> ToolResult:
        """Return all records of a run, the best for a query first; none if its report answers it.

        Raises:
            TraceNotFoundError: There is no such run.
            StorageError: It has not ended, or has no records to ask.
        """
        records, named, rag, report = await self._of(run_id)
        if report and (said := await asyncio.to_thread(follow_up, query, report)):
            answer, offer = said
            return _found(named, {}, searched=False, answer=answer, offer=offer)
        best = await rag.query(query, max_results=len(records))
        rest = {i: r for i, r in records.items() if i not in best}
        because = (await rag.retrieval()).lexical_because
        notices = (f"Retrieval is lexical: {because}",) if because else ()
        return _found(named, {**best, **rest}, searched=False, notices=notices)

    async def close(self) -> None:
        """Remove what was indexed.

        Raises:
            StorageError: Some of it stays, as the index cannot be reached.
        """
        await to_the_end(self._close(), SOON_S)

    async def _close(self) -> None:
        async with self._opening:
            opened, self._opened = self._opened, OrderedDict()
            closing = (each.rag.close() for each in opened.values())
            closed = await asyncio.gather(*closing, return_exceptions=True)
        for error in filter(None, closed):
            raise error

    async def _of(self, run_id: str) -> _Open:
        async with self._opening:
            if run_id not in self._opened:
                self._opened[run_id] = await self._open(run_id)
            self._opened.move_to_end(run_id)
            while len(self._opened) > _MOST_OPEN:
                await to_the_end(self._opened.popitem(last=False)[1].rag.close(), SOON_S)
            return self._opened[run_id]

    async def _open(self, run_id: str) -> _Open:
        run = await self._runs.find(run_id)
        if run is None:
            raise TraceNotFoundError(f"There is no run {run_id}.", "Look up its id.")
        records, named = await asyncio.to_thread(_records_of, run)
        if not records:
            state = "has no records" if run.ended else "has not ended"
            raise StorageError(f"The run {run_id} {state}, so that it can be asked nothing.")
        rag = self._open_rag(run_id)
        try:
            await rag.ingest(records)
        except BaseException:  # the caller may have left, and what is indexed by then must go
            with suppress(StorageError):  # why it was not indexed says more
                await to_the_end(rag.close(), SOON_S)
            raise
        return _Open(records, named, rag, run.report)


def _records_of(run: RunView) -> tuple[Mapping[str, Evidence], str]:
    """Return the records that can be asked, by evidence id, and a phrase for them.

    They are all that the run read while this process has it, else those that its report or answer
    cites, of which the database has the texts. A run without a result has none.
    """
    short = run.run_id[:8]
    if run.ended and isinstance(run, RunOf):
        store = EvidenceStore()
        store.add(parse(run.evidence(), "evidence").records)
        return dict(store.evidence), f"the evidence of run {short}"
    document = (run.report or run.answer) if run.ended else None
    return _cited(document) if document else {}, f"the records cited in run {short}"


def _cited(document: Document) -> dict[str, Evidence]:
    """Return the references as records, with what the evidence table knows of them."""
    rows = {row.evidence_id: row for row in document.evidence_table}
    records = records_of(document)
    return {
        reference.evidence_id: _told(
            records[reference.evidence_id], reference, rows.get(reference.evidence_id)
        )
        for reference in document.references
    }


def _told(record: Evidence, reference: Reference, row: EvidenceRow | None) -> Evidence:
    fields = record.metadata.model_dump()
    registered = reference.source in ("clinicaltrials", "registry")
    fields |= {
        "kind": "trial" if registered else "publication",
        "text_kind": reference.text_kind,
        "journal": reference.journal or None,
        "volume_pages": reference.volume_pages or None,
    }
    if row:
        fields |= {
            "status": row.status or None,
            "phase": row.phase or None,
            "enrollment": row.participants,
            "why_stopped": row.why_stopped or None,
            "stop_class": row.stop_class,
            "integrity": row.integrity,
        }
    if row and not row.design_from_text and (known := _TYPES.get(row.design)):
        fields["publication_types"] = (*fields["publication_types"], known)
    metadata = type(record.metadata).model_validate(fields)
    return record.model_copy(update={"metadata": metadata})


def _wanted(inputs: SearchInput) -> int:
    """Return records per source: more where a list keeps only its newest or its trials."""
    look_up = read_look_up(inputs.query)
    return inputs.max_results * (_OF_WHICH if look_up and not look_up.ids else 1)


def _found(
    origin: str, records: Mapping[str, Evidence], *, searched: bool, **more: Any
) -> ToolResult:
    found = FoundRecords(origin=origin, records=dict(records), searched=searched, **more)
    return ToolResult(
        text=f"{len(records)} records from {origin}.", payload=found.model_dump(mode="json")
    )
