"""Results of pooled studies and of parts of them, and the rates of both sides of a trial."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.effect_words import size_words
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.study.reading import Effect, EffectMeasure
from tests.unit.appraisal.builders import DRUG, LESS, SAME, arm, ballot, null, people, result, study


def test_what_a_review_pools_of_some_of_its_trials_votes() -> None:
    pooled = result(people="5 of the 9 trials", effect=LESS, higher_is_better=False)
    votes = ballot(study(pooled, kinds=("systematic_review",), design=())).votes
    assert [vote.way for vote in votes] == [Way.BENEFIT]


@pytest.mark.parametrize("some", ["women in 5 trials", "open-label studies", "smaller trials"])
def test_trials_that_words_part_off_are_not_those_of_a_review(some: str) -> None:
    of_some = result(people=some, effect=LESS, higher_is_better=False)
    reading = study(of_some, kinds=("systematic_review",), population=people(n_studies=9))
    assert (ballot(reading).votes, ballot(reading).why) == ((), "only a part of its people")


def test_what_a_review_counts_of_its_trials_does_not() -> None:
    counted = result(people="one of nine trials")
    read = ballot(study(counted, kinds=("systematic_review",), design=()))
    assert (read.votes, read.why) == ((), "only a part of its people")


def test_a_trial_that_pools_others_with_itself_is_one_trial_in_its_own_results() -> None:
    nine = people(n_studies=9)
    own = null("death", level="secondary", kind="safety")
    all_nine = result(people="all nine trials", n=9000, effect=LESS, level="unstated")
    kinds = ("trial", "pooled_analysis")
    told = ballot(study(own, all_nine, kinds=kinds, population=nine)).votes
    assert [(v.review, v.studies, v.people) for v in told] == [(False, None, 300), (True, 9, 9000)]


def test_the_randomised_studies_of_a_review_speak_for_it() -> None:
    randomised = result(people="randomised trials", effect=LESS, level="unstated")
    others = null(people="non-randomised studies", level="unstated", effect=SAME)
    mixed = study(
        others, randomised, kinds=("systematic_review",), design=("randomised", "non_randomised")
    )
    assert [(v.way, v.tier) for v in ballot(mixed).votes] == [(Way.BENEFIT, "randomised")]


@pytest.mark.parametrize(
    ("unit", "figures", "told"),
    [
        ("%", ({"arm": "A", "value": 12.0}, {"arm": "B", "value": 14.5}), "14.5 % against 12 %"),
        (
            "",
            ({"arm": "A", "events": 5, "n": 50}, {"arm": "B", "events": 9, "n": 1200}),
            "9 of 1,200 against 5 of 50",
        ),
        ("points", ({"arm": "A", "value": 12.0}, {"arm": "B", "value": 14.5}), ""),
        ("%", ({"arm": "A", "value": 12.0},), ""),
    ],
)
def test_rates_are_told_of_both_sides_with_the_drug_first(
    unit: str, figures: tuple[dict[str, object], ...], told: str
) -> None:
    counted = result(unit=unit, figures=figures, effect=None, better="b")
    (found,) = ballot(study(counted, arms=(arm("A"), arm("B", DRUG)))).votes
    assert size_words(found.model_copy(update={"effect": None})) == told


def test_a_review_says_how_many_studies_it_takes_in() -> None:
    kinds, taken_in = ("systematic_review",), people(n_studies=7, n_randomised=None, n_analysed=900)
    review = study(result(), kinds=kinds, population=taken_in, arms=(arm("A", DRUG, n=None),))
    (found,) = ballot(review).votes
    assert (found.review, found.studies, found.people) == (True, 7, 900)
    assert [v.review for v in ballot(study(result())).votes] == [False]


def test_what_a_narrative_review_tells_of_stands_below_studies() -> None:
    told = study(result(), kinds=("narrative_review",))
    assert [v.tier for v in ballot(told).votes] == ["reported"]


def test_the_trials_of_a_drug_within_a_review_are_no_part_of_its_people() -> None:
    arms = (arm("A", DRUG, "testamine", alternatives=True), arm("B"), arm("C", DRUG))
    of_all, own = result(), null(a="C", people=f"trials of {DRUG}")
    review = study(of_all, own, kinds=("systematic_review",), arms=arms)
    (found,) = ballot(review).votes
    assert (found.arm, found.way, found.of_class, found.directness) == (
        "C",
        Way.NO_DIFFERENCE,
        False,
        "direct",
    )


def test_of_reports_of_one_result_the_one_with_an_interval_is_taken() -> None:
    bare, full = result(), result(effect=Effect(measure="RR", value=0.5, ci_low=0.3, ci_high=0.8))
    (found,) = ballot(study(bare, full)).votes
    assert found.effect
    assert found.effect.ci_low == 0.3


@pytest.mark.parametrize(("measure", "unit"), [("RD", "percentage points"), ("MD", "%")])
def test_a_difference_of_shares_is_told_in_points(measure: EffectMeasure, unit: str) -> None:
    effect = Effect(measure=measure, value=-5.0, ci_low=-9.0, ci_high=-1.0)
    (found,) = ballot(study(result(effect=effect, unit="%"))).votes
    assert found.unit == unit
