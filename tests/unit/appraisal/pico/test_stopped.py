"""Comparisons that test stopping a drug, the arm that stopped, and what it counts."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from deepcritical.appraisal.pico.asked import Asked
from deepcritical.appraisal.pico.stopped import compared_in, stopped_by
from deepcritical.appraisal.votes.voting import ballot_of
from deepcritical.domain.appraisal.findings import ResultMatch
from deepcritical.domain.appraisal.votes import CONTINUED, Vote, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import Drug, QuestionFrame, QuestionKind
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from tests.unit.appraisal.builders import DEATHS, DRUG, arm, asked, null, record, result, study

PLAIN = "Examplol in testitis"
WITHDRAWN = "Examplol withdrawal in testitis: a randomised trial"


def stopping() -> Asked:
    told = {"text": "?", "kind": QuestionKind.EFFICACY, "stopping": True}
    frame = QuestionFrame.model_validate({**told, "drugs": (Drug(name=DRUG, known=False),)})
    return asked(frame=frame)


def named(one: Arm, label: str) -> Arm:
    return one.model_copy(update={"label": label})


ON, OFF = arm("A", DRUG), arm("B")
GOES_ON, STOPPED = named(ON, "continued examplol"), named(OFF, "examplol discontinued")


def side_of(title: str, *arms: Arm, **changes: Any) -> str:
    found = compared_in(study(result(), arms=arms, **changes), result(), record(title), stopping())
    return "" if found.why_not else found.side


@pytest.mark.parametrize(
    ("title", "arms", "side"),
    [
        (WITHDRAWN, (ON, OFF), "b"),
        ("Relapse after discontinuation of examplol in testitis", (ON, OFF), "b"),
        ("Stopping or continuing examplol in testitis", (ON, OFF), "b"),
        ("Cessation of long-term treatment with examplol in testitis", (ON, OFF), "b"),
        ("Tapering chronic examplol in testitis", (ON, OFF), "b"),
        ("Examplol maintenance treatment discontinuation in testitis", (ON, OFF), "b"),
        ("A drug holiday from examplol in testitis", (ON, OFF), "b"),
        ("Examplol in testitis: a randomised withdrawal trial", (ON, OFF), "b"),
        ("Examplol and aspirin in testitis: a withdrawal trial", (ON, OFF), ""),
        (PLAIN, (GOES_ON, OFF), "b"),
        (PLAIN, (ON, STOPPED), "b"),
        (PLAIN, (named(OFF, "A").model_copy(update={"id": "A"}), named(GOES_ON, "B")), ""),
        (PLAIN, (named(ON, "examplol stopped"), arm("B", DRUG)), "a"),
        (PLAIN, (ON, OFF), ""),
        ("Examplol in testitis after withdrawal of ibuprofen", (ON, OFF), ""),
        ("Examplol discontinuation due to adverse events in testitis", (ON, OFF), ""),
        ("Treatment of examplol withdrawal in testitis", (ON, OFF), ""),
        (PLAIN, (ON, named(OFF, "placebo with a prednisone taper")), ""),
        (PLAIN, (GOES_ON, named(OFF, "continued placebo")), ""),
        (WITHDRAWN, (ON, arm("B", "testamine")), ""),
        (WITHDRAWN, (arm("A", "testamine"), OFF), ""),
    ],
)
def test_the_side_is_the_arm_that_stopped(title: str, arms: tuple[Arm, ...], side: str) -> None:
    assert side_of(title, *arms) == side


def votes(reading: StudyReading, title: str, matches: Any = None) -> tuple[Vote, ...]:
    evidence = record(title)
    return ballot_of(reading, evidence, stopping(), grade(evidence), matches).votes


@pytest.mark.parametrize(
    ("told", "way"),
    [
        (result(better="a"), Way.HARM),
        (result(better="b"), Way.BENEFIT),
        (null(), Way.NO_DIFFERENCE),
    ],
)
def test_what_those_who_went_on_gained_is_lost_by_stopping(told: Result, way: Way) -> None:
    (vote,) = votes(study(told), WITHDRAWN)
    assert (vote.way, vote.control, vote.arm) == (way, CONTINUED, "B")


def test_a_trial_of_taking_it_tells_nothing_of_stopping_it() -> None:
    assert not votes(study(result()), PLAIN)


def test_a_trial_of_stopping_it_counts_for_taking_it_as_before() -> None:
    evidence = record(WITHDRAWN)
    (vote,) = ballot_of(study(result()), evidence, asked(), grade(evidence)).votes
    assert (vote.way, vote.control, vote.arm) == (Way.BENEFIT, "placebo", "A")


def matched(side: Literal["a", "b"], row: str = "flurb score") -> ResultMatch:
    fields = {"result": 0, "side": side, "outcome": row, "importance": "critical"}
    return ResultMatch.model_validate({**fields, "directness": "direct"})


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_match_counts_for_the_arm_that_stopped(side: Literal["a", "b"]) -> None:
    (vote,) = votes(study(result(better="b")), WITHDRAWN, (matched(side),))
    assert (vote.way, vote.arm) == (Way.BENEFIT, "B")


def test_no_match_makes_a_trial_of_taking_it_one_of_stopping_it() -> None:
    assert not votes(study(result(better="b")), PLAIN, (matched("b"),))


def test_a_match_names_the_arm_that_stopped_what_the_arms_do_not() -> None:
    unnamed = study(result(better="b"), arms=(named(arm("A", "its class"), "continued"), OFF))
    (vote,) = votes(unnamed, PLAIN, (matched("b"),))
    assert (vote.way, vote.arm) == (Way.BENEFIT, "B")


def test_deaths_after_stopping_are_never_lost_to_a_match() -> None:
    died = result(DEATHS, kind="safety", better="a", higher_is_better=False)
    (vote,) = votes(study(died), WITHDRAWN, ())
    assert (vote.way, vote.is_fatal) == (Way.HARM, True)


def test_a_reason_that_stands_is_kept() -> None:
    found = compared_in(study(result()), result(), record(), asked())
    other = found._replace(why_not="another reason")
    told = stopped_by(other, study(result()), result(), record(WITHDRAWN), stopping())
    assert told == other
