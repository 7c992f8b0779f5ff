"""Workers whose PostgreSQL is away for longer than a worker may be silent."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from deepcritical.services.database import Database
from deepcritical.services.trace_tables import jobs
from tests.conftest import QUESTION, ended, paper, snapshot
from tests.own_postgres import own_server, programs
from tests.workers import Order, forking, lines, service

TTL_S = 2.0


@pytest.mark.skipif(programs() is None, reason="PostgreSQL's initdb and pg_ctl are not installed")
async def test_workers_that_all_waited_for_the_database_are_not_taken_for_dead(
    tmp_path: Path,
) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    with own_server() as postgres:
        order = Order(postgres.url, str(tmp_path), str(source), ttl_s=TTL_S, latency_s=0.5)
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
            await asyncio.to_thread(time.sleep, 2 * TTL_S)
            await asyncio.to_thread(postgres.start)
            for run in started:
                assert (await ended(run))[-1].event.type == "run_completed"
            await runs.close()
        kept = Database(order.url)
        lost = await kept.read(lambda c: list(c.scalars(sa.select(jobs.c.takeovers))))
        await kept.close()
    assert lost == [0] * len(started)
