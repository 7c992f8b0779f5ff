"""Changes of a verdict: the same rules over one study less, one more, or trials alone."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.body.what_if import plus, recomputed, what_if
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Vote, Way
from tests.unit.appraisal.builders import (
    favourable_studies,
    finding,
    findings,
    made_up_studies,
    made_up_votes,
    same,
    vote,
)

HELPS, NONE = vote(), vote(Way.NO_DIFFERENCE)
COHORT, MARKER = vote(tier="controlled"), vote(row="snerk titre", importance="surrogate")
SUPPORTED = {
    "two trials": findings(HELPS, HELPS),
    "two trials and a cohort": findings(HELPS, HELPS, COHORT),
    "two trials and a surrogate": findings(HELPS, HELPS, MARKER, MARKER),
    "a review": findings(vote(review=True, studies=5, people=2000)),
    "a large trial": findings(vote(people=5000)),
    "a review with its trials": findings(vote(review=True, studies=5, people=900), HELPS),
}
PROMISING = {
    "a small trial": findings(vote(people=60)),
    "a trial": findings(HELPS),
    "a large trial of other people": findings(vote(people=5000, directness="broader")),
    "two small trials": findings(vote(people=60), vote(people=60)),
    "trials that are shaky": findings(
        *[vote(people=900, open_label=True, directness="broader")] * 2
    ),
    "a surrogate": findings(MARKER, MARKER),
    "cohorts": findings(COHORT, COHORT),
}


def told(*studies: StudyFinding) -> dict[str, VerdictLabel]:
    changes = what_if(studies)
    return {" ".join((c.change, *c.without)): c.verdict.label for c in changes}


@pytest.mark.parametrize("studies", SUPPORTED.values(), ids=SUPPORTED)
def test_a_supported_body_without_what_decides_is_no_longer_supported(
    studies: tuple[StudyFinding, ...],
) -> None:
    now = decide(studies)
    assert now.label == "supported"
    assert recomputed(studies, now.deciding_ids).label != "supported"


@given(st.lists(made_up_votes(), min_size=2, max_size=5))
def test_no_supported_body_of_trials_outlives_those_that_decide(votes: list[Vote]) -> None:
    plain = {"review": False, "directness": "direct"}
    benefits = [
        v.model_copy(update=plain | {"way": Way.BENEFIT, "effect": HELPS.effect}) for v in votes
    ]
    studies = findings(*benefits, HELPS, HELPS)
    now = decide(studies)
    assert now.label == "supported"
    assert recomputed(studies, now.deciding_ids).label != "supported"


@pytest.mark.parametrize("studies", PROMISING.values(), ids=PROMISING)
def test_a_null_trial_never_makes_a_promising_body_supported(
    studies: tuple[StudyFinding, ...],
) -> None:
    assert decide(studies).label == "promising"
    assert plus(studies, Way.NO_DIFFERENCE).label != "supported"


@given(made_up_studies(most=2) | favourable_studies(most=2))
def test_a_null_trial_never_makes_any_body_supported(studies: tuple[StudyFinding, ...]) -> None:
    assume(decide(studies).label != "supported")
    assert plus(studies, Way.NO_DIFFERENCE).label != "supported"


@given(made_up_studies(most=3))
def test_a_trial_in_favour_never_refutes(studies: tuple[StudyFinding, ...]) -> None:
    assume(decide(studies).label not in ("refuted", "harmful", "unsupported", "not assessed"))
    assert plus(studies, Way.BENEFIT).label not in ("refuted", "unsupported")


@given(made_up_studies())
def test_a_study_that_is_not_there_is_not_missed(studies: tuple[StudyFinding, ...]) -> None:
    assert recomputed(studies, ("E99",)) == decide(studies)
    more = (*studies, finding(HELPS, key="E99"))
    assert recomputed(more, ("E99",)) == decide(studies)


@given(made_up_studies(), st.integers(1, 5))
def test_without_is_the_verdict_on_the_others(
    studies: tuple[StudyFinding, ...], number: int
) -> None:
    key = f"E{number}"
    others = [s for s in studies if key not in s.evidence_ids]
    assert same(recomputed(studies, (key,)), decide(others))


def test_only_trials_are_kept_by_their_tier() -> None:
    studies = findings(HELPS, HELPS, COHORT)
    assert recomputed(studies, tier="randomised").deciding_ids == ("E1", "E2")
    assert recomputed(studies, tier="controlled").label == "promising"
    assert recomputed(studies, tier="uncontrolled").label == "insufficient evidence"


def test_a_trial_needs_another_one() -> None:
    found = told(*findings(HELPS))
    assert found["also held one randomised trial with 400 participants in favour"] == "supported"
    assert found["also held one randomised trial with 400 participants without benefit"] == "mixed"
    assert found["lacked E1"] == "insufficient evidence"


def test_of_nothing_one_trial_is_promising_and_two_are_enough() -> None:
    found = told()
    assert found["also held one randomised trial with 400 participants in favour"] == "promising"
    assert found["also held two such trials in favour"] == "supported"
    assert found["also held one randomised trial with 400 participants without benefit"] == (
        "unsupported"
    )
    assert found["also held two such trials without benefit"] == "refuted"
    assert found["also held one cohort in favour"] == "promising"
    assert found["also held one cohort without benefit"] == "unsupported"


def test_a_cohort_is_not_told_where_there_is_a_trial() -> None:
    assert not [change for change in told(*findings(HELPS)) if "cohort" in change]


def test_what_is_taken_away_is_told_only_where_the_verdict_hangs_on_it() -> None:
    two, three = told(*findings(HELPS, HELPS)), told(*findings(HELPS, HELPS, HELPS, NONE))
    assert (two["lacked E1"], two["lacked E2"]) == ("promising", "promising")
    assert "lacked E4" not in three


@pytest.mark.slow
@given(made_up_studies(most=3))
def test_each_change_is_the_verdict_of_the_rules(studies: tuple[StudyFinding, ...]) -> None:
    for change in what_if(studies):
        if change.without:
            assert change.verdict == recomputed(studies, change.without)
            assert change.verdict.label is not decide(studies).label
    found = told(*studies)
    one = found["also held one randomised trial with 400 participants in favour"]
    assert one is plus(studies, Way.BENEFIT).label
