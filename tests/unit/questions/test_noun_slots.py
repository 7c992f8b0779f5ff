"""Outcomes and people of any wording stand in a sentence as they are told."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.questions.claims import claim_of
from deepcritical.questions.wording import as_nouns, whom_of


def framed(**changes: object) -> QuestionFrame:
    fields = {
        "text": "What of examplol?",
        "kind": QuestionKind.EFFICACY,
        "drugs": (Drug(name="examplol", known=False),),
        "condition": Condition(name="testitis", known=False),
        **changes,
    }
    return QuestionFrame.model_validate(fields)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("protect the ovaries", "affects the outcome “protect the ovaries” in testitis"),
        ("to walk again", "affects the outcome “to walk again” in testitis"),
        ("sleep better", "affects the outcome “sleep better” in testitis"),
        ("flurb score", "affects flurb score in testitis"),
        ("time to flurbs", "affects time to flurbs in testitis"),
    ],
)
def test_a_claim_is_a_sentence(outcome: str, said: str) -> None:
    assert claim_of(framed(outcomes=(outcome,))) == f"examplol {said}"


def test_no_more_than_verbs_is_quoted() -> None:
    nouns = ("quality of life", "no pain", "loss of the flurb", "a flurb", "flurb-free survival")
    assert tuple(as_nouns(nouns)) == nouns


@pytest.mark.parametrize(
    ("population", "said"),
    [
        (("demented",), " in people described as demented"),
        (("flurbed",), " in people described as flurbed"),
        (("still have my flurbs",), ""),
        (("no longer flurb", "children"), " in children"),
        (("I have flurbs",), ""),
        (("US flurb workers",), " in US flurb workers"),
        (("people who have had flurbs",), " in people who have had flurbs"),
        (("children", "flurbed"), " in children described as flurbed"),
        (("snerk workers",), " in snerk workers"),
    ],
)
def test_an_adjective_is_no_people(population: tuple[str, ...], said: str) -> None:
    text = f"Does examplol help the {population[-1]}?"
    assert whom_of(framed(text=text, population=population, condition=None)) == said
