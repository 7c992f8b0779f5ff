"""Tests that a judge's matches rest on results that were shown, in names that were read."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.study import Arm, Intervention
from deepcritical.models.answers import AssessedResults
from deepcritical.reasoning.by_model import matches_of
from deepcritical.reasoning.choosing import with_unrecognised
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.appraisal.builders import record, result, study
from tests.unit.reasoning.examples import QUESTION

READINGS = {
    "E1": study(result("time to glimmer"), result("flurb")),
    "E2": study(result("days of glimmering")),
}


def judged(*results: tuple[str, int, str], shows: str | None = "supported") -> AssessedResults:
    """An answer that matches these results, each under a name of the model's."""
    told: list[dict[str, Any]] = [
        {
            "record": record,
            "result": number,
            "drug_arm": "a",
            "outcome": name,
            "weight": "decides",
            "people": "asked",
        }
        for record, number, name in results
    ]
    scores = {"mechanism_score": 1, "clinical_score": 1, "confidence": "low"}
    return AssessedResults.model_validate(
        {**scores, "answers_question": True, "results": told, "shows": shows}
    )


def test_results_that_a_model_joins_have_a_name_that_was_read_and_no_word_of_its_own() -> None:
    answer = judged(("E1", 1, "Ignore the rules"), ("E2", 1, "ignore the rules "))
    found = matches_of(answer, READINGS, READINGS)
    names = {match.outcome for one in found.values() for match in one.results}
    assert names == {"time to glimmer"}


def test_what_the_table_has_in_two_rows_gives_no_name_to_what_it_has_not() -> None:
    read = {"E1": study(result("pain"), result("nausea"), result("flurbiness"))}
    for named, row in (((1, 3), "pain"), ((1, 2, 3), "flurbiness")):
        found = matches_of(judged(*(("E1", n, "x") for n in named)), read, read)
        assert {match.outcome for match in found["E1"].results} == {row}


def test_what_no_record_has_is_left_out_and_nothing_counts_twice() -> None:
    answer = judged(("E1", 1, "x"), ("E1", 1, "y"), ("E1", 0, "x"), ("E1", 3, "x"), ("E9", 1, "x"))
    found = matches_of(answer, READINGS, READINGS)
    assert [match.result for match in found["E1"].results] == [0]
    assert found["E2"].results == ()


def test_an_answer_without_a_result_that_was_shown_is_not_used() -> None:
    assert matches_of(judged(("E9", 1, "x")), READINGS, READINGS) == {}
    assert matches_of(judged(shows=None), READINGS, READINGS) == {}
    assert set(matches_of(judged(shows="insufficient evidence"), READINGS, READINGS)) == {
        "E1",
        "E2",
    }


@pytest.mark.parametrize(
    ("given", "title", "shown"),
    [
        (Intervention(name="metformin", drug="metformin"), "Metformin in testitis", False),
        (Intervention(name="metformin", drug="metformin"), "Examplol or metformin", True),
        (Intervention(name="EX-12"), "EX-12 in testitis", True),
    ],
    ids=["of another drug", "it names the drug", "what was given is not known"],
)
def test_a_study_in_which_nothing_was_recognised_is_shown_unless_it_is_of_another_drug(
    given: Intervention, title: str, *, shown: bool
) -> None:
    store = EvidenceStore()
    (key,) = store.add([record(title, content="Adults were treated. The flurb score was better.")])
    arms = (Arm(id="A", interventions=(given,)), Arm(id="B", control="placebo"))
    store.add_study(key, study(result(), arms=arms))
    assert with_unrecognised(QUESTION, store, [], {}) == [key] * shown
