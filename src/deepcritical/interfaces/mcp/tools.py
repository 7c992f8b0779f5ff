"""MCP tools: start, follow, stop and read runs; search sources; check a sentence against records.

A call only attaches to its run: whoever loses the call loses nothing of the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing, suppress
from typing import TYPE_CHECKING, NamedTuple

from pydantic import JsonValue

from deepcritical.domain.base import Model
from deepcritical.domain.errors import (
    DeepCriticalError,
    ResearchCancelled,
    StorageError,
    TraceNotFoundError,
)
from deepcritical.domain.question.question import checked_question
from deepcritical.domain.report.answer import ToolOutput
from deepcritical.domain.report.claims import check_size
from deepcritical.domain.run.events import LoggedEvent
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.text.markdown import visible
from deepcritical.domain.text.spans import shorten_at_sentence
from deepcritical.domain.tool.registry import (
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
from deepcritical.domain.tool.traces import Folded, fold
from deepcritical.export.formats import formats_of
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.access import check_owner
from deepcritical.interfaces.mcp import models
from deepcritical.interfaces.mcp.models import Call, Run, ToolError
from deepcritical.interfaces.render import describe, told
from deepcritical.jobs.runs import RESEARCH
from deepcritical.reasoning.chatting import DEEP_RESEARCH, RESEARCH_REPORT
from deepcritical.toolset.research_tools import (
    deep_research_tool,
    failed_output,
    research_report_tool,
)
from deepcritical.toolset.starting import begun
from deepcritical.verification.ids import id_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deepcritical.bootstrap import Lookups
    from deepcritical.domain.evidence.record import Evidence
    from deepcritical.domain.report.claims import ClaimCheck
    from deepcritical.jobs.run import RunView
    from deepcritical.jobs.runs import RunService
    from deepcritical.toolset.similar_runs import SimilarRuns

NEXT = "Call get_research_status every 15 seconds or so, and get_report when it has ended."
"""Advice on what to do after a run was started."""


class _Known(NamedTuple):
    run: RunView
    events: tuple[LoggedEvent, ...]
    folded: Folded


class ResearchTools:
    """The tools over the runs of one service."""

    def __init__(
        self, runs: RunService, similar: SimilarRuns, *, reads_files: bool = False
    ) -> None:
        self._runs = runs
        self._reads_files = reads_files
        self._similar = similar
        tools = (deep_research_tool(runs, describe), research_report_tool(runs, describe))
        self._registry = ToolRegistry(tools)

    @property
    def registered(self) -> tuple[ToolConfig, ...]:
        """The tools that are waited for, as every interface has them."""
        return self._registry.tools

    async def deep_research(self, call: Call, given: DeepResearchInput) -> ToolOutput:
        """An answer, waited for.

        Raises:
            ToolError: There is none; its output says `error`.
        """
        payload = await self._waited_for(call, DEEP_RESEARCH, given, self._no_answer)
        return ToolOutput.model_validate(payload)

    async def research_report(self, call: Call, given: ReportInput) -> ReportOutput:
        """A report, waited for.

        Raises:
            ToolError: There is none.
        """
        payload = await self._waited_for(call, RESEARCH_REPORT, given, _no_report)
        return ReportOutput.model_validate(payload)

    async def _waited_for(
        self,
        call: Call,
        name: str,
        given: Model,
        failed: Callable[[str, str], Awaitable[ToolError]],
    ) -> dict[str, JsonValue]:
        """The end of a run; what is lost with this call is nothing of the run."""
        inputs = given.model_dump(exclude_unset=True)
        async with AsyncExitStack() as attached:
            steps = self._registry.call(name, inputs, self._tool_caller(call))
            await attached.enter_async_context(aclosing(steps))
            begun = await anext(steps)
            if isinstance(begun, ToolResult):
                begun.raise_for_error()  # nothing was started
            assert isinstance(begun, ToolProgress)  # noqa: S101 - it names its run before all else
            run_id = str(begun.data["run_id"])
            attached.enter_context(call.attached(run_id))
            await call.tell(0.0, f"Run {run_id} has started, and goes on if this call is lost.")
            try:
                return await _ended(steps, call)
            except DeepCriticalError as error:
                raise await failed(run_id, str(error)) from None
            except ResearchCancelled:
                raise await failed(run_id, "The run was cancelled.") from None

    def _tool_caller(self, call: Call) -> ToolCaller:
        return ToolCaller(call.caller.user_id, call.key, call.model, self._reads_files)

    async def _no_answer(self, run_id: str, why: str) -> ToolError:
        text = f"{why} (trace_id {run_id})"
        output = ToolOutput.failed(run_id, text)
        with suppress(StorageError):  # what is told must not be lost with the database
            if run := await self._runs.find(run_id):
                output = await failed_output(run, text)
        return ToolError(text, output)

    async def find_similar_research(
        self, call: Call, given: models.StartResearch
    ) -> models.SimilarResearch:
        """Former runs of the user that may answer a question.

        Raises:
            ToolError: The arguments do not go together.
        """
        _check_kind(given)
        found = await self._similar.similar(
            given.question,
            RESEARCH if given.kind == "report" else DEEP_RESEARCH,
            context=given.context,
            depth=given.depth,
            max_iterations=given.rounds,
            user_id=call.caller.user_id,
        )
        return models.SimilarResearch(runs=found)

    async def start_research(self, call: Call, given: models.StartResearch) -> models.Started:
        """A run that nobody waits for.

        Raises:
            ToolError: The arguments do not go together.
        """
        _check_kind(given)
        asked: DeepResearchInput | ReportInput = given
        if given.kind == "report":
            question, documents = given.question, given.documents
            asked = ReportInput(question=question, documents=documents, depth=given.depth)
        run = await begun(self._runs, asked, self._tool_caller(call))
        return models.Started(trace_id=run.run_id, kind=given.kind, next=NEXT)

    async def get_research_status(
        self, call: Call, given: models.AboutTrace
    ) -> models.ResearchStatus:
        """Return the progress of a run."""
        known = await self._known(call, given.trace_id)
        return models.ResearchStatus(
            trace_id=given.trace_id,
            question=known.run.question,
            status=known.folded.status,
            progress=known.folded.progress,
            stage=known.folded.current_stage,
            message=told(known.events[-1]) if known.events else "Waits to be started",
            error_message=visible(known.folded.error_message),
        )

    async def get_report(self, call: Call, given: models.GetReport) -> models.ReportText:
        """Return the result of a run.

        Raises:
            ToolError: There is nothing, or not in this format.
        """
        run = await self._found(call, given.trace_id)
        document = run.report or run.answer
        if document is None:
            folded = fold(await run.events())
            if folded.status.ended:
                why = folded.error_message or "no report"
                raise ToolError(f"The run is {folded.status.value}: {why}")
            raise ToolError(f"The run has not ended ({folded.progress:.0%}). {NEXT}")
        form = formats_of(document)[given.format]
        written = await asyncio.to_thread(form.render, document, Imprint(run.run_id, run.ended_at))
        return models.ReportText(
            trace_id=run.run_id,
            kind="report" if document is run.report else "answer",
            format=given.format,
            content=written.decode(),
        )

    async def get_trace(self, call: Call, given: models.GetTrace) -> models.TraceOutput:
        """Return the events of a run so far."""
        run, events, folded = await self._known(call, given.trace_id)
        return models.TraceOutput(
            trace_id=run.run_id,
            question=run.question,
            status=folded.status,
            stage=folded.current_stage,
            progress=folded.progress,
            events=tuple(map(_told, events[given.after :])),
            metrics=folded.metrics,
            error_message=visible(folded.error_message),
        )

    async def finish_research(self, call: Call, given: models.AboutTrace) -> models.ResearchStatus:
        """Have a run write from what there is; one that has ended stays as it is.

        Raises:
            OwnershipError: It is another user's.
        """
        run = await self._found(call, given.trace_id)
        check_owner(call.caller, run.user_id)
        if not run.ended:
            await self._runs.write_now(given.trace_id)
        return await self.get_research_status(call, given)

    async def cancel_research(self, call: Call, given: models.AboutTrace) -> models.ResearchStatus:
        """Stop a run; one that has ended stays as it is.

        Raises:
            OwnershipError: It is another user's.
        """
        run = await self._found(call, given.trace_id)
        check_owner(call.caller, run.user_id)
        await self._runs.cancel(given.trace_id)
        async for _ in run.tail():  # up to its end, which is told then
            pass
        return await self.get_research_status(call, given)

    async def _found(self, call: Call, trace_id: str) -> RunView:
        call.check_reader(trace_id, "")  # first, so that a stranger learns nothing of ids
        run = await self._runs.find(trace_id)
        if run is None:
            raise TraceNotFoundError(
                f"There is no run {visible(trace_id)}.",
                "Give the trace_id that the run was started with.",
            )
        call.check_reader(trace_id, run.user_id)
        return run

    async def _known(self, call: Call, trace_id: str) -> _Known:
        run = await self._found(call, trace_id)
        events = await run.events()
        return _Known(run, events, fold(events))


async def _ended(steps: AsyncGenerator[ToolStep, None], call: Call) -> dict[str, JsonValue]:
    async for step in steps:
        if isinstance(step, ToolResult):
            step.raise_for_error()
            return step.payload
        await call.tell(step.progress, visible(step.message))
    raise AssertionError("a tool ends with a result")


def _check_kind(given: models.StartResearch) -> None:
    for name in ("depth",) if given.kind == "answer" else ("context", "max_iterations"):
        if name in given.model_fields_set:
            raise ToolError(f"`{name}` does not go with kind {given.kind}. Leave it out.")


async def _no_report(run_id: str, why: str) -> ToolError:
    return ToolError(f"{why} (trace_id {run_id})")


def _told(logged: LoggedEvent) -> models.TraceEvent:
    return models.TraceEvent(
        seq=logged.seq,
        at=logged.at,
        stage=logged.stage.value,
        progress=logged.progress,
        type=logged.event.type,
        text=told(logged),
    )


_SNIPPET = 500
"""Characters that a snippet should not exceed; it is cut at a sentence."""
_KINDS = ("pmid", "nct", "doi", "pmcid", "registry")
"""The kinds of ids, the best first."""


class SearchTools:
    """The tools over the live sources."""

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    def of(self, source: str) -> Run:
        """The search of one source."""

        async def search(_call: Call, given: models.Search) -> models.SearchOutput:
            query = checked_question(given.query)
            found = await self._lookups.search([source], query, given.max_results)
            answer = found.answers[0]
            return models.SearchOutput(
                source=answer.source,
                outcome=answer.result.outcome.value,
                query_as_run=answer.result.query_as_run,
                total=answer.result.total,
                records=tuple(map(_record, found.records.values())),
                skipped=tuple(map(visible, answer.result.skipped)),
            )

        return search

    async def verify_claim(self, _call: Call, given: models.VerifyClaim) -> models.Verified:
        """Check a sentence against the records that it cites.

        Raises:
            ToolError: An id is none.
            QuestionError: There are too many numbers.
        """
        claim, ids = checked_question(given.claim), [_canonical(one) for one in given.ids]
        check_size(claim, ())
        records = await self._lookups.records_of(ids)
        check_size(claim, (record.content for record in records.values()))
        check = await asyncio.to_thread(_checked, claim, records, given.quote or None)
        source = records.get(check.evidence_id)
        return models.Verified(
            claim=claim,
            verdict=check.verdict,
            reasons=tuple(map(visible, check.reasons)),
            supported=check.supported,
            reason=visible(check.reason),
            source=_record(source) if source else None,
            quotes=tuple(visible(quote.text) for quote in check.quotes),
            checks=tuple(
                models.CheckMade(
                    kind=one.kind.value, outcome=one.outcome.value, reason=visible(one.reason)
                )
                for one in check.checks
            ),
            not_found=tuple(i for i in ids if i not in records),
        )


def _checked(claim: str, records: Mapping[str, Evidence], quote: str | None) -> ClaimCheck:
    # Imported late: the dictionaries take seconds.
    from deepcritical.verification.claims import verify_claim

    return verify_claim(claim, records, quote)


def _record(record: Evidence) -> models.FoundRecord:
    meta, citation = record.metadata, record.citation
    ids = sorted(canonical_ids(record), key=_rank)
    return models.FoundRecord(
        id=ids[0],
        ids=tuple(ids),
        title=visible(citation.title),
        year=citation.date[:4],
        kind=visible(meta.status or ", ".join(meta.publication_types)),
        url=citation.url,
        snippet=visible(shorten_at_sentence(record.content, _SNIPPET)),
        integrity=meta.integrity,
    )


def _rank(identifier: str) -> tuple[int, str]:
    kind = identifier.partition(":")[0]
    return (_KINDS.index(kind) if kind in _KINDS else len(_KINDS), identifier)


def _canonical(given: str) -> str:
    if found := id_named(given):
        return found
    raise ToolError(f"`ids`: {visible(given)!r} is not a PMID, PMCID, DOI or NCT number.")
