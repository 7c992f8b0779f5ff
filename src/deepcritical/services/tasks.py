"""Runs work to its end, in slices, within the time of a run, or off the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

from deepcritical.domain.errors import BudgetExceeded
from deepcritical.domain.run.budget import RunLimits

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
SOON_S = 0.5
"""Time that a cancelled caller may wait for what it gives back: a run must stop within a second."""
_GOING_ON: set[asyncio.Task[Any]] = set()


def going_on(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Work that comes to its end though nobody waits for it: a loop by itself keeps no task."""
    task = asyncio.create_task(work)
    _GOING_ON.add(task)
    task.add_done_callback(_GOING_ON.discard)
    return task


async def to_the_end(work: Coroutine[Any, Any, T], patience_s: float = math.inf) -> T:
    """Return the result of work that no cancellation of the caller cuts short.

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


async def in_slices(do: Callable[[Sequence[T]], R], items: Sequence[T], size: int) -> list[R]:
    """Return the results of `do` for each slice of the items, each in a thread, in turn.

    A thread alone does not keep the event loop free. A call into C may hold the interpreter's lock
    to its end; and a thread that gives the lock back for moments only, as small calls of SQLite,
    hashlib or NumPy do, has it again before the loop has woken up, for hundreds of milliseconds.
    After a slice the thread has nothing to do, so the loop runs. Who is cancelled waits for the
    slice that is under way, so that what he then takes back is all there is.
    """
    starts = range(0, len(items), size)
    return [
        await to_the_end(asyncio.to_thread(do, items[start : start + size]), SOON_S)
        for start in starts
    ]


@contextlib.asynccontextmanager
async def within(
    limits: Callable[[], RunLimits],
    left_s: float | None = None,
    *,
    late: str = "The run did not end",
    advice: str = "Raise DEEPCRITICAL_DEADLINE_S, or ask at a lower depth.",
) -> AsyncIterator[asyncio.Timeout]:
    """Yield the deadline of a run, which may be rescheduled; `left_s` None is the whole time.

    The `limits` are those of the moment, for they may be moved meanwhile.

    Raises:
        BudgetExceeded: The deadline has passed; it says what was `late`.
    """
    try:
        async with asyncio.timeout(limits().deadline_s if left_s is None else left_s) as deadline:
            yield deadline
    except TimeoutError as error:
        if not deadline.expired():
            raise  # somebody else's time-out
        raise BudgetExceeded(f"{late} within {limits().deadline_s:g} s.", advice) from error


async def calculated(work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a calculation that waits for nothing.

    What waits for a disk or a server, and what somebody waits for who looks at a page, is for
    `asyncio.to_thread`: here it would stand behind the runs.
    """
    call = partial(copy_context().run, work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_thread(os.getpid()), call)


# Only one thread of Python calculates at a time. With more of them nothing would be done sooner,
# but the loop, and whoever writes to the database, would wait for the turns of all.
@cache
def _thread(_process: int) -> ThreadPoolExecutor:
    """That of a process: one that was forked has no threads of its parent."""
    return ThreadPoolExecutor(1, thread_name_prefix="calculating")
