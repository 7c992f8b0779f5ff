"""Long work in threads, in slices between which the event loop has its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from deepcritical.services.finishing import SOON_S, to_the_end

T = TypeVar("T")
R = TypeVar("R")


async def in_slices(do: Callable[[Sequence[T]], R], items: Sequence[T], size: int) -> list[R]:
    """What `do` returns for each slice of the items, each in a thread, one after another.

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
