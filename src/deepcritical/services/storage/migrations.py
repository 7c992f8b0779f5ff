"""Migrates the schema of the database by numbered steps; a table lists those applied.

A migration is written with Alembic's operations. It makes tables as `trace_tables` has them, less
what is in `_LATER`; one that changes a column describes the column as it was.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.events import EventKeys
from deepcritical.services.storage import trace_tables as tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from alembic.operations import Operations

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
    operations.add_column("trace_events", sa.Column("key", tables.trace_events.c.key.type))
    _give_keys(operations.get_bind())
    with operations.batch_alter_table("trace_events") as table:
        table.alter_column("key", existing_type=tables.trace_events.c.key.type, nullable=False)
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
    _making(tables.model_answers)(operations)
    _adding(*tables.jobs.c["lost_at", "lost_with_others", "pruned"])(operations)
    newest = ["user_id", "created_at", "id"]
    operations.create_index("ix_tool_traces_user_newest", "tool_traces", newest)


ALL = {
    "0001_traces": _making(
        tables.organizations, tables.users, tables.tool_traces, tables.trace_events
    ),
    "0002_event_keys": _add_event_keys,
    "0003_jobs": _making(tables.jobs, tables.workers),
    "0004_rate_limits": _making(tables.rate_limits),
    "0005_conducting_workers": _adding(tables.workers.c.conducts),
    "0006_study_readings": _making(tables.study_readings, tables.reading_claims),
    "0007_answers": _add_answers,
    "0008_uploads": _making(tables.uploads),
    "0009_taken_at": _adding(tables.jobs.c.taken_at),
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
    missing = set(ALL) - _applied(connection) if made else set(ALL)
    if missing:
        raise StorageError(
            f"The database lacks the migration {min(missing)}: it is of an older version, or new.",
            "Start a worker or `deepcritical serve` of this version once: that brings it up to "
            "date.",
        )


def _applied(connection: sa.Connection, *, of_newer: bool = False) -> set[str]:
    """The names of what was applied; raises StorageError where a newer version did."""
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
