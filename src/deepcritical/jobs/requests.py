"""What a user wants of a run that any process may have: cancel it, have it write now, delete it."""

from __future__ import annotations

import asyncio
import contextlib
import time

from deepcritical.domain.errors import StorageError, TraceEndedError, TraceNotFoundError
from deepcritical.domain.traces import LOCAL_USER
from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService

__all__ = ["cancel", "delete", "write_now"]

HEARD_S = 0.8
"""How long the worker of a run gets to end it; then its end is written for it."""
_POLL_S = 0.03


async def cancel(traces: ToolTraceService, board: JobBoard, run_id: str) -> None:
    """Stop a run wherever it is; one that has ended stays as it is.

    Raises:
        TraceNotFoundError: There is no such run.
        StorageError: The database cannot be used.
    """
    if (await traces.get_trace(run_id)).status.ended:
        return
    begun = await board.request(run_id, "cancel")
    if begun and await _ends(traces, run_id):
        return
    with contextlib.suppress(TraceEndedError):
        trace = await traces.get_trace(run_id)
        await traces.cancel_trace(run_id, user_id=trace.user_id)


async def _ends(traces: ToolTraceService, run_id: str) -> bool:
    until = time.monotonic() + HEARD_S
    while time.monotonic() < until:
        if (await traces.get_trace(run_id)).status.ended:
            return True
        await asyncio.sleep(_POLL_S)
    return False


async def write_now(traces: ToolTraceService, board: JobBoard, run_id: str) -> None:
    """Have a run end its search with the step in hand, and write from what there is.

    Raises:
        TraceNotFoundError: There is no such run that has not ended.
        StorageError: No worker hears of it, or the database cannot be used.
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
    """Remove a run for good, with what the engine has of its steps.

    Args:
        traces: The runs.
        board: The jobs beside them.
        run_id: The run.
        user_id: Whose it is.
        under_way: Also when it has not ended, which cancels it.

    Raises:
        TraceNotFoundError: There is none.
        StorageError: It has not ended, or the database cannot be used.
    """
    trace = await traces.get_trace(run_id, user_id=user_id)
    if under_way and not trace.status.ended:
        await cancel(traces, board, run_id)
    elif not trace.status.ended:
        raise StorageError(f"The run {run_id} has not ended.", "Delete it with --force.")
    if await board.has(run_id):
        # Imported late, and only for a run that has steps. They go first: what is left when this
        # is interrupted can then be deleted again.
        from deepcritical.jobs.dbos_engine import forget

        await forget(traces.database.url, run_id)
    await traces.delete(run_id, user_id=user_id, under_way=under_way)
