"""Limits on requests that the processes of one database share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]


def upgrade(operations: Operations) -> None:
    """Make the table."""
    operations.create_table(
        "rate_limits",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("free_at", sa.Float, nullable=False),
    )
