"""Tests what a verdict is on, by the claim that is put into the answer."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.question.frame import Condition
from deepcritical.questions.claims import (
    Strength,
    answer_to,
    claim_of,
    is_on_being_as_good,
    proposition_of,
)
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Does lithium save lives in gout?", "lithium reduces mortality in gout"),
        ("Does lithium lower mortality?", "lithium reduces mortality"),
        (
            "Does lithium help patients on mechanical ventilation with gout?",
            "lithium helps in people on mechanical ventilation with gout",
        ),
        ("lithium for hospitalised gout patients", "lithium helps in inpatients with gout"),
        ("Do omega-3 fatty acids help in gout?", "omega-3 fatty acids help in gout"),
        (
            "Does lithium after autologous transplant improve survival?",
            "lithium improves survival in people after a transplant",
        ),
        (
            "lithium vs aspirin in relapsed pericarditis",
            "lithium works better than aspirin in pericarditis",
        ),
        (
            "Does lithium increase the risk of blood clots or infections in gout?",
            "lithium increases the risk of blood clots and infections in gout",
        ),
        (
            "Are simvastatin and other statins better than lithium for preventing gout?",
            "statins work better than lithium at preventing gout",
        ),
        (
            "Is lithium worse than statins for dementia risk?",
            "lithium works worse than statins at preventing dementia",
        ),
        (
            "Lithium versus aspirin as treatment: fewer recurrences, and more fractures?",
            "lithium works better than aspirin on recurrence and fractures",
        ),
        (
            "Does lithium help in heart failure with preserved ejection fraction?",
            "lithium helps in heart failure with preserved ejection fraction",
        ),
    ],
)
def test_the_claim_says_what_was_asked(text: str, claim: str) -> None:
    frame = read_frame(text)
    if frame.missing:
        frame = read_frame(text, frame.missing)
    assert claim_of(frame) == claim
    assert research_question(frame).drug


def test_what_is_to_be_protected_is_not_prevented() -> None:
    frame = read_frame("Does lithium prevent gout?")
    asked = frame.model_copy(update={"condition": Condition(name="protect the skin")})
    named = read_frame("Does lithium prevent hepatitis A?")
    assert [claim_of(one) for one in (frame, asked, named)] == [
        "lithium prevents gout",
        "lithium helps to protect the skin",
        "lithium prevents hepatitis A",
    ]


@pytest.mark.parametrize(
    ("label", "begins"),
    [
        (VerdictLabel.SUPPORTED, "No: the evidence supports the opposite"),
        (VerdictLabel.HARMFUL, "Yes: the evidence supports that lithium works worse"),
        (VerdictLabel.UNSUPPORTED, "Not shown"),
    ],
)
def test_whether_a_drug_is_worse_is_answered_as_asked(label: VerdictLabel, begins: str) -> None:
    frame = read_frame("Is lithium worse than aspirin in gout?")
    assert answer_to(frame, label).startswith(begins)
    better = proposition_of(frame, label) == "lithium works better than aspirin in gout"
    assert better is (label is VerdictLabel.SUPPORTED)


@pytest.mark.parametrize(
    ("label", "strength", "begins"),
    [
        (VerdictLabel.SUPPORTED, "", "Less harm"),
        (VerdictLabel.PROMISING, "", "Possibly less harm"),
        (VerdictLabel.HARMFUL, "", "More harm"),
        (VerdictLabel.HARMFUL, "likely", "Signs of more harm"),
        (VerdictLabel.INSUFFICIENT, "weak", "Weak signs of more harm"),
        (VerdictLabel.REFUTED, "", "Not shown"),
    ],
)
def test_which_is_safer_is_answered_without_yes_and_no(
    label: VerdictLabel, strength: Strength, begins: str
) -> None:
    frame = read_frame("Is clozapine safer than olanzapine in schizophrenia?")
    assert answer_to(frame, label, strength=strength).startswith(begins)


@pytest.mark.parametrize(
    ("text", "as_good"),
    [
        ("Can I use lithium instead of aspirin in gout?", True),
        ("Is lithium equivalent to aspirin in gout?", True),
        ("Is lithium as good as aspirin in gout?", True),
        ("Does lithium instead of aspirin reduce deaths in gout?", False),
        ("Is lithium superior to aspirin after hip replacement?", False),
        ("Is lithium better than aspirin at comparable doses in gout?", False),
        ("Lithium or aspirin substitution in gout?", False),
    ],
)
def test_what_may_take_the_place_of_another_drug_need_not_be_better(
    text: str, as_good: bool
) -> None:
    assert is_on_being_as_good(read_frame(text)) is as_good
