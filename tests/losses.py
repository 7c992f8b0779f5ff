"""Losses of workers, noted down as if time had passed."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.schema import jobs
from deepcritical.services.storage.tool_trace_service import ToolTraceService


async def lost(
    traces: ToolTraceService, live: Collection[str] = (), *, after_s: float = 60
) -> None:
    """The workers that are not alive are lost, having lived so long since they took their runs."""
    earlier = jobs.update().values(taken_at=jobs.c.taken_at - after_s)
    await traces.database.write(lambda connection: connection.execute(earlier))
    having = sa.select(jobs.c.worker).where(jobs.c.worker.not_in(["", *live])).distinct()
    board = JobBoard(traces.database)
    for worker in await traces.database.read(lambda connection: [*connection.scalars(having)]):
        await board.beat(worker, 15.0)
    await board.note_losses(live)
