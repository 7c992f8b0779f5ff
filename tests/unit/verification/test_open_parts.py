"""Parts of a sentence that leave something open tell no direction, and name nobody studied."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.study.reading import Effect
from deepcritical.verification.signs import without_open
from deepcritical.verification.terms import strange_terms
from tests.unit.verification.test_turned_sentences import refused

NULL = {
    "way": Way.NO_DIFFERENCE,
    "effect": Effect(measure="OR", value=1.1, ci_low=0.6, ci_high=2.0),
    "quotes": ("Mortality did not differ (OR 1.10, 95% CI 0.60-2.00).",),
}
SURVIVAL = {
    "outcome": "overall survival",
    "quotes": ("The adjusted hazard ratio was 0.80 (95% CI, 0.70 to 0.90).",),
}
LISTED = {
    "outcome": "",
    "way": None,
    "effect": None,
    "quotes": ("Odds ratios and 95% confidence intervals of death were 0.83 (0.50, 1.38).",),
}
BARE = {"quotes": ("Mortality was lower with examplol (0.80; 0.70-0.90).",)}


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (
            "Mortality did not differ, with an interval that reaches from a clear loss to a gain.",
            NULL,
        ),
        ("Mortality did not differ with examplol, so that more of it is not excluded.", NULL),
        ("Mortality did not differ, which does not show that no harm is done.", NULL),
        ("Examplol lowered mortality, and whether it raises it in women stays open.", {}),
        ("Examplol lowered mortality in a trial without untreated adults.", {}),
        (
            "Examplol lowered mortality in adults aged 65 years and older.",
            {"population": "adults aged 65+ years"},
        ),
        ("Examplol made a moderate difference, with lower mortality.", {}),
        ("Survival was longer with examplol (hazard ratio 0.80; 95% CI 0.70 to 0.90).", SURVIVAL),
        ("The odds ratio of death was 0.83 (95% CI 0.50 to 1.38) with examplol.", LISTED),
        ("Mortality was lower with examplol (hazard ratio 0.80).", BARE),
    ],
)
def test_what_is_left_open_is_no_result(text: str, changes: dict[str, object]) -> None:
    assert not refused(text, own=True, **changes)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("It cannot be told whether examplol lowered mortality, or harmed anybody.", {}),
        ("Mortality rose with examplol, so that a gain is not excluded.", {}),
        ("Examplol raised mortality, though its interval is wide.", {}),
        ("Examplol lowered mortality in women, and the rest stays open.", {}),
        ("Survival was shorter with examplol (hazard ratio 0.80; 95% CI 0.70 to 0.90).", SURVIVAL),
        ("The odds ratio of death was 0.95 (95% CI 0.50 to 1.38) with examplol.", LISTED),
        ("The interval of 0.70 to 0.90 shows a rise of mortality with examplol.", {}),
    ],
)
def test_a_result_beside_it_is_still_checked(text: str, changes: dict[str, object]) -> None:
    assert refused(text, own=True, **changes)


def test_a_sentence_that_only_leaves_open_is_checked_whole() -> None:
    text = "It cannot be told whether mortality fell, or rose."
    assert without_open(text) == text
    assert without_open("Mortality fell, and a rise remains possible.") == "Mortality fell,"


@pytest.mark.parametrize(
    ("question", "is_strange"),
    [("", True), ("Does examplol help in grumblitis?", False), ("Does it prevent colds?", True)],
)
def test_words_of_the_question_need_no_record(question: str, is_strange: bool) -> None:
    text = "In grumblitis it was tried."
    assert bool(strange_terms(text, [], ["Examplol\nIt was tried."], question)) is is_strange


def test_an_outcome_of_the_question_needs_a_record() -> None:
    told = strange_terms("It was tried for relapse.", [], ["Examplol\nIt was tried."], "Relapse?")
    assert told
