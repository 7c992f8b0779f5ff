"""Runs that are taken up again, and deleted, on both databases."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from deepcritical.domain.errors import (
    ReasoningError,
    ResearchCancelled,
    StorageError,
    TraceNotFoundError,
)
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.recipe import Recipe
from deepcritical.domain.tool.traces import LOCAL_USER, TraceStatus
from deepcritical.jobs import hosting, requests
from deepcritical.jobs.run import StoredRun
from deepcritical.jobs.upkeep import Upkeep
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.schema import tool_traces
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, ended, of_type
from tests.databases import raw_text
from tests.integration.doubles import failing, hanging
from tests.integration.durably import Counting, Services, full, status
from tests.losses import lost

RECIPE = Recipe(tool="research", question=QUESTION, limits=RunLimits(), searched_on="2999-01-01")


class TestResuming:
    @pytest.mark.slow
    async def test_a_cancelled_run_goes_on_behind_what_it_had_recorded(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        reached = asyncio.Event()
        runs = service(hanging("assess_evidence", reached))
        run = runs.submit(QUESTION)
        await reached.wait()
        run.cancel()
        before = await ended(run)
        await runs.close()
        searches = Counting()
        searches.gate.set()
        again = service(searches.reasoner)
        await again.resume(run.run_id)
        told = [logged async for logged in traces.tail(run.run_id)]
        assert told[-1].event.type == "run_completed"
        assert told[: len(before) - 1] == before[:-1]
        assert searches.entered < len(of_type(told, "agent_called"))
        with pytest.raises(StorageError, match="completed"):
            await again.resume(run.run_id)
        await again.close()

    @pytest.mark.slow
    async def test_one_that_is_stopped_again_while_its_end_is_written_is_as_it_was_stored(
        self, service: Services
    ) -> None:
        reached = asyncio.Event()
        runs = service(hanging("assess_evidence", reached))
        run = runs.submit(QUESTION)
        await reached.wait()
        held = Database(service.url)
        written = asyncio.create_task(held.write(_hold_events))
        await asyncio.sleep(0.3)
        for _ in range(2):
            run.cancel()
            await asyncio.sleep(0.1)
        await written
        assert (await ended(run))[-1].event.type == "run_cancelled"
        with pytest.raises(ResearchCancelled):
            await run.result()
        assert isinstance(await runs.find(run.run_id), StoredRun)
        await runs.close()
        await held.close()

    @pytest.mark.slow
    async def test_one_that_a_living_worker_has_is_left_to_it(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        runs, board = service(), JobBoard(traces.database)
        run_id = str(uuid4())
        await board.add(run_id, RECIPE, {"question": QUESTION}, LOCAL_USER, "another worker")
        await board.beat("another worker", 15.0)
        assert await runs.resume(run_id)
        assert not runs.conducts(run_id)
        assert not (await board.signals([run_id]))[run_id].cancel

    @pytest.mark.slow
    async def test_one_that_its_engine_took_up_is_not_counted_as_lost_twice(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION)
        await full(counting, 1)
        durable = runs.durable
        assert durable is not None
        board = JobBoard(traces.database)
        await Upkeep(durable).sweep(first=True)
        await asyncio.sleep(0.6)  # more than the queue takes to be looked at
        counting.gate.set()
        assert (await run.result()).references
        assert (await board.begin(run.run_id, "the next one")).takeovers == 0

    @pytest.mark.slow
    async def test_one_whose_end_the_database_did_not_take_says_so(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        runs = service()
        run = runs.submit(QUESTION)
        await run.result()
        await runs.close()
        await traces.database.write(
            lambda connection: connection.execute(
                tool_traces.update().values(status=TraceStatus.IN_PROGRESS.value)
            )
        )
        await service().start_engine()
        await status(traces, run, TraceStatus.FAILED)
        last = of_type(await traces.events(run.run_id), "run_failed")[0]
        assert (last.error, run.run_id in last.advice) == ("StorageError", True)

    @pytest.mark.slow
    async def test_a_failed_run_does_again_what_it_failed_in(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        runs = service(failing("generate_queries", ReasoningError("It broke.")))
        run = runs.submit(QUESTION)
        await ended(run)
        await runs.close()
        again = service()
        await again.resume(run.run_id)
        told = [logged async for logged in traces.tail(run.run_id)]
        assert told[-1].event.type == "run_completed"
        assert of_type(told, "evidence_assessed")
        await again.close()

    async def test_a_run_with_a_key_of_its_own_ends_with_its_process(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION, model_api_key=SecretStr("made-up-key"))
        await full(counting, 1)
        await runs.close()
        assert (await traces.get_trace(run.run_id)).status is TraceStatus.CANCELLED
        assert "made-up-key" not in await asyncio.to_thread(raw_text, service.url)

    @pytest.mark.slow
    @pytest.mark.parametrize(("losses", "after_s"), [(2, 60.0), (4, 0.0)])
    async def test_a_run_that_ends_its_process_again_and_again_ends_as_failed(
        self,
        service: Services,
        traces: ToolTraceService,
        losses: int,
        after_s: float,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(hosting, "STEADY_S", 0.5)
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION)
        await full(counting, 1)
        await runs.close()
        board = JobBoard(traces.database)
        for _ in range(losses):
            await board.begin(run.run_id, "a worker that dies")
            await lost(traces, after_s=after_s)
        again = service()
        await again.start_engine()
        told = [logged async for logged in traces.tail(run.run_id)]
        assert f"was lost {losses} times" in of_type(told, "run_failed")[0].message
        await again.close()

    @pytest.mark.slow
    async def test_one_that_may_end_its_process_waits_for_a_steady_one_and_nobody_for_it(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        suspected = runs.submit(QUESTION)
        await full(counting, 1)
        await runs.close()
        board = JobBoard(traces.database)
        for _ in range(2):
            await board.begin(suspected.run_id, "a worker that dies")
            await lost(traces, after_s=0)
        again = service()
        await again.start_engine()
        assert (await again.submit(QUESTION).result()).references
        assert again.conducts(suspected.run_id)
        assert await board.left_by(()) == (suspected.run_id,)  # no worker has begun with it
        await again.cancel(suspected.run_id)
        await status(traces, suspected, TraceStatus.CANCELLED)
        await again.close()


@pytest.mark.slow
async def test_what_is_recorded_of_a_run_is_deleted_with_it(
    service: Services, traces: ToolTraceService
) -> None:
    runs = service()
    run = runs.submit(QUESTION)
    await run.result()
    await runs.close()
    assert "testitis" in await asyncio.to_thread(_steps, service.url)
    await requests.delete(traces, JobBoard(traces.database), run.run_id)
    assert "testitis" not in await asyncio.to_thread(_steps, service.url)


class Interrupting(ToolTraceService):
    """Its process ends around the deletion of a trace."""

    behind = False

    async def delete(self, trace_id: str, **more: Any) -> None:
        if self.behind:
            await super().delete(trace_id, **more)
        raise asyncio.CancelledError


@pytest.mark.slow
@pytest.mark.parametrize("behind", [False, True])
async def test_a_deletion_that_was_interrupted_is_finished_by_the_next_one(
    service: Services, traces: ToolTraceService, behind: bool
) -> None:
    runs = service()
    run = runs.submit(QUESTION)
    await run.result()
    await runs.close()
    dying = Interrupting(Database(service.url))
    dying.behind = behind
    with pytest.raises(asyncio.CancelledError):
        await requests.delete(dying, JobBoard(dying.database), run.run_id)
    await dying.close()
    with contextlib.suppress(TraceNotFoundError):
        await requests.delete(traces, JobBoard(traces.database), run.run_id)
    assert await traces.list_traces() == ()
    assert "testitis" not in await asyncio.to_thread(_steps, service.url)


@pytest.mark.slow
async def test_a_run_under_way_is_cancelled_before_it_is_deleted(
    service: Services, traces: ToolTraceService
) -> None:
    counting = Counting()
    runs = service(counting.reasoner)
    run = runs.submit(QUESTION)
    await full(counting, 1)
    with pytest.raises(StorageError, match="has not ended"):
        await requests.delete(traces, JobBoard(traces.database), run.run_id)
    await requests.delete(traces, JobBoard(traces.database), run.run_id, under_way=True)
    assert counting.inside == 0
    assert [e.event.type for e in await ended(run)][-1] == "run_cancelled"
    assert await traces.list_traces() == ()
    assert "testitis" not in await asyncio.to_thread(_steps, service.url)


def _steps(url: str) -> str:
    engine = sa.create_engine(url)
    schema = "dbos." if url.startswith("postgresql") else ""
    with engine.connect() as connection:
        rows = connection.execute(sa.text(f"SELECT output FROM {schema}operation_outputs"))  # noqa: S608
        found = " ".join(str(output) for (output,) in rows)
    engine.dispose()
    return found


def _hold_events(connection: sa.Connection) -> None:
    """Keep others from writing events for a second; SQLite has one writer at a time anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("LOCK TABLE trace_events IN EXCLUSIVE MODE"))
    time.sleep(1)
