"""The trace of a tool's use: request, events and result.

Status, progress, state and metrics of a trace are a fold of its events: `fold`.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import reduce
from typing import Any, NamedTuple

from pydantic import Field, JsonValue

from deepcritical.domain.appraisal.checklist import Coverage, Inquiry
from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.report.answer import Document
from deepcritical.domain.run.budget import Spent
from deepcritical.domain.run.events import (
    AgentCalled,
    ChecklistMade,
    CompletenessChecked,
    Event,
    EvidenceAssessed,
    InquiryRefined,
    JudgementMade,
    LoggedEvent,
    QuestionRefined,
    RunCancelled,
    RunCompleted,
    RunFailed,
    SourceSearched,
)

LOCAL_USER = "local"
"""Whoever works at this machine, by the command line or by the page on loopback."""


class TraceStatus(StrEnum):
    """The status of a trace. The last three are final: none follows another."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Return whether nothing can follow."""
        return self not in (TraceStatus.PENDING, TraceStatus.IN_PROGRESS)


class KnownSource(Model):
    """A record that an answer rests on."""

    id: str
    type: str
    title: str
    url: str = ""
    ids: tuple[str, ...] = ()


class KnownFact(Model):
    """A statement, and the words of its source that bear it."""

    statement: str
    quote: str
    source_id: str


class KnowledgeBase(Model):
    """Known facts with their sources, and gaps."""

    facts: tuple[KnownFact, ...] = ()
    sources: tuple[KnownSource, ...] = ()
    gaps: tuple[str, ...] = ()


class TraceItem(Model):
    """One thing that must be known, and how far it is."""

    id: str
    text: str
    coverage: Coverage | None = None
    """None before it was first checked."""
    reason: str = ""
    """The rule that decided, in words."""


class TraceState(Model):
    """The state of the research."""

    refined_question: ResearchQuestion | Inquiry | None = None
    """The question as understood; an inquiry for a tool that takes any question."""
    checklist: tuple[TraceItem, ...] = ()
    """Empty for a tool that works without one."""
    knowledge_base: KnowledgeBase = KnowledgeBase()
    iterations: int = 0
    """The round that is or was under way; 0 before the first."""


class TraceMetrics(Model):
    """The costs of the research."""

    iterations: int = 0
    queries: dict[str, int] = Field(default_factory=dict)
    """Queries by source."""
    sources_processed: int = 0
    """Different records taken in."""
    llm_calls: int = 0
    tokens: int = 0
    cost_usd: float | None = None
    """None when no model was asked, or its price is unknown."""
    unanswered: int = 0
    """Requests to a model without an answer, which no other figure counts."""


class TraceResult(NamedTuple):
    """The data that complete a trace."""

    result: Mapping[str, Any]
    """As JSON."""
    knowledge: KnowledgeBase | None = None
    """The knowledge base behind it, where the events do not hold it."""


class Folded(Model):
    """The state of a trace after its events."""

    status: TraceStatus = TraceStatus.PENDING
    progress: UnitInterval = 0.0
    current_stage: str = ""
    state: TraceState = TraceState()
    metrics: TraceMetrics = TraceMetrics()
    error_message: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None


class TraceSummary(Model):
    """A trace without what it found; by default one of which nothing has happened yet."""

    id: str
    user_id: str
    org_id: str | None = None
    tool_name: str
    input_params: dict[str, JsonValue]
    status: TraceStatus = TraceStatus.PENDING
    progress: UnitInterval = 0.0
    current_stage: str = ""
    error_message: str = ""
    created_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None
    metrics: TraceMetrics = TraceMetrics()


class ToolTrace(TraceSummary):
    """One use of a tool."""

    state: TraceState = TraceState()
    result: dict[str, JsonValue] | None = None
    """The report, or the answer, as JSON; None for a trace that is not completed."""


def fold(events: Iterable[LoggedEvent], so_far: Folded | None = None) -> Folded:
    """Return the state after further events.

    Raises:
        ValueError: An event follows a terminal one.
    """
    return reduce(_folded, events, so_far or Folded())


def _folded(so_far: Folded, logged: LoggedEvent) -> Folded:
    if so_far.status.ended:
        raise ValueError(f"event {logged.seq} follows the end of the trace")
    event, final = logged.event, _final(logged.event)
    changes: dict[str, Any] = {
        "status": final or TraceStatus.IN_PROGRESS,
        "progress": max(so_far.progress, logged.progress),
        "current_stage": logged.stage.value,
        "state": _state(so_far.state, event),
        "metrics": _metrics(so_far.metrics, event),
        "started_at": so_far.started_at or logged.at,
        "completed_at": logged.at if final else None,
    }
    if isinstance(event, RunFailed):
        changes["error_message"] = f"{event.message} {event.advice}".strip()
    return so_far.model_copy(update=changes)


def _final(event: Event) -> TraceStatus | None:
    match event:
        case RunCompleted():
            return TraceStatus.COMPLETED
        case RunFailed():
            return TraceStatus.FAILED
        case RunCancelled():
            return TraceStatus.CANCELLED
    return None


def _state(state: TraceState, event: Event) -> TraceState:
    match event:
        case QuestionRefined():
            return state.model_copy(update={"refined_question": event.question})
        case InquiryRefined():
            return state.model_copy(update={"refined_question": event.inquiry})
        case AgentCalled():
            return state.model_copy(update={"iterations": max(state.iterations, event.iteration)})
        case EvidenceAssessed():
            known = state.knowledge_base.model_copy(update={"gaps": event.gaps})
            return state.model_copy(update={"knowledge_base": known})
        case ChecklistMade():
            items = tuple(TraceItem(id=i.id, text=i.text) for i in event.checklist.items)
            return state.model_copy(update={"checklist": items})
        case CompletenessChecked():
            return _checked(state, event)
    return state


def _checked(state: TraceState, event: CompletenessChecked) -> TraceState:
    found = {one.item: one for one in event.items}
    items = tuple(
        item.model_copy(update={"coverage": one.coverage, "reason": one.reason}) if one else item
        for item in state.checklist
        for one in (found.get(item.id),)
    )
    gaps = tuple(item.text for item in items if item.coverage is not Coverage.SATISFIED)
    known = state.knowledge_base.model_copy(update={"gaps": gaps})
    changes = {"checklist": items, "knowledge_base": known, "iterations": event.iteration}
    return state.model_copy(update=changes)


def _metrics(metrics: TraceMetrics, event: Event) -> TraceMetrics:
    match event:
        case AgentCalled() | CompletenessChecked():
            return metrics.model_copy(
                update={"iterations": max(metrics.iterations, event.iteration)}
            )
        case SourceSearched():
            counted = {event.source: metrics.queries.get(event.source, 0) + 1}
            return metrics.model_copy(
                update={
                    "queries": metrics.queries | counted,
                    "sources_processed": metrics.sources_processed + event.new,
                }
            )
        case JudgementMade():
            return metrics.model_copy(update=_model_costs(metrics, event.spent))
    return metrics


def _model_costs(metrics: TraceMetrics, spent: Spent) -> Mapping[str, Any]:
    """Return the highest total cost; parallel calls may report theirs in any order."""
    if spent.requests <= metrics.llm_calls + metrics.unanswered:
        return {}
    return {
        "llm_calls": spent.calls,
        "tokens": spent.tokens,
        "cost_usd": spent.cost_usd,
        "unanswered": spent.unanswered,
    }


def knowledge_of(report: Document) -> KnowledgeBase:
    """The facts and sources that a report or an answer rests on, and what is still unknown."""
    return KnowledgeBase(
        facts=tuple(
            KnownFact(statement=claim.sentence, quote=claim.quote, source_id=claim.evidence_id)
            for claim in report.claims
        ),
        sources=tuple(
            KnownSource(
                id=reference.evidence_id,
                type=reference.source,
                title=reference.title,
                url=reference.link,
                ids=reference.public_ids,
            )
            for reference in report.references
        ),
        gaps=report.gaps,
    )
