"""Whatever goes wrong in a run of the real team, its log ends with exactly one terminal event."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from deepcritical.domain.errors import (
    BudgetExceeded,
    DeepCriticalError,
    ReasoningError,
    ResearchCancelled,
    SnapshotCorruptError,
    StorageError,
)
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.events import TERMINAL, LoggedEvent, StopReason
from deepcritical.jobs.run import RunOf
from tests.conftest import QUESTION, ended, of_type, paper, run_service, snapshot
from tests.integration.doubles import METHODS, Interrupted, failing, hanging, slow


class End(NamedTuple):
    """The end of a run: a report or an error, never both."""

    events: list[LoggedEvent]
    report: ResearchReport | None
    error: BaseException | None


async def end(run: RunOf[ResearchReport]) -> End:
    async with asyncio.timeout(10):
        events = await ended(run)
    assert [isinstance(e.event, TERMINAL) for e in events].count(True) == 1
    assert isinstance(events[-1].event, TERMINAL)
    try:
        return End(events, await run.result(), None)
    except (Exception, ResearchCancelled) as error:  # noqa: BLE001 - which one is the question
        return End(events, None, error)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "made.jsonl", paper(1), paper(2))


NO_REPORT = {
    "refine_question",
    "generate_queries",
    "name_candidates",
    "read_evidence",
    "write_report",
}
"""What fails here fails the run: before anything was read, or while the report is written."""


class TestReasoningError:
    @pytest.mark.parametrize("method", METHODS)
    async def test_the_run_ends_with_what_there_is_or_with_the_error(
        self, made: Path, method: str
    ) -> None:
        error = ReasoningError("The made-up mind is blank.", "Think again.")
        run = run_service(made, failing(method, error)).submit(QUESTION)
        events, report, raised = await end(run)
        if method in NO_REPORT:
            ending = events[-1].event
            assert ending.type == "run_failed"
            assert (ending.error, ending.message) == ("ReasoningError", error.message)
            assert isinstance(raised, ReasoningError)
        else:
            assert report
            assert events[-1].event.type == "run_completed"
            assert any(error.message in text for text in report.notices)
            assert any(error.message in e.message for e in of_type(events, "notice"))

    async def test_a_judge_that_fails_costs_no_evidence(self, made: Path) -> None:
        reasoner = failing("assess_evidence", ReasoningError("Blank."))
        _, report, _ = await end(run_service(made, reasoner).submit(QUESTION))
        assert report
        assert len(report.references) == 2

    async def test_what_was_read_before_the_failure_is_reported(self, made: Path) -> None:
        reasoner = failing("read_evidence", ReasoningError("Blank."), from_call=2)
        _, report, _ = await end(run_service(made, reasoner).submit(QUESTION))
        assert report
        assert len(report.references) == 1


class TestBug:
    @pytest.mark.parametrize("method", METHODS)
    async def test_a_bug_fails_the_run_and_reaches_the_caller(
        self, made: Path, method: str
    ) -> None:
        run = run_service(made, failing(method, RuntimeError("a plain bug"))).submit(QUESTION)
        events, report, raised = await end(run)
        ending = events[-1].event
        assert ending.type == "run_failed"
        assert ending.error == "InternalError"
        assert report is None
        assert isinstance(raised, RuntimeError)
        assert "a plain bug" in str(raised)


class TestCancel:
    @pytest.mark.parametrize("method", METHODS)
    async def test_a_run_stops_wherever_it_is(self, made: Path, method: str) -> None:
        reached = asyncio.Event()
        run = run_service(made, hanging(method, reached)).submit(QUESTION)
        async with asyncio.timeout(10):
            await reached.wait()
        asked_s = time.monotonic()
        run.cancel()
        events, report, raised = await end(run)
        assert time.monotonic() - asked_s < 8  # on a busy machine; else it would hang
        assert events[-1].event.type == "run_cancelled"
        assert report is None
        assert isinstance(raised, ResearchCancelled)

    async def test_nothing_goes_on_behind_a_cancelled_run(self, made: Path) -> None:
        before = asyncio.all_tasks()
        reached = asyncio.Event()
        run = run_service(made, hanging("read_evidence", reached)).submit(QUESTION)
        await reached.wait()
        run.cancel()
        await end(run)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    async def test_one_run_cancelled_leaves_the_other_alone(self, made: Path) -> None:
        reached = asyncio.Event()

        async def hang_once(call: int) -> None:
            if call == 1:
                reached.set()
                await asyncio.Event().wait()

        runs = run_service(made, Interrupted("assess_evidence", hang_once))
        first = runs.submit(QUESTION)
        await reached.wait()
        second = runs.submit(QUESTION)
        first.cancel()
        assert isinstance((await end(first)).error, ResearchCancelled)
        assert (await end(second)).report


class TestDeadline:
    @pytest.mark.parametrize("method", ["refine_question", "generate_queries"])
    async def test_before_anything_is_found_the_deadline_ends_a_run_without_a_report(
        self, made: Path, method: str
    ) -> None:
        reasoner = hanging(method, asyncio.Event())
        run = run_service(made, reasoner, deadline_s=0.5).submit(QUESTION)
        events, _, raised = await end(run)
        ending = events[-1].event
        assert ending.type == "run_failed"
        assert ending.error == "BudgetExceeded"
        assert ending.advice
        assert isinstance(raised, BudgetExceeded)

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["read_studies", "read_evidence", "write_report"])
    async def test_what_was_found_is_reported_by_rules_at_the_deadline(
        self, made: Path, method: str
    ) -> None:
        reasoner = hanging(method, asyncio.Event())
        run = run_service(made, reasoner, deadline_s=4.0).submit(QUESTION)
        events, report, _ = await end(run)
        ending = events[-1].event
        assert ending.type == "run_completed"
        assert (ending.stop_reason is StopReason.DEADLINE) is (method != "write_report")
        assert report
        assert report.references
        assert any("did not end within 4 s. What was found" in notice for notice in report.notices)

    async def test_a_slow_judge_leaves_time_for_the_report(self, made: Path) -> None:
        reasoner = slow("assess_evidence", 0.4)
        run = run_service(made, reasoner, deadline_s=30, report_share=0.99).submit(QUESTION)
        events, report, _ = await end(run)
        ending = events[-1].event
        assert report
        assert ending.type == "run_completed"
        assert ending.stop_reason is StopReason.DEADLINE
        assert report.search_iterations == 1


class TestSources:
    async def test_a_corrupt_snapshot_is_one_clear_error(self, tmp_path: Path) -> None:
        path = snapshot(tmp_path / "made.jsonl", "this is no snapshot")
        events, _, raised = await end(run_service(path).submit(QUESTION))
        ending = events[-1].event
        assert ending.type == "run_failed"
        assert ending.error == "SnapshotCorruptError"
        assert isinstance(raised, SnapshotCorruptError)
        assert "line 1 of made.jsonl" in raised.message

    async def test_a_log_lost_on_the_way_ends_the_run_with_the_cause(
        self, made: Path, tmp_path: Path
    ) -> None:
        folder = tmp_path / "out"
        await asyncio.to_thread(folder.mkdir)

        async def lose_the_folder(_call: int) -> None:
            await asyncio.to_thread(shutil.rmtree, folder, True)

        reasoner = Interrupted("propose_hypotheses", lose_the_folder)
        run = run_service(made, reasoner).submit(QUESTION, log_path=folder / "events.jsonl")
        events, report, raised = await end(run)
        assert report is None
        assert events[-1].event.type == "run_failed"
        assert isinstance(raised, StorageError)

    async def test_every_failure_tells_what_to_do_next(self, made: Path) -> None:
        reasoner = failing("refine_question", ReasoningError("Blank.", "Think again."))
        _, _, raised = await end(run_service(made, reasoner).submit(QUESTION))
        assert isinstance(raised, DeepCriticalError)
        assert str(raised) == "Blank. Think again."
