"""Queries on the tables of traces; each works within the caller's transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import sqlalchemy as sa
from pydantic import ValidationError

from deepcritical.domain.base import first_invalid
from deepcritical.domain.errors import (
    StorageError,
    TraceEndedError,
    TraceNotFoundError,
    TraceTakenError,
)
from deepcritical.domain.run.events import Event, EventKeys, KeyedEvent, LoggedEvent, Stage
from deepcritical.domain.tool.traces import (
    Folded,
    ToolTrace,
    TraceResult,
    TraceStatus,
    TraceSummary,
    fold,
)
from deepcritical.services.storage.engines import inserting
from deepcritical.services.storage.schema import (
    jobs,
    study_readings,
    tool_traces,
    trace_events,
    uploads,
    users,
)
from deepcritical.services.storage.study_readings import owner_of_run

_SUMMARY = [tool_traces.c[name] for name in TraceSummary.model_fields]
_FOLDED = [tool_traces.c[name] for name in Folded.model_fields]
_NO_NUL = {0: None}
"""PostgreSQL keeps no NUL in its texts."""


def insert_trace(connection: sa.Connection, trace: ToolTrace) -> ToolTrace:
    """Make a trace, and its user if he is new; one that is there already stays as it is."""
    _know_user(connection, trace)
    # Dumped by field and not whole: moments stay moments.
    plain = trace.model_dump(mode="json")
    moments = {n: getattr(trace, n) for n in ("created_at", "started_at", "completed_at")}
    _insert_new(connection, tool_traces, plain | moments)
    return select_trace(connection, trace.id)


def _know_user(connection: sa.Connection, trace: ToolTrace) -> None:
    known = connection.scalar(sa.select(users.c.id).where(users.c.id == trace.user_id))
    if known is None:
        user = {"id": trace.user_id, "org_id": trace.org_id, "created_at": trace.created_at}
        _insert_new(connection, users, user)


def lock_user(connection: sa.Connection, trace: ToolTrace) -> None:
    """Have what is counted of a trace's user stay so until the transaction's end."""
    _know_user(connection, trace)
    own = sa.select(users.c.id).where(users.c.id == trace.user_id)
    connection.execute(own.with_for_update(key_share=True))


def _insert_new(connection: sa.Connection, table: sa.Table, row: Mapping[str, Any]) -> None:
    connection.execute(inserting(connection, table).values(row).on_conflict_do_nothing())


def append(
    connection: sa.Connection,
    trace_id: str,
    entries: Sequence[KeyedEvent],
    ending: TraceResult | None = None,
    worker: str | None = None,
) -> int:
    """Add events and fold them into their trace; those whose key is there already are left out.

    Raises:
        TraceNotFoundError, TraceEndedError: They cannot be added; TraceTakenError when another
            worker has the run, or has written events of it meanwhile.

    Return how many were new. With a `worker`, only if that one has the run.
    """
    if worker is not None:
        _check_worker(connection, trace_id, worker)
    so_far = _lock(connection, trace_id)
    new = [entry for entry in entries if entry.key not in _keys(connection, trace_id, entries)]
    if not new:
        return 0
    expected = _last_seq(connection, trace_id) + 1
    if so_far.status.ended:
        raise TraceEndedError(
            f"The run {trace_id} has ended ({so_far.status}); nothing can follow."
        )
    if [entry.logged.seq for entry in new] != list(range(expected, expected + len(new))):
        raise _taken(trace_id)
    _insert(connection, trace_id, new)
    _update(connection, trace_id, fold((entry.logged for entry in new), so_far), ending)
    return len(new)


def _check_worker(connection: sa.Connection, trace_id: str, worker: str) -> None:
    # Locked, so that whoever takes the run up meanwhile reads what is written here.
    asked = sa.select(jobs.c.worker).where(jobs.c.run_id == trace_id).with_for_update()
    if connection.scalar(asked) not in (None, worker):
        raise _taken(trace_id)


def _taken(trace_id: str) -> TraceTakenError:
    return TraceTakenError(
        f"Another process goes on with the run {trace_id}.",
        f"`deepcritical traces tail {trace_id}` follows it.",
    )


def append_next(
    connection: sa.Connection,
    trace_id: str,
    event: Event,
    place: tuple[Stage, float] | None = None,
    ending: TraceResult | None = None,
) -> LoggedEvent:
    """Add one event behind all others.

    Stage and progress are those of the end without a `place`. Raises as `append` does.
    """
    so_far = _lock(connection, trace_id)
    stage, progress = place or (Stage.DONE, 1.0)
    seq = _last_seq(connection, trace_id) + 1
    logged = LoggedEvent(
        run_id=trace_id,
        seq=seq,
        at=datetime.now(UTC),
        stage=stage,
        progress=max(so_far.progress, progress),
        event=event,
    )
    # An event that may be told several times has its number in the key, the end has not.
    content = EventKeys().of(event.model_dump(mode="json"))
    entry = KeyedEvent(f"{content}@{seq}" if place else content, logged)
    if not append(connection, trace_id, [entry], ending):
        raise TraceEndedError(f"The run {trace_id} has ended in this way already.")
    return logged


def _lock(connection: sa.Connection, trace_id: str) -> Folded:
    """Lock a trace until this transaction ends, and return its state."""
    asked = sa.select(*_FOLDED).where(tool_traces.c.id == trace_id).with_for_update()
    row = connection.execute(asked).one_or_none()
    if row is None:
        raise TraceNotFoundError(f"There is no run {trace_id}.")
    return _read(Folded, row._asdict())


def _keys(connection: sa.Connection, trace_id: str, entries: Sequence[KeyedEvent]) -> set[str]:
    asked = sa.select(trace_events.c.key).where(
        trace_events.c.trace_id == trace_id, trace_events.c.key.in_([e.key for e in entries])
    )
    return set(connection.scalars(asked))


def _last_seq(connection: sa.Connection, trace_id: str) -> int:
    highest = sa.select(sa.func.max(trace_events.c.seq)).where(trace_events.c.trace_id == trace_id)
    return connection.scalar(highest) or 0


def _insert(connection: sa.Connection, trace_id: str, entries: Sequence[KeyedEvent]) -> None:
    rows = [
        {
            "trace_id": trace_id,
            "seq": logged.seq,
            "key": key,
            "at": logged.at,
            "stage": logged.stage.value,
            "progress": logged.progress,
            "event": logged.event.model_dump(mode="json"),
        }
        for key, logged in entries
    ]
    connection.execute(trace_events.insert(), rows)


def _update(
    connection: sa.Connection, trace_id: str, folded: Folded, ending: TraceResult | None
) -> None:
    state = folded.state
    if ending and ending.knowledge:
        state = state.model_copy(update={"knowledge_base": ending.knowledge})
    values: dict[str, Any] = {
        "status": folded.status.value,
        "progress": folded.progress,
        "current_stage": folded.current_stage,
        "state": state.model_dump(mode="json"),
        "metrics": folded.metrics.model_dump(mode="json"),
        "error_message": folded.error_message.translate(_NO_NUL),
        "started_at": folded.started_at,
        "completed_at": folded.completed_at,
    }
    if ending and folded.status is TraceStatus.COMPLETED:
        values["result"] = dict(ending.result)
    connection.execute(tool_traces.update().where(tool_traces.c.id == trace_id).values(values))


def select_trace(connection: sa.Connection, trace_id: str) -> ToolTrace:
    """The trace of an id; raises TraceNotFoundError."""
    row = connection.execute(
        sa.select(tool_traces).where(tool_traces.c.id == trace_id)
    ).one_or_none()
    if row is None:
        raise TraceNotFoundError(f"There is no run {trace_id}.")
    return _read(ToolTrace, row._asdict())


def select_traces(
    connection: sa.Connection,
    user_id: str,
    tool_name: str | None,
    most: int,
    before: str | None = None,
    words: Sequence[str] = (),
) -> tuple[TraceSummary, ...]:
    """A user's traces, newest first, from behind one of them on, whose question has the words."""
    at, key = tool_traces.c.created_at, tool_traces.c.id
    asked = sa.select(*_SUMMARY).where(tool_traces.c.user_id == user_id)
    if tool_name is not None:
        asked = asked.where(tool_traces.c.tool_name == tool_name)
    question = tool_traces.c.input_params["question"].as_string()
    asked = asked.where(*(question.icontains(word, autoescape=True) for word in words))
    if before is not None:
        newer = sa.select(at).where(key == before, tool_traces.c.user_id == user_id)
        since = newer.scalar_subquery()
        asked = asked.where(sa.or_(at < since, sa.and_(at == since, key > before)))
    newest = asked.order_by(at.desc(), key).limit(most)
    return tuple(_read(TraceSummary, row._asdict()) for row in connection.execute(newest))


def select_matching(connection: sa.Connection, user_id: str, beginning: str) -> tuple[str, ...]:
    """Ids of a user's traces that begin in this way; of more than two, two."""
    begins = tool_traces.c.id.startswith(beginning, autoescape=True)
    asked = sa.select(tool_traces.c.id).where(tool_traces.c.user_id == user_id, begins).limit(2)
    return tuple(connection.scalars(asked))


def select_events(
    connection: sa.Connection, trace_id: str, after: int
) -> tuple[tuple[LoggedEvent, ...], bool]:
    """The events of a trace above a number, in order, and whether none will follow them."""
    # The status first: what is written between the two statements is then among the events.
    asked = sa.select(tool_traces.c.status).where(tool_traces.c.id == trace_id)
    status = connection.scalar(asked)
    if status is None:
        raise TraceNotFoundError(f"There is no run {trace_id}.")
    kept = sa.select(trace_events).where(
        trace_events.c.trace_id == trace_id, trace_events.c.seq > after
    )
    rows = connection.execute(kept.order_by(trace_events.c.seq))
    return tuple(_logged(row) for row in rows), TraceStatus(status).ended


def delete_trace(connection: sa.Connection, trace_id: str) -> None:
    """Remove a trace with its events, the documents uploaded for it, and what was read in them."""
    asked = sa.select(tool_traces.c.input_params).where(tool_traces.c.id == trace_id)
    given = (connection.scalar(asked) or {}).get("documents", ())
    connection.execute(uploads.delete().where(uploads.c.id.in_(given)))
    own = study_readings.c.owner == owner_of_run(trace_id)
    connection.execute(study_readings.delete().where(own))
    connection.execute(tool_traces.delete().where(tool_traces.c.id == trace_id))


def _logged(row: sa.Row[Any]) -> LoggedEvent:
    fields = dict(row._asdict())
    del fields["key"]
    return _read(LoggedEvent, {"run_id": fields.pop("trace_id"), **fields})


Kind = TypeVar("Kind", ToolTrace, TraceSummary, Folded, LoggedEvent)


def _read(kind: type[Kind], fields: Mapping[str, Any]) -> Kind:
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        where, why, _ = first_invalid(error)
        raise StorageError(
            f"A stored run cannot be read ({where}: {why}).",
            "It was written by another version; read it with that one.",
        ) from error
