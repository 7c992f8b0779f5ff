"""The schema by numbered migrations; each is applied once, and what is applied is in a table.

A migration is a module with `upgrade`, written with Alembic's operations. It never imports today's
tables: it describes them as they were on its day.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import sqlalchemy as sa

from deepcritical.domain.errors import StorageError
from deepcritical.services.migrations import (
    m0001_traces,
    m0002_event_keys,
    m0003_jobs,
    m0004_rate_limits,
    m0005_conducting_workers,
    m0006_study_readings,
    m0007_answers,
    m0008_uploads,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ALL", "check", "migrate"]

ALL = {
    "0001_traces": m0001_traces.upgrade,
    "0002_event_keys": m0002_event_keys.upgrade,
    "0003_jobs": m0003_jobs.upgrade,
    "0004_rate_limits": m0004_rate_limits.upgrade,
    "0005_conducting_workers": m0005_conducting_workers.upgrade,
    "0006_study_readings": m0006_study_readings.upgrade,
    "0007_answers": m0007_answers.upgrade,
    "0008_uploads": m0008_uploads.upgrade,
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
