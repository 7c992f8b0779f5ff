"""Jobs, by which a run outlives its process, and the workers that run them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]

_ID = sa.String(64)
_MOMENT = sa.DateTime(timezone=True)


def upgrade(operations: Operations) -> None:
    """Make the tables; runs that are there already have no job, and cannot be resumed."""
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
