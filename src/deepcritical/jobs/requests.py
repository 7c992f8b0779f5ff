"""Cancels, hurries and deletes runs that any process may have."""

from __future__ import annotations

import asyncio
import contextlib
import time

from deepcritical.domain.errors import StorageError, TraceEndedError, TraceNotFoundError
from deepcritical.domain.tool.traces import LOCAL_USER
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService

HEARD_S = 0.8
"""Time that the worker of a run gets to end it; then the caller writes its end."""
_POLL_S = 0.03


async def cancel(traces: ToolTraceService, board: JobBoard, run_id: str) -> None:
    """Stop a run in any process; one that has ended stays as it is.

    Raises:
        TraceNotFoundError: There is no such run.
        StorageError: The database cannot be used.
    """
    if (await traces.get_trace(run_id)).status.ended:
        return
    if await board.request(run_id, "cancel"):  # a worker has begun with it
        until = time.monotonic() + HEARD_S
        while time.monotonic() < until:
            if (await traces.get_trace(run_id)).status.ended:
                return
            await asyncio.sleep(_POLL_S)
    with contextlib.suppress(TraceEndedError):
        trace = await traces.get_trace(run_id)
        await traces.cancel_trace(run_id, user_id=trace.user_id)


async def write_now(traces: ToolTraceService, board: JobBoard, run_id: str) -> None:
    """Have a run end its search after the current step, and write from what it found.

    Raises:
        TraceNotFoundError: There is no such run under way.
        StorageError: No worker can be told, or the database cannot be used.
    """
    trace = await traces.get_trace(run_id)
    if trace.status.ended:
        raise TraceNotFoundError(f"The run {run_id} has ended: it is {trace.status.value}.")
    if not await board.has(run_id):
        raise StorageError(
            f"The run {run_id} is its own process's alone, which no other one can tell to write.",
            "Cancel it, or wait for its end.",
        )
    await board.request(run_id, "write_now")


async def delete(
    traces: ToolTraceService,
    board: JobBoard,
    run_id: str,
    *,
    user_id: str = LOCAL_USER,
    under_way: bool = False,
) -> None:
    """Remove a run for good, with its journal; `under_way` cancels one that has not ended.

    Raises:
        TraceNotFoundError: The user has no such run.
        StorageError: It has not ended, or the database cannot be used.
    """
    trace = await traces.get_trace(run_id, user_id=user_id)
    if under_way and not trace.status.ended:
        await cancel(traces, board, run_id)
    elif not trace.status.ended:
        raise StorageError(f"The run {run_id} has not ended.", "Delete it with --force.")
    if await board.has(run_id):
        # Imported late, and only for a run that has steps. The steps go first, so that the rest can
        # be deleted again when this is interrupted.
        from deepcritical.jobs.dbos_engine import forget

        await forget(traces.database.url, run_id)
    await traces.delete(run_id, user_id=user_id, under_way=under_way)
