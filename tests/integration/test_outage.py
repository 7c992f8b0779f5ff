"""Workers whose PostgreSQL is away for longer than a worker may be silent."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from deepcritical.domain.run.events import RunFailed
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.schema import jobs
from tests.conftest import QUESTION, ended, paper, snapshot
from tests.own_postgres import own_server, programs
from tests.workers import Order, forking, lines, service

TTL_S = 6.0
"""More than a machine under load keeps a worker from a sign of life."""
ENGINES = re.compile(r"dbos|queue|_run_event_loop|notification|scheduler")
"""What the threads of the durable engine are called."""


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="PostgreSQL's initdb and pg_ctl are not installed")
async def test_workers_that_all_waited_for_the_database_are_not_taken_for_dead(
    tmp_path: Path,
) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    with own_server() as postgres:
        order = Order(postgres.url, str(tmp_path), str(source), ttl_s=TTL_S, latency_s=0.2)
        with forking(order) as start:
            start()
            start()
            runs = service(order, conducts=False)
            started = [runs.submit(QUESTION, user_id=f"user-{n}") for n in range(6)]
            async with asyncio.timeout(60):
                # What other processes do calls nobody.
                while len({line.worker for line in lines(order)}) < 2:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            await asyncio.to_thread(postgres.stop)
            await asyncio.to_thread(time.sleep, 1.5 * TTL_S)
            await asyncio.to_thread(postgres.start)
            for run in started:
                assert await _ending(run) == "run_completed"
            await _closed(runs)
        kept = Database(order.url)
        lost = await kept.read(lambda c: list(c.scalars(sa.select(jobs.c.takeovers))))
        await kept.close()
    assert lost == [0] * len(started)


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="PostgreSQL's initdb and pg_ctl are not installed")
async def test_a_database_that_goes_away_while_runs_begin_loses_none_of_them(
    tmp_path: Path,
) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    with own_server() as postgres:
        order = Order(postgres.url, str(tmp_path), str(source), ttl_s=TTL_S)
        with forking(order) as start:
            runs = service(order, conducts=False)
            started = [runs.submit(QUESTION) for _ in range(3)]
            assert len(await runs.runs_of()) == len(started)
            beginning = await asyncio.to_thread(_hold_back, postgres.url, start)
            await asyncio.to_thread(postgres.stop)
            await asyncio.to_thread(time.sleep, TTL_S)
            await asyncio.to_thread(postgres.start)
            async with asyncio.timeout(90):
                for run in started:
                    assert await _ending(run) == "run_completed"
            await _closed(runs)
    assert beginning == len(started)


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="PostgreSQL's initdb and pg_ctl are not installed")
async def test_a_run_that_is_cancelled_while_the_database_is_away_is_begun_by_nobody(
    tmp_path: Path,
) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1))
    with own_server() as postgres:
        runs = service(Order(postgres.url, str(tmp_path), str(source), ttl_s=TTL_S), conducts=False)
        run = runs.submit(QUESTION)
        assert len(await runs.runs_of()) == 1
        await asyncio.to_thread(postgres.stop)
        run.cancel()
        await asyncio.sleep(1)
        await asyncio.to_thread(postgres.start)
        async with asyncio.timeout(60):
            assert await _ending(run) == "run_cancelled"
        (kept,) = await runs.runs_of()
        assert kept.status is TraceStatus.CANCELLED
        await _closed(runs)


async def _closed(runs: RunService) -> None:
    """Close, and wait for the engine's threads.

    One that still asks for a server which is gone by then never ends, and draws from `random` for
    all later tests of this process.
    """
    await runs.close()
    async with asyncio.timeout(90):
        while any(ENGINES.search(thread.name) for thread in threading.enumerate()):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def _ending(run: Run) -> str:
    """Return the last event of a run, with the reason if it failed."""
    last = (await ended(run))[-1].event
    return f"{last.error}: {last.message}" if isinstance(last, RunFailed) else last.type


def _hold_back(url: str, start: Callable[[], int]) -> int:
    """Start a worker, and let it begin with its runs only now; how many it is about to begin."""
    waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    holding, looking = engine.connect(), engine.connect()
    wanted = holding.execute(sa.select(jobs.c.run_id).with_for_update()).rowcount
    start()
    until = time.monotonic() + 60
    while time.monotonic() < until:
        looking.rollback()
        if (found := looking.scalar(waiting)) == wanted:
            break
        time.sleep(0.05)
    for connection in (holding, looking):  # so that it begins just when the server is stopped
        connection.invalidate()
        connection.close()
    return int(found or 0)
