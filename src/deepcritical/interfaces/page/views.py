"""Parts of a run and its log as HTML; a part is loaded when it is first opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, Response

from deepcritical.domain.appraisal.votes import Counting
from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.grids import trials_of
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.run.events import (
    AgentCalled,
    JudgementMade,
    LoggedEvent,
    Notice,
    RunFailed,
    SourceSearched,
    Stage,
)
from deepcritical.domain.tool.traces import fold
from deepcritical.export.formats import formats_of
from deepcritical.export.html import (
    filled,
    render_document,
    render_evidence,
    render_mechanism,
    render_sources,
    render_studies,
    render_timeline,
    render_trials,
)
from deepcritical.export.mechanism_graph import mechanism_graph
from deepcritical.interfaces.caller import Known
from deepcritical.interfaces.guard import report_html
from deepcritical.interfaces.render import told
from deepcritical.interfaces.shared_pages import news_of
from deepcritical.jobs.run import RunView

router = APIRouter(include_in_schema=False)

_OF_DOCUMENT: Mapping[str, Callable[[Any], str]] = {
    "report": render_document,
    "sources": render_sources,
    "evidence": render_evidence,
    "mechanism": render_mechanism,
    "trials": render_trials,
    "timeline": render_timeline,
}
"""The parts that a report, or an answer, is all that is needed for."""


class Tab(NamedTuple):
    """A part of what a run has brought, as it is offered."""

    name: str
    title: str
    holds: int | None = None
    """Number of things in it; None where that says nothing."""


def tabs_of(document: Document | None) -> tuple[Tab, ...]:
    """The parts that a report, or an answer, has; an answer has no chains and no verdict.

    A run that ended without either has its trace.
    """
    trace = Tab("trace", "Trace")
    if document is None:
        return (trace,)
    evidence = Tab("evidence", "Evidence", len(document.references))
    last = (trace, Tab("downloads", "Downloads", len(formats_of(document))))
    if not isinstance(document, ResearchReport):
        return Tab("report", "Answer"), evidence, *last
    return (
        Tab("report", "Report"),
        *((Tab("studies", "Studies", len(document.studies)),) if document.studies else ()),
        evidence,
        Tab("mechanism", "Mechanism", len(mechanism_graph(document).edges)),
        Tab("trials", "Trials", len(trials_of(document.references, document.evidence_table))),
        Tab("timeline", "Timeline"),
        *last,
    )


class Counted(NamedTuple):
    """The choice of studies that count in a report."""

    without: tuple[str, ...] = ()
    only: Counting | None = None


def counted(
    without: Annotated[str, Query(max_length=8_000)] = "", only: Counting | None = None
) -> Counted:
    """The studies that an address leaves out: evidence ids with commas between, and a design."""
    return Counted(tuple(filter(None, without.split(","))), only)


async def rendered(run: RunView, name: str, chosen: Counted) -> str | None:
    """A part as an HTML fragment, to be shown under the style of the page; None without it.

    The part `sources` is what the citations in all others open; `studies` has the verdict on those
    that count.
    """
    document = run.report or run.answer
    if name == "trace":
        return await asyncio.to_thread(render_trace, await run.events())
    if document is None or name not in {"sources", *(tab.name for tab in tabs_of(document))}:
        return None
    if name == "downloads":
        folder, forms = f"/api/runs/{run.run_id}/export", formats_of(document).values()
        return filled("downloads.html", folder=folder, forms=forms)
    if name == "studies" and isinstance(document, ResearchReport):
        return await asyncio.to_thread(_weighed, document, chosen)
    return await asyncio.to_thread(_OF_DOCUMENT[name], document)


def _weighed(report: ResearchReport, chosen: Counted) -> str:
    # Imported late: the dictionaries take seconds.
    from deepcritical.appraisal.body.what_if import recomputed, remaining, without_each

    verdict = recomputed(report.studies, *chosen) if any(chosen) else None
    now = (verdict or report.verdict).label
    # A report of former rules may have had another verdict than today's.
    each = without_each(remaining(report.studies, *chosen))
    hinges = [(one.without, one.verdict) for one in each if one.verdict.label is not now]
    return render_studies(report, verdict, chosen.without, chosen.only or "", hinges)


@router.get("/runs/{run_id}/views/{name}", response_class=Response)
async def show_view(
    run: Known,
    name: Annotated[str, Path(max_length=64)],
    chosen: Annotated[Counted, Depends(counted)],
    request: Request,
) -> Response:
    """One part as an HTML fragment; of the studies with the verdict on those that count."""
    shown = await rendered(run, name, chosen)
    if shown is None:
        raise HTTPException(404, "This run has no such part.")
    if name == "report":
        shown = await news_of(request, run) + shown
    return report_html(shown)


class Turn(NamedTuple):
    """An agent's turn; in a run without agents, one stage."""

    part: str
    """Such as ``Round 2``."""
    title: str
    instruction: str
    seconds: float
    """From the end of the turn before."""
    queries: tuple[SourceSearched, ...]
    lines: tuple[LoggedEvent, ...]
    """The other events."""


class Asked(NamedTuple):
    """A judgement that a model was asked for."""

    event: JudgementMade
    at_s: float
    took: Spent
    """Since the judgement before; of calls made at once the one that is told first has it."""


def render_trace(events: Sequence[LoggedEvent]) -> str:
    """The trace of a run."""
    turns = _turns(events)
    return filled(
        "trace.html",
        folded=fold(events),
        seconds=_seconds(events, 0, len(events) - 1) if events else 0.0,
        parts=[(name, tuple(of)) for name, of in groupby(turns, lambda turn: turn.part)],
        asked=tuple(_asked(events)),
        notices=[e.event.message for e in events if isinstance(e.event, Notice)],
        told=told,
    )


def _turns(events: Sequence[LoggedEvent]) -> list[Turn]:
    starts = [n for n in range(len(events)) if n == 0 or _begins(events[n - 1], events[n])]
    rounds, turns = 1, []
    for start, end in pairwise([*starts, len(events)]):
        before = events[start - 1].stage if start else Stage.QUESTION
        if before is Stage.JUDGEMENT and events[start].stage is Stage.SEARCH:
            rounds += 1
        turns.append(_turn(events, start, end, rounds))
    return turns


_ELSEWHERE = (SourceSearched, AgentCalled, RunFailed)
"""Events without a line in a turn: its table, its heading or the alert of the run shows them."""


def _begins(before: LoggedEvent, logged: LoggedEvent) -> bool:
    return isinstance(logged.event, AgentCalled) or (
        logged.stage is not before.stage and logged.stage is not Stage.DONE
    )


def _turn(events: Sequence[LoggedEvent], start: int, end: int, rounds: int) -> Turn:
    own, first = events[start:end], events[start]
    called = first.event if isinstance(first.event, AgentCalled) else None
    return Turn(
        part=_part(first.stage, rounds),
        title=called.agent if called else first.stage.value.capitalize(),
        instruction=called.instruction if called else "",
        seconds=_seconds(events, max(start - 1, 0), end - 1),
        queries=tuple(e.event for e in own if isinstance(e.event, SourceSearched)),
        lines=tuple(e for e in own if not isinstance(e.event, _ELSEWHERE)),
    )


def _part(stage: Stage, rounds: int) -> str:
    if stage is Stage.QUESTION:
        return "Question"
    return "Writing" if stage in (Stage.REPORT, Stage.DONE) else f"Round {rounds}"


def _seconds(events: Sequence[LoggedEvent], start: int, end: int) -> float:
    return (events[end].at - events[start].at).total_seconds()


def _asked(events: Sequence[LoggedEvent]) -> Iterable[Asked]:
    before = Spent()
    for logged in events:
        if isinstance(logged.event, JudgementMade):
            spent = logged.event.spent
            newer = spent.requests > before.requests
            took = spent.plus(before, -1) if newer else Spent()
            before = spent if newer else before
            yield Asked(logged.event, (logged.at - events[0].at).total_seconds(), took)
