"""Results of all people of a study, and the one of several on one outcome that counts."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.votes.analysed import is_of_completers, is_of_subgroup, is_whole
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.study.reading import Effect
from tests.unit.appraisal.builders import DEATHS, ballot, null, people, result, study
from tests.unit.appraisal.cases import eff

WHOLE = (
    "intention-to-treat population",
    "modified ITT analysis",
    "all randomised patients",
    "all adults with testitis",
    "both groups",
    "overall population",
    "safety analysis set",
    "300 participants",
    "per-protocol population",
    "those who completed 12 weeks",
    "study completers",
)
PART = (
    "all women older than 75 with a prior stroke",
    "the entire biomarker-positive subgroup",
    "smokers in both groups",
    "overall responders",
    "treated patients with high CRP",
    "all patients who died",
    "the placebo group",
)


@pytest.mark.parametrize("told", WHOLE)
def test_words_for_everybody_part_nobody_off(told: str) -> None:
    assert is_whole(result(people=told), study(result()))


@pytest.mark.parametrize("told", PART)
def test_words_for_some_are_not_those_for_everybody(told: str) -> None:
    assert not is_whole(result(people=told), study(result()))
    assert ballot(study(result(people=told, level="unstated"))).votes == ()


def test_words_of_the_population_itself_part_nobody_off() -> None:
    own = people("testitis", "stroke", description="women older than 75 with a prior stroke")
    told = result(people=PART[0])
    assert is_whole(told, study(told, population=own))


def test_a_record_on_a_subgroup_alone_has_no_other_people() -> None:
    told = result(people="women", level="subgroup")
    own = {"description": "women with testitis", "n_randomised": 54}
    (vote,) = ballot(study(told, population=people(part_of_trial=True, **own))).votes
    assert (vote.people, vote.directness) == (300, "broader")
    assert ballot(study(told, population=people(**own))).votes == ()


@pytest.mark.parametrize(
    ("outcomes", "ages", "is_part"),
    [
        (("relapse", "relapse"), ("under 65", "65 and over"), False),
        (("relapse", "stroke"), ("under 65", "under 65"), True),
        (("relapse",), ("under 65",), True),
    ],
)
def test_a_record_told_by_strata_alone_is_of_no_subgroup_and_one_on_a_single_stratum_is(
    outcomes: tuple[str, ...], ages: tuple[str, ...], is_part: bool
) -> None:
    told = [
        result(outcome, level="subgroup", people=age)
        for outcome, age in zip(outcomes, ages, strict=True)
    ]
    assert is_of_subgroup(told[0], study(*told)) is is_part


def test_trials_of_a_review_are_all_of_them() -> None:
    told = result(people="all nine completed trials")
    assert is_whole(told, study(told, kinds=("systematic_review",)))


@pytest.mark.parametrize("told", ["completers", "per-protocol set", "patients who completed"])
def test_those_who_stayed_stand_behind_all_who_were_randomised(told: str) -> None:
    kept = result(people=told, effect=eff("SMD", -0.5, -0.8, -0.2))
    assert is_of_completers(kept)
    assert [v.way for v in ballot(study(kept, null())).votes] == [Way.NO_DIFFERENCE]
    assert [v.of_completers for v in ballot(study(kept)).votes] == [True]


def test_an_exploratory_result_stands_behind_a_secondary_one() -> None:
    later = result(f"{DEATHS} (exploratory)", level="unstated", effect=eff("RR", 0.6, 0.4, 0.9))
    first = null(DEATHS, level="secondary", effect=eff("RR", 0.9, 0.7, 1.2))
    (found,) = ballot(study(later, first)).votes
    assert (found.way, found.outcome) == (Way.NO_DIFFERENCE, DEATHS)


def test_a_result_of_unstated_rank_does_not_go_before_a_secondary_one() -> None:
    told = result(DEATHS, level="unstated"), null(DEATHS, level="secondary", effect=Effect(p=0.5))
    assert [v.way for v in ballot(study(*told)).votes] == [Way.CONFLICT]
