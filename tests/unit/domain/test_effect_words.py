"""The figures of a row in words: an estimate of the row's own direction, and what it is of."""

from __future__ import annotations

from typing import Any

from deepcritical.domain.effects import effect_size, row_direction
from deepcritical.domain.study import Effect
from deepcritical.domain.votes import OutcomeRow, RowEffect, Way

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
