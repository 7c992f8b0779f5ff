"""Questions of every kind: what each asks for, and which needs its checklist has."""

from __future__ import annotations

import pytest

from deepcritical.answering.needs import checklist_of, inquiry_of
from deepcritical.domain.appraisal.checklist import Aspect, InquiryKind
from deepcritical.domain.errors import QuestionError

KIND = InquiryKind
HELPS = "Does examplol help in testitis?"


@pytest.mark.parametrize(
    ("text", "kind", "first", "terms"),
    [
        ("How is multiple myeloma treated?", KIND.TREATMENT, Aspect.EFFECT, {"multiple myeloma"}),
        ("Which drugs work for testitis?", KIND.TREATMENT, Aspect.EFFECT, {"testitis"}),
        ("What could be repurposed for long COVID?", KIND.TREATMENT, Aspect.EFFECT, {"long COVID"}),
        ("Does vitamin D lower the risk of fractures?", KIND.EFFECT, Aspect.EFFECT, {"vitamin D"}),
        (HELPS, KIND.EFFECT, Aspect.EFFECT, {"examplol", "testitis"}),
        ("Does folic acid reduce methotrexate toxicity?", KIND.EFFECT, Aspect.EFFECT, set()),
        ("Does mindfulness reduce anxiety in students?", KIND.EFFECT, Aspect.EFFECT, {"anxiety"}),
        ("Does metformin help in gout, by randomised trials?", KIND.EFFECT, Aspect.EFFECT, set()),
        ("What do trials of metformin show in gout?", KIND.EFFECT, Aspect.EFFECT, {"gout"}),
        ("Is aspirin better than clopidogrel after stroke?", KIND.COMPARISON, "comparison", set()),
        ("Is apixaban safer than warfarin?", KIND.COMPARISON, Aspect.COMPARISON, {"apixaban"}),
        ("How does metformin act on AMPK?", KIND.MECHANISM, Aspect.MECHANISM, {"metformin"}),
        ("What is the mechanism of action of aspirin?", KIND.MECHANISM, "mechanism", {"aspirin"}),
        ("What are the side effects of aspirin?", KIND.SAFETY, Aspect.SAFETY, {"aspirin"}),
        (
            "Is aspirin safe in pregnancy?",
            KIND.SAFETY,
            Aspect.SAFETY,
            {"aspirin", "pregnant women"},
        ),
        ("Does metformin help gout in trials?", KIND.EFFECT, Aspect.EFFECT, {"metformin", "gout"}),
        ("Do statins cause muscle pain?", KIND.SAFETY, Aspect.SAFETY, {"statins", "muscle pain"}),
        ("What dose of aspirin is used for gout?", KIND.DOSE, Aspect.DOSE, {"aspirin", "gout"}),
        ("What is the prevalence of gout?", KIND.FREQUENCY, Aspect.RATE, {"gout"}),
        ("How common is bleeding with warfarin?", KIND.FREQUENCY, Aspect.RATE, {"warfarin"}),
        ("How is testitis diagnosed?", KIND.DIAGNOSIS, Aspect.DIAGNOSIS, {"testitis"}),
        ("How accurate is ultrasound for appendicitis?", KIND.DIAGNOSIS, "diagnosis", set()),
        ("What causes testitis?", KIND.CAUSE, Aspect.CAUSE, {"testitis"}),
        ("What are the risk factors for delirium?", KIND.CAUSE, Aspect.CAUSE, {"delirium"}),
        ("Which trials of metformin in gout are there?", KIND.TRIALS, Aspect.REGISTERED, {"gout"}),
        ("Are there ongoing trials of metformin in gout?", KIND.TRIALS, Aspect.REGISTERED, set()),
        ("Which randomised trials tested metformin in gout?", KIND.TRIALS, "registered", set()),
        ("In whom does colchicine help in gout?", KIND.ELIGIBILITY, Aspect.ELIGIBILITY, {"gout"}),
        ("Who should get statins?", KIND.ELIGIBILITY, Aspect.ELIGIBILITY, {"statins"}),
        ("What do guidelines recommend for gout?", KIND.GUIDANCE, Aspect.RECOMMENDED, {"gout"}),
        ("For how many days was aspirin given?", KIND.DOSE, Aspect.DOSE, {"aspirin"}),
        ("When is aspirin contraindicated?", KIND.SAFETY, Aspect.SAFETY, {"aspirin"}),
        ("In which populations was aspirin tested?", KIND.ELIGIBILITY, "eligibility", {"aspirin"}),
        ("How many people with gout have diabetes?", KIND.FREQUENCY, Aspect.RATE, {"gout"}),
        ("What is still unknown about newly diagnosed gout?", KIND.UNKNOWN, "unknown", {"gout"}),
        ("What is known about BACE1?", KIND.OTHER, Aspect.EFFECT, {"bace1"}),
    ],
)
def test_a_question_of_each_kind_has_its_own_first_need(
    text: str, kind: InquiryKind, first: str, terms: set[str]
) -> None:
    inquiry = inquiry_of(text)
    assert inquiry.kind is kind
    assert terms <= set(inquiry.key_terms)
    items = checklist_of(inquiry).items
    assert items[0].aspect == first
    assert [item.id for item in items] == [f"C{n}" for n in range(1, len(items) + 1)]
    assert len({item.aspect for item in items}) == len(items)


@pytest.mark.parametrize("kind", KIND)
def test_every_kind_of_question_has_a_checklist(kind: InquiryKind) -> None:
    items = checklist_of(inquiry_of(HELPS).model_copy(update={"kind": kind})).items
    assert 3 <= len(items) <= 7
    assert "{" not in "".join(item.text for item in items)
    wants_more = kind not in (KIND.DEFINITION,)
    assert (Aspect.AGAINST in {item.aspect for item in items}) is wants_more


@pytest.mark.parametrize("text", ["Why?", "Does it help?", "What is known?", "What happened?"])
def test_a_question_that_names_nothing_is_told_so_with_what_to_do(text: str) -> None:
    with pytest.raises(QuestionError) as caught:
        inquiry_of(text)
    assert caught.value.advice


def test_a_drug_is_looked_for_by_the_name_that_the_user_gave_it_too() -> None:
    inquiry = inquiry_of("Does vitamin C lower the risk of fractures?")
    assert "vitamin C" in inquiry.key_terms
    assert "ascorbic acid" in inquiry.drugs[0].names
    assert any("ascorbic acid" in notice for notice in inquiry.notices)


def test_both_drugs_of_a_question_are_asked_about() -> None:
    inquiry = inquiry_of("Does folic acid reduce methotrexate toxicity?")
    assert {drug.name for drug in inquiry.drugs} == {"folic acid", "methotrexate"}


def test_context_adds_what_it_asks_for() -> None:
    plain = checklist_of(inquiry_of(HELPS))
    asked = checklist_of(inquiry_of(HELPS, "What dose, and is the mechanism known?"))
    added = {item.aspect for item in asked.items} - {item.aspect for item in plain.items}
    assert added == {Aspect.DOSE, Aspect.MECHANISM}


@pytest.mark.parametrize(
    ("text", "aspects"),
    [
        ("Does metformin help in gout, and is it safe?", {Aspect.EFFECT, Aspect.SAFETY}),
        ("Does metformin help in gout and at what dose?", {Aspect.EFFECT, Aspect.DOSE}),
        ("Is metformin safe in gout, and how does it act?", {Aspect.SAFETY, Aspect.MECHANISM}),
    ],
)
def test_of_two_questions_in_one_both_have_a_need(text: str, aspects: set[Aspect]) -> None:
    assert aspects <= {item.aspect for item in checklist_of(inquiry_of(text)).items}


def test_needs_that_a_model_adds_are_kept_within_the_most() -> None:
    every = inquiry_of(HELPS).model_copy(update={"aspects": tuple(Aspect)})
    assert len(checklist_of(every).items) == 7


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HELPS, "effects of examplol do studies report in testitis"),
        ("What causes testitis?", "risk factors of testitis"),
        ("What is known about BACE1?", "on bace1"),
        ("How accurate is ultrasound for appendicitis?", "ultrasound"),
    ],
)
def test_a_need_names_what_is_asked_about(text: str, told: str) -> None:
    assert told in checklist_of(inquiry_of(text)).items[0].text
