"""Reads the state of runs and workers for operators; writes nothing.

Nothing here says what was asked: of a run it names the id, the user and the tool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

import sqlalchemy as sa

from deepcritical.domain.base import Model
from deepcritical.domain.errors import StorageError
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.services.storage import engines
from deepcritical.services.storage.database import BUSY_S, Database, Stored, reads
from deepcritical.services.storage.job_queries import OPEN, WITH_TRACE, clock
from deepcritical.services.storage.schema import check, jobs, tool_traces, trace_events, workers

_WAITING = OPEN & jobs.c.first_step_at.is_(None)
_UNDER_WAY = OPEN & jobs.c.first_step_at.is_not(None)


class WaitingRuns(Model):
    """The runs of one user that wait for their first step."""

    user_id: str
    runs: int
    oldest_wait_s: float
    """Seconds that the first of them has waited."""


class WorkerState(Model):
    """A process that conducts runs, or did so a short while ago."""

    name: str
    beat_s: float
    """Seconds since its last sign of life."""
    alive: bool
    """Whether that is recent enough; the runs of a worker that is not are taken over."""
    runs: int
    """Runs under way that it has."""
    conducts: bool
    """Whether it takes runs that wait; a server may only take them in."""


class StuckBecause(StrEnum):
    """The reason why a run may need attention."""

    LOST = "lost"
    """Its worker gives no sign of life, and none has taken it over yet."""
    TAKEN_OVER_OFTEN = "taken over often"
    """At the next loss of its worker it ends as failed, or at the one after."""
    OVERDUE = "overdue"
    """It has waited for its first step for longer than it may."""
    SILENT = "silent"
    """It is under way, and has told nothing for long."""


class StuckRun(Model):
    """A run that has not ended, and one reason to look at it."""

    run_id: str
    user_id: str
    tool_name: str
    because: StuckBecause
    worker: str
    """Who has it; '' for a run that its own process alone conducts."""
    takeovers: int
    """How often it was taken up again after its worker was lost."""
    heard_at: datetime
    """When it last told something, or was asked (UTC)."""


class RunCount(Model):
    """The number of runs of one tool in one state."""

    tool_name: str
    status: TraceStatus
    runs: int


class ReadOnlyDatabase(Database):
    """A database that is neither made nor migrated here, and that refuses to be written."""

    def _migrated(self) -> sa.Engine:
        if self._file and not self._file.exists():
            raise StorageError(
                f"There is no database {self.name}: no run was kept there yet.",
                "Name another one in DATABASE_URL.",
            )
        engine = engines.reading_engine_of(self._url, busy_s=BUSY_S)

        def attempt() -> None:
            with engine.connect() as connection:
                check(connection)

        try:
            self._retried(attempt)
        except BaseException:
            engine.dispose()
            raise
        return engine


def _waiting(connection: sa.Connection) -> tuple[WaitingRuns, ...]:
    """The runs that wait for their first step, by user; the longest wait first."""
    user, oldest = tool_traces.c.user_id, sa.func.min(jobs.c.queued_at, type_=jobs.c.queued_at.type)
    asked = sa.select(user, sa.func.count(), oldest).select_from(WITH_TRACE).where(_WAITING)
    now = _now(connection)
    return tuple(
        WaitingRuns(user_id=who, runs=runs, oldest_wait_s=max(0.0, (now - since).total_seconds()))
        for who, runs, since in connection.execute(asked.group_by(user).order_by(oldest))
    )


def _workers(connection: sa.Connection, ttl_s: float) -> tuple[WorkerState, ...]:
    counted = sa.select(jobs.c.worker, sa.func.count()).select_from(WITH_TRACE).where(_UNDER_WAY)
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


def _stuck(
    connection: sa.Connection, live: Collection[str], many_takeovers: int, silent: timedelta
) -> tuple[StuckRun, ...]:
    heard = _heard_at()
    of_trace = tool_traces.c["id", "user_id", "tool_name", "status"]
    of_job = jobs.c["worker", "takeovers", "first_step_at", "queue_deadline"]
    asked = sa.select(*of_trace, *of_job, heard.label("heard_at"))
    rows = connection.execute(
        asked.select_from(tool_traces.outerjoin(jobs)).where(OPEN).order_by(heard, of_trace[0])
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
        for because in _reasons(row, live, now, many_takeovers, silent)
    )


def _heard_at() -> sa.ColumnElement[datetime]:
    """Return the time of a run's last event; before its first, that of its request."""
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


def _counts(connection: sa.Connection) -> tuple[RunCount, ...]:
    """Return the numbers of runs of the last day by tool and state."""
    by = tool_traces.c["tool_name", "status"]
    recent = tool_traces.c.created_at > _now(connection) - timedelta(days=1)
    asked = sa.select(*by, sa.func.count()).where(recent).group_by(*by).order_by(*by)
    return tuple(
        RunCount(tool_name=row[0], status=TraceStatus(row[1]), runs=row[2])
        for row in connection.execute(asked)
    )


def _now(connection: sa.Connection) -> datetime:
    return datetime.fromtimestamp(clock(connection), UTC)


class Operations(Stored):
    """Reads what there is to see of runs and workers, of all users.

    Args:
        database: Where they are; one of another version is not read.
        ttl_s: Seconds without a sign of life after which a worker is taken for dead.
        most_takeovers: Take-overs of a run after which it ends as failed.
    """

    def __init__(self, database: ReadOnlyDatabase, *, ttl_s: float, most_takeovers: int) -> None:
        super().__init__(database)
        self._ttl_s = ttl_s
        self._most_takeovers = most_takeovers

    waiting = reads(_waiting)
    counts = reads(_counts)

    async def workers(self) -> tuple[WorkerState, ...]:
        """The workers that were alive within the last minutes, the latest sign of life first."""
        return await self.database.read(partial(_workers, ttl_s=self._ttl_s))

    async def stuck(self, silent_s: float) -> tuple[StuckRun, ...]:
        """Runs that somebody may have to look at, one for each reason, the longest silent first.

        A run under way counts from so many seconds without an event on.
        """

        def work(connection: sa.Connection) -> tuple[StuckRun, ...]:
            live = {worker.name for worker in _workers(connection, self._ttl_s) if worker.alive}
            silent = timedelta(seconds=silent_s)
            return _stuck(connection, live, self._most_takeovers - 1, silent)

        return await self.database.read(work)
