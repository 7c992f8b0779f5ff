"""Users, organizations, traces and their events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]

_ID = sa.String(64)
_MOMENT = sa.DateTime(timezone=True)


def upgrade(operations: Operations) -> None:
    """Make the tables."""
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
