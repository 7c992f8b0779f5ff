"""What is asked of the tables for whoever operates workers; every statement only reads."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from deepcritical.domain.operations import (
    RunCount,
    StuckBecause,
    StuckRun,
    WaitingRuns,
    WorkerState,
)
from deepcritical.domain.traces import TraceStatus
from deepcritical.services.job_queries import clock
from deepcritical.services.trace_tables import jobs, tool_traces, trace_events, workers

__all__ = ["select_counts", "select_stuck", "select_waiting", "select_workers"]

_OPEN = tool_traces.c.status.in_([TraceStatus.PENDING.value, TraceStatus.IN_PROGRESS.value])
_WITH_JOB = tool_traces.join(jobs, jobs.c.run_id == tool_traces.c.id)
_WAITING = _OPEN & jobs.c.first_step_at.is_(None)
_UNDER_WAY = _OPEN & jobs.c.first_step_at.is_not(None)


def select_waiting(connection: sa.Connection) -> tuple[WaitingRuns, ...]:
    """The runs that wait, by user; who has waited longest comes first."""
    user, oldest = tool_traces.c.user_id, sa.func.min(jobs.c.queued_at, type_=jobs.c.queued_at.type)
    asked = sa.select(user, sa.func.count(), oldest).select_from(_WITH_JOB).where(_WAITING)
    now = _now(connection)
    return tuple(
        WaitingRuns(user_id=who, runs=runs, oldest_wait_s=max(0.0, (now - since).total_seconds()))
        for who, runs, since in connection.execute(asked.group_by(user).order_by(oldest))
    )


def select_workers(connection: sa.Connection, ttl_s: float) -> tuple[WorkerState, ...]:
    """The workers that gave a sign of life within the last minutes, the latest first."""
    counted = sa.select(jobs.c.worker, sa.func.count()).select_from(_WITH_JOB).where(_UNDER_WAY)
    runs = {row[0]: row[1] for row in connection.execute(counted.group_by(jobs.c.worker))}
    now = clock(connection)
    found = connection.execute(sa.select(workers).order_by(workers.c.beat_at.desc()))
    return tuple(
        WorkerState(
            name=name,
            beat_s=max(0.0, now - beat_at),
            alive=beat_at > now - ttl_s,
            runs=runs.get(name, 0),
            conducts=conducts,
        )
        for name, beat_at, conducts in found
    )


def select_stuck(
    connection: sa.Connection, live: Collection[str], *, many_takeovers: int, silent_s: float
) -> tuple[StuckRun, ...]:
    """Runs that somebody may have to look at, one for each reason, the longest silent first.

    Args:
        connection: The transaction.
        live: The workers that are alive.
        many_takeovers: Take-overs from which on a run is shown.
        silent_s: Seconds without an event from which on a run under way is shown.
    """
    heard = _heard_at()
    of_trace = tool_traces.c["id", "user_id", "tool_name", "status"]
    of_job = jobs.c["worker", "takeovers", "first_step_at", "queue_deadline"]
    asked = sa.select(*of_trace, *of_job, heard.label("heard_at"))
    rows = connection.execute(
        asked.select_from(tool_traces.outerjoin(jobs)).where(_OPEN).order_by(heard, of_trace[0])
    )
    now = _now(connection)
    return tuple(
        StuckRun(
            run_id=row.id,
            user_id=row.user_id,
            tool_name=row.tool_name,
            because=because,
            worker=row.worker or "",
            takeovers=row.takeovers or 0,
            heard_at=row.heard_at,
        )
        for row in rows
        for because in _reasons(row, live, now, many_takeovers, timedelta(seconds=silent_s))
    )


def _heard_at() -> sa.ColumnElement[datetime]:
    """When a run last told something; before its first event, when it was asked."""
    told = sa.select(sa.func.max(trace_events.c.at, type_=trace_events.c.at.type))
    last = told.where(trace_events.c.trace_id == tool_traces.c.id).scalar_subquery()
    return sa.func.coalesce(last, tool_traces.c.created_at, type_=trace_events.c.at.type)


def _reasons(
    row: Any, live: Collection[str], now: datetime, many_takeovers: int, silent: timedelta
) -> Iterator[StuckBecause]:
    begun = row.first_step_at is not None
    if begun and row.worker not in live:
        yield StuckBecause.LOST
    if begun and row.takeovers >= many_takeovers:
        yield StuckBecause.TAKEN_OVER_OFTEN
    if row.queue_deadline and not begun and row.queue_deadline < now:
        yield StuckBecause.OVERDUE
    if row.status == TraceStatus.IN_PROGRESS.value and row.heard_at < now - silent:
        yield StuckBecause.SILENT


def select_counts(connection: sa.Connection, since_s: float) -> tuple[RunCount, ...]:
    """How many runs that were asked within the last seconds are in which state, by tool."""
    by = tool_traces.c["tool_name", "status"]
    recent = tool_traces.c.created_at > _now(connection) - timedelta(seconds=since_s)
    asked = sa.select(*by, sa.func.count()).where(recent).group_by(*by).order_by(*by)
    return tuple(
        RunCount(tool_name=row[0], status=TraceStatus(row[1]), runs=row[2])
        for row in connection.execute(asked)
    )


def _now(connection: sa.Connection) -> datetime:
    return datetime.fromtimestamp(clock(connection), UTC)
