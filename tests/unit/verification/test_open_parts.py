"""Parts of a sentence that leave something open tell no direction, and name nobody studied."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.study.reading import Effect
from deepcritical.verification.binding import checks_of
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


QUOTE = "Examplol reduced mortality compared with placebo (HR 0.80, 95% CI 0.70-0.90)."
BESIDE = f"{QUOTE} Stroke was more common (HR 1.50, 95% CI 1.20-1.90)."
SCORE = "Examplol reduced mortality; the score fell from 9 to 5."
RECORD = "Examplol in testitis\nA trial."


def is_caught(
    text: str,
    quote: str = QUOTE,
    question: str = "",
    record: str = RECORD,
    *,
    own: bool = True,
    population: str = "adults with testitis",
) -> bool:
    """Return whether code refuses a sentence on a record's own words that a model judged."""
    cited = [
        Finding(
            id="1.2",
            evidence_ids=("E1",),
            drug="examplol",
            comparator="placebo",
            population=population,
            design="randomised trial",
            quotes=(quote,),
        )
    ]
    checks = checks_of(text, cited, texts=[record], own=own, judged=True)
    failed = not all(check.passed for check in checks)
    return failed or bool(strange_terms(text, cited, [record], question))


@pytest.mark.parametrize(
    "text",
    [
        "In a trial whose blinding is unclear examplol raised mortality, with HR 0.80.",
        "Mortality fell, a result that is uncertain in men but in women it rose.",
        "Examplol was tested against placebo, and why it raised mortality is unknown.",
        "Examplol was tested, but why more people died with it cannot be told.",
        "Examplol was tested in adults, where it raised mortality by an amount that is uncertain.",
        "Examplol was tested in adults, which leaves it possible only that it harmed them.",
        "Examplol reduced mortality, and that it raised deaths in women is not ruled out.",
        "Mortality was lower with examplol, and over the dosing interval it improved sleep.",
        "Examplol had an effect, and over a longer dosing interval it raised mortality.",
        "Examplol had an effect on mortality, its size is uncertain, or it raised mortality.",
        "Examplol reduced mortality, not in adults but in children.",
        "Examplol reduced mortality without harm to pregnant women.",
    ],
)
def test_no_lie_hides_behind_an_open_part(text: str) -> None:
    assert is_caught(text)


@pytest.mark.parametrize("text", ["Deaths rose with examplol.", "More patients died with it."])
def test_a_survival_is_not_told_as_its_opposite(text: str) -> None:
    assert refused(text, own=True, **SURVIVAL)


SIDES = "Relapse occurred in 12% with examplol and in 20% with placebo."
NULL_QUOTE = "Mortality did not differ between examplol and placebo (HR 0.90, 95% CI 0.70-1.15)."
NO_SIDES = "Neither relapse nor pain differed with examplol."


@pytest.mark.parametrize(
    ("text", "quote", "question", "caught"),
    [
        ("Examplol reduced mortality (HR 1.50, 95% CI 1.20 to 1.90).", BESIDE, "", True),
        ("Examplol reduced mortality (HR 0.80, 95% CI 1.20 to 1.90).", BESIDE, "", True),
        ("Examplol reduced mortality (HR 0.80, 95% CI 0.70 to 0.90).", BESIDE, "", False),
        ("Examplol reduced mortality in 9 trials.", SCORE, "", True),
        ("Examplol reduced blood pressure.", QUOTE, "Does it lower blood pressure?", True),
        ("Relapse was less frequent with examplol (12% against 20%).", SIDES, "", False),
        ("Neither relapse nor, in this trial, pain was reduced by examplol.", NO_SIDES, "", False),
        ("Examplol reduced relapse.", NO_SIDES, "", True),
        ("Relapse did not differ with examplol, and a benefit is not proven.", NO_SIDES, "", False),
        ("At 40 mg examplol reduced mortality.", QUOTE, "Does examplol 40 mg help?", True),
        ("In children examplol reduced mortality.", QUOTE, "Does it help children?", True),
        ("In women examplol reduced mortality.", QUOTE, "", True),
        ("Examplol reduced mortality (HR 0.90, 95% CI 0.70 to 1.15).", NULL_QUOTE, "", True),
        ("Examplol lowered mortality, and the groups were similar.", NULL_QUOTE, "", True),
        ("Mortality rose with examplol, with no difference in age.", NULL_QUOTE, "", True),
        (
            "In a trial with neither blinding nor any long follow-up, mortality was higher with "
            "examplol than with placebo.",
            QUOTE,
            "",
            True,
        ),
        ("Examplol raised certain risks of mortality.", QUOTE, "", True),
        ("Among the benefits was mortality.", NULL_QUOTE, "", True),
        ("Examplol reduced mortality, so that a cure of testitis is possible.", QUOTE, "", True),
    ],
)
def test_what_a_record_or_the_question_bears_is_no_fault(
    text: str, quote: str, question: str, caught: bool
) -> None:
    assert is_caught(text, quote, question) is caught


@pytest.mark.parametrize(("count", "caught"), [("six", False), ("6", False), ("nine", True)])
def test_a_count_of_studies_may_stand_elsewhere_in_a_judged_record(
    count: str, caught: bool
) -> None:
    record = f"{RECORD}\nOf 24 trials six were eligible."
    text = f"Examplol reduced mortality in {count} trials."
    assert is_caught(text, record=record, own=False) is caught


@pytest.mark.parametrize(
    ("population", "text", "caught"),
    [
        ("female nonsmokers", "In women examplol reduced mortality.", False),
        ("male nonsmokers", "In women examplol reduced mortality.", True),
        ("children with testitis", "In women examplol reduced mortality.", True),
        ("adults with testitis", "In pregnant women examplol reduced mortality.", True),
    ],
)
def test_people_told_are_those_of_the_finding(population: str, text: str, caught: bool) -> None:
    assert is_caught(text, population=population) is caught
