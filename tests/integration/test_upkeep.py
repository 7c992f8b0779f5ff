"""A server's background duties: a database that comes later, and runs left with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa

from deepcritical.jobs.upkeep import _repeated
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.databases import build_durable
from tests.integration.durably import SOON_S, Counting, Services, full


@pytest.mark.slow
async def test_a_server_conducts_runs_as_soon_as_its_database_is_there(tmp_path: Path) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1))
    away = tmp_path / "away"
    away.write_text("a file where the folder of the database is to be", encoding="utf-8")
    traces = ToolTraceService(Database(normalised_url(f"sqlite:///{away / 'runs.sqlite'}")))
    runs = run_service(source, traces=traces, durable=build_durable(traces))
    beginning = asyncio.create_task(runs.start_engine_when_ready())
    await asyncio.sleep(0.5)
    assert not beginning.done()
    away.unlink()
    async with asyncio.timeout(30):
        await beginning
    await runs.close()


@pytest.mark.slow
async def test_a_run_is_begun_although_the_answer_that_it_is_ours_was_lost(
    service: Services,
) -> None:
    counting = Counting()
    runs = service(counting.reasoner, slots=1, ttl_s=1.0)
    first = runs.submit(QUESTION)
    await full(counting, 1)
    waiting = runs.submit(QUESTION)
    async with asyncio.timeout(SOON_S):
        while not await asyncio.to_thread(  # noqa: ASYNC110 - a database calls nobody
            _dequeue, service.url, first.run_id, waiting.run_id
        ):
            await asyncio.sleep(0.02)
    counting.gate.set()
    async with asyncio.timeout(60):
        assert (await first.result()).references
        assert (await waiting.result()).references
    await runs.close()


async def test_a_defect_ends_no_sign_of_life() -> None:
    calls = 0

    async def broken_once() -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise RuntimeError("It broke.")

    repeating = asyncio.create_task(_repeated(0.01, broken_once))
    async with asyncio.timeout(SOON_S):
        while calls < 3:  # noqa: ASYNC110 - a count calls nobody
            await asyncio.sleep(0.02)
    repeating.cancel()


def _dequeue(url: str, conducted: str, waiting: str) -> bool:
    """Take a run that waits for the worker of another one, which hears nothing of it."""
    schema = "dbos." if url.startswith("postgresql") else ""
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        done = connection.execute(
            sa.text(
                f"UPDATE {schema}workflow_status SET status = 'PENDING', executor_id = ("  # noqa: S608
                f"SELECT executor_id FROM {schema}workflow_status WHERE workflow_uuid = :conducted"
                ") WHERE workflow_uuid = :waiting AND status = 'ENQUEUED'"
            ),
            {"conducted": conducted, "waiting": waiting},
        )
    engine.dispose()
    return done.rowcount == 1
