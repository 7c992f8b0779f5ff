"""What is told of a run that has ended, without a word of what was asked or found."""

from __future__ import annotations

from deepcritical.domain.events import Event, RunCancelled, RunCompleted, RunFailed
from deepcritical.domain.traces import fold
from deepcritical.research.session import ResearchSession
from deepcritical.services.telemetry import Attributes

__all__ = ["error_of", "run_attributes"]


def run_attributes(session: ResearchSession, ending: Event) -> Attributes:
    """How a run ended, and what it cost in all."""
    spent = fold(session.log.events).metrics
    completed = ending if isinstance(ending, RunCompleted) else None
    return {
        "deepcritical.run.id": session.log.run_id,
        "deepcritical.run.ending": ending.type,
        "deepcritical.run.stop_reason": completed.stop_reason.value if completed else None,
        "deepcritical.run.references": completed.references if completed else None,
        "deepcritical.run.iterations": spent.iterations,
        "deepcritical.run.queries": sum(spent.queries.values()),
        "deepcritical.run.model_calls": spent.llm_calls,
        "deepcritical.run.tokens": spent.tokens,
        "deepcritical.cost_usd": spent.cost_usd,
    }


def error_of(ending: Event) -> str:
    """The kind of error that a run ended with; '' for none."""
    if isinstance(ending, RunCancelled):
        return "cancelled"
    return ending.error if isinstance(ending, RunFailed) else ""
