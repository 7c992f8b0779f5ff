from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from deepcritical.bootstrap import limits_of
from deepcritical.domain.errors import (
    BudgetExceeded,
    CapacityError,
    DeepCriticalError,
    EmptyQuestionError,
    QuestionTooLongError,
    ReasoningError,
    ResearchCancelled,
    SearchError,
)
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.run.budget import Depth, RunLimits
from deepcritical.domain.run.events import TERMINAL, LoggedEvent, RunFailed
from deepcritical.jobs.known_runs import MAX_ACTIVE, MAX_KEPT
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.session import ResearchSession
from deepcritical.settings import Settings
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import DEMO, QUESTION, ended, opened, paper, run_service, snapshot

Orchestrate = Callable[[ResearchSession], Awaitable[None]]


DEPTHS: tuple[Depth, ...] = ("quick", "standard", "deep")


def service(
    orchestrate: Orchestrate,
    deadline_s: float = 60.0,
    limits_for: Callable[[Depth], RunLimits] | None = None,
) -> RunService:
    return RunService(
        orchestrate=orchestrate,
        answering=orchestrate,
        reasoner=ExtractiveReasoner(),
        open_sources=partial(opened, SnapshotSource(DEMO)),
        limits_for=limits_for or (lambda _depth: RunLimits(deadline_s=deadline_s)),
    )


def raising(error: BaseException) -> Orchestrate:
    async def orchestrate(_session: ResearchSession) -> None:
        await asyncio.sleep(0)
        raise error

    return orchestrate


async def forgetful(_session: ResearchSession) -> None:
    """Ends without a report."""


async def endless(_session: ResearchSession) -> None:
    await asyncio.Event().wait()


async def to_the_end(run: Run) -> LoggedEvent:
    """The terminal event, once it is sure that it is the only one and the last."""
    async with asyncio.timeout(5):
        events = await ended(run)
    assert [isinstance(logged.event, TERMINAL) for logged in events].count(True) == 1
    assert isinstance(events[-1].event, TERMINAL)
    assert events[-1].progress == 1.0
    return events[-1]


@pytest.mark.parametrize("text", ["", " \n\t", "?!", "123"])
async def test_an_empty_question_starts_nothing(text: str) -> None:
    with pytest.raises(EmptyQuestionError):
        service(endless).submit(text)


async def test_a_question_that_is_too_long_starts_nothing() -> None:
    with pytest.raises(QuestionTooLongError, match="10,000"):
        service(endless).submit("x" * 10_000)
    assert MAX_QUESTION_CHARS < 10_000


@pytest.mark.parametrize(
    "error", [ReasoningError("No.", "Try."), SearchError("No."), BudgetExceeded("No.")]
)
async def test_a_domain_error_is_the_terminal_event_and_the_result(
    error: DeepCriticalError,
) -> None:
    run = service(raising(error)).submit(QUESTION)
    ending = (await to_the_end(run)).event
    assert ending.type == "run_failed"
    assert (ending.error, ending.message) == (type(error).__name__, error.message)
    assert ending.advice == error.advice
    with pytest.raises(type(error)):
        await run.result()


@pytest.mark.parametrize("bug", [RuntimeError("bug"), TimeoutError("not ours"), KeyError("bug")])
async def test_a_bug_fails_the_run_and_is_not_hidden(bug: Exception) -> None:
    run = service(raising(bug)).submit(QUESTION)
    ending = (await to_the_end(run)).event
    assert ending.type == "run_failed"
    assert ending.error == "InternalError"
    assert "bug" not in ending.message
    with pytest.raises(type(bug)):
        await run.result()


async def test_an_end_without_a_report_is_a_failed_run() -> None:
    run = service(forgetful).submit(QUESTION)
    assert (await to_the_end(run)).event.type == "run_failed"
    with pytest.raises(ValueError, match="without a report"):
        await run.result()


async def test_a_cancelled_run_ends_as_cancelled() -> None:
    run = service(endless).submit(QUESTION)
    await asyncio.sleep(0.01)
    run.cancel()
    assert (await to_the_end(run)).event.type == "run_cancelled"
    with pytest.raises(ResearchCancelled):
        await run.result()


async def test_a_run_cancelled_before_its_first_step_ends_too() -> None:
    run = service(endless).submit(QUESTION)
    run.cancel()
    assert (await to_the_end(run)).event.type == "run_cancelled"
    with pytest.raises(ResearchCancelled):
        await run.result()


async def test_cancelling_twice_ends_once() -> None:
    run = service(endless).submit(QUESTION)
    await asyncio.sleep(0.01)
    run.cancel()
    await asyncio.sleep(0)
    run.cancel()
    assert (await to_the_end(run)).event.type == "run_cancelled"


async def test_cancelling_after_the_end_changes_nothing() -> None:
    run = service(raising(SearchError("No."))).submit(QUESTION)
    await to_the_end(run)
    run.cancel()
    assert (await to_the_end(run)).event.type == "run_failed"


async def test_the_deadline_ends_a_run_that_hangs() -> None:
    run = service(endless, deadline_s=0.05).submit(QUESTION)
    ending = (await to_the_end(run)).event
    assert isinstance(ending, RunFailed)
    assert ending.error == "BudgetExceeded"
    with pytest.raises(BudgetExceeded):
        await run.result()


async def test_whoever_waits_for_the_result_may_leave_without_ending_the_run() -> None:
    run = service(endless).submit(QUESTION)
    waiter = asyncio.create_task(run.result())
    await asyncio.sleep(0.01)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    run.cancel()
    assert (await to_the_end(run)).event.type == "run_cancelled"


async def test_a_log_that_cannot_be_written_ends_the_run_and_its_tail(tmp_path: Path) -> None:
    run = service(endless).submit(QUESTION, log_path=tmp_path / "gone" / "events.jsonl")
    ending = (await to_the_end(run)).event
    assert isinstance(ending, RunFailed)
    assert ending.error == "StorageError"
    with pytest.raises(DeepCriticalError, match="cannot be written"):
        await run.result()


async def test_each_run_has_its_own_id() -> None:
    runs = [service(forgetful).submit(QUESTION) for _ in range(3)]
    assert len({run.run_id for run in runs}) == 3
    for run in runs:
        await to_the_end(run)
        await asyncio.gather(run.result(), return_exceptions=True)


async def test_a_run_is_found_by_its_id_and_by_no_other() -> None:
    runs = service(forgetful)
    run = runs.submit(QUESTION)
    assert await runs.find(run.run_id) is run
    assert await runs.find(run.run_id[:-1]) is None
    await to_the_end(run)


async def test_ids_cannot_be_guessed() -> None:
    runs = service(forgetful)
    ids = {runs.submit(QUESTION).run_id for _ in range(5)}
    assert {uuid.UUID(run_id).version for run_id in ids} == {4}
    assert len(ids) == 5
    await asyncio.sleep(0.05)


async def test_a_report_is_there_after_the_end_and_not_before(tmp_path: Path) -> None:
    runs = run_service(snapshot(tmp_path / "records.jsonl", paper(1)))
    run = runs.submit(QUESTION)
    assert (run.question, run.ended, run.report) == (QUESTION, False, None)
    report = await run.result()
    assert run.ended
    assert run.report == report


async def test_a_failed_run_has_no_report() -> None:
    run = service(raising(SearchError("No."))).submit(QUESTION)
    await to_the_end(run)
    assert run.report is None


async def test_no_more_runs_start_than_may_be_under_way() -> None:
    runs = service(endless)
    started = [runs.submit(QUESTION) for _ in range(MAX_ACTIVE)]
    with pytest.raises(CapacityError, match=str(MAX_ACTIVE)):
        runs.submit(QUESTION)
    started[0].cancel()
    await to_the_end(started[0])
    started.append(runs.submit(QUESTION))
    for run in started[1:]:
        run.cancel()
        await to_the_end(run)


async def test_the_oldest_runs_that_have_ended_are_forgotten_first() -> None:
    runs = service(forgetful)
    made = []
    for _ in range(MAX_KEPT + 2):
        made.append(runs.submit(QUESTION))
        await to_the_end(made[-1])
    known = [await runs.find(run.run_id) for run in made]
    assert known == [None, None, *made[2:]]


async def test_the_depth_sets_the_limits_of_a_run() -> None:
    seen: list[RunLimits] = []

    async def look(session: ResearchSession) -> None:
        seen.append(session.limits)

    runs = service(look, limits_for=RunLimits.for_depth)
    for depth in DEPTHS:
        await to_the_end(runs.submit(QUESTION, depth=depth))
    assert [(limits.max_iterations, limits.deadline_s) for limits in seen] == [
        (1, 60),
        (3, 180),
        (10, 600),
    ]


async def test_settings_override_the_depth() -> None:
    limits = limits_of(Settings(max_iterations=2, deadline_s=5), "deep")
    assert (limits.max_iterations, limits.deadline_s, limits.paced) == (2, 5, False)
    quick = RunLimits.for_depth("quick")
    assert limits_of(Settings(), "quick") == quick
    local = quick.model_copy(update={"results_per_query": 30})
    assert limits_of(Settings(), "quick", local=True) == local
