"""What is removed of runs that have ended, each function within the caller's transaction.

A completed run is never gone on with, so that its journal is of no use any more. How long the rest
is kept the operator says.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from deepcritical.domain.traces import TraceStatus
from deepcritical.services.trace_tables import jobs, model_answers, tool_traces, trace_events

__all__ = ["delete_old_events", "note_pruned", "select_outlived", "select_prunable"]

AT_ONCE = 100
"""Runs of one transaction: none may hold the database for long."""
LASTING = ("run_started", "sources_opened", "run_completed", "run_failed", "run_cancelled")
"""Events that are kept with a run: what it was, where it searched and how it ended."""
_ENDED = tool_traces.c.status.in_([status.value for status in TraceStatus if status.ended])


def select_prunable(connection: sa.Connection, ended_s: float) -> tuple[str, ...]:
    """Runs that were completed so many seconds ago, and whose journal is still there."""
    asked = sa.select(jobs.c.run_id).join(tool_traces, tool_traces.c.id == jobs.c.run_id)
    done = tool_traces.c.status == TraceStatus.COMPLETED.value
    wanted = asked.where(jobs.c.pruned.is_(False), done, _ended_before(ended_s / 86_400))
    return tuple(connection.scalars(wanted.limit(AT_ONCE)))


def note_pruned(connection: sa.Connection, run_ids: Sequence[str]) -> None:
    """The journal of these runs is removed; what models answered in their steps goes with it."""
    connection.execute(sa.delete(model_answers).where(model_answers.c.run_id.in_(run_ids)))
    connection.execute(sa.update(jobs).where(jobs.c.run_id.in_(run_ids)).values(pruned=True))


def select_outlived(connection: sa.Connection, days: float) -> tuple[str, ...]:
    """Runs that ended longer ago."""
    asked = sa.select(tool_traces.c.id).where(_ENDED, _ended_before(days))
    return tuple(connection.scalars(asked.limit(AT_ONCE)))


def delete_old_events(connection: sa.Connection, days: float) -> None:
    """Remove the events of runs that ended longer ago, but for those that last."""
    kind = trace_events.c.event["type"].as_string()
    of_old = sa.select(tool_traces.c.id).where(_ENDED, _ended_before(days))
    old = sa.select(trace_events.c.trace_id).where(trace_events.c.trace_id.in_(of_old))
    passing = old.where(kind.not_in(LASTING))
    some = list(connection.scalars(passing.distinct().limit(AT_ONCE)))
    connection.execute(
        sa.delete(trace_events).where(trace_events.c.trace_id.in_(some), kind.not_in(LASTING))
    )


def _ended_before(days: float) -> sa.ColumnElement[bool]:
    return tool_traces.c.completed_at < datetime.now(UTC) - timedelta(days=days)
