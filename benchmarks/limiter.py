"""Twelve runs at once against a server that counts, while the processors are busy; and bombs.

`python -m benchmarks.limiter`: the server notes when each request came. The table gives the most
requests that came within any second (allowed: 3), and how long all took compared with the least
that three in a second can take; for one process, and for three that share a limit in PostgreSQL
(`--database URL`). Then by how much the memory of a process grew over 20 answers of 49 kB that
unpack to 50 MB.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from uuid import uuid4

from starlette.types import Receive, Scope, Send

from deepcritical.domain.errors import SearchError
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.shared_limiter import SharedLimits
from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import Limiter, new_limiter
from tests.servers.running import running

PER_SECOND = 3
RUNS = 12
REQUESTS = 4
"""Of each run."""
BOMBS = 20
BOMB = gzip.compress(bytes(50_000_000))


class Counting:
    """Notes when each request came."""

    def __init__(self) -> None:
        self.times: list[float] = []

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer one request."""
        self.times.append(time.monotonic())
        bomb = scope["path"].endswith("bomb")
        headers = [(b"content-type", b"application/json")]
        headers += [(b"content-encoding", b"gzip")] if bomb else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": BOMB if bomb else b"{}"})

    def most_in_a_second(self) -> int:
        """Requests that came within any second, at most."""
        return max(sum(first <= at < first + 1 for at in self.times) for first in self.times)


async def _run(url: str, limiter: Limiter) -> None:
    client = SourceClient("Made Up", url, limiter=limiter)
    for number in range(REQUESTS):
        await client.get("data", {"n": number, "run": uuid4().hex})
    await client.aclose()


async def _runs(url: str, number: int, database: str, name: str) -> None:
    if not database:
        limiter = new_limiter(PER_SECOND)
        await asyncio.gather(*(_run(url, limiter) for _ in range(number)))
        return
    limits = SharedLimits(Database(database))
    await asyncio.gather(*(_run(url, limits.of(name, PER_SECOND)) for _ in range(number)))
    await limits.close()


def _process(url: str, number: int, database: str, name: str, begin: Event) -> None:
    begin.wait()
    asyncio.run(_runs(url, number, database, name))


def _burn() -> None:
    while True:
        pass


@contextmanager
def _busy(number: int) -> Iterator[None]:
    """As many processes that only calculate."""
    burning = [multiprocessing.Process(target=_burn, daemon=True) for _ in range(number)]
    for one in burning:
        one.start()
    yield
    for one in burning:
        one.kill()


async def measure(processes: int, database: str) -> tuple[Counting, float]:
    """The server after all runs, and the seconds that they took."""
    server, begin, name = Counting(), multiprocessing.Event(), uuid4().hex
    async with running(server) as url:
        given = (url, RUNS // processes, database, name, begin)
        workers = [multiprocessing.Process(target=_process, args=given) for _ in range(processes)]
        for worker in workers:
            worker.start()
        start = time.perf_counter()
        begin.set()
        await asyncio.gather(*(asyncio.to_thread(worker.join) for worker in workers))
    return server, time.perf_counter() - start


async def growth_mb() -> float:
    """By how much the memory of this process grew over all bombs."""
    async with running(Counting()) as url:
        client = SourceClient("Made Up", url, limiter=new_limiter(1000))
        await client.get("data", {})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(BOMBS):
            try:
                await client.get("bomb", {})
            except SearchError:
                continue
            raise AssertionError("a bomb was let through")
        await client.aclose()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> None:
    """Measure and print."""
    multiprocessing.set_start_method("spawn")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="PostgreSQL, for three processes")
    parser.add_argument("--times", type=int, default=3)
    args = parser.parse_args()
    floor_s = (RUNS * REQUESTS - 1) // PER_SECOND
    print(f"a bomb of {len(BOMB):,} bytes; {BOMBS} of them: + {asyncio.run(growth_mb()):.1f} MB")
    print(f"{'processes':>9} {'requests':>8} {'most in 1 s':>11} {'x floor':>8}")
    for processes in (1, 3) if args.database else (1,):
        for _ in range(args.times):
            with _busy(os.cpu_count() or 1):
                database = args.database if processes > 1 else ""
                server, took_s = asyncio.run(measure(processes, database))
            most, ratio = server.most_in_a_second(), took_s / floor_s
            print(f"{processes:9} {len(server.times):8} {most:11} {ratio:8.2f}")


if __name__ == "__main__":
    main()
