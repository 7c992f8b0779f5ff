"""Proof by figures: counts, intervals, p, studies that found nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deepcritical.appraisal.body.certainty import LADDER
from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.body.what_if import plus, what_if
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.study.reading import ArmFigure, Effect, Result
from tests.unit.appraisal.builders import (
    DEATHS,
    DRUG,
    arm,
    ballot,
    finding,
    findings,
    made_up_votes,
    result,
    study,
    vote,
)
from tests.unit.appraisal.cases import eff

FATAL: dict[str, Any] = {"row": DEATHS, "is_grave": True, "is_fatal": True}
SAME_DEATHS = Effect(p=0.8)


def died(way: Way, people: int, effect: Effect) -> Vote:
    return vote(way, people=people, effect=effect, higher_is_better=False, **FATAL)


@pytest.mark.parametrize(
    ("more", "same", "label"),
    [
        (300, 700, "mixed"),
        (240, 760, "mixed"),
        (400, 600, "mixed"),
        (700, 300, "harmful"),
        (20, 980, "unsupported"),
    ],
)
def test_more_deaths_in_one_of_two_trials_are_never_lost(more: int, same: int, label: str) -> None:
    worse = died(Way.HARM, more, eff("RR", 1.8, 1.3, 2.5))
    found = decide(findings(worse, died(Way.NO_DIFFERENCE, same, SAME_DEATHS)))
    assert found.label == label


def test_a_doubt_of_more_deaths_is_told_with_a_benefit() -> None:
    worse = died(Way.HARM, 300, eff("RR", 1.8, 1.3, 2.5)).model_copy(update={"level": "secondary"})
    same = died(Way.NO_DIFFERENCE, 700, SAME_DEATHS).model_copy(update={"level": "secondary"})
    helps = vote(people=700)
    found = decide((finding(helps, worse, key="E1"), finding(helps, same, key="E2")))
    assert found.label == "supported"
    assert any(cap.startswith(f"{DEATHS.capitalize()}: studies differ") for cap in found.caps)


def counted(a: int, b: int, n: int, **own: Any) -> Result:
    figures = (ArmFigure(arm="A", n=n, events=a), ArmFigure(arm="B", n=n, events=b))
    return result(**{"figures": figures, "effect": None, "higher_is_better": False, **own})


COUNTS = {
    "two against three of 26": (counted(2, 3, 26), Way.NO_DIFFERENCE),
    "ten against forty of 100": (counted(10, 40, 100), Way.BENEFIT),
    "three harms against two": (counted(3, 2, 26, better="b", kind="safety"), Way.NO_DIFFERENCE),
    "many, and the record says it is none": (
        counted(10, 40, 100, better="no_difference"),
        Way.NO_DIFFERENCE,
    ),
    "few, and the record gives a p": (counted(4, 11, 50, effect=Effect(p=0.03)), Way.BENEFIT),
    "p below a tenth": (result(effect=Effect(p=0.1, p_operator="<")), Way.NO_DIFFERENCE),
    "p of a twentieth": (result(effect=Effect(p=0.05)), Way.NO_DIFFERENCE),
}


@pytest.mark.parametrize(("told", "way"), COUNTS.values(), ids=COUNTS)
def test_what_is_not_significant_is_no_difference_shown(told: Result, way: Way) -> None:
    assert [v.way for v in ballot(study(told)).votes] == [way]


def test_of_a_crossover_no_interval_is_calculated_from_counts() -> None:
    told = counted(14, 5, 55, better="b", effect=Effect(p=0.038))
    (found,) = ballot(study(told, design=("randomised", "crossover"))).votes
    assert (found.way, found.effect, found.from_arms) == (Way.HARM, Effect(p=0.038), False)


def test_an_interval_that_the_records_own_p_contradicts_is_not_calculated() -> None:
    (found,) = ballot(study(counted(4, 11, 50, effect=Effect(p=0.03)))).votes
    assert (found.effect, found.from_arms) == (Effect(p=0.03), False)


def test_what_was_calculated_is_marked() -> None:
    (counts,) = ballot(study(counted(10, 40, 100))).votes
    assert (counts.from_arms, counts.turned_from) == (True, None)
    ratio = eff("HR", 1.25, 1.1, 1.4)
    arms = (arm("A", "testamine"), arm("B", DRUG))
    (turned,) = ballot(study(result(effect=ratio, better="b"), arms=arms)).votes
    assert turned.effect is not None
    assert (turned.effect.value, turned.turned_from, turned.from_arms) == (0.8, ratio, False)
    (row,) = outcome_rows(findings(turned))
    assert row.effects[0].turned_from == ratio
    (plain,) = ballot(study(result(effect=ratio, better="b", higher_is_better=False))).votes
    assert (plain.from_arms, plain.turned_from) == (False, None)


@pytest.mark.parametrize(
    ("ratio", "way"),
    [(eff("HR", 0.6, 0.4, 0.9), Way.BENEFIT), (eff("HR", 1.0, 0.7, 1.4), Way.NO_DIFFERENCE)],
)
@pytest.mark.parametrize(("events", "level"), [((30, 33), "primary"), ((10, 40), "unstated")])
def test_a_ratio_that_is_told_goes_before_one_of_counts(
    ratio: Effect, way: Way, events: tuple[int, int], level: str
) -> None:
    at_a_year = counted(*events, 100, outcome=DEATHS, better="unclear", level=level)
    over_all = result(DEATHS, better="unclear", effect=ratio, level="unstated")
    (vote_of_it,) = ballot(study(at_a_year, over_all)).votes
    assert (vote_of_it.way, vote_of_it.effect) == (way, ratio)


DIED = (
    ((0.90, 0.80, 1.01), (0.97, 0.85, 1.11), "unsupported"),
    ((0.99, 0.96, 1.02), (1.0, 0.97, 1.03), "refuted"),
)


@pytest.mark.parametrize(("one", "two", "label"), DIED)
def test_a_small_fall_of_deaths_must_be_excluded_to_refute(
    one: tuple[float, float, float], two: tuple[float, float, float], label: str
) -> None:
    trials = [died(Way.NO_DIFFERENCE, 6000, eff("RR", *own)) for own in (one, two)]
    assert decide(findings(*trials)).label == label


@pytest.mark.parametrize(("people", "certainty"), [(400, "moderate"), (1500, "high")])
def test_few_people_never_surely_show_that_nothing_differs(people: int, certainty: str) -> None:
    none = vote(Way.NO_DIFFERENCE, people=people, effect=eff("SMD", 0, -0.15, 0.15))
    assert decide(findings(none, none)).certainty == certainty


def test_two_more_trials_of_400_never_refute_a_fall_of_deaths() -> None:
    told = findings(died(Way.NO_DIFFERENCE, 122, Effect(p=0.4)))
    changes = {change.change: change.verdict for change in what_if(told)}
    more = changes["also held one randomised trial with 400 participants without benefit"]
    assert (more.label, more.certainty in ("low", "very low", "moderate")) == ("unsupported", True)
    assert "refuted" not in {verdict.label for verdict in changes.values()}


_FAVOUR = ("refuted", "unsupported", "mixed", "promising", "supported")


@given(st.lists(made_up_votes(rows=("flurb score",)), min_size=1, max_size=4))
def test_a_null_trial_never_makes_the_answer_more_favourable(votes: list[Vote]) -> None:
    own = {"comparator": "", "tier": "randomised"}
    studies = findings(*[v.model_copy(update=own) for v in votes])
    before, after = decide(studies).label, plus(studies, Way.NO_DIFFERENCE).label
    assume(before in _FAVOUR and after in _FAVOUR)
    assert _FAVOUR.index(after) <= max(1, _FAVOUR.index(before))


@given(st.lists(made_up_votes(ways=(Way.BENEFIT,), near=("direct",)), min_size=1, max_size=3))
def test_a_null_trial_never_makes_a_benefit_surer(votes: list[Vote]) -> None:
    plain = {"comparator": "", "tier": "randomised", "review": False, "row": "flurb score"}
    own = {"importance": "critical", "is_grave": False, "is_fatal": False, "level": "primary"}
    studies = findings(*[v.model_copy(update=plain | own) for v in votes])
    before, after = decide(studies), plus(studies, Way.NO_DIFFERENCE)
    assume(after.label in ("promising", "supported"))
    assert before.label == "supported" or after.label == before.label
    assert LADDER.index(after.certainty) <= LADDER.index(before.certainty)


@pytest.mark.parametrize(
    ("other", "told"),
    [(50, "fewer than 400 people were studied"), (None, "people are known to be behind it")],
)
def test_of_untold_people_nobody_says_how_few_they_are(other: int | None, told: str) -> None:
    (row,) = outcome_rows(findings(vote(people=200), vote(people=other)))
    assert any(reason.endswith(told) for reason in row.reasons)
