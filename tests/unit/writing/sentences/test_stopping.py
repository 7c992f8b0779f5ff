"""Results of stopping a drug are told by the name of stopping it, against going on."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.effect_words import row_direction
from deepcritical.domain.appraisal.votes import CONTINUED, Way
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.writing.sentences.brief import brief_of
from deepcritical.writing.sentences.matter import Matter
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal.builders import CONDITION, DRUG, OUTCOME, findings, record, vote

TESTITIS = Condition(name=CONDITION, names=(CONDITION,), known=False)
FRAME = QuestionFrame(
    text="Does stopping examplol help testitis?",
    kind=QuestionKind.EFFICACY,
    drugs=(Drug(name=DRUG, known=False),),
    condition=TESTITIS,
    stopping=True,
)


@pytest.mark.parametrize(
    ("way", "said", "direction"),
    [
        (Way.BENEFIT, "Stopping examplol improved flurb score", "better after stopping"),
        (Way.HARM, "Stopping examplol worsened flurb score", "worse after stopping"),
        (Way.NO_DIFFERENCE, "Stopping examplol showed no clear effect", "no difference shown"),
    ],
)
@pytest.mark.parametrize("drug", [DRUG, f"stopping {DRUG}"])
def test_a_row_is_on_stopping(way: Way, said: str, direction: str, drug: str) -> None:
    one = vote(way, control=CONTINUED)
    (row,) = outcome_rows(findings(one))
    told = row_sentence(row, drug)
    assert told.startswith(said)
    assert "compared with continued treatment" in told
    assert row_direction(row) == direction
    assert vote_words(one).startswith(f"{OUTCOME.capitalize()}: {direction}")


def test_a_class_that_was_stopped_is_named_once() -> None:
    (row,) = outcome_rows(findings(vote(control=CONTINUED, of_class=True, tested_as="testols")))
    told = row_sentence(row, f"stopping {DRUG}")
    assert told.startswith("Stopping testols, the class of examplol, improved")


def test_the_brief_is_on_stopping() -> None:
    studies = findings(vote(Way.HARM, control=CONTINUED, effect=None))
    verdict = decide(studies)
    held = {"E1": record()}
    brief = brief_of(Matter(DRUG, CONDITION, FRAME, verdict, studies, held, {}, {}, "2030-01-01"))
    assert (brief.drug, brief.claim) == ("stopping examplol", "stopping examplol helps in testitis")
    assert "harms of stopping examplol" in brief.harms[0].text
    assert "with the drug" not in verdict.told_rule
    assert "after stopping" in verdict.told_rule
