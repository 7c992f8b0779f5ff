"""Documents that users uploaded for a run of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]


def upgrade(operations: Operations) -> None:
    """Make the table."""
    operations.create_table(
        "uploads",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    operations.create_index("ix_uploads_until", "uploads", ["until"])
