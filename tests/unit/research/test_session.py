from __future__ import annotations

import pytest

from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import Notice, RunCancelled, Stage
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from tests.conftest import QUESTION


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def new_session(clock: Clock | None = None, rounds: int = 3) -> ResearchSession:
    return ResearchSession(
        text=QUESTION,
        limits=RunLimits(max_iterations=rounds),
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=clock or Clock(),
        searched_on="2999-01-01",
    )


def test_time_counts_from_the_first_step() -> None:
    clock = Clock()
    session = new_session(clock)
    assert session.elapsed_s == 0
    clock.now_s += 12.5
    assert session.elapsed_s == 12.5


def test_a_step_before_the_question_is_understood_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="refine_question"):
        _ = new_session().understood


@pytest.mark.parametrize("rounds", [1, 3, 10])
async def test_progress_rises_through_every_round_and_is_whole_only_at_the_end(rounds: int) -> None:
    session = new_session(rounds=rounds)
    for _ in range(rounds):
        for stage in (Stage.SEARCH, Stage.HYPOTHESES, Stage.SEARCH, Stage.JUDGEMENT):
            await session.emit(Notice(message="made"), stage)
        session.begin_round()
    await session.emit(Notice(message="made"), Stage.REPORT)
    shown = [logged.progress for logged in session.log.events]
    assert shown == sorted(shown)
    assert shown[-1] < 1
    assert len(set(shown)) == 3 * rounds + 1
    await session.emit(RunCancelled(), Stage.DONE)
    assert session.log.events[-1].progress == 1


async def test_a_new_round_begins_with_a_search_and_counts_from_nothing() -> None:
    session = new_session()
    session.searched_in_round = session.proposed_in_round = session.targeted_in_round = True
    session.new_in_round = 7
    session.begin_round()
    assert session.iteration == 2
    assert session.new_in_round == 0
    begun = (session.searched_in_round, session.proposed_in_round, session.targeted_in_round)
    assert not any(begun)


async def test_a_notice_is_told_once_and_kept_for_the_report() -> None:
    session = new_session()
    for message in ("one", "two", "one"):
        await session.notify(message)
    assert session.notices == ["one", "two"]
    assert len(session.log.events) == 2
