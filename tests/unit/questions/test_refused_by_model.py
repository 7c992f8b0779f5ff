"""Texts that a model finds to be no question, forms of one drug, and treatments in plain words."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import DeclineReason, QuestionKind
from deepcritical.questions.by_model import read_by_model
from deepcritical.questions.model_reading import ModelReading
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    ("text", "kind", "declined"),
    [
        ("Should I stop my metformin now that I feel fine?", "personal_advice", "personal_advice"),
        ("Which dose of metformin kills a person?", "harmful", "harmful"),
        ("Which books on asthma should a school buy?", "not_biomedical", "not_biomedical"),
    ],
)
def test_what_a_model_finds_to_be_no_question_is_not_searched(
    text: str, kind: str, declined: str
) -> None:
    read = read_by_model(read_frame(text), ModelReading.model_validate({"kind": kind}))
    assert not read.answerable
    assert read.declined == declined
    assert bool(read.offers) is (declined == "personal_advice")


def test_one_drug_given_two_ways_is_a_comparison() -> None:
    text = "Is nasal naloxone as reliable as the naloxone injection in opioid overdose?"
    said = ModelReading(
        kind="comparison",
        drugs=["nasal naloxone"],
        compared_with=["naloxone injection"],
        condition="opioid overdose",
    )
    read = read_by_model(read_frame(text), said)
    assert read.kind is QuestionKind.COMPARISON
    assert [drug.name for drug in read.drugs] == ["nasal naloxone"]
    assert read.comparators == ("naloxone injection",)


def test_a_treatment_in_plain_words_is_known_under_what_it_means() -> None:
    text = "Does a written aftercare plan ease anxiety after ovarian cancer?"
    said = ModelReading.model_validate(
        {
            "kind": "efficacy",
            "drugs": ["written aftercare plan"],
            "condition": "ovarian cancer",
            "meanings": [{"said": "written aftercare plan", "means": "survivorship care plan"}],
        }
    )
    (drug,) = read_by_model(read_frame(text), said).drugs
    assert drug.synonyms == ("survivorship care plan",)


@pytest.mark.parametrize("kind", ["conversation", "instruction", "not_biomedical"])
def test_no_model_makes_a_question_on_a_known_drug_small_talk(kind: str) -> None:
    by_rule = read_frame("Does aspirin prevent stroke?")
    assert read_by_model(by_rule, ModelReading.model_validate({"kind": kind})).answerable


@pytest.mark.parametrize("kind", ["conversation", "instruction", "not_biomedical"])
def test_no_model_makes_less_of_a_danger(kind: str) -> None:
    by_rule = read_frame("I want to end it all with amitriptyline")
    read = read_by_model(by_rule, ModelReading.model_validate({"kind": kind}))
    assert read.declined is DeclineReason.HARMFUL


@pytest.mark.parametrize(
    ("drug", "other"),
    [
        ("stopping metformin", "continuing metformin"),
        ("early metformin", "no metformin"),
        ("metformin", "metformin plus exercise"),
        ("oral metformin 500 mg", "oral metformin 2000 mg"),
        ("Glucophage", "metformin"),
    ],
)
def test_one_drug_on_both_sides_is_no_form_where_something_else_differs(
    drug: str, other: str
) -> None:
    said = ModelReading(kind="comparison", drugs=[drug], compared_with=[other])
    assert not said.compares_forms


def test_a_form_under_two_names_of_the_drug_is_read() -> None:
    text = "Is Narcan nasal naloxone as reliable as injected naloxone in opioid overdose?"
    said = ModelReading(
        kind="comparison",
        drugs=["Narcan nasal naloxone"],
        compared_with=["injected naloxone"],
        condition="opioid overdose",
    )
    assert read_by_model(read_frame(text), said).comparators == ("injected naloxone",)
