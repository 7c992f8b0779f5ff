"""What models answered within the step under way, where runs were lost, and what was pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]


def upgrade(operations: Operations) -> None:
    """Make the table and the columns."""
    operations.create_table(
        "model_answers",
        sa.Column(
            "run_id",
            sa.String(64),
            sa.ForeignKey("tool_traces.id", name="fk_answers_trace", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("step", sa.String(64), primary_key=True),
        sa.Column("content", sa.String(64), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("sent", sa.Integer, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("spent", sa.JSON, nullable=False),
    )
    for name, kind, default in (
        ("lost_at", sa.String(64), ""),
        ("lost_with_others", sa.Integer, "0"),
        ("pruned", sa.Boolean, sa.false()),
    ):
        column = sa.Column(name, kind, nullable=False, server_default=default)
        operations.add_column("jobs", column)
    operations.create_index(
        "ix_tool_traces_user_newest", "tool_traces", ["user_id", "created_at", "id"]
    )
