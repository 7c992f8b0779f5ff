"""A question is on a harm or on a benefit: a fault here would turn a verdict round."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import DeclineReason, QuestionKind
from deepcritical.questions.by_model import read_by_model
from deepcritical.questions.model_reading import ModelReading
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    ("text", "harm"),
    [
        ("Are PPIs associated with dementia?", "dementia"),
        ("Is aspirin associated with gastrointestinal bleeding?", "gastrointestinal bleeding"),
        ("Is clozapine associated with myocarditis in schizophrenia?", "myocarditis"),
        ("Do people on PPIs develop more pneumonia?", "pneumonia"),
        ("Is diabetes a side effect of statins?", "diabetes"),
        ("Statins and risk of gout", "gout"),
    ],
)
def test_what_a_drug_may_bring_is_a_harm(text: str, harm: str) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.prevents) == (QuestionKind.SAFETY, False)
    assert frame.harm is not None
    assert frame.harm.name == harm


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Can beta blockers make psoriasis worse?", "psoriasis"),
        ("Is bupropion contraindicated in epilepsy?", "epilepsy"),
        ("Is metformin unsafe in kidney failure?", "kidney failure"),
        ("Is ibuprofen nephrotoxic in cirrhosis?", "cirrhosis"),
    ],
)
def test_who_may_not_take_it_is_a_question_on_safety(text: str, condition: str) -> None:
    frame = read_frame(text)
    assert frame.kind is QuestionKind.SAFETY
    assert frame.condition is not None
    assert frame.condition.name == condition


@pytest.mark.parametrize(
    ("text", "condition", "prevents"),
    [
        ("Does taking green tea extract lower my risk of breast cancer?", "breast cancer", True),
        ("Does raloxifene halve breast cancer risk?", "breast cancer", True),
        ("valproate (divalproex) for agitation in dementia", "agitation", False),
        ("Can lithium reduce suicide in bipolar disorder?", "suicide", False),
        ("Does the shingles vaccine lower dementia risk?", "dementia", True),
    ],
)
def test_what_is_to_be_lessened_is_treated(text: str, condition: str, prevents: bool) -> None:
    frame = read_frame(text)
    assert frame.kind is QuestionKind.EFFICACY
    assert frame.condition is not None
    assert (frame.condition.name, frame.harm, frame.prevents) == (condition, None, prevents)


@pytest.mark.parametrize(
    "text",
    ["How many milligrams of paracetamol kill a person?", "how much insulin to kill someone"],
)
def test_how_much_it_takes_is_not_searched(text: str) -> None:
    assert read_frame(text).declined is DeclineReason.HARMFUL


@pytest.mark.parametrize(
    "text",
    [
        "Does ketamine help depression when SSRIs have failed?",
        "Are antibiotics better than nothing for sinusitis?",
    ],
)
def test_what_did_not_help_before_denies_nothing(text: str) -> None:
    assert not read_frame(text).negative


def test_of_a_story_the_condition_of_its_question_is_asked_about() -> None:
    story = "My mum takes warfarin for her atrial fibrillation. "
    frame = read_frame(f"{story}Would turmeric help her knee osteoarthritis?")
    assert frame.condition is not None
    assert frame.condition.name == "knee osteoarthritis"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "What is the capital of France?",
            {"kind": "efficacy", "drugs": ["capital"], "condition": "France"},
        ),
        ("hello", {"kind": "open", "drugs": ["hello"]}),
    ],
)
def test_words_of_a_text_make_it_no_question(text: str, said: dict[str, object]) -> None:
    by_rule = read_frame(text)
    assert read_by_model(by_rule, ModelReading.model_validate(said)) == by_rule


def test_plain_words_replace_no_known_name() -> None:
    by_rule = read_frame("Does metformin help in type 2 diabetes?")
    said = ModelReading(kind="efficacy", drugs=["help"], condition="Does")
    read = read_by_model(by_rule, said)
    assert (read.drugs, read.condition) == (by_rule.drugs, by_rule.condition)


@pytest.mark.parametrize(
    ("text", "condition", "outcomes"),
    [
        ("Does clomifene cause ovulation in infertility?", "infertility", ("ovulation",)),
        ("Does teriparatide increase bone density in men?", None, ("bone mineral density",)),
    ],
)
def test_what_is_hoped_for_is_no_harm(
    text: str, condition: str | None, outcomes: tuple[str, ...]
) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.harm) == (QuestionKind.EFFICACY, None)
    assert (frame.condition and frame.condition.name, frame.outcomes) == (condition, outcomes)


@pytest.mark.parametrize(
    ("text", "harm"),
    [
        ("Does digoxin cause weight loss in heart failure?", "weight loss"),
        ("Does exenatide cause weight loss in lung cancer?", "weight loss"),
        ("Does mirtazapine cause weight gain in depression?", "weight gain"),
        ("Does sertraline cause weight loss?", "weight loss"),
    ],
)
def test_the_same_change_is_feared_by_others(text: str, harm: str) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.harm and frame.harm.name) == (QuestionKind.SAFETY, harm)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Which antibiotics are used for acne, and what are their side effects?", "candidates"),
        ("Which medicines relieve itching caused by cholestasis?", "candidates"),
        ("Which drugs cause itching?", "open"),
        ("How does heparin act, and what are its side effects?", "safety"),
        ("Does heparin help in sepsis, and is it safe?", "efficacy"),
        ("Does lithium damage the kidneys?", "safety"),
    ],
)
def test_which_cue_goes_first(text: str, kind: str) -> None:
    assert read_frame(text).kind == kind


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Do antipsychotics increase mortality in elderly patients with dementia?", "dementia"),
        ("Do statins raise deaths among older people with heart failure?", "heart failure"),
    ],
)
def test_those_with_a_condition_are_not_feared_to_get_it(text: str, condition: str) -> None:
    frame = read_frame(text)
    assert (frame.condition and frame.condition.name, frame.harm) == (condition, None)
