"""Work that nothing may cut short: the end of a run, and giving back what it held."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["to_the_end"]

T = TypeVar("T")


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives, however often the caller is cancelled meanwhile.

    A wish to stop is heard again and again while a database is slow, and a server cancels at each
    wait of whom it stops.

    Raises:
        CancelledError: The caller was cancelled; the work is done.
    """
    working = asyncio.ensure_future(work)
    cancelled = False
    while not working.done():
        try:
            await asyncio.wait([working])
        except asyncio.CancelledError:
            cancelled = True
    result = working.result()
    if cancelled:
        raise asyncio.CancelledError
    return result
