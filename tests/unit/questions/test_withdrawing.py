"""Questions on stopping a drug: what they claim, and what is searched for them."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.question.frame import DeclineReason, QuestionFrame, QuestionKind
from deepcritical.questions.by_model import read_by_model
from deepcritical.questions.claims import answer_to, claim_of, proposition_of, subject_of
from deepcritical.questions.forms import research_question, unused_words, wants_verdict
from deepcritical.questions.model_reading import ModelReading
from deepcritical.questions.reading import read_frame
from deepcritical.questions.searching import search_sides


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Does stopping aspirin help asthma?", "stopping aspirin helps in asthma"),
        ("Does aspirin withdrawal help asthma?", "stopping aspirin helps in asthma"),
        ("Should statins be stopped in sepsis?", "stopping statins helps in sepsis"),
        ("Is it safe to stop statins in sepsis?", "stopping statins makes people worse in sepsis"),
        ("Does stopping statins worsen sepsis?", "stopping statins makes people worse in sepsis"),
        (
            "Does deprescribing statins reduce mortality in sepsis?",
            "stopping statins reduces mortality in sepsis",
        ),
        ("Does stopping aspirin cause stroke?", "stopping aspirin increases the risk of stroke"),
        (
            "In people with sepsis on statins, does switching them to placebo lengthen survival?",
            "stopping statins improves survival in sepsis",
        ),
    ],
)
def test_the_claim_is_on_stopping(text: str, claim: str) -> None:
    frame = read_frame(text)
    assert frame.stopping
    assert claim_of(frame) == claim
    question = research_question(frame)
    assert subject_of(question).startswith("stopping")
    assert not unused_words(frame)
    assert any("withdrawal" in query.terms for query in search_sides(question, ()))


@pytest.mark.parametrize(
    "text",
    [
        "Does aspirin stop asthma?",
        "Does gabapentin help in alcohol withdrawal?",
        "Does continuing aspirin prevent relapse in asthma?",
        "Why was aspirin stopped in asthma?",
        "Was the trial of aspirin in asthma stopped?",
    ],
)
def test_other_questions_are_on_taking_it(text: str) -> None:
    assert not read_frame(text).stopping


def test_whether_to_stop_is_for_whoever_treats_the_person() -> None:
    assert read_frame("Should I stop my aspirin?").declined is DeclineReason.PERSONAL_ADVICE


def test_a_report_answers_it() -> None:
    assert wants_verdict(read_frame("Does stopping aspirin help asthma?"))


def test_worse_and_better_are_told_the_right_way_round() -> None:
    frame = read_frame("Does stopping statins worsen sepsis?")
    assert answer_to(frame, VerdictLabel.HARMFUL).startswith("Yes: ")
    assert answer_to(frame, VerdictLabel.UNSUPPORTED).startswith("Not shown: ")
    assert answer_to(frame, VerdictLabel.SUPPORTED).startswith("No: ")
    told = proposition_of(frame, VerdictLabel.SUPPORTED)
    assert told == "stopping statins helps in sepsis"


def test_a_model_that_calls_it_a_comparison_changes_nothing() -> None:
    by_rule = read_frame("Does switching from aspirin to placebo lengthen survival in asthma?")
    fields = {"kind": "comparison", "drugs": ["aspirin"], "compared_with": ["placebo"]}
    said = ModelReading.model_validate({**fields, "condition": "asthma"})
    read = read_by_model(by_rule, said)
    assert (read.stopping, read.kind, read.comparators) == (True, QuestionKind.EFFICACY, ())


def test_a_stored_frame_without_the_field_is_on_taking_it() -> None:
    stored = read_frame("Does stopping aspirin help asthma?").model_dump(exclude={"stopping"})
    assert not QuestionFrame.model_validate(stored).stopping
