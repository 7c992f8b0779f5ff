"""Queries on the tables of jobs and workers, each within the caller's transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa
from pydantic import ValidationError

from deepcritical.domain.errors import (
    CapacityError,
    StorageError,
    TraceNotFoundError,
    TraceTakenError,
)
from deepcritical.domain.run.events import EventKeys, LoggedEvent, Notice, RunFailed
from deepcritical.domain.run.recipe import MOST_WITH_OTHERS, Begun, EngineRow, Recipe, Signals
from deepcritical.domain.tool.traces import ToolTrace, TraceStatus, fold
from deepcritical.services.storage.schema import (
    jobs,
    model_answers,
    tool_traces,
    trace_events,
    workers,
)
from deepcritical.services.storage.trace_queries import insert_trace, lock_user, select_events

OPEN = tool_traces.c.status.in_([TraceStatus.PENDING.value, TraceStatus.IN_PROGRESS.value])
WITH_TRACE = jobs.join(tool_traces, tool_traces.c.id == jobs.c.run_id)
_ENDED = tool_traces.c.status.in_([status.value for status in TraceStatus if status.ended])
_FORGOTTEN = 20
"""Times to live after which a worker without a sign of life is forgotten."""
AT_ONCE = 100
"""Runs that are removed in one transaction: none may hold the database for long."""
LASTING = ("run_started", "sources_opened", "run_completed", "run_failed", "run_cancelled")
"""Events that are kept with a run: what it was, where it searched and how it ended."""
_START_S = 5.0
"""Seconds that a process may need to get on with a run that it takes up. One that was lost before
says little of the run: who restarts servers this fast would have every run blamed."""


def insert_job(
    connection: sa.Connection,
    trace: ToolTrace,
    recipe: Recipe,
    worker: str,
    *,
    queue_limit_s: float,
    most: int,
) -> bool:
    """Take in a run with its trace; whether it is new.

    Raises CapacityError where its user has as many waiting or under way as he may.
    """
    lock_user(connection, trace)
    known = sa.select(tool_traces.c.id).where(tool_traces.c.id == trace.id)
    if connection.scalar(known) is not None:
        return False
    mine = sa.select(sa.func.count()).select_from(WITH_TRACE)
    if (connection.scalar(mine.where(OPEN, tool_traces.c.user_id == trace.user_id)) or 0) >= most:
        raise CapacityError(
            f"{most} runs of yours are waiting or under way, and that is the limit.",
            "Try again when some have ended, or cancel some.",
        )
    insert_trace(connection, trace)
    connection.execute(
        jobs.insert().values(
            run_id=trace.id,
            recipe=recipe.model_dump(mode="json"),
            worker=worker,
            queued_at=trace.created_at,
            queue_deadline=trace.created_at + timedelta(seconds=queue_limit_s),
            takeovers=0,
            cancel_requested=False,
            write_now_requested=False,
        )
    )
    return True


def begin(
    connection: sa.Connection, run_id: str, worker: str, given: EngineRow | None = None
) -> Begun:
    """Take a run up: its first step, or the next one after another worker was lost.

    What is `given` must say that the run is the worker's.

    Raises:
        TraceNotFoundError: There is no such run, or not any more.
        TraceTakenError: It was given to another worker meanwhile.
        StorageError: Another version wrote it.
    """
    row = _locked(connection, run_id)
    if given and not _still_there(connection, given):
        raise TraceTakenError(f"Another process goes on with the run {run_id}.")
    now = datetime.now(UTC)
    ended = TraceStatus(row["status"]).ended
    # The engine hands out one that has ended, too, whose end it could not note down.
    again = row["first_step_at"] is not None and not ended
    first = row["first_step_at"] or now
    values = {"worker": worker, "first_step_at": first, "taken_at": clock(connection)}
    connection.execute(jobs.update().where(jobs.c.run_id == run_id).values(values))
    return Begun(
        recipe=_recipe(row["recipe"]),
        user_id=row["user_id"],
        ended=ended,
        late=not again and now > row["queue_deadline"],
        takeovers=row["takeovers"],
        lost_with_others=row["lost_with_others"],
        signals=Signals(row["cancel_requested"], row["write_now_requested"]),
    )


def _still_there(connection: sa.Connection, row: EngineRow) -> bool:
    """Return whether a row is as it was; in PostgreSQL it stays so until the transaction's end."""
    schema = row.schema if connection.dialect.name == "postgresql" else None
    table = sa.table(row.table, *map(sa.column, row.values), schema=schema)
    same = (table.c[name] == value for name, value in row.values.items())
    asked = sa.select(sa.literal(1)).select_from(table).where(*same)
    return connection.scalar(asked.with_for_update(read=True)) is not None


def hand_back(connection: sa.Connection, run_id: str, worker: str) -> None:
    """A worker gives a run out of its hands in good order, which is no loss of a worker.

    One that it was given and has not begun with is as it was, and so is one that has ended; one
    that has told nothing yet waits for its first step again.
    """
    begun = (jobs.c.worker == worker) & jobs.c.first_step_at.is_not(None)
    status = connection.scalar(sa.select(tool_traces.c.status).where(tool_traces.c.id == run_id))
    if status is None or TraceStatus(status).ended:
        return
    told = TraceStatus(status) is not TraceStatus.PENDING
    change = {} if told else {"first_step_at": None}
    given_up = jobs.update().where(jobs.c.run_id == run_id, begun)
    connection.execute(given_up.values(worker="", **change))


def note_losses(connection: sa.Connection, live: Collection[str]) -> None:
    """Count the workers that were lost against the runs that may be the cause, once each.

    That is a run which was lost at the same place before: one that has told or learned something
    since has not ended its worker. Kept apart are losses of a run that was not alone, for a
    neighbour of the cause looks the same until then, and of one that was taken up just before the
    worker's last sign of life: how much later others noticed its end tells nothing, nor does the
    end of a worker that left no sign. A run that is suspected by then waits for a worker that has
    proved steady, so that the second loss after that tells, however soon it comes.
    """
    begun = jobs.c.first_step_at.is_not(None) & (jobs.c.worker != "")
    counts = ("takeovers", "lost_at", "lost_with_others")
    asked = sa.select(*jobs.c[("run_id", "worker", "taken_at", *counts)], workers.c.beat_at)
    signs = WITH_TRACE.outerjoin(workers, workers.c.id == jobs.c.worker)
    lost = asked.select_from(signs).where(OPEN, begun, jobs.c.worker.not_in(live))
    rows = connection.execute(lost.with_for_update(of=jobs)).all()
    of_worker = Counter(row.worker for row in rows)
    for row in rows:
        place = _place(connection, row.run_id)
        lived_s = (row.beat_at or row.taken_at) - row.taken_at
        before = (row.takeovers, row.lost_with_others) if row.lost_at == place else (0, 0)
        waited = before[1] > MOST_WITH_OTHERS + 1
        telling = of_worker[row.worker] == 1 and (waited or lived_s >= _START_S)
        change = {
            "worker": "",
            "lost_at": place,
            "takeovers": before[0] + telling,
            "lost_with_others": before[1] + (not telling),
        }
        connection.execute(jobs.update().where(jobs.c.run_id == row.run_id).values(change))


def _place(connection: sa.Connection, run_id: str) -> str:
    """Return the place of a run: its numbers of events and of model answers."""
    told = sa.select(sa.func.count()).where(trace_events.c.trace_id == run_id)
    learned = sa.select(sa.func.count()).where(
        model_answers.c.run_id == run_id, model_answers.c.answer != ""
    )
    return f"{connection.scalar(told)}-{connection.scalar(learned)}"


def lost_with_others(connection: sa.Connection, run_id: str) -> int:
    """Return how often a run was lost at its place without telling whether it was the cause."""
    asked = sa.select(jobs.c.lost_with_others).where(
        jobs.c.run_id == run_id, jobs.c.lost_at == _place(connection, run_id)
    )
    return connection.scalar(asked) or 0


def _locked(connection: sa.Connection, run_id: str) -> Mapping[str, Any]:
    asked = sa.select(jobs, tool_traces.c.user_id, tool_traces.c.status)
    found = connection.execute(
        asked.select_from(WITH_TRACE).where(jobs.c.run_id == run_id).with_for_update(of=jobs)
    ).one_or_none()
    if found is None:
        raise TraceNotFoundError(
            f"The run {run_id} cannot be resumed: nothing is recorded of its steps.",
            "Ask its question again.",
        )
    return found._asdict()


def _recipe(stored: object) -> Recipe:
    try:
        return Recipe.model_validate(stored)
    except ValidationError as error:
        raise StorageError(
            "What a run was asked was written by another version.", "Ask the question again."
        ) from error


def request(connection: sa.Connection, run_id: str, what: Literal["cancel", "write_now"]) -> bool:
    """Note what a user wants of a run; whether any engine conducts it and has begun to."""
    change = jobs.update().where(jobs.c.run_id == run_id).values({f"{what}_requested": True})
    if not connection.execute(change).rowcount:
        return False
    begun = sa.select(jobs.c.first_step_at).where(jobs.c.run_id == run_id)
    return connection.scalar(begun) is not None


def select_signals(connection: sa.Connection, run_ids: Collection[str]) -> dict[str, Signals]:
    """Return the users' signals to these runs."""
    asked = sa.select(jobs.c.run_id, jobs.c.cancel_requested, jobs.c.write_now_requested)
    rows = connection.execute(asked.where(jobs.c.run_id.in_(run_ids)))
    found = {run_id: Signals(cancel, write_now) for run_id, cancel, write_now in rows}
    return {run_id: found.get(run_id, Signals(deleted=True)) for run_id in run_ids}


def queue_position(connection: sa.Connection, run_id: str) -> int | None:
    """Return the number of runs that wait up to this one; None for one that does not wait."""
    waiting = OPEN & jobs.c.first_step_at.is_(None)
    own = sa.select(jobs.c.queued_at).select_from(WITH_TRACE)
    since = connection.scalar(own.where(waiting, jobs.c.run_id == run_id))
    if since is None:
        return None
    counted = sa.select(sa.func.count()).select_from(WITH_TRACE)
    return connection.scalar(counted.where(waiting, jobs.c.queued_at <= since))


def select_overdue(connection: sa.Connection) -> tuple[str, ...]:
    """Runs that have waited for their first step for longer than they may."""
    asked = sa.select(jobs.c.run_id).select_from(WITH_TRACE)
    waiting = jobs.c.first_step_at.is_(None) & (jobs.c.queue_deadline < datetime.now(UTC))
    return tuple(connection.scalars(asked.where(OPEN, waiting)))


def select_left(connection: sa.Connection, live: Collection[str]) -> tuple[str, ...]:
    """Runs that have not ended, of workers that are not alive."""
    asked = sa.select(jobs.c.run_id).select_from(WITH_TRACE)
    return tuple(connection.scalars(asked.where(OPEN, jobs.c.worker.not_in(live))))


def beat(
    connection: sa.Connection, worker: str, ttl_s: float, *, conducts: bool = True
) -> frozenset[str]:
    """Give a sign of life; the workers that have given one lately, this one included."""
    now = clock(connection)
    values = {"beat_at": now, "conducts": conducts}
    changed = connection.execute(workers.update().where(workers.c.id == worker).values(values))
    if not changed.rowcount:
        connection.execute(workers.insert().values(id=worker, **values))
    connection.execute(workers.delete().where(workers.c.beat_at < now - _FORGOTTEN * ttl_s))
    return alive(connection, ttl_s)


def alive(connection: sa.Connection, ttl_s: float) -> frozenset[str]:
    """Return the workers that have given a sign of life lately."""
    lately = workers.c.beat_at > clock(connection) - ttl_s
    return frozenset(connection.scalars(sa.select(workers.c.id).where(lately)))


def anybody_conducts(connection: sa.Connection, ttl_s: float) -> bool:
    """Return whether a process is alive that takes runs from the queue."""
    alive = workers.c.conducts & (workers.c.beat_at > clock(connection) - ttl_s)
    return connection.scalar(sa.select(workers.c.id).where(alive).limit(1)) is not None


def leave(connection: sa.Connection, worker: str) -> None:
    """A worker ends in good order."""
    connection.execute(workers.delete().where(workers.c.id == worker))


def clock(connection: sa.Connection) -> float:
    """Seconds of the one clock that all workers share: the database's."""
    if connection.dialect.name == "postgresql":
        return float(
            connection.scalar(sa.select(sa.func.extract("epoch", sa.func.clock_timestamp()))) or 0
        )
    return datetime.now(UTC).timestamp()  # a file is of one machine, and so is its clock


def reopen(connection: sa.Connection, run_id: str, worker: str, *, queue_limit_s: float) -> None:
    """Take the end off a run that failed or was cancelled, so that it can go on.

    It is the worker's that asks for it: one of a dead worker would be ended for him meanwhile. One
    that has no end yet stays as it is: what its user asked for meanwhile still holds.

    Raises:
        TraceNotFoundError: It has no job.
        StorageError: It is completed.
    """
    row = _locked(connection, run_id)
    status = TraceStatus(row["status"])
    if status is TraceStatus.COMPLETED:
        raise StorageError(
            f"The run {run_id} is completed.", f"`deepcritical traces export {run_id}` prints it."
        )
    if not status.ended:
        return
    _take_end_off(connection, run_id)
    fresh = {
        "worker": worker,
        "takeovers": 0,
        "lost_with_others": 0,
        "cancel_requested": False,
        "write_now_requested": False,
        "queue_deadline": datetime.now(UTC) + timedelta(seconds=queue_limit_s),
    }
    connection.execute(jobs.update().where(jobs.c.run_id == run_id).values(fresh))


def _take_end_off(connection: sa.Connection, run_id: str) -> None:
    *before, end = select_events(connection, run_id, 0)[0]
    of_end = (trace_events.c.trace_id == run_id) & (trace_events.c.seq == end.seq)
    if before:
        # Its number stays taken: whoever was told of the end asks for what follows that number.
        connection.execute(trace_events.update().where(of_end).values(_goes_on(before[-1], end)))
    else:
        connection.execute(trace_events.delete().where(of_end))  # it waits, and has told nothing
    values = {
        **fold(before).model_dump(mode="json", include={"status", "progress", "current_stage"}),
        "error_message": "",
        "completed_at": None,
    }
    connection.execute(tool_traces.update().where(tool_traces.c.id == run_id).values(values))


def _goes_on(last: LoggedEvent, end: LoggedEvent) -> dict[str, object]:
    """Return the event that replaces an end, at the stage of the event before it."""
    how = "The run was cancelled, and goes on."
    if isinstance(end.event, RunFailed):
        how = f"The run failed, and goes on. {end.event.message}"
    notice = Notice(message=how).model_dump(mode="json")
    return {
        "key": f"{EventKeys().of(notice)}@{end.seq}",
        "stage": last.stage.value,
        "progress": last.progress,
        "event": notice,
    }


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
