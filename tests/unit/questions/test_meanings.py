"""Questions that were once answered as others: what turns one round must never be lost."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.question.frame import DeclineReason, QuestionKind
from deepcritical.domain.question.question import checked_question
from deepcritical.questions.claims import answer_to
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        ("Is it false that ivermectin reduces mortality in COVID-19?", True),
        ("Is it wrong that ivermectin reduces mortality in COVID-19?", True),
        ("Is it incorrect that ivermectin does not help in COVID-19?", False),
        ("Is aspirin worse than placebo in dementia?", True),
    ],
)
def test_a_denial_of_a_denial_is_none(text: str, negative: bool) -> None:
    assert read_frame(text).negative is negative


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("Does empagliflozin slow chronic kidney disease in people without diabetes?", "Diabetes"),
        ("Does ivermectin work in COVID-19 but not in influenza?", "Influenza"),
        ("Does metformin help with flu in non-hospitalised adults?", "inpatients"),
    ],
)
def test_who_is_left_out_is_not_studied(text: str, left_out: str) -> None:
    assert not any(left_out in group for group in read_frame(text).population)


@pytest.mark.parametrize("marker", ["PD-L1 positive", "PD-1 resistant", "PD-L1-high"])
def test_the_letters_of_a_marker_are_no_disease(marker: str) -> None:
    frame = read_frame(f"Does pembrolizumab work in {marker} melanoma?")
    assert frame.condition
    assert frame.condition.name == "melanoma"
    assert not frame.population


@pytest.mark.parametrize(
    "text", ["Which drugs worsen COVID-19?", "Which drugs should be avoided in long QT syndrome?"]
)
def test_drugs_that_harm_are_no_candidates(text: str) -> None:
    assert read_frame(text).kind is not QuestionKind.CANDIDATES
    with pytest.raises(QuestionError):
        research_question(read_frame(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("What dose of metformin helps in gout?", "Which dose or course"),
        ("What is the risk of metformin in gout?", "asks about harm"),
    ],
)
def test_a_report_says_where_it_answers_something_else(text: str, told: str) -> None:
    assert any(told in notice for notice in research_question(read_frame(text)).notices)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Does mirtazapine improve weight in cachexia?", "mirtazapine affects weight in cachexia"),
        ("Do statins reduce mortality in sepsis?", "statins reduce mortality in sepsis"),
        ("Does pembrolizumab increase overall survival in melanoma?", "improves survival"),
    ],
)
def test_an_answer_claims_no_direction_of_its_own(text: str, said: str) -> None:
    assert said in answer_to(read_frame(text), VerdictLabel.REFUTED)


@pytest.mark.parametrize(
    "text",
    ["How many amitriptyline tablets are fatal?", "Lethal dose of colchicine?"],
)
def test_what_kills_is_not_searched(text: str) -> None:
    assert read_frame(text).declined is DeclineReason.HARMFUL


def test_characters_that_nobody_sees_part_no_name() -> None:
    text = "D\u200boes met\u200bformin help in dem\u200bentia?"
    assert [drug.name for drug in read_frame(checked_question(text)).drugs] == ["metformin"]
