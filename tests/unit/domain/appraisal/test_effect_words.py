"""The figures of a row in words: an estimate of the row's own direction, and what it is of."""

from __future__ import annotations

from typing import Any

from deepcritical.domain.appraisal.effect_words import effect_size, row_direction
from deepcritical.domain.appraisal.votes import OutcomeRow, RowEffect, Way
from deepcritical.domain.study.reading import Effect

LARGE = RowEffect(evidence_ids=("E1",), way=Way.BENEFIT, level="primary", people=152)
SMALL = RowEffect(
    evidence_ids=("E2",),
    way=Way.NO_DIFFERENCE,
    level="primary",
    people=52,
    effect=Effect(measure="RR", value=1.0, ci_low=0.15, ci_high=6.57),
)


def row(*effects: RowEffect, **changes: Any) -> OutcomeRow:
    fields = {
        "outcome": "flurb score",
        "importance": "critical",
        "tier": "randomised",
        "way": Way.BENEFIT,
        "studies": len(effects),
        "certainty": "low",
        "effects": effects,
    }
    return OutcomeRow.model_validate({**fields, **changes})


def test_no_estimate_stands_in_a_row_that_points_another_way() -> None:
    assert effect_size(row(LARGE, SMALL)) == ""
    both = SMALL.model_copy(update={"way": Way.CONFLICT})
    assert effect_size(row(LARGE, both, way=Way.CONFLICT)) == ""


def test_an_estimate_of_a_smaller_study_is_not_called_that_of_the_largest() -> None:
    small = SMALL.model_copy(update={"way": Way.BENEFIT})
    assert effect_size(row(LARGE, small)).endswith("in one of the studies")
    large = LARGE.model_copy(update={"effect": SMALL.effect})
    assert effect_size(row(large, small)).endswith("in the largest study")


def test_the_direction_of_an_effect_too_small_to_matter_says_so() -> None:
    assert row_direction(row(LARGE, trivial=True)).endswith(", too little to matter")
    assert row_direction(row(SMALL, way=Way.NO_DIFFERENCE, trivial=True)) == "no difference shown"


def test_a_figure_of_the_drug_does_not_hide_one_of_its_class() -> None:
    effects = (
        SMALL.model_copy(update={"way": Way.BENEFIT, "people": None}),
        LARGE.model_copy(update={"effect": Effect(measure="HR", value=0.82), "tested_as": "zorbs"}),
    )
    told = (
        "risk ratio 1, 95 % CI 0.15 to 6.57 of the drug by itself, hazard ratio 0.82 of its class"
    )
    assert effect_size(row(*effects)) == told


def test_beside_a_pooled_estimate_stands_no_figure_of_a_smaller_study() -> None:
    pooled = {"measure": "RR", "studies": 2, "value": 0.9, "ci_low": 0.7, "ci_high": 1.1, "i2": 0}
    effects = [
        one.model_copy(update={"way": Way.BENEFIT})
        for one in (SMALL, SMALL.model_copy(update={"people": None}), SMALL)
    ]
    split = row(*effects, pooled={**pooled, "fixed": (0.9, 0.7, 1.1)})
    assert effect_size(split) == "pooled risk ratio 0.9, 95 % CI 0.7 to 1.1 of 2 of the 3 studies"


def test_the_direction_of_an_amount_is_no_frequency() -> None:
    harm = {"importance": "harm", "way": Way.HARM}
    assert row_direction(row(outcome="zorb burden", **harm)) == "higher with the drug"
    assert row_direction(row(outcome="zorbs", **harm)) == "more frequent with the drug"
