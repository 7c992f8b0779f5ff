"""Which processes take runs from the queue: servers may only take them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

__all__ = ["upgrade"]


def upgrade(operations: Operations) -> None:
    """Add the column; processes of older code, which do not know it, go on beside newer ones."""
    conducts = sa.Column("conducts", sa.Boolean, nullable=False, server_default=sa.true())
    operations.add_column("workers", conducts)
