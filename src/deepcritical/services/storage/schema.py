"""The tables of the database, as the newest migration leaves them, and the migrations.

A migration is a numbered step, and a table lists those applied. It is written with Alembic's
operations. It makes tables as they are here, less what is in `_LATER`; one that changes a column
describes the column as it was.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.events import EventKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alembic.operations import Operations

METADATA = sa.MetaData()
_ID = sa.String(64)


class UtcDateTime(sa.types.TypeDecorator[datetime]):
    """Moments in UTC, also where the database knows no time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """As it is written; SQLite would drop the zone."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any, _dialect: sa.Dialect) -> datetime | None:
        """As it was given."""
        if value is None:
            return None
        known: datetime = value if value.tzinfo else value.replace(tzinfo=UTC)
        return known.astimezone(UTC)


def _trace_column(name: str, key: str) -> sa.Column[str]:
    """The trace that a row belongs to, and goes with."""
    trace = sa.ForeignKey("tool_traces.id", name=key, ondelete="CASCADE")
    return sa.Column(name, _ID, trace, primary_key=True)


organizations = sa.Table(
    "organizations",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

users = sa.Table(
    "users",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("org_id", _ID, sa.ForeignKey("organizations.id", name="fk_users_org")),
    sa.Column("created_at", UtcDateTime, nullable=False),
)

tool_traces = sa.Table(
    "tool_traces",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("user_id", _ID, sa.ForeignKey("users.id", name="fk_traces_user"), nullable=False),
    sa.Column("org_id", _ID, sa.ForeignKey("organizations.id", name="fk_traces_org")),
    sa.Column("tool_name", _ID, nullable=False),
    sa.Column("input_params", sa.JSON, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("current_stage", sa.String(32), nullable=False),
    sa.Column("state", sa.JSON, nullable=False),
    sa.Column("result", sa.JSON(none_as_null=True)),
    sa.Column("error_message", sa.Text, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("started_at", UtcDateTime),
    sa.Column("completed_at", UtcDateTime),
    sa.Column("metrics", sa.JSON, nullable=False),
    sa.Index("ix_tool_traces_user_tool", "user_id", "tool_name"),
    sa.Index("ix_tool_traces_status", "status"),
    sa.Index("ix_tool_traces_user_newest", "user_id", "created_at", "id"),
)

trace_events = sa.Table(
    "trace_events",
    METADATA,
    _trace_column("trace_id", "fk_events_trace"),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", sa.String(80), nullable=False),
    sa.Column("at", UtcDateTime, nullable=False),
    sa.Column("stage", sa.String(32), nullable=False),
    sa.Column("progress", sa.Float, nullable=False),
    sa.Column("event", sa.JSON, nullable=False),
    sa.UniqueConstraint("trace_id", "key", name="uq_trace_events_key"),
)

jobs = sa.Table(
    "jobs",
    METADATA,
    _trace_column("run_id", "fk_jobs_trace"),
    sa.Column("recipe", sa.JSON, nullable=False),
    sa.Column("worker", _ID, nullable=False),
    sa.Column("queued_at", UtcDateTime, nullable=False),
    sa.Column("queue_deadline", UtcDateTime, nullable=False),
    sa.Column("first_step_at", UtcDateTime),
    sa.Column("takeovers", sa.Integer, nullable=False),
    sa.Column("cancel_requested", sa.Boolean, nullable=False),
    sa.Column("write_now_requested", sa.Boolean, nullable=False),
    sa.Column("lost_at", sa.String(64), nullable=False, server_default=""),
    sa.Column("lost_with_others", sa.Integer, nullable=False, server_default="0"),
    sa.Column("pruned", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("taken_at", sa.Float, nullable=False, server_default="0"),
)
"""Runs that an engine conducts. The worker is the one that took the run in, then who has it, since
`taken_at` (seconds of the database's clock); '' is nobody. Take-overs are the losses of a worker
that had this run alone, at the place where the run was lost last; `lost_with_others` those that
tell less: of one that had others, too, or was lost as soon as it had taken the run up."""

model_answers = sa.Table(
    "model_answers",
    METADATA,
    _trace_column("run_id", "fk_answers_trace"),
    sa.Column("step", _ID, primary_key=True),
    sa.Column("content", _ID, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("sent", sa.Integer, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("spent", sa.JSON, nullable=False),
)
"""Requests to models by the step of the run, what was asked, and how often that was asked before;
with the times that each was sent, and its answer once it is there."""

workers = sa.Table(
    "workers",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("beat_at", sa.Float, nullable=False),
    sa.Column("conducts", sa.Boolean, nullable=False, server_default=sa.true()),
)
"""Processes that have runs, each with its last sign of life (seconds of the database's clock), and
whether it takes those that wait."""

rate_limits = sa.Table(
    "rate_limits",
    METADATA,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("free_at", sa.Float, nullable=False),
)
"""Limits that processes share, each with when its next permit is free: seconds of that clock."""

study_readings = sa.Table(
    "study_readings",
    METADATA,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("text_sha256", sa.String(64), nullable=False),
    sa.Column("record_id", sa.Text, nullable=False),
    sa.Column("owner", _ID, nullable=False),
    sa.Column("accepted", sa.Boolean, nullable=False),
    sa.Column("reading", sa.Text, nullable=False),
    sa.Column("kept_at", sa.Float, nullable=False),
    sa.Index("ix_study_readings_text", "text_sha256"),
    sa.Index("ix_study_readings_record", "record_id"),
)
"""Readings by text and reader. The owner is '' for what all share; one that was imported is not
accepted until the operator says so."""

reading_claims = sa.Table(
    "reading_claims",
    METADATA,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("holder", _ID, nullable=False),
    sa.Column("until", sa.Float, nullable=False),
)
"""Readings that a run is making, and until when others wait for them: seconds since 1970."""

uploads = sa.Table(
    "uploads",
    METADATA,
    sa.Column("id", _ID, primary_key=True),
    sa.Column("user_id", _ID, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("until", sa.Float, nullable=False),
    sa.Index("ix_uploads_until", "until"),
)
"""Documents that users uploaded, as JSON, and until when they are kept: seconds since 1970."""

_LATER = frozenset(
    {
        "trace_events.key",
        "uq_trace_events_key",
        "workers.conducts",
        "jobs.lost_at",
        "jobs.lost_with_others",
        "jobs.taken_at",
        "jobs.pruned",
        "ix_tool_traces_user_newest",
    }
)
"""Columns, constraints and indexes that a table got by a migration after the one that made it."""


def _making(*made: sa.Table) -> Callable[[Operations], None]:
    """A migration that makes tables without what a later one adds to them."""

    def make(operations: Operations) -> None:
        from alembic.operations.ops import CreateIndexOp, CreateTableOp

        for table in made:
            create = CreateTableOp.from_table(table)
            create.columns = [part for part in create.columns if _name(part) not in _LATER]
            operations.invoke(create)
            for index in sorted(table.indexes, key=_name):
                if _name(index) not in _LATER:
                    operations.invoke(CreateIndexOp.from_index(index))

    return make


def _name(part: object) -> str:
    return str(part) if isinstance(part, sa.Column) else str(getattr(part, "name", ""))


def _adding(*columns: sa.Column[Any]) -> Callable[[Operations], None]:
    """Adds columns with a default, so that processes of older code go on beside newer ones."""

    def add(operations: Operations) -> None:
        from alembic.operations.ops import AddColumnOp

        for column in columns:
            operations.invoke(AddColumnOp.from_column(column))

    return add


def _add_event_keys(operations: Operations) -> None:
    """A key for each event, so that what is written again by a run taken up anew changes nothing.

    Add the key; events that are there already get the one that a writer would give them.
    """
    operations.add_column("trace_events", sa.Column("key", trace_events.c.key.type))
    _give_keys(operations.get_bind())
    with operations.batch_alter_table("trace_events") as table:
        table.alter_column("key", existing_type=trace_events.c.key.type, nullable=False)
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


def _add_answers(operations: Operations) -> None:
    """Add tables of model answers within a step, places of lost runs, and pruned runs."""
    _making(model_answers)(operations)
    _adding(*jobs.c["lost_at", "lost_with_others", "pruned"])(operations)
    newest = ["user_id", "created_at", "id"]
    operations.create_index("ix_tool_traces_user_newest", "tool_traces", newest)


MIGRATIONS = {
    "0001_traces": _making(organizations, users, tool_traces, trace_events),
    "0002_event_keys": _add_event_keys,
    "0003_jobs": _making(jobs, workers),
    "0004_rate_limits": _making(rate_limits),
    "0005_conducting_workers": _adding(workers.c.conducts),
    "0006_study_readings": _making(study_readings, reading_claims),
    "0007_answers": _add_answers,
    "0008_uploads": _making(uploads),
    "0009_taken_at": _adding(jobs.c.taken_at),
}
"""In the order in which they are applied."""

_APPLIED = sa.Table(
    "schema_migrations",
    sa.MetaData(),
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("applied_at", sa.DateTime, nullable=False),
)


def migrate(
    connection: sa.Connection, wanted: Sequence[str] = tuple(MIGRATIONS), *, of_newer: bool = False
) -> tuple[str, ...]:
    """Apply what is missing, within the caller's transaction, which no other process may share.

    Return the names of what was applied. Raises StorageError as `_applied` does.
    """
    _APPLIED.create(connection, checkfirst=True)
    applied = _applied(connection, of_newer=of_newer)
    missing = tuple(name for name in wanted if name not in applied)
    if missing:
        _apply(connection, missing)
    return missing


def check(connection: sa.Connection) -> None:
    """Find out whether the schema is that of this version, without a change.

    Raises StorageError.
    """
    made = sa.inspect(connection).has_table(_APPLIED.name)
    missing = set(MIGRATIONS) - _applied(connection) if made else set(MIGRATIONS)
    if missing:
        raise StorageError(
            f"The database lacks the migration {min(missing)}: it is of an older version, or new.",
            "Start a worker or `deepcritical serve` of this version once: that brings it up to "
            "date.",
        )


def _applied(connection: sa.Connection, *, of_newer: bool = False) -> set[str]:
    """The names of what was applied; raises StorageError where a newer version did."""
    applied = set(connection.scalars(sa.select(_APPLIED.c.name)))
    unknown = applied - set(MIGRATIONS)
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
        MIGRATIONS[name](operations)
        now = datetime.now(UTC).replace(tzinfo=None)
        connection.execute(_APPLIED.insert().values(name=name, applied_at=now))
