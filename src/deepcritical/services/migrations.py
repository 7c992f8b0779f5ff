"""The schema by numbered migrations; each is applied once, and what is applied is in a table.

A migration is written with Alembic's operations. It never uses today's tables: it describes them as
they were on its day.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING

import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.domain.event_keys import EventKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from alembic.operations import Operations

_ID = sa.String(64)
_MOMENT = sa.DateTime(timezone=True)


def _add_traces(operations: Operations) -> None:
    """Users, organizations, traces and their events."""
    _make_owners(operations)
    _make_traces(operations)
    operations.create_index("ix_tool_traces_user_tool", "tool_traces", ["user_id", "tool_name"])
    operations.create_index("ix_tool_traces_status", "tool_traces", ["status"])
    _make_events(operations)


def _make_owners(operations: Operations) -> None:
    operations.create_table(
        "organizations",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
    )
    operations.create_table(
        "users",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("org_id", _ID, sa.ForeignKey("organizations.id", name="fk_users_org")),
        sa.Column("created_at", _MOMENT, nullable=False),
    )


def _make_traces(operations: Operations) -> None:
    user = sa.ForeignKey("users.id", name="fk_traces_user")
    operations.create_table(
        "tool_traces",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("user_id", _ID, user, nullable=False),
        sa.Column("org_id", _ID, sa.ForeignKey("organizations.id", name="fk_traces_org")),
        sa.Column("tool_name", _ID, nullable=False),
        sa.Column("input_params", sa.JSON, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("progress", sa.Float, nullable=False),
        sa.Column("current_stage", sa.String(32), nullable=False),
        sa.Column("state", sa.JSON, nullable=False),
        sa.Column("result", sa.JSON),
        sa.Column("error_message", sa.Text, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("started_at", _MOMENT),
        sa.Column("completed_at", _MOMENT),
        sa.Column("metrics", sa.JSON, nullable=False),
    )


def _make_events(operations: Operations) -> None:
    trace = sa.ForeignKey("tool_traces.id", name="fk_events_trace", ondelete="CASCADE")
    operations.create_table(
        "trace_events",
        sa.Column("trace_id", _ID, trace, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("progress", sa.Float, nullable=False),
        sa.Column("event", sa.JSON, nullable=False),
    )


def _add_event_keys(operations: Operations) -> None:
    """A key for each event, so that what is written again by a run taken up anew changes nothing.

    Add the key; events that are there already get the one that a writer would give them.
    """
    operations.add_column("trace_events", sa.Column("key", sa.String(80)))
    _give_keys(operations.get_bind())
    with operations.batch_alter_table("trace_events") as table:
        table.alter_column("key", existing_type=sa.String(80), nullable=False)
        table.create_unique_constraint("uq_trace_events_key", ["trace_id", "key"])


def _give_keys(connection: sa.Connection) -> None:
    events = sa.table(
        "trace_events", sa.column("trace_id"), sa.column("seq"), sa.column("event", sa.JSON),
        sa.column("key"),
    )  # fmt: skip
    here = (events.c.trace_id == sa.bindparam("trace")) & (events.c.seq == sa.bindparam("number"))
    change = events.update().where(here).values(key=sa.bindparam("given"))
    rows = connection.execute(
        sa.select(events.c.trace_id, events.c.seq, events.c.event).order_by("trace_id", "seq")
    )
    for trace_id, of_trace in groupby(rows.all(), key=lambda row: row.trace_id):
        keys = EventKeys()
        given = [
            {"trace": trace_id, "number": row.seq, "given": keys.of(row.event)} for row in of_trace
        ]
        connection.execute(change, given)


def _add_jobs(operations: Operations) -> None:
    """Jobs, by which a run outlives its process, and the workers that run them."""
    trace = sa.ForeignKey("tool_traces.id", name="fk_jobs_trace", ondelete="CASCADE")
    operations.create_table(
        "jobs",
        sa.Column("run_id", _ID, trace, primary_key=True),
        sa.Column("recipe", sa.JSON, nullable=False),
        sa.Column("worker", _ID, nullable=False),
        sa.Column("queued_at", _MOMENT, nullable=False),
        sa.Column("queue_deadline", _MOMENT, nullable=False),
        sa.Column("first_step_at", _MOMENT),
        sa.Column("takeovers", sa.Integer, nullable=False),
        sa.Column("cancel_requested", sa.Boolean, nullable=False),
        sa.Column("write_now_requested", sa.Boolean, nullable=False),
    )
    operations.create_table(
        "workers",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("beat_at", sa.Float, nullable=False),
    )


def _add_rate_limits(operations: Operations) -> None:
    """Limits on requests that the processes of one database share."""
    operations.create_table(
        "rate_limits",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("free_at", sa.Float, nullable=False),
    )


def _add_conducting_workers(operations: Operations) -> None:
    """Which processes take runs from the queue: servers may only take them in.

    Add the column; processes of older code, which do not know it, go on beside newer ones.
    """
    conducts = sa.Column("conducts", sa.Boolean, nullable=False, server_default=sa.true())
    operations.add_column("workers", conducts)


def _add_study_readings(operations: Operations) -> None:
    """Readings of studies, which runs and workers share, and who is making one."""
    operations.create_table(
        "study_readings",
        sa.Column("key", _ID, primary_key=True),
        sa.Column("text_sha256", _ID, nullable=False),
        sa.Column("record_id", sa.Text, nullable=False),
        sa.Column("owner", _ID, nullable=False),
        sa.Column("accepted", sa.Boolean, nullable=False),
        sa.Column("reading", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Float, nullable=False),
    )
    operations.create_index("ix_study_readings_text", "study_readings", ["text_sha256"])
    operations.create_index("ix_study_readings_record", "study_readings", ["record_id"])
    operations.create_table(
        "reading_claims",
        sa.Column("key", _ID, primary_key=True),
        sa.Column("holder", _ID, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )


def _add_answers(operations: Operations) -> None:
    """What models answered within the step under way, where runs were lost, and what was pruned."""
    operations.create_table(
        "model_answers",
        sa.Column(
            "run_id",
            _ID,
            sa.ForeignKey("tool_traces.id", name="fk_answers_trace", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("step", _ID, primary_key=True),
        sa.Column("content", _ID, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("sent", sa.Integer, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("spent", sa.JSON, nullable=False),
    )
    for name, kind, default in (
        ("lost_at", _ID, ""),
        ("lost_with_others", sa.Integer, "0"),
        ("pruned", sa.Boolean, sa.false()),
    ):
        column = sa.Column(name, kind, nullable=False, server_default=default)
        operations.add_column("jobs", column)
    operations.create_index(
        "ix_tool_traces_user_newest", "tool_traces", ["user_id", "created_at", "id"]
    )


def _add_uploads(operations: Operations) -> None:
    """Documents that users uploaded for a run of theirs."""
    operations.create_table(
        "uploads",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("user_id", _ID, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    operations.create_index("ix_uploads_until", "uploads", ["until"])


ALL = {
    "0001_traces": _add_traces,
    "0002_event_keys": _add_event_keys,
    "0003_jobs": _add_jobs,
    "0004_rate_limits": _add_rate_limits,
    "0005_conducting_workers": _add_conducting_workers,
    "0006_study_readings": _add_study_readings,
    "0007_answers": _add_answers,
    "0008_uploads": _add_uploads,
}
"""In the order in which they are applied."""

_APPLIED = sa.Table(
    "schema_migrations",
    sa.MetaData(),
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("applied_at", sa.DateTime, nullable=False),
)


def migrate(
    connection: sa.Connection, wanted: Sequence[str] = tuple(ALL), *, of_newer: bool = False
) -> tuple[str, ...]:
    """Apply what is missing, within the caller's transaction, which no other process may share.

    Args:
        connection: The transaction.
        wanted: Names of migrations.
        of_newer: Whether a database of a newer version is as good.

    Returns:
        The names of what was applied.

    Raises:
        StorageError: The database was made by a newer version, and must not be.
    """
    _APPLIED.create(connection, checkfirst=True)
    applied = _applied(connection, of_newer=of_newer)
    missing = tuple(name for name in wanted if name not in applied)
    if missing:
        _apply(connection, missing)
    return missing


def check(connection: sa.Connection) -> None:
    """Find out whether the schema is that of this version, without a change.

    Raises:
        StorageError: It is not.
    """
    made = sa.inspect(connection).has_table(_APPLIED.name)
    missing = set(ALL) - _applied(connection) if made else set(ALL)
    if missing:
        raise StorageError(
            f"The database lacks the migration {min(missing)}: it is of an older version, or new.",
            "Start a worker or `deepcritical serve` of this version once: that brings it up to "
            "date.",
        )


def _applied(connection: sa.Connection, *, of_newer: bool = False) -> set[str]:
    """The names of what was applied.

    Raises:
        StorageError: The database was made by a newer version, and must not be.
    """
    applied = set(connection.scalars(sa.select(_APPLIED.c.name)))
    unknown = applied - set(ALL)
    if unknown and not of_newer:
        raise StorageError(
            f"The database has the migration {min(unknown)}, which this version does not know.",
            "Update DeepCritical, or name another database in DATABASE_URL.",
        )
    return applied


def _apply(connection: sa.Connection, names: Sequence[str]) -> None:
    # Imported late: a database that is up to date needs none of it.
    from alembic.migration import MigrationContext
    from alembic.operations import Operations

    operations = Operations(MigrationContext.configure(connection))
    for name in names:
        ALL[name](operations)
        now = datetime.now(UTC).replace(tzinfo=None)
        connection.execute(_APPLIED.insert().values(name=name, applied_at=now))
