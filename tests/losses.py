"""Losses of workers, noted down as if time had passed."""

from __future__ import annotations

from collections.abc import Collection

from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_tables import jobs


async def lost(
    traces: ToolTraceService, live: Collection[str] = (), *, after_s: float = 60
) -> None:
    """The workers that are not alive are lost, so long after they took their runs up."""
    earlier = jobs.update().values(taken_at=jobs.c.taken_at - after_s)
    await traces.database.write(lambda connection: connection.execute(earlier))
    await JobBoard(traces.database).note_losses(live)
