"""What would change a verdict is what the rules say of the other evidence."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal import Direction, StudyFinding
from deepcritical.domain.verdict import VerdictLabel, decide
from deepcritical.domain.what_if import what_if
from tests.unit.domain.records import study

SUPPORTS, REFUTES, NONE = Direction.SUPPORTS, Direction.REFUTES, Direction.NONE
SMALL = study(SUPPORTS, 2, 20, key="E1")
COHORT_FOR = study(SUPPORTS, 3, key="E2")
COHORT_AGAINST = study(REFUTES, 3, key="E3")
LARGE_FOR = study(SUPPORTS, 2, 500, key="E4")
LARGE_FOR_TOO = study(SUPPORTS, 2, 500, key="E5")


def told(*studies: StudyFinding) -> dict[str, VerdictLabel]:
    return {
        " ".join((change.change, *change.without)): change.verdict.label
        for change in what_if(studies)
    }


def test_a_small_trial_needs_another_one() -> None:
    found = told(SMALL)
    assert found["also held one randomised trial with 400 participants in favour"] == "supported"
    assert found["also held one randomised trial with 400 participants without benefit"] == "mixed"


def test_without_any_study_one_trial_is_promising_and_two_are_enough() -> None:
    found = told()
    assert found["also held one randomised trial with 400 participants in favour"] == "promising"
    assert found["also held two such trials in favour"] == "supported"
    assert found["also held one cohort in favour"] == "promising"
    assert found["also held one cohort without benefit"] == "unsupported"


def test_a_cohort_is_not_told_where_a_trial_decides() -> None:
    assert not [change for change in told(SMALL) if "cohort" in change]


def test_cohorts_that_hold_trials_down_are_named_by_what_the_trials_alone_say() -> None:
    found = told(SMALL, COHORT_AGAINST)
    assert decide([SMALL, COHORT_AGAINST]).label == "mixed"
    assert found["held only the randomised studies"] == "promising"
    assert found["lacked E3"] == "promising"
    assert found["lacked E1"] == "unsupported"


def test_a_study_that_changes_nothing_is_not_told() -> None:
    others = (COHORT_FOR, study(NONE, 2, key="E9"))
    assert not [c for c in told(LARGE_FOR, LARGE_FOR_TOO, SMALL, *others) if c.startswith("lacked")]
    assert told(LARGE_FOR, SMALL)["lacked E4"] == "promising"


@pytest.mark.parametrize("studies", [(), (SMALL,), (SMALL, COHORT_AGAINST, LARGE_FOR)])
def test_each_verdict_is_that_of_the_rules(studies: tuple[StudyFinding, ...]) -> None:
    for change in what_if(studies):
        if change.without:
            left = [s for s in studies if s.evidence_ids != change.without]
            assert change.verdict == decide(left)
