"""One drug given in two ways that are set against each other."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.voting import ballot_of
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from tests.unit.appraisal.builders import CONDITION, DRUG, arm, record, result, study
from tests.unit.appraisal.pico.test_matching import match

ASKED = Drug(name=f"nasal {DRUG}", synonyms=(DRUG,))
OTHER = f"injected {DRUG}"


def votes(first: str, second: str, side: str = "a") -> tuple[Vote, ...]:
    """The votes of a trial of two ways of giving a drug, of which the first one did better."""
    frame = QuestionFrame(
        text=f"Is nasal {DRUG} as reliable as injected {DRUG}?",
        kind=QuestionKind.COMPARISON,
        drugs=(ASKED,),
        comparators=(OTHER,),
    )
    on = asked_of(ASKED, Condition(name=CONDITION, names=(CONDITION,), known=False), frame)
    paper = record()
    reading = study(result(), arms=(arm("A", first), arm("B", second)))
    return ballot_of(reading, paper, on, grade(paper), [match(side=side)]).votes


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize(
    ("first", "second", "way"),
    [
        (f"nasal {DRUG} 2 mg", f"{DRUG} 4 mg into a muscle", Way.BENEFIT),
        (f"injected {DRUG}", f"{DRUG} by the nose", Way.HARM),
        (f"{DRUG} spray", f"injected {DRUG}", Way.BENEFIT),
    ],
)
def test_the_arm_that_got_the_form_is_told_by_its_words(
    first: str, second: str, way: Way, side: str
) -> None:
    (found,) = votes(first, second, side)
    assert (found.way, found.comparator, found.against_asked) == (way, OTHER, True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"nasal {DRUG} 4 mg", f"nasal {DRUG} 2 mg"),
        (f"{DRUG} 4 mg", f"{DRUG} 2 mg"),
    ],
)
def test_two_doses_of_one_form_are_no_comparison_of_forms(first: str, second: str) -> None:
    assert not any(vote.against_asked for vote in votes(first, second))
