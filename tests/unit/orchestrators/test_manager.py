from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.orchestrators.magentic import (
    Progress,
    choices,
    decide_next,
    hand_turn,
    max_rounds,
    progress_of,
)
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog

SEARCH, HYPOTHESES = search_agent.NAME, hypothesis_agent.NAME
JUDGE, REPORT = judge_agent.NAME, report_agent.NAME


@pytest.mark.parametrize(
    ("progress", "speaker"),
    [
        (Progress(), SEARCH),
        (Progress(searched=True), HYPOTHESES),
        (Progress(searched=True, proposed=True), JUDGE),
        (Progress(searched=True, proposed=True, untested=True), SEARCH),
        (Progress(searched=True, proposed=True, untested=True, targeted=True), JUDGE),
        (Progress(searched=True, proposed=True, targeted=True), JUDGE),
        (Progress(searched=True, proposed=True, further="MadeUpAgent"), "MadeUpAgent"),
        (Progress(searched=True, further="MadeUpAgent"), HYPOTHESES),
        # What an earlier round left untested waits for this round's first search.
        (Progress(untested=True), SEARCH),
        (Progress(searched=True, untested=True), HYPOTHESES),
        (Progress(stopped=True), REPORT),
        (Progress(stopped=True, searched=True, proposed=True, untested=True), REPORT),
        (Progress(reported=True), None),
        (Progress(stopped=True, reported=True), None),
        (Progress(failed=True), None),
        (Progress(failed=True, stopped=True), None),
    ],
)
def test_the_state_decides_who_speaks_next(progress: Progress, speaker: str | None) -> None:
    assert decide_next(progress).speaker == speaker


EVERY_STATE = [Progress._make((*flags, "")) for flags in itertools.product((False, True), repeat=8)]


@pytest.mark.parametrize("progress", EVERY_STATE, ids=str)
def test_every_state_has_an_answer(progress: Progress) -> None:
    decision = decide_next(progress)
    over = progress.failed or progress.reported
    assert (decision.speaker is None) is over
    assert decision.instruction
    if progress.stopped and not over:
        assert decision.speaker == REPORT
    if not progress.stopped:
        assert decision.speaker != REPORT


@pytest.mark.parametrize("progress", EVERY_STATE, ids=str)
def test_a_choice_holds_what_code_would_do_and_never_ends_research(progress: Progress) -> None:
    over = progress.failed or progress.reported or progress.stopped
    for judged, last in itertools.product((False, True), (None, SEARCH, HYPOTHESES, JUDGE)):
        state = progress._replace(judged=judged)
        possible = choices(state, last)
        assert bool(possible) is not over
        assert REPORT not in possible
        assert over or decide_next(state).speaker in possible
        if not (state.searched and (state.proposed or state.judged)):
            assert JUDGE not in possible


@pytest.mark.parametrize(
    ("progress", "last", "possible"),
    [
        (Progress(), None, {SEARCH}),
        (Progress(judged=True), JUDGE, {SEARCH}),
        (Progress(searched=True), SEARCH, {HYPOTHESES}),
        (Progress(searched=True, judged=True), SEARCH, {HYPOTHESES, JUDGE}),
        (Progress(searched=True, proposed=True, untested=True), HYPOTHESES, {SEARCH, JUDGE}),
        (Progress(searched=True, proposed=True), HYPOTHESES, {SEARCH, JUDGE}),
        (Progress(searched=True, proposed=True, targeted=True), SEARCH, {JUDGE, HYPOTHESES}),
        (Progress(searched=True, proposed=True, targeted=True), HYPOTHESES, {JUDGE}),
        (Progress(stopped=True), JUDGE, set()),
    ],
)
def test_what_a_model_may_choose(progress: Progress, last: str | None, possible: set[str]) -> None:
    assert set(choices(progress, last)) == possible


def test_a_round_ends_with_the_judge_and_never_goes_in_circles() -> None:
    progress, spoken = Progress(untested=True), list[str | None]()
    for _ in range(4):
        decision = decide_next(progress)
        spoken.append(decision.speaker)
        if decision.speaker == SEARCH:
            progress = progress._replace(searched=True, targeted=progress.proposed)
        elif decision.speaker == HYPOTHESES:
            progress = progress._replace(proposed=True)
    assert spoken == [SEARCH, HYPOTHESES, SEARCH, JUDGE]


@pytest.mark.parametrize("rounds", [1, 3, 10])
def test_the_frameworks_limit_is_above_what_the_rounds_need(rounds: int) -> None:
    turns_a_round, report = 4, 1
    assert max_rounds(RunLimits(max_iterations=rounds)) > turns_a_round * rounds + report


async def test_a_log_that_takes_no_event_ends_the_team_with_its_own_error(tmp_path: Path) -> None:
    session = ResearchSession(
        text="Can examplol be repurposed for testitis?",
        limits=RunLimits(),
        reasoner=ExtractiveReasoner(),
        log=EventLog("run", tmp_path),  # a folder cannot be appended to
        clock=lambda: 0.0,
        searched_on="2999-01-01",
    )
    ledger = await hand_turn(session, decide_next(progress_of(session)))
    assert ledger.is_request_satisfied.answer is True
    assert isinstance(session.failure, StorageError)
