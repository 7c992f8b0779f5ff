"""Results that a model is asked to match: those that code would not refuse whatever it says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.appraisal.votes.records import results_to_match
from deepcritical.appraisal.votes.voting import ballot_of
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.study.reading import Result, StudyReading
from deepcritical.prompts.evidence import shown_studies
from tests.unit.appraisal.builders import arm, asked, made_up_results, null, record, result, study
from tests.unit.appraisal.pico.test_matching import match

PAPER = record()
GRADE = grade(PAPER)


def shown(reading: StudyReading) -> tuple[int, ...]:
    return results_to_match(asked(), PAPER, reading, GRADE)


@pytest.mark.parametrize(
    "told",
    [
        result(kind="mechanism"),
        result(restated=True),
        result(level="subgroup"),
        result(a="B", b="C"),
        result(better="unclear"),
    ],
    ids=["mechanism", "told before", "subgroup", "without the drug", "no direction"],
)
def test_what_code_refuses_is_left_out_and_the_others_keep_their_places(told: Result) -> None:
    reading = study(told, null(), arms=(arm("A", "examplol"), arm("B"), arm("C", "metformin")))
    assert shown(reading) == (1,)


def test_a_harm_is_shown() -> None:
    assert shown(study(result("deaths", kind="safety", better="b"))) == (0,)


def test_experiments_hold_none_and_a_plan_is_told_without_any() -> None:
    mice, plan = study(result(), kinds=("animal",)), study(kinds=("trial", "protocol"))
    readings = {"E1": mice, "E2": plan}
    wanted = {key: shown(one) for key, one in readings.items()}
    told = shown_studies(["E1", "E2"], dict.fromkeys(readings, PAPER), readings, 9_000, wanted)
    assert (told.ids, told.left_out) == (("E2",), 0)


@given(
    made_up_results(),
    st.fixed_dictionaries(
        {
            "side": st.sampled_from("ab"),
            "importance": st.sampled_from(["critical", "important", "surrogate", "harm"]),
            "directness": st.sampled_from(["direct", "broader", "related"]),
        }
    ),
)
def test_no_match_makes_a_result_count_that_is_not_shown(told: Result, said: Any) -> None:
    reading = study(told)
    if not shown(reading):
        assert not ballot_of(reading, PAPER, asked(), GRADE, [match(**said)]).votes
