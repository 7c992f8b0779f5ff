"""A verdict as the answer to how a question was put."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.questions.claims import answer_to, claim_of, proposition_of, subject_of
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame


def test_an_affirmed_question_is_answered_in_its_own_words() -> None:
    frame = read_frame("Does ivermectin reduce mortality in COVID-19?")
    assert answer_to(frame, VerdictLabel.REFUTED) == (
        "No: the evidence speaks against the claim that ivermectin reduces mortality in COVID-19."
    )
    assert answer_to(frame, VerdictLabel.SUPPORTED).startswith("Yes: ")


def test_a_denied_question_turns_yes_and_no_round_and_nothing_else() -> None:
    asked = read_frame("Is it true that ivermectin does NOT reduce mortality in COVID-19?")
    plain = read_frame("Does ivermectin reduce mortality in COVID-19?")
    for label in VerdictLabel:
        claim = "ivermectin reduces mortality in COVID-19"
        assert claim in answer_to(asked, label)
        assert (
            answer_to(asked, label).partition(claim)[2]
            == (answer_to(plain, label).partition(claim)[2])
        )
    assert answer_to(asked, VerdictLabel.REFUTED).startswith("Yes: ")
    assert answer_to(asked, VerdictLabel.SUPPORTED).startswith("No: ")


def test_a_class_is_spoken_of_in_the_plural() -> None:
    frame = read_frame("Do statins prevent dementia?")
    assert "statins prevent dementia" in answer_to(frame, VerdictLabel.MIXED)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            "Is apixaban better than warfarin in atrial fibrillation?",
            "apixaban works better than warfarin in atrial fibrillation",
        ),
        ("Is apixaban as good as warfarin in gout?", "apixaban works at least as well as warfarin"),
        ("Is apixaban better than placebo in gout?", "apixaban helps in gout"),
        ("Do apixaban and aspirin together help in gout?", "apixaban with aspirin helps in gout"),
    ],
)
def test_what_is_set_beside_the_drug_is_in_the_claim(text: str, claim: str) -> None:
    assert f"that {claim}" in answer_to(read_frame(text), VerdictLabel.SUPPORTED)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Is apixaban better than warfarin in gout?", "apixaban compared with warfarin for gout"),
        ("Do apixaban and aspirin together help in gout?", "apixaban with aspirin for gout"),
    ],
)
def test_what_is_set_beside_the_drug_is_in_the_title(text: str, subject: str) -> None:
    assert subject_of(research_question(read_frame(text))) == subject


@pytest.mark.parametrize(
    "text",
    [
        "What could be repurposed for gout?",
        "How does lithium act in gout?",
    ],
)
def test_what_asks_for_no_yes_or_no_gets_none(text: str) -> None:
    assert answer_to(read_frame(text), VerdictLabel.SUPPORTED) == ""


@pytest.mark.parametrize(
    ("text", "label", "said"),
    [
        ("Does ibuprofen increase mortality in gout?", VerdictLabel.HARMFUL, "Yes:"),
        ("Does ibuprofen increase mortality in gout?", VerdictLabel.SUPPORTED, "No:"),
        ("Does ibuprofen increase mortality in gout?", VerdictLabel.UNSUPPORTED, "Not shown:"),
        ("Is ibuprofen linked with higher mortality in gout?", VerdictLabel.HARMFUL, "Yes:"),
        ("Does ibuprofen not increase mortality in gout?", VerdictLabel.HARMFUL, "No:"),
    ],
)
def test_a_question_whether_something_bad_rises_is_answered_as_put(
    text: str, label: VerdictLabel, said: str
) -> None:
    frame = read_frame(text)
    assert frame.raises
    answer = answer_to(frame, label)
    assert answer.startswith(said)
    assert "ibuprofen increases mortality in gout" in answer
    fewer = label is VerdictLabel.SUPPORTED
    verb = "reduces" if fewer else "increases"
    assert proposition_of(frame, label) == f"ibuprofen {verb} mortality in gout"


@pytest.mark.parametrize(
    ("text", "claim", "subject"),
    [
        (
            "Is ibuprofen associated with stroke in gout?",
            "ibuprofen increases the risk of stroke in gout",
            "ibuprofen and stroke in gout",
        ),
        (
            "Does ibuprofen cause kidney failure?",
            "ibuprofen increases the risk of kidney failure",
            "ibuprofen and kidney failure",
        ),
        (
            "Does ibuprofen help in gout?",
            "ibuprofen helps in gout",
            "ibuprofen for gout",
        ),
    ],
)
def test_a_named_harm_is_what_the_verdict_is_on(text: str, claim: str, subject: str) -> None:
    frame = read_frame(text)
    assert claim_of(frame) == claim
    assert subject_of(research_question(frame)) == subject


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Does ibuprofen cause stroke in gout?", "Possibly:"),
        ("Does ibuprofen not increase mortality in gout?", "Perhaps not:"),
    ],
)
def test_a_weak_signal_of_what_is_feared_is_no_proof(text: str, said: str) -> None:
    told = answer_to(read_frame(text), VerdictLabel.INSUFFICIENT, strength="weak")
    assert told.startswith(said)


def test_a_drug_given_to_lower_what_is_raised_is_not_asked_to_raise_it() -> None:
    assert not read_frame("Does ibuprofen reduce the increased mortality in gout?").raises
    assert not read_frame("Does ibuprofen shorten the hospital stay in gout?").raises
