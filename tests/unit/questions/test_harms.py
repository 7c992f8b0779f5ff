"""Tests that a question on a harm is one, however many drugs it names."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.question.frame import DeclineReason, QuestionKind
from deepcritical.questions.claims import answer_to, answered_by, claim_of, subject_of
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame
from tests.unit.appraisal.builders import finding, vote


@pytest.mark.parametrize(
    ("text", "harm"),
    [
        ("Does clozapine cause more neutropenia than olanzapine in schizophrenia?", "neutropenia"),
        ("Does rivaroxaban cause more bleeding than apixaban in atrial fibrillation?", "bleeding"),
        ("Does palbociclib increase anaemia?", "anaemia"),
        ("Does haloperidol hasten dementia in Parkinson's disease?", "dementia"),
        ("Does digoxin cause cognitive decline in heart failure?", "cognitive decline"),
        ("Can conjugated estrogens plus medroxyprogesterone cause breast cancer?", "breast cancer"),
    ],
)
def test_more_of_a_condition_is_feared(text: str, harm: str) -> None:
    feared = read_frame(text).feared
    assert feared is not None
    assert feared.name == harm


@pytest.mark.parametrize(
    "text",
    [
        "Does apixaban cause less toxicity than warfarin in stroke?",
        "Does sertraline have fewer side effects than citalopram in depression?",
        "Is there a higher toxicity with digoxin than with sotalol in atrial fibrillation?",
    ],
)
def test_a_comparison_of_side_effects_is_on_harm(text: str) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.brings_harm) == (QuestionKind.COMPARISON, True)


@pytest.mark.parametrize(
    "text",
    [
        "Is apixaban better than warfarin against stroke in atrial fibrillation?",
        "Does ibuprofen relieve more pain than paracetamol?",
        "Do metformin and pioglitazone together prevent diabetes?",
        "How do fluoroquinolones cause tendon rupture?",
        "Does dexamethasone accelerate recovery in pneumonia?",
    ],
)
def test_less_of_it_is_hoped_for(text: str) -> None:
    frame = read_frame(text)
    assert frame.kind is not QuestionKind.SAFETY or frame.harm is None
    assert not frame.is_on_harm


@pytest.mark.parametrize(
    "text",
    [
        "Is metformin safe in gout?",
        "Is metformin dangerous in gout?",
        "Is metformin harmful in gout?",
        "How safe is metformin in gout?",
        "How well tolerated is metformin in gout?",
        "What is the safety of metformin in gout?",
        "What are the harms of metformin in gout?",
        "Which toxicities does metformin have in gout?",
        "What side effects does metformin have in gout?",
    ],
)
def test_whether_a_drug_is_safe_asks_for_serious_harm_in_any_wording(text: str) -> None:
    frame = read_frame(text)
    assert frame.is_on_harm
    assert claim_of(frame) == "metformin increases the risk of serious harm in gout"
    assert not research_question(frame).notices


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            "Does metformin cause harm when given for gout?",
            "metformin increases the risk of serious harm in gout",
        ),
        (
            "Does metformin cause serious side effects in gout?",
            "metformin increases the risk of serious harm in gout",
        ),
        (
            "Does metformin do any harm in people treated for gout?",
            "metformin increases the risk of serious harm in gout",
        ),
        (
            "Is metformin safe in pregnancy?",
            "metformin increases the risk of serious harm in pregnant women",
        ),
        ("Is metformin harmful?", "metformin increases the risk of serious harm"),
        (
            "Is clozapine safer than olanzapine in schizophrenia?",
            "clozapine increases the risk of serious harm compared with olanzapine "
            "in schizophrenia",
        ),
    ],
)
def test_what_a_drug_is_given_for_is_not_what_it_may_bring(text: str, claim: str) -> None:
    frame = read_frame(text)
    assert claim_of(frame) == claim
    assert research_question(frame).condition


def test_harms_of_pregnancy_are_feared_in_pregnancy_only() -> None:
    pregnant, anyone = (read_frame(f"Is metformin safe in {who}?") for who in ("pregnancy", "men"))
    assert pregnant.feared
    assert anyone.feared
    assert "miscarriage" in pregnant.feared.names
    assert "miscarriage" not in anyone.feared.names


def test_those_who_may_die_are_not_what_is_feared() -> None:
    frame = read_frame(
        "Does haloperidol raise the risk of dying in people with dementia or delirium?"
    )
    assert frame.feared is None
    assert frame.raises


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("paclitaxel plus bevacizumab versus paclitaxel alone in breast cancer", 2),
    ],
)
def test_what_is_taken_beside_is_told_from_what_is_added(text: str, drugs: int) -> None:
    frame = read_frame(text)
    assert len(frame.drugs) == drugs
    assert frame.comparators == ()


def test_a_foreign_name_makes_no_other_language() -> None:
    frame = read_frame("A friend says that Exámplia is proven to calm hot flushes. Is that true?")
    assert frame.declined is not DeclineReason.OTHER_LANGUAGE


@pytest.mark.parametrize(
    ("text", "drug", "other"),
    [
        (
            "Do patients with atrial fibrillation on apixaban have fewer strokes than on warfarin?",
            "apixaban",
            "warfarin",
        ),
        ("Are there fewer seizures on levetiracetam or on valproate?", "levetiracetam", None),
        ("Is ketamine better than midazolam or placebo for depression?", "ketamine", "midazolam"),
        ("Is imiquimod better than cryotherapy for genital warts?", "imiquimod", "cryotherapy"),
    ],
)
def test_a_drug_that_is_set_beside_another_is_not_put_aside(
    text: str, drug: str, other: str | None
) -> None:
    frame = read_frame(text)
    assert frame.drugs[0].name == drug
    assert other is None or other in frame.comparators


@pytest.mark.parametrize(
    "text",
    [
        "Does gabapentin give more neuropathic pain relief?",
        "Does semaglutide achieve more diabetes remission than insulin?",
        "Does ondansetron stop more vomiting in gastroenteritis?",
        "Does patiromer help in dangerous hyperkalaemia?",
        "Is ivermectin safe and effective in scabies?",
    ],
)
def test_a_gain_is_no_harm(text: str) -> None:
    assert not read_frame(text).is_on_harm


@pytest.mark.parametrize(
    ("outcome", "label", "harm"),
    [
        ("diarrhoea", "harmful", "unwanted effects"),
        ("serious adverse events", "harmful", "serious harm"),
        ("hepatic failure", "harmful", "serious harm"),
        ("non-serious adverse events", "harmful", "unwanted effects"),
        ("diarrhoea", "refuted", "serious harm"),
    ],
)
def test_an_answer_on_safety_names_harm_as_grave_as_what_was_found(
    outcome: str, label: str, harm: str
) -> None:
    told = vote(Way.HARM, row=outcome, importance="harm", harm_asked=True, matched=True)
    (row,) = outcome_rows([finding(told)])
    found = {"label": label, "certainty": "low", "rule": "As told.", "deciding_ids": ("E1",)}
    verdict = Verdict.model_validate({**found, "rows": (row,)})
    asked = answered_by(verdict, read_frame("How safe is metformin in gout?"))
    assert claim_of(asked) == f"metformin increases the risk of {harm} in gout"
    assert answer_to(asked, VerdictLabel.HARMFUL).startswith("Not safe in every respect")


def test_a_report_on_safety_is_titled_so() -> None:
    question = research_question(read_frame("How safe is metformin in gout?"))
    assert subject_of(question) == "safety of metformin in gout"
