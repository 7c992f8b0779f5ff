"""Readings of studies, which runs and workers share, and who is making one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]


def upgrade(operations: Operations) -> None:
    """Make the tables."""
    operations.create_table(
        "study_readings",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("record_id", sa.Text, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("accepted", sa.Boolean, nullable=False),
        sa.Column("reading", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Float, nullable=False),
    )
    operations.create_index("ix_study_readings_text", "study_readings", ["text_sha256"])
    operations.create_index("ix_study_readings_record", "study_readings", ["record_id"])
    operations.create_table(
        "reading_claims",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("holder", sa.String(64), nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
