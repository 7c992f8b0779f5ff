"""Tools that start runs, follow them, stop them and read what they found.

A call only attaches to its run: whoever loses the call loses nothing of the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from deepcritical.domain.answer import ChecklistCoverage, ToolOutput, tool_sources
from deepcritical.domain.documents import Document
from deepcritical.domain.errors import DeepCriticalError, ResearchCancelled, TraceNotFoundError
from deepcritical.domain.events import LoggedEvent
from deepcritical.domain.markdown import visible
from deepcritical.domain.traces import Folded, fold
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.access import check_owner
from deepcritical.interfaces.mcp import arguments as asked
from deepcritical.interfaces.mcp import results
from deepcritical.interfaces.mcp.tool import Call, ToolError
from deepcritical.interfaces.render import describe
from deepcritical.interfaces.report_files import formats_of

if TYPE_CHECKING:
    from deepcritical.domain.answer import DeepAnswer
    from deepcritical.domain.budget import Depth
    from deepcritical.domain.report import ResearchReport
    from deepcritical.jobs.run import RunOf
    from deepcritical.jobs.runs import RunService
    from deepcritical.jobs.stored_runs import RunView
    from deepcritical.reasoning.base import Reasoner

__all__ = ["NEXT", "ResearchTools"]

Ended = TypeVar("Ended", bound=Document)
NEXT = "Call get_research_status every 15 seconds or so, and get_report when it has ended."
"""What to do after a run was started."""


class _Known(NamedTuple):
    """A run, and what its events come to."""

    run: RunView
    events: tuple[LoggedEvent, ...]
    folded: Folded


class ResearchTools:
    """The tools over the runs of one service."""

    def __init__(self, runs: RunService) -> None:
        self._runs = runs

    async def deep_research(self, call: Call, given: asked.DeepResearch) -> ToolOutput:
        """An answer, waited for.

        Raises:
            ToolError: There is none; its output says `error`.
        """
        rounds = given.max_iterations if "max_iterations" in given.model_fields_set else None
        run = await self._ask(call, given.question, given.context, rounds)
        answer = await _waited_for(call, run, lambda text: _no_answer(run.run_id, text))
        return answer.tool_output(run.run_id)

    async def research_report(
        self, call: Call, given: asked.ResearchReportArguments
    ) -> results.ReportOutput:
        """A report, waited for.

        Raises:
            ToolError: There is none.
        """
        run = await self._submit(call, given.question, given.depth)
        report = await _waited_for(call, run)
        last = (await run.events())[-1].event
        return results.ReportOutput(
            trace_id=run.run_id,
            verdict=report.headline,
            report=report.to_markdown(),
            sources=tool_sources(report.references, report.claims),
            gaps=report.gaps,
            iterations_used=report.search_iterations,
            stop_reason=getattr(last, "stop_reason", ""),
        )

    async def start_research(self, call: Call, given: asked.StartResearch) -> results.Started:
        """A run that nobody waits for.

        Raises:
            ToolError: The arguments do not go together.
        """
        for name in ("depth",) if given.kind == "answer" else ("context", "max_iterations"):
            if name in given.model_fields_set:
                raise ToolError(f"`{name}` does not go with kind {given.kind}. Leave it out.")
        run: RunOf[DeepAnswer] | RunOf[ResearchReport]
        if given.kind == "report":
            run = await self._submit(call, given.question, given.depth)
        else:
            rounds = given.max_iterations if "max_iterations" in given.model_fields_set else None
            run = await self._ask(call, given.question, given.context, rounds)
        return results.Started(trace_id=run.run_id, kind=given.kind, next=NEXT)

    async def get_research_status(
        self, _call: Call, given: asked.AboutTrace
    ) -> results.ResearchStatus:
        """How far a run is."""
        known = await self._known(given.trace_id)
        return results.ResearchStatus(
            trace_id=given.trace_id,
            question=known.run.question,
            status=known.folded.status,
            progress=known.folded.progress,
            stage=known.folded.current_stage,
            message=_text(known.events[-1]) if known.events else "Waits to be started",
            error_message=known.folded.error_message,
        )

    async def get_report(self, _call: Call, given: asked.GetReport) -> results.ReportText:
        """What a run ended with.

        Raises:
            ToolError: There is nothing, or not in this format.
        """
        run = await self._found(given.trace_id)
        document = run.report or run.answer
        if document is None:
            raise ToolError(await self._why_none(given.trace_id))
        form = formats_of(document)[given.format]
        written = await asyncio.to_thread(form.render, document, Imprint(run.run_id, run.ended_at))
        return results.ReportText(
            trace_id=run.run_id,
            kind="report" if document is run.report else "answer",
            format=given.format,
            content=written.decode(),
        )

    async def get_trace(self, _call: Call, given: asked.GetTrace) -> results.TraceOutput:
        """What happened in a run so far."""
        run, events, folded = await self._known(given.trace_id)
        return results.TraceOutput(
            trace_id=run.run_id,
            question=run.question,
            status=folded.status,
            stage=folded.current_stage,
            progress=folded.progress,
            events=tuple(map(_told, events[given.after :])),
            metrics=folded.metrics,
            error_message=folded.error_message,
        )

    async def cancel_research(self, call: Call, given: asked.AboutTrace) -> results.ResearchStatus:
        """Stop a run; one that has ended stays as it is.

        Raises:
            OwnershipError: It is another user's.
        """
        run = await self._found(given.trace_id)
        check_owner(call.caller, run.user_id)
        await self._runs.cancel(given.trace_id)
        async for _ in run.tail():  # up to its end, which is told then
            pass
        return await self.get_research_status(call, given)

    async def _ask(
        self, call: Call, question: str, context: str, rounds: int | None
    ) -> RunOf[DeepAnswer]:
        return self._runs.ask(
            question,
            context=context,
            max_iterations=rounds,
            reasoner=await self._reasoner(call),
            model_api_key=call.key,
            user_id=call.caller.user_id,
        )

    async def _submit(self, call: Call, question: str, depth: Depth) -> RunOf[ResearchReport]:
        return self._runs.submit(
            question,
            depth=depth,
            reasoner=await self._reasoner(call),
            model_api_key=call.key,
            user_id=call.caller.user_id,
        )

    async def _reasoner(self, call: Call) -> Reasoner | None:
        if not (call.model or call.key):
            return None
        return await asyncio.to_thread(self._runs.reasoner_of, call.model, call.key)

    async def _found(self, trace_id: str) -> RunView:
        run = await self._runs.find(trace_id)
        if run is None:
            raise TraceNotFoundError(
                f"There is no run {visible(trace_id)}.",
                "Give the trace_id that the run was started with.",
            )
        return run

    async def _known(self, trace_id: str) -> _Known:
        run = await self._found(trace_id)
        events = await run.events()
        return _Known(run, events, fold(events))

    async def _why_none(self, trace_id: str) -> str:
        folded = (await self._known(trace_id)).folded
        if folded.status.ended:
            return f"The run is {folded.status.value}: {folded.error_message or 'no report'}"
        return f"The run has not ended ({folded.progress:.0%}). {NEXT}"


async def _waited_for(
    call: Call, run: RunOf[Ended], failed: Callable[[str], ToolError] = ToolError
) -> Ended:
    """The end of a run; what is lost with this call is nothing of the run."""
    with call.attached(run.run_id):
        await call.tell(0.0, f"Run {run.run_id} has started, and goes on if this call is lost.")
        async for logged in run.tail():
            await call.tell(logged.progress, _text(logged))
        try:
            return await run.result()
        except DeepCriticalError as error:
            raise failed(f"{error} (trace_id {run.run_id})") from None
        except ResearchCancelled:
            raise failed(f"The run was cancelled. (trace_id {run.run_id})") from None


def _no_answer(trace_id: str, text: str) -> ToolError:
    output = ToolOutput(
        trace_id=trace_id,
        answer=text,
        sources=(),
        checklist_coverage=ChecklistCoverage(satisfied=(), gaps=()),
        iterations_used=0,
        status="error",
    )
    return ToolError(text, output)


def _told(logged: LoggedEvent) -> results.TraceEvent:
    return results.TraceEvent(
        seq=logged.seq,
        at=logged.at,
        stage=logged.stage.value,
        progress=logged.progress,
        type=logged.event.type,
        text=_text(logged),
    )


def _text(logged: LoggedEvent) -> str:
    return visible(describe(logged.event))
