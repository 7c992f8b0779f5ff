"""Workers on one database: how many runs they conduct at once, and what becomes of a dead one's."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from deepcritical.jobs.run import Run, StoredRun
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage.engines import engine_of
from deepcritical.services.storage.schema import workers as worker_table
from tests.conftest import QUESTION, ended, paper, snapshot
from tests.databases import TERMINATE, fresh_database, on_server
from tests.workers import Order, forking, lines, most_at_once, service


@pytest.fixture
def order(url: str, tmp_path: Path) -> Order:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    return Order(url, str(tmp_path), str(source), latency_s=0.1)


@asynccontextmanager
async def server(order: Order) -> AsyncIterator[RunService]:
    """A process that takes runs in, and conducts none."""
    runs = service(order, conducts=False)
    yield runs
    await runs.close()


async def all_completed(started: Sequence[Run]) -> None:
    """Until all have ended, each once."""
    for run in started:
        kinds = [logged.event.type for logged in await ended(run)]
        assert [kind for kind in kinds if kind in ENDS] == ["run_completed"]


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not reached():  # noqa: ASYNC110 - what other processes do calls nobody
            await asyncio.sleep(0.05)


ENDS = ("run_completed", "run_failed", "run_cancelled")


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_the_limits_hold_over_all_workers(order: Order) -> None:
    """On a file, which several machines cannot share, they hold within each process."""
    order = order._replace(slots=3, of_user=2, of_all=4, ttl_s=30.0, latency_s=0.05)
    users = ["ada"] * 4 + ["ben"] * 3 + ["eve"] * 3
    with forking(order) as start:
        start()
        start()
        async with server(order) as runs:
            started = [runs.submit(QUESTION, user_id=user) for user in users]
            await all_completed(started)
    noted = lines(order)
    assert most_at_once(noted) <= 4
    for user in set(users):
        own = {run.run_id for run in started if run.user_id == user}
        assert most_at_once([line for line in noted if line.run_id in own]) <= 2
    assert len({line.worker for line in noted}) == 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_workers_that_are_the_first_on_a_database_all_at_once_prepare_it_once(
    kind: str, tmp_path: Path
) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    with fresh_database(kind, tmp_path) as empty:
        await _prepared_once(Order(empty, str(tmp_path), str(source)))


async def _prepared_once(order: Order) -> None:
    with forking(order) as start:
        workers = [start() for _ in range(6)]
        async with server(order) as runs:
            started = [runs.submit(QUESTION, user_id=user) for user in "abcdefgh"]
            await all_completed(started)
            assert await asyncio.to_thread(living, order) == 7  # with the server
        for worker in workers:
            os.kill(worker, 0)  # it is still there


def living(order: Order) -> int:
    made = engine_of(order.url, threads=1, busy_s=5.0)
    with made.connect() as connection:
        counted = connection.scalar(sa.select(sa.func.count()).select_from(worker_table))
    made.dispose()
    return int(counted or 0)


# Idle connections that are cut are dropped by the pool of the engine, as what they are: open.
@pytest.mark.filterwarnings("ignore:Exception ignored in.*BaseConnection.__del__")
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
async def test_runs_outlast_connections_that_are_cut_again_and_again(order: Order) -> None:
    cut = TERMINATE.format(order.url.rpartition("/")[2])
    with forking(order) as start:
        start()
        start()
        async with server(order) as runs:
            started: list[Run] = [runs.submit(QUESTION), runs.ask(QUESTION), runs.ask(QUESTION)]
            await until(lambda: any(line.what == "effect" for line in lines(order)))
            cuts: list[float] = []
            cutting = asyncio.create_task(repeatedly(cut, cuts))
            await all_completed(started)
            cutting.cancel()
            await asyncio.wait([cutting])
            assert cutting.cancelled()
            assert len(cuts) >= 2
            assert all([await run.result() for run in started])


async def repeatedly(statement: str, done: list[float]) -> None:
    pause_s = 0.5
    while True:
        await asyncio.sleep(pause_s)
        await asyncio.to_thread(on_server, statement)
        done.append(pause_s)
        pause_s *= 1.3  # a busy machine gets on within it at last


@pytest.mark.slow
async def test_a_user_with_few_runs_does_not_wait_for_one_with_many(order: Order) -> None:
    order = order._replace(slots=2, of_user=1, latency_s=0.03)
    with forking(order) as start:
        start()
        async with server(order) as runs:
            many = [runs.submit(QUESTION, user_id="ada") for _ in range(5)]
            await until(lambda: bool(lines(order)))
            one = runs.submit(QUESTION, user_id="ben")
            await all_completed(many)
            await all_completed([one])
    began = [line.run_id for line in lines(order) if line.what == "begin"]
    assert began.index(one.run_id) < 4


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_the_runs_of_a_worker_that_is_gone_go_on(order: Order, how: signal.Signals) -> None:
    with forking(order) as start:
        first = start()
        async with server(order) as runs:
            started: list[Run] = [runs.submit(QUESTION), runs.ask(QUESTION)]
            await until(lambda: sum(line.what == "effect" for line in lines(order)) >= 6)
            os.kill(first, how)
            second = start()
            await all_completed(started)
            kept = [await runs.find(run.run_id) for run in started]
    assert all(run and run.ended for run in kept)
    assert {line.worker for line in lines(order)} == {first, second}


@pytest.mark.slow
async def test_a_run_of_a_worker_has_its_report_when_its_end_is_told(order: Order) -> None:
    with forking(order) as start:
        start()
        async with server(order) as runs:
            run = runs.submit(QUESTION)
            async for logged in run.tail():
                if logged.event.type == "run_completed":
                    break
            assert run.report is not None
            await run.result()
            assert isinstance(await runs.find(run.run_id), StoredRun)  # with records to be asked


@pytest.mark.slow
async def test_a_worker_that_wakes_up_too_late_writes_nothing_more(order: Order) -> None:
    with forking(order) as start:
        first = start()
        async with server(order) as runs:
            run = runs.submit(QUESTION)
            await until(lambda: any(line.what == "effect" for line in lines(order)))
            os.kill(first, signal.SIGSTOP)
            start()
            await until(lambda: len({line.worker for line in lines(order)}) == 2)
            os.kill(first, signal.SIGCONT)
            await all_completed([run])
