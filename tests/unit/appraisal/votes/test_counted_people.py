"""People and studies that a result counts for, and the review that is weighed of several."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.reading import Arm, Effect, Intervention
from tests.unit.appraisal.builders import (
    CONDITION,
    DRUG,
    OUTCOME,
    arm,
    asked,
    ballot,
    findings,
    null,
    people,
    result,
    study,
    vote,
)
from tests.unit.appraisal.cases import eff, judged, review

REVIEW: dict[str, Any] = {"review": True, "people": 2000, "studies": 8}


def unsized(*arms: Arm) -> tuple[Arm, ...]:
    return tuple(one.model_copy(update={"n": None}) for one in arms)


THREE = unsized(arm("A", DRUG), arm("B"), arm("C", "testamine"))
DOSES = unsized(arm("A", DRUG), arm("B"), arm("C", DRUG))
OTHER = unsized(arm("A", DRUG), arm("B"), arm("C", control="usual_care"))


@pytest.mark.parametrize(
    ("arms", "design", "counted"),
    [
        (THREE, ("randomised",), None),
        (THREE[:2], ("randomised", "factorial"), None),
        (THREE[:2], ("randomised",), 300),
        (DOSES, ("randomised",), 300),
        (OTHER, ("randomised",), 300),
    ],
)
def test_people_of_all_arms_are_not_those_of_one_drug(
    arms: tuple[Arm, ...], design: tuple[str, ...], counted: int | None
) -> None:
    told = study(result(), arms=arms, design=design)
    assert [v.people for v in ballot(told).votes] == [counted]


def test_a_drug_of_the_class_that_was_tested_is_no_other_drug() -> None:
    arms = unsized(arm("A", "statins", alternatives=True), arm("B"), arm("C", "simvastatin"))
    question = asked_of(Drug(name="statins"), Condition(name=CONDITION, names=(CONDITION,)))
    assert [v.people for v in ballot(study(result(), arms=arms), question).votes] == [300]


def test_people_of_arms_that_are_told_are_theirs() -> None:
    told = study(result(), arms=(arm("A", DRUG, n=90), arm("B", n=80), THREE[2]))
    assert [v.people for v in ballot(told).votes] == [170]


@pytest.mark.parametrize(
    ("told", "arms", "studies"),
    [
        ("3 randomised controlled trials", THREE, 3),
        ("seven cohort studies", THREE[:2], 7),
        ("", THREE, None),
        ("", THREE[:2], 42),
    ],
)
def test_studies_of_a_review_are_those_of_the_result(
    told: str, arms: tuple[Arm, ...], studies: int | None
) -> None:
    own = {"kinds": ("systematic_review",), "population": people(n_studies=42)}
    found = result(people=told, effect=eff("RR", 0.47, 0.25, 0.86))
    assert [v.studies for v in ballot(study(found, arms=arms, **own)).votes] == [studies]


def chosen(*votes: Vote) -> tuple[str, ...]:
    return outcome_rows(findings(*votes))[0].evidence_ids


def test_of_reviews_of_like_size_the_newest_is_counted() -> None:
    old = vote(**REVIEW, year=2021)
    assert chosen(old, vote(Way.NO_DIFFERENCE, **REVIEW | {"people": 1500}, year=2022)) == ("E2",)
    assert chosen(old, vote(Way.NO_DIFFERENCE, **REVIEW | {"people": 900}, year=2022)) == ("E1",)


def test_a_review_stands_behind_trials_of_which_some_do_not_tell_their_size() -> None:
    trials = (vote(Way.NO_DIFFERENCE, people=2500), vote(Way.NO_DIFFERENCE, people=None))
    assert chosen(*trials, vote(**REVIEW)) == ("E1", "E2")


SOUND = "without trials with a high risk of bias"


def test_a_benefit_that_trials_at_risk_of_bias_make_is_none() -> None:
    told = review(result(people="all trials"), null(people=SOUND, effect=None), n=5000)
    assert [(v.row, v.way) for v in ballot(told).votes] == [(OUTCOME, Way.NO_DIFFERENCE)]
    assert judged(told).label in ("unsupported", "refuted")
    kept = review(result(people="all trials"), result(people=SOUND), n=5000)
    assert {v.way for v in ballot(kept).votes} == {Way.BENEFIT}


def test_a_low_benefit_stands_not_alone_beside_a_sure_null_of_far_more_people() -> None:
    tight = eff("SMD", 0, -0.1, 0.1)
    none = vote(Way.NO_DIFFERENCE, row="blivet", people=4000, effect=tight, level="secondary")
    low = vote(people=300, level="secondary")
    assert decide(findings(none, none, low)).label == "mixed"
    assert decide(findings(low)).label == "promising"


CLASS = asked()._replace(classes=frozenset({"flurbine blockers"}), kin=frozenset({"testamine"}))


@pytest.mark.parametrize(
    ("label", "votes"), [("other flurbine blockers", 0), ("flurbine blockers", 1)]
)
def test_what_others_of_a_class_did_is_not_charged_to_one(label: str, votes: int) -> None:
    given = (Intervention(name="flurbine blockers"),)
    arms = (
        arm("A", "zorbafen"),
        Arm(id="B", label=label, interventions=given, alternatives=True),
    )
    assert len(ballot(study(result(), arms=arms), CLASS).votes) == votes


ADDED = (arm("A", DRUG, "testamine"), arm("B", "testamine"))


def test_a_row_can_say_what_the_drug_was_added_to() -> None:
    question = asked()._replace(partners=(frozenset({"testamine"}),))
    (row,) = outcome_rows(findings(*ballot(study(result(), arms=ADDED), question).votes))
    assert (row.comparator, row.asked, row.added_to, row.given_with) == (
        "testamine",
        True,
        "testamine",
        "",
    )
    assert row.finding.startswith("better with the drug than with testamine alone")
    (plain,) = outcome_rows(findings(*ballot(study(result(), arms=ADDED)).votes))
    assert (plain.comparator, plain.added_to) == ("", "testamine")


def test_another_partner_is_not_the_comparison_of_a_combination() -> None:
    question = asked()._replace(partners=(frozenset({"testamine"}),))
    arms = (arm("A", DRUG, "testamine"), arm("B", "zorbafen", "testamine"))
    (found,) = ballot(study(result(), arms=arms), question).votes
    assert (found.comparator, found.against_asked) == ("testamine + zorbafen", False)
    whole = (arm("A", DRUG, "testamine"), arm("B"))
    (found,) = ballot(study(result(), arms=whole), question).votes
    assert (found.comparator, found.given_with) == ("", "testamine")


def test_of_a_combination_without_the_outcome_asked_that_is_said() -> None:
    question = asked()._replace(
        partners=(frozenset({"testamine"}),), outcomes=("all-cause mortality",)
    )
    told = study(result("progression-free survival", effect=Effect(p=0.001)), arms=ADDED)
    assert "No result was recognised" in judged(told, question=question).rule
