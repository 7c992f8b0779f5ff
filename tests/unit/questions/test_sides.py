"""The drug asked about, and what it is compared with."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import QuestionKind
from deepcritical.questions.claims import claim_of
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame
from deepcritical.questions.searching import search_sides


@pytest.mark.parametrize(
    "text",
    [
        "Is apixaban better than warfarin in atrial fibrillation?",
        "apixaban vs warfarin atrial fibrillation",
        "Does apixaban beat warfarin in atrial fibrillation?",
        "Compared with warfarin, does apixaban prevent more strokes in atrial fibrillation?",
        "Should apixaban replace warfarin in atrial fibrillation?",
        "Is apixaban or warfarin better in atrial fibrillation?",
        "Instead of warfarin, should apixaban be used for atrial fibrillation?",
        "Rather than warfarin, could apixaban be tried in atrial fibrillation?",
        "In place of warfarin, can patients with atrial fibrillation take apixaban?",
    ],
)
def test_what_is_compared_with_stands_behind_such_words(text: str) -> None:
    frame = read_frame(text)
    assert frame.kind is QuestionKind.COMPARISON
    assert ([d.name for d in frame.drugs], frame.comparators) == (["apixaban"], ("warfarin",))


@pytest.mark.parametrize(
    ("text", "others", "together"),
    [
        (
            "Is apixaban better than aspirin plus clopidogrel in stroke?",
            "aspirin clopidogrel",
            True,
        ),
        (
            "Is apixaban plus aspirin better than warfarin plus aspirin in stroke?",
            "warfarin",
            False,
        ),
        ("Is apixaban better than aspirin or clopidogrel in stroke?", "aspirin clopidogrel", False),
    ],
)
def test_what_plus_joins_is_given_together(text: str, others: str, *, together: bool) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.drugs[0].name) == (QuestionKind.COMPARISON, "apixaban")
    assert (set(frame.comparators), frame.compared_together) == ({*others.split()}, together)
    assert ("aspirin plus clopidogrel" in claim_of(frame)) is (together and not frame.brings_harm)


@pytest.mark.parametrize(
    ("text", "arm"),
    [
        ("sertraline versus psychotherapy for depression", "psychotherapy"),
        ("Is sertraline better than exercise for depression?", "exercise"),
        ("sertraline compared with light boxes in depression", "light boxes"),
        ("Is surgery better than omeprazole for gastro-oesophageal reflux?", "surgery"),
    ],
)
def test_the_other_side_may_be_no_drug(text: str, arm: str) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.comparators) == (QuestionKind.COMPARISON, (arm,))


def test_placebo_is_a_comparator_and_makes_no_comparison() -> None:
    frame = read_frame("Is sertraline any better than a sugar pill in depression?")
    assert (frame.kind, frame.comparators) == (QuestionKind.EFFICACY, ("placebo",))


@pytest.mark.parametrize(
    "text",
    [
        "Does aspirin prevent stroke in women versus men?",
        "Does metformin work better in younger versus older adults with diabetes?",
    ],
)
def test_people_are_no_side_of_a_comparison(text: str) -> None:
    assert read_frame(text).comparators == ()


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("Does aspirin plus clopidogrel prevent stroke?", ["clopidogrel"]),
        ("Is apixaban better than warfarin in atrial fibrillation?", ["warfarin"]),
        ("sertraline versus psychotherapy for depression", ["psychotherapy"]),
        ("Is sertraline better than placebo in depression?", []),
        ("Does sertraline help in depression?", []),
    ],
)
def test_the_drug_is_searched_with_each_other_that_the_question_names(
    text: str, others: list[str]
) -> None:
    question = research_question(read_frame(text))
    queries = search_sides(question, ())
    with_others = [q for q in queries if q.terms and "no effect" not in q.text]
    assert [q.text.split()[-1] for q in with_others] == others
    assert all(f'"{other}"' in q.terms for q, other in zip(with_others, others, strict=True))
    run = [query.text for query in queries]
    assert not [q for q in search_sides(question, run) if q.text in run]


@pytest.mark.parametrize(
    "text",
    [
        "Compare exampliximab with prednisolone in sarcoidosis",
        "Is exampliximab better than prednisolone in sarcoidosis?",
        "prednisolone plus exampliximab in sarcoidosis",
    ],
)
def test_an_unknown_name_beside_a_known_one_is_asked_back(text: str) -> None:
    assert read_frame(text).not_understood == ("exampliximab",)


@pytest.mark.parametrize(
    ("text", "drug", "other"),
    [
        ("Instead of codeine, should naproxen be used for back pain?", "naproxen", "codeine"),
        (
            "Rather than morphine, would ketamine be given in sickle cell crisis?",
            "ketamine",
            "morphine",
        ),
        ("Instead of lithium, could valproate be used in mania?", "valproic acid", "lithium"),
    ],
)
def test_what_is_left_for_another_is_the_other_side(text: str, drug: str, other: str) -> None:
    frame = read_frame(text)
    assert ([d.name for d in frame.drugs], frame.comparators) == ([drug], (other,))
