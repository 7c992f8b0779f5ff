from __future__ import annotations

import itertools

import pytest

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.budget import RunLimits
from deepcritical.orchestrators.manager import Progress, decide_next, max_rounds

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


EVERY_STATE = [Progress(*flags) for flags in itertools.product((False, True), repeat=7)]


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
