"""Measured outcomes of a question, in words that no list of common outcomes has."""

from __future__ import annotations

import pytest

from deepcritical.questions.cues import changed_in
from deepcritical.questions.reading import read_frame
from deepcritical.questions.wording import verb_of


@pytest.mark.parametrize(
    ("text", "outcomes", "verb"),
    [
        (
            "Does baricitinib reduce the need for ventilation in COVID-19?",
            "need for ventilation",
            "reduce",
        ),
        (
            "Does sildenafil improve exercise capacity in pulmonary hypertension?",
            "exercise capacity",
            "improve",
        ),
        ("Can statins lower CRP in rheumatoid arthritis?", "CRP", "reduce"),
        ("Does metformin improve daily functioning in dementia?", "daily functioning", "improve"),
    ],
)
def test_what_is_to_change_is_what_is_asked_about(text: str, outcomes: str, verb: str) -> None:
    frame = read_frame(text)
    assert (frame.outcomes, verb_of(frame)) == ((outcomes,), verb)


@pytest.mark.parametrize(
    "text",
    [
        "reduce agitation in dementia",  # a condition
        "improve things in dementia",  # no outcome that is known
        "prolong",
        "improve " + "x" * 5_000,
    ],
)
def test_other_words_are_no_outcome(text: str) -> None:
    assert changed_in(text) == ()
