"""A key for each event, so that what is written again by a run taken up anew changes nothing."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]


def upgrade(operations: Operations) -> None:
    """Add the key; events that are there already get the one that a writer would give them."""
    operations.add_column("trace_events", sa.Column("key", sa.String(80)))
    _give_keys(operations.get_bind())
    with operations.batch_alter_table("trace_events") as table:
        table.alter_column("key", existing_type=sa.String(80), nullable=False)
        table.create_unique_constraint("uq_trace_events_key", ["trace_id", "key"])


def _give_keys(connection: sa.Connection) -> None:
    from deepcritical.domain.event_keys import EventKeys

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
