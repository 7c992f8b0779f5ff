from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest
import sqlalchemy as sa

from deepcritical.domain.errors import CapacityError, StorageError, TraceNotFoundError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import (
    Notice,
    RunCancelled,
    RunCompleted,
    RunStarted,
    Stage,
    StopReason,
)
from deepcritical.domain.run.recipe import Recipe, Signals
from deepcritical.domain.tool.traces import TraceResult, TraceStatus
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.schema import jobs, workers
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.losses import lost

RECIPE = Recipe(tool="research", question="Does it?", limits=RunLimits(), searched_on="2999-01-01")


@pytest.fixture
async def traces(tmp_path: Path) -> AsyncIterator[ToolTraceService]:
    service = ToolTraceService(Database(normalised_url(f"sqlite:///{tmp_path / 'jobs.sqlite'}")))
    yield service
    await service.close()


@pytest.fixture
def board(traces: ToolTraceService) -> JobBoard:
    return JobBoard(traces.database, most_of_user=2)


def _execute(connection: sa.Connection, change: sa.Update) -> None:
    connection.execute(change)


async def added(board: JobBoard, worker: str = "one") -> str:
    run_id = str(uuid4())
    await board.add(run_id, RECIPE, {"question": "Does it?"}, "ada", worker)
    return run_id


async def test_a_run_is_counted_whose_worker_was_lost_with_it_alone(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    first = await board.begin(run_id, "one")
    assert (first.recipe, first.user_id, first.takeovers) == (RECIPE, "ada", 0)
    assert (first.ended, first.late, first.signals) == (False, False, Signals())
    for _ in range(2):  # another sweep counts nothing twice
        await lost(traces, {"two"})
    assert (await board.begin(run_id, "two")).takeovers == 1
    await board.hand_back(run_id, "two")
    await lost(traces)
    assert (await board.begin(run_id, "three")).takeovers == 1
    await lost(traces, {"two"})
    assert (await board.begin(run_id, "four")).takeovers == 2


async def test_a_loss_as_soon_as_a_run_is_taken_up_does_not_tell_the_cause(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    for number in range(4):
        begun = await board.begin(run_id, f"worker {number}")
        assert (begun.takeovers, begun.lost_with_others) == (0, number)
        await lost(traces, after_s=0)
    begun = await board.begin(run_id, "behind the second that had proved steady")
    assert (begun.takeovers, begun.lost_with_others) == (1, 3)


async def test_how_late_a_loss_is_noticed_does_not_tell_the_cause(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    await board.begin(run_id, "one")
    await board.beat("one", 15.0)
    for table, column in ((workers, workers.c.beat_at), (jobs, jobs.c.taken_at)):
        earlier = table.update().values({column: column - 60})
        await traces.database.write(partial(_execute, change=earlier))
    await board.note_losses(())
    begun = await board.begin(run_id, "two")
    assert (begun.takeovers, begun.lost_with_others) == (0, 1)
    await board.note_losses(())  # of a worker that left no sign of life
    begun = await board.begin(run_id, "three")
    assert (begun.takeovers, begun.lost_with_others) == (0, 2)


async def test_a_run_that_was_lost_with_others_is_not_taken_for_the_cause(
    board: JobBoard, traces: ToolTraceService
) -> None:
    cause, neighbour = await added(board), await added(board)
    for number in range(2):
        for run_id in (cause, neighbour):
            begun = await board.begin(run_id, f"worker {number}")
        started = RunStarted(question=f"{number}", reasoner="rules")  # it gets on, the cause not
        await traces.append_event(neighbour, started, (Stage.QUESTION, 0.1))
        await lost(traces)
    counted = [await board.lost_with_others(run_id) for run_id in (cause, neighbour)]
    assert (begun.takeovers, begun.lost_with_others, counted) == (0, 1, [2, 1])


async def test_a_run_that_gets_on_between_losses_is_not_the_cause(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    for number in range(26):
        assert (await board.begin(run_id, f"worker {number}")).takeovers <= 1
        started = RunStarted(question=f"{number}", reasoner="rules")
        await traces.append_event(run_id, started, (Stage.QUESTION, 0.1))
        await lost(traces)


async def test_a_run_that_got_on_since_is_not_suspected(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    for number in range(2):
        await board.begin(run_id, f"worker {number}")
        await lost(traces, after_s=0)
    assert await board.lost_with_others(run_id) == 2
    await board.begin(run_id, "one that ends in good order")
    started = RunStarted(question="Does it?", reasoner="rules")
    await traces.append_event(run_id, started, (Stage.QUESTION, 0.1))
    await board.hand_back(run_id, "one that ends in good order")
    assert await board.lost_with_others(run_id) == 0


async def test_one_that_has_ended_is_handed_back_without_a_trace(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    await board.begin(run_id, "one")
    await traces.append_event(run_id, RunCancelled())
    await board.hand_back(run_id, "one")
    again = await board.begin(run_id, "two")
    assert (again.ended, again.takeovers) == (True, 0)


async def test_a_run_that_began_late_says_so_once(traces: ToolTraceService) -> None:
    board = JobBoard(traces.database, queue_limit_s=0.0)
    run_id = await added(board)
    assert await board.overdue() == (run_id,)
    assert (await board.begin(run_id, "one")).late
    assert not (await board.begin(run_id, "two")).late
    assert await board.overdue() == ()


async def test_a_user_has_no_more_than_he_may(board: JobBoard, traces: ToolTraceService) -> None:
    first = await added(board)
    await added(board)
    with pytest.raises(CapacityError, match="2 runs of yours"):
        await added(board)
    await traces.append_event(first, RunCancelled())
    await added(board)


async def test_what_a_user_wants_is_heard(board: JobBoard) -> None:
    run_id, gone = await added(board), str(uuid4())
    assert await board.request(run_id, "cancel") is False
    await board.begin(run_id, "one")
    assert await board.request(run_id, "write_now") is True
    assert await board.request(gone, "cancel") is False
    heard = await board.signals([run_id, gone])
    assert heard == {run_id: Signals(cancel=True, write_now=True), gone: Signals(deleted=True)}
    assert (await board.begin(run_id, "one")).signals == Signals(cancel=True, write_now=True)


async def test_runs_of_workers_without_a_sign_of_life_are_found(board: JobBoard) -> None:
    left, kept = await added(board, "dead"), await added(board, "alive")
    live = await board.beat("alive", ttl_s=15.0)
    assert live == {"alive"}
    assert await board.left_by(live) == (left,)
    await board.leave("alive")
    assert await board.beat("other", ttl_s=15.0) == {"other"}
    assert set(await board.left_by({"other"})) == {left, kept}


async def test_a_server_that_only_takes_runs_in_is_nobody_who_conducts_them(
    board: JobBoard,
) -> None:
    await board.beat("server", ttl_s=15.0, conducts=False)
    assert not await board.anybody_conducts(15.0)
    await board.beat("worker", ttl_s=15.0)
    assert await board.anybody_conducts(15.0)
    assert not await board.anybody_conducts(0.0)


async def test_a_cancelled_run_is_opened_again_behind_what_it_told(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    await board.begin(run_id, "one")
    started = RunStarted(question="Does it?", reasoner="rules")
    await traces.append_event(run_id, started, (Stage.QUESTION, 0.1))
    await board.request(run_id, "cancel")
    await traces.append_event(run_id, RunCancelled())
    await board.reopen(run_id, "two")
    trace = await traces.get_trace(run_id)
    assert (trace.status, trace.progress, trace.completed_at) == (
        TraceStatus.IN_PROGRESS,
        0.1,
        None,
    )
    goes_on = Notice(message="The run was cancelled, and goes on.")
    told = [(logged.seq, logged.event) for logged in await traces.events(run_id)]
    assert told == [(1, started), (2, goes_on)]  # no number is ever given twice
    assert run_id not in await board.left_by({"two"})
    assert (await board.begin(run_id, "two")).signals == Signals()


async def test_a_cancel_is_not_lost_when_a_run_is_resumed_before_it_has_ended(
    board: JobBoard,
) -> None:
    run_id = await added(board)
    await board.begin(run_id, "one")
    await board.request(run_id, "cancel")
    await board.reopen(run_id, "two")
    taken_up = await board.begin(run_id, "two")
    assert taken_up.signals.cancel


async def test_a_completed_run_is_not_opened_again(
    board: JobBoard, traces: ToolTraceService
) -> None:
    run_id = await added(board)
    end = RunCompleted(stop_reason=StopReason.NO_EVIDENCE, verdict="", references=0)
    await traces.append_event(run_id, end, ending=TraceResult({}))
    with pytest.raises(StorageError, match="is completed"):
        await board.reopen(run_id, "two")
    with pytest.raises(TraceNotFoundError):
        await board.reopen(str(uuid4()), "two")
