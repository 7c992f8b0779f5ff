"""A worker of which every run asks one host without a pause, through the limit that workers share.

As a script: ``python -m tests.hammering DATABASE HOST RUNS SECONDS``. It prints its process id,
begins when it gets a line, and prints when each place was given: seconds of the machine's monotonic
clock.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from uuid import uuid4

from deepcritical.services.storage.database import Database
from deepcritical.services.storage.shared_limiter import SharedLimiter, SharedLimits, SharedPlace
from deepcritical.tools.http import SourceClient

PER_SECOND = 3


class _Noted:
    """A limiter that prints when it gives a place."""

    def __init__(self, limiter: SharedLimiter) -> None:
        self._limiter = limiter

    async def place(self) -> SharedPlace:
        given = await self._limiter.place()
        print(time.monotonic(), flush=True)  # noqa: T201 - for the one who started it
        return given


async def _run(limits: SharedLimits, host: str, until: float) -> None:
    """A run of two queries at a time, each of which asks again and again."""
    name = uuid4().hex
    client = SourceClient("Made Up", host, limiter=_Noted(limits.of(host, PER_SECOND)))

    async def query() -> None:
        while time.monotonic() < until:
            await client.get("data", {"run": name})

    await asyncio.gather(query(), query())
    await client.aclose()


async def _runs(url: str, host: str, runs: int, seconds: float) -> None:
    database = Database(url)
    await asyncio.to_thread(database.check)
    print(os.getpid(), flush=True)  # noqa: T201 - the one who started it waits for this
    await asyncio.to_thread(sys.stdin.readline)
    until = time.monotonic() + seconds
    limits = SharedLimits(database)
    await asyncio.gather(*(_run(limits, host, until) for _ in range(runs)))
    await limits.close()


if __name__ == "__main__":
    asyncio.run(_runs(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
