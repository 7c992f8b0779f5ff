"""Runs calculations one at a time, off the event loop and off the threads that wait for I/O."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


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
