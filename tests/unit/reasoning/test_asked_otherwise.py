"""Questions in words that the papers do not use: outcomes by their measures, several at once."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.checklist import Aspect, InquiryKind
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.checklists import checklist_of
from deepcritical.reasoning.inquiries import inquiry_of
from deepcritical.reasoning.item_facts import read_items
from deepcritical.reasoning.outcome_families import with_measures
from deepcritical.reasoning.phrases import names_phrase, read_phrases
from tests.conftest import make_evidence


def sides(question: str, title: str, content: str) -> list[tuple[str, Stance]]:
    """The sentences of a record that answer a question, and for what they speak."""
    inquiry = inquiry_of(question)
    found = read_items(inquiry, checklist_of(inquiry), {"E1": make_evidence(title, content)})
    return [(fact.fact.quote, fact.side) for fact in found if fact.direct]


@pytest.mark.parametrize(
    ("question", "title", "sentence", "side"),
    [
        (
            "Does metformin slow cognitive decline in Alzheimer's disease?",
            "Metformin in Alzheimer's disease",
            "Metformin was associated with better executive functioning.",
            Stance.SUPPORTS,
        ),
        (
            "Does metformin slow cognitive decline in Alzheimer's disease?",
            "Metformin in Alzheimer's disease",
            "Metformin did not improve memory compared with placebo.",
            Stance.REFUTES,
        ),
        (
            "Is metformin safe in dementia?",
            "Metformin in Alzheimer's disease",
            "Metformin was safe and well tolerated.",
            Stance.SUPPORTS,
        ),
        (
            "Does propranolol shrink infantile hemangioma?",
            "Propranolol for infantile hemangioma",
            "Results: Propranolol was effective for infantile hemangioma.",
            Stance.SUPPORTS,
        ),
    ],
)
def test_a_measure_a_kind_and_a_verb_answer_the_question(
    question: str, title: str, sentence: str, side: Stance
) -> None:
    assert (sentence.removeprefix("Results: "), side) in sides(question, title, sentence)


def test_what_is_ranked_below_others_takes_no_side() -> None:
    said = "Metformin ranked below pioglitazone for cognitive benefit."
    found = sides("Does metformin slow cognitive decline?", "Metformin and cognition", said)
    assert Stance.SUPPORTS not in {side for _, side in found}


def test_a_narrow_outcome_stays_narrow() -> None:
    (memory,) = with_measures(read_phrases("memory"))
    assert any(names_phrase(p, "Memory improved.") for p in memory)
    assert not any(names_phrase(p, "Attention improved.") for p in memory)


def test_a_decline_is_no_clinic() -> None:
    ((decline,),) = read_phrases("cognitive decline")
    assert names_phrase(decline, "Cognitive decline was slower.")
    assert not names_phrase(decline, "Cognitive and clinical scales were read.")


@pytest.mark.parametrize(
    ("text", "kind", "aspect"),
    [
        ("Does metformin help in gout, and is it safe?", InquiryKind.EFFECT, Aspect.SAFETY),
        ("Does metformin help in gout and at what dose?", InquiryKind.EFFECT, Aspect.DOSE),
        ("Is metformin safe in gout, and how does it act?", InquiryKind.SAFETY, Aspect.MECHANISM),
    ],
)
def test_of_two_questions_the_first_is_answered_and_the_second_adds_to_it(
    text: str, kind: InquiryKind, aspect: Aspect
) -> None:
    inquiry = inquiry_of(text)
    assert inquiry.kind is kind
    assert inquiry.text == text
    assert aspect in {item.aspect for item in checklist_of(inquiry).items}


@pytest.mark.parametrize("verb", ["shrink", "cure", "heal", "relieve", "treat", "slow"])
def test_a_verb_of_benefit_is_no_part_of_the_condition(verb: str) -> None:
    condition = research_question(
        literal_frame(f"Does propranolol {verb} infantile hemangioma?")
    ).condition
    assert condition
    assert condition.name == "infantile hemangioma"
