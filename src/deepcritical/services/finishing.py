"""Work that nothing may cut short: the end of a run, and giving back what it held."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
SOON_S = 0.5
"""How long who is cancelled may wait for what he gives back: a run must stop within a second."""
_GOING_ON: set[asyncio.Task[Any]] = set()


def going_on(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Work that comes to its end though nobody waits for it: a loop by itself keeps no task."""
    task = asyncio.create_task(work)
    _GOING_ON.add(task)
    task.add_done_callback(_GOING_ON.discard)
    return task


async def to_the_end(work: Coroutine[Any, Any, T], patience_s: float = math.inf) -> T:
    """What the work gives, which no cancellation of the caller cuts short.

    A wish to stop is heard again and again while a database is slow, and a server cancels at each
    wait of whom it stops.

    Args:
        work: What is to be done; its own error comes before a cancellation of the caller.
        patience_s: For how many seconds a caller who is cancelled waits for it. It goes on then.

    Raises:
        CancelledError: The caller was cancelled: the first one, which a library may know again.
    """
    working = going_on(work)
    now = asyncio.get_running_loop().time
    cancelled: asyncio.CancelledError | None = None
    until = math.inf
    while not working.done() and (left := until - now()) > 0:
        try:
            await asyncio.wait([working], timeout=None if math.isinf(left) else left)
        except asyncio.CancelledError as error:
            if cancelled is None:
                cancelled, until = error, now() + patience_s
    try:
        if working.done():
            working.result()
        if cancelled is not None:
            raise cancelled
    finally:
        cancelled = None  # its traceback would keep it, with all that the caller holds
    return working.result()
