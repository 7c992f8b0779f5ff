"""The question as a model reads it, where the rules do not know its names."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.question import QuestionForm, ResearchQuestion
from deepcritical.reasoning.answers import Plan
from deepcritical.reasoning.planning import as_planned, is_known
from deepcritical.reasoning.questions import read_question
from tests.unit.reasoning.examples import QUESTION

ODD = "Folks say examplol does wonders when one has testitis, by way of testase."


def planned(by_rule: ResearchQuestion | None = None, **plan: Any) -> ResearchQuestion | None:
    named = {"drug": "examplol", "condition": "testitis", "searches": [], **plan}
    return as_planned(ODD, Plan.model_validate(named), by_rule)


def test_names_of_the_question_are_taken_and_the_reader_is_told() -> None:
    found = planned()
    assert found
    assert found.drug
    assert found.condition
    assert (found.drug.name, found.condition.name) == ("examplol", "testitis")
    assert found.text == ODD
    assert found.form is QuestionForm.DRUG_CONDITION
    assert "read by the model as" in found.notices[0]


@pytest.mark.parametrize("condition", ["", "gout", "PMID 99000001"])
def test_a_condition_that_is_not_in_the_question_is_none(condition: str) -> None:
    assert planned(condition=condition) is None


def test_a_drug_that_is_not_in_the_question_is_none() -> None:
    found = planned(drug="aspirin")
    assert found
    assert found.drug is None
    assert found.form is QuestionForm.CONDITION


def test_the_mechanism_is_in_the_questions_own_words() -> None:
    found = planned(mechanism_terms=["testase", "mTOR"])
    assert found
    assert found.mechanism_terms == ("testase",)
    assert found.form is QuestionForm.HYPOTHESIS


def test_the_same_names_as_the_rules_add_nothing() -> None:
    assert planned(QUESTION) is None


def test_names_of_the_vocabularies_are_known() -> None:
    assert is_known(read_question("Can metformin be repurposed for Alzheimer's disease?"))
    assert not is_known(QUESTION)
