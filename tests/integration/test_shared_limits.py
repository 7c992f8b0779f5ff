"""One limit for many processes: never more than the rate, nearly all of it, and runs take turns."""

from __future__ import annotations

import asyncio
import os
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from signal import SIGSTOP
from typing import NamedTuple

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from deepcritical.domain.errors import SearchError
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.shared_limiter import SharedLimits
from tests.conftest import ROOT
from tests.databases import fresh_database
from tests.hammering import PER_SECOND
from tests.servers.commands import forked_module
from tests.servers.running import running

LEAST = 1.0
"""Requests a second that workers must reach together: 2.6 where no moment is missed, as it is on a
machine with too much to do."""
UNEVEN = 3
"""How many times as often as another run one may have its turn, when moments are missed."""
AFTER_S = 6.0
"""Until a permit is given after others ended: 2.3 for the moments that were theirs. The one that
stands still is ended after seven."""
MARGIN_S = 0.1
"""How long a request may be on its way to the host."""


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with fresh_database("postgresql", tmp_path) as address:
        yield address


class Host:
    """Notes when each request came, and of which run."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, str]] = []
        self.app = Starlette(routes=[Route("/data", self._answer)])

    async def _answer(self, request: Request) -> Response:
        self.asked.append((time.monotonic(), request.query_params["run"]))
        return JSONResponse({"answer": 1})

    @property
    def times(self) -> list[float]:
        return [at for at, _ in self.asked]

    def rate(self) -> float:
        """Requests a second, from the first to the last."""
        return (len(self.asked) - 1) / (self.times[-1] - self.times[0])

    def check(self, permits: list[float]) -> None:
        """Never more than the rate: neither given, nor, where nothing was long on its way, come."""
        assert most_in_a_second(permits) <= PER_SECOND
        ways = [came - given for came, given in zip(self.times, permits, strict=False)]
        if max(map(abs, ways)) < MARGIN_S:
            assert most_in_a_second(self.times) <= PER_SECOND


def most_in_a_second(times: list[float]) -> int:
    return max(sum(first <= at < first + 1 for at in times) for first in times)


class Workers(NamedTuple):
    processes: tuple[Process, ...]
    own: list[int]
    """The process ids of those that ask; a process may be what passes signals on to it."""
    permits: list[float]
    """When they were given, in that order; complete in the end."""


@asynccontextmanager
async def hammering(url: str, host: str, *runs: int, seconds: float) -> AsyncIterator[Workers]:
    """Workers that began all at once, each with so many runs."""
    started = [
        await asyncio.create_subprocess_exec(
            *(*forked_module(), "tests.hammering", url, host, str(number), str(seconds)),
            cwd=ROOT,
            stdin=PIPE,
            stdout=PIPE,
        )
        for number in runs
    ]
    workers = Workers(tuple(started), [], [])
    try:
        for process in started:
            assert process.stdout is not None
            workers.own.append(int(await process.stdout.readline()))
        for process in started:
            assert process.stdin is not None
            process.stdin.write(b"\n")
        yield workers
    finally:
        for process in started:
            said, _ = await process.communicate()
            workers.permits.extend(map(float, said.split()))
        workers.permits.sort()


@pytest.mark.slow
async def test_three_workers_keep_one_limit_and_use_it(url: str) -> None:
    host = Host()
    async with (
        running(host.app) as address,
        hammering(url, address, 4, 1, 1, seconds=10) as workers,
    ):
        pass
    assert [process.returncode for process in workers.processes] == [0, 0, 0]
    host.check(workers.permits)
    assert host.rate() >= LEAST
    turns = Counter(run for _, run in host.asked)
    assert len(turns) == 6
    assert max(turns.values()) <= UNEVEN * min(turns.values())


@pytest.mark.slow
async def test_who_is_killed_or_stands_still_holds_nothing(url: str) -> None:
    host = Host()
    async with running(host.app) as address, hammering(url, address, 3, 3, 1, seconds=8) as workers:
        killed, frozen, left = workers.processes
        await asyncio.sleep(2)
        killed.kill()
        os.kill(workers.own[1], SIGSTOP)
        at = time.monotonic()
        await asyncio.sleep(7)
        frozen.kill()
    # Permits, as a request of one that has ended may still come.
    after = [moment for moment in workers.permits if moment > at]
    assert left.returncode == 0
    # The moments that both had reserved go by, one of each of their six runs.
    assert after[0] - at < AFTER_S
    assert len(after) >= 2  # it goes on
    host.check(workers.permits)


async def test_without_the_database_nothing_is_given(unused_tcp_port: int) -> None:
    url = f"postgresql+psycopg://postgres@127.0.0.1:{unused_tcp_port}/none"
    limits = SharedLimits(Database(url))
    with pytest.raises(SearchError, match="without the limit that all workers share") as caught:
        await limits.of("a host", 3).place()
    assert "DATABASE_URL" in caught.value.advice
    await limits.close()


@pytest.mark.slow
async def test_hosts_are_limited_apart(url: str) -> None:
    limits = SharedLimits(Database(url))
    one, other = (limits.of(name, 1) for name in ("one", "other"))
    await one.place()
    start = time.monotonic()
    queued = [asyncio.create_task(one.place()) for _ in range(6)]
    await asyncio.wait(queued, return_when=asyncio.FIRST_COMPLETED)
    assert time.monotonic() - start > 0.9
    await other.place()
    assert not all(task.done() for task in queued)  # the last one's turn is seconds away
    for task in queued:
        task.cancel()
    await asyncio.wait(queued)
    await limits.close()


@pytest.mark.slow
async def test_a_place_is_free_only_after_its_request_was_sent(url: str) -> None:
    limits = SharedLimits(Database(url))
    limiter = limits.of("a host", 1)
    held = await limiter.place()
    second = asyncio.create_task(limiter.place())
    await asyncio.sleep(1.3)  # its turn has come, but who holds the place has not sent anything
    assert not second.done()
    at = time.monotonic()
    await held.sent()
    await held.ended()
    await second
    assert time.monotonic() - at >= 1
    await limits.close()


@pytest.mark.slow
async def test_who_comes_back_after_his_lease_frees_nothing_of_another(url: str) -> None:
    limits = SharedLimits(Database(url))
    limiter = limits.of("a host", 1)
    held = await limiter.place()
    await held.ended()
    other = await limiter.place()
    await held.ended()
    third = asyncio.create_task(limiter.place())
    await asyncio.sleep(1.3)
    assert not third.done()
    third.cancel()
    await asyncio.wait([third])
    await other.ended()
    await limits.close()
