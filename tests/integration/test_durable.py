"""Durable runs within a process: they wait, are stopped, resumed and deleted, on both databases."""

from __future__ import annotations

import asyncio

import pytest
from dbos import DBOSClient
from pydantic import SecretStr

from deepcritical.domain.errors import BudgetExceeded, CapacityError, ReasoningError
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs import requests
from deepcritical.jobs.dbos_engine import _asked
from deepcritical.jobs.dbos_setup import SHARED
from deepcritical.jobs.durable_runs import DurableRuns
from deepcritical.jobs.run import Run, StoredRun
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, ended, of_type
from tests.integration.durably import SOON_S, Counting, Services, SlowToStop, full, status, until


class TestQueue:
    @pytest.mark.slow
    async def test_more_runs_than_slots_wait_and_all_end(self, service: Services) -> None:
        counting = Counting()
        runs = service(counting.reasoner, slots=2)
        started = [runs.submit(QUESTION) for _ in range(5)]
        await full(counting, 2)
        await asyncio.sleep(0.5)  # more than the queue takes to be looked at
        assert counting.most == 2
        counting.gate.set()
        for run in started:
            assert (await run.result()).references
            assert run.report is not None
            assert (await ended(run))[-1].event.type == "run_completed"
        await runs.close()

    @pytest.mark.slow
    async def test_a_command_leaves_the_limits_of_servers_and_workers_alone(
        self, service: Services
    ) -> None:
        for slots_of, one_shot in ((4, False), (2, False), (1, True)):
            runs = service(slots=slots_of, one_shot=one_shot)
            await runs.start_engine()
            await runs.close()

        def slots(client: DBOSClient) -> int | None:
            queue = client.retrieve_queue(SHARED)
            return queue.worker_concurrency if queue else None

        assert await asyncio.to_thread(_asked, service.url, slots) == 2

    @pytest.mark.slow
    async def test_a_user_has_no_more_runs_than_he_may(self, service: Services) -> None:
        counting = Counting()
        runs = service(counting.reasoner, slots=1, most_of_user=2)
        started = [runs.submit(QUESTION) for _ in range(2)]
        with pytest.raises(CapacityError, match="2 runs"):
            runs.submit(QUESTION)
        others = runs.submit(QUESTION, user_id="somebody-else")
        counting.gate.set()
        for run in (*started, others):
            assert await run.result()
        await runs.close()

    @pytest.mark.slow
    async def test_a_run_that_waits_too_long_ends_as_failed(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner, slots=1, queue_limit_s=5.0, ttl_s=1.0)
        first = runs.submit(QUESTION)
        await full(counting, 1)
        late = runs.submit(QUESTION)
        with pytest.raises(BudgetExceeded, match="waited too long"):
            await late.result()
        await status(traces, late, TraceStatus.FAILED)
        counting.gate.set()
        assert await first.result()
        await runs.close()


class TestStopping:
    @pytest.mark.slow
    async def test_a_run_in_a_step_is_cancelled_from_another_process(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION)
        await full(counting, 1)
        await requests.cancel(traces, JobBoard(traces.database), run.run_id)
        assert counting.inside == 0
        assert (await traces.get_trace(run.run_id)).status is TraceStatus.CANCELLED
        assert [e.event.type for e in await ended(run)][-1] == "run_cancelled"
        await runs.close()

    @pytest.mark.slow
    async def test_a_run_that_waits_is_cancelled_from_another_process(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner, slots=1)
        first = runs.submit(QUESTION)
        await full(counting, 1)
        waiting = runs.submit(QUESTION)
        await status(traces, waiting, TraceStatus.PENDING)
        await requests.cancel(traces, JobBoard(traces.database), waiting.run_id)
        assert [e.event.type for e in await ended(waiting)] == ["run_cancelled"]
        counting.gate.set()
        assert await first.result()
        assert counting.entered == first.report.search_iterations if first.report else False
        await runs.close()

    async def test_a_run_is_cancelled_before_it_is_taken_in(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        runs = service()
        run = runs.submit(QUESTION)
        run.cancel()
        async with asyncio.timeout(SOON_S):
            assert [e.event.type for e in await ended(run)][-1] == "run_cancelled"
        await status(traces, run, TraceStatus.CANCELLED)
        await runs.close()

    @pytest.mark.slow
    async def test_a_run_writes_from_what_there_is_when_another_process_says_so(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION)
        await full(counting, 1)
        await requests.write_now(traces, JobBoard(traces.database), run.run_id)
        await until(lambda: runs.durable.hosted[run.run_id].write_now)  # type: ignore[union-attr]
        counting.gate.set()
        await run.result()
        assert of_type(await ended(run), "run_completed")[0].stop_reason == "user_stop"
        await runs.close()

    @pytest.mark.slow
    async def test_who_follows_a_run_that_waits_is_let_go_when_the_server_is_told_to_end(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner, slots=1)
        runs.submit(QUESTION)
        await full(counting, 1)
        waiting = runs.submit(QUESTION)
        await status(traces, waiting, TraceStatus.PENDING)
        runs.cancel_all()
        async with asyncio.timeout(SOON_S):
            assert await ended(waiting) == []
        await runs.close()
        assert (await traces.get_trace(waiting.run_id)).status is TraceStatus.PENDING

    @pytest.mark.slow
    async def test_who_is_told_to_end_just_as_he_begins_to_follow_a_run_lets_go_of_it(
        self, service: Services, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner, slots=1)
        runs.submit(QUESTION)
        await full(counting, 1)
        show = DurableRuns._show

        def shown(durable: DurableRuns, run: Run) -> None:
            show(durable, run)
            runs.cancel_all()  # before the task that follows the run has had its first step

        monkeypatch.setattr(DurableRuns, "_show", shown)
        waiting = runs.submit(QUESTION)
        async with asyncio.timeout(SOON_S):
            assert await ended(waiting) == []
        assert waiting.ending.cancelled()

    @pytest.mark.slow
    async def test_who_follows_a_run_of_another_process_is_let_go_at_once(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs, here = service(counting.reasoner), service()
        run = runs.submit(QUESTION)
        await full(counting, 1)
        elsewhere = await here.find(run.run_id)
        assert isinstance(elsewhere, StoredRun)
        begun = asyncio.Event()

        async def follow() -> None:
            async for logged in elsewhere.tail():
                if logged.event.type == "run_started":
                    begun.set()

        following = asyncio.create_task(follow())
        await until(begun.is_set)
        assert not following.done()
        here.cancel_all()
        async with asyncio.timeout(SOON_S):
            await following
        assert (await traces.get_trace(run.run_id)).status is TraceStatus.IN_PROGRESS

    @pytest.mark.slow
    async def test_what_a_process_that_ends_has_is_handed_out_and_it_takes_no_more(
        self, service: Services
    ) -> None:
        counting = SlowToStop()
        runs = service(counting.reasoner, slots=2, of_user=1)
        runs.submit(QUESTION, user_id="ada")
        await full(counting, 1)
        runs.submit(QUESTION, user_id="ben")
        await full(counting, 2)
        runs.submit(QUESTION, user_id="eve")
        await runs.runs_of()  # until all are taken in
        await runs.close()
        waiting = await asyncio.to_thread(_asked, service.url, DBOSClient.list_workflows)
        assert [run.status for run in waiting] == ["ENQUEUED"] * 3

    @pytest.mark.slow
    async def test_a_run_that_is_to_write_now_does_so_in_the_next_process(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION)
        await full(counting, 1)
        await runs.write_now(run.run_id)
        await runs.close()
        after = service()
        await after.start_engine()
        await status(traces, run, TraceStatus.COMPLETED)
        told = await traces.events(run.run_id)
        assert of_type(told, "run_completed")[0].stop_reason == "user_stop"

    @pytest.mark.slow
    @pytest.mark.parametrize("after_s", [0.0, 0.1])
    async def test_a_run_that_just_begins_goes_on_when_its_process_is_stopped(
        self, service: Services, traces: ToolTraceService, after_s: float
    ) -> None:
        runs = service()
        await runs.start_engine()
        run = runs.submit(QUESTION)
        await asyncio.sleep(after_s)
        await runs.close()
        await service().start_engine()
        await status(traces, run, TraceStatus.COMPLETED)

    @pytest.mark.slow
    async def test_who_stops_waiting_for_the_engine_leaves_it_whole(
        self, service: Services
    ) -> None:
        runs = service()
        waiting = asyncio.create_task(runs.start_engine())
        await asyncio.sleep(0.01)
        waiting.cancel()
        run = runs.submit(QUESTION)
        assert (await run.result()).references
        await runs.close()
        assert [trace.id for trace in await service().runs_of()] == [run.run_id]

    async def test_a_run_is_listed_as_soon_as_it_is_submitted(self, service: Services) -> None:
        runs = service()
        run = runs.submit(QUESTION)
        assert [trace.id for trace in await runs.runs_of()] == [run.run_id]

    @pytest.mark.slow
    async def test_threads_are_there_again_when_the_engine_is_gone(self, service: Services) -> None:
        runs = service()
        await runs.submit(QUESTION).result()
        await runs.close()
        assert await asyncio.to_thread(lambda: 1) == 1


class TestStaleWorker:
    """One that was frozen for so long that its runs were given to another."""

    @pytest.mark.slow
    async def test_what_it_writes_is_not_taken_and_its_user_sees_how_the_run_goes_on(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION)
        await full(counting, 1)
        await JobBoard(traces.database).begin(run.run_id, "another worker")
        before = await traces.events(run.run_id)
        counting.gate.set()
        await until(lambda: not runs.durable.hosted)  # type: ignore[union-attr]
        assert await traces.events(run.run_id) == before
        await traces.fail_trace(run.run_id, "ReasoningError", "It broke there.")
        with pytest.raises(ReasoningError, match="It broke there"):
            await run.result()
        assert of_type(await ended(run), "run_failed")

    @pytest.mark.slow
    async def test_a_run_that_comes_back_tells_nothing_twice(
        self, service: Services, traces: ToolTraceService
    ) -> None:
        whole = service()
        expected = [logged.event.type for logged in await ended(whole.submit(QUESTION))]
        await whole.close()
        counting = Counting()
        runs = service(counting.reasoner)
        run = runs.submit(QUESTION, model_api_key=SecretStr("made-up-key"))
        await full(counting, 1)
        engine = runs.durable._engine  # type: ignore[union-attr]
        assert engine is not None
        await engine.take_over({run.run_id: engine.worker})
        await until(lambda: counting.entered == 2)
        counting.gate.set()
        assert (await run.result()).references
        assert [logged.event.type for logged in await ended(run)] == expected
        assert [e.event.type for e in await traces.events(run.run_id)] == expected


@pytest.mark.slow
async def test_a_second_service_of_a_process_has_runs_that_end_with_it(service: Services) -> None:
    first = service()
    await first.start_engine()
    second = service()
    assert await second.submit(QUESTION).result()
    await second.close()
    assert await first.submit(QUESTION).result()
    await first.close()
