"""A verdict agrees with the text and the table that a model wrote on it."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.report.sentences import Sentence
from deepcritical.writing.sentences.synthesis import as_told_by
from tests.unit.appraisal.builders import findings, vote
from tests.unit.writing.sentences.test_brief import told


@pytest.mark.parametrize(
    ("text", "people", "rated", "label"),
    [
        ("It cannot be told: the one trial is small.", 20, "very low", "insufficient evidence"),
        ("It cannot be told how large it is, but flurbs fell.", 20, "very low", "promising"),
        ("Perhaps: in the one trial flurbs fell.", 20, "very low", "promising"),
        ("It cannot be told: the one trial is small.", 900, "very low", "promising"),
        ("It cannot be told: the one trial is small.", 900, None, "promising"),
    ],
)
def test_a_very_uncertain_verdict_does_not_say_what_the_text_leaves_open(
    text: str, people: int, rated: str | None, label: str
) -> None:
    own = told(Way.BENEFIT, "flurb score").model_copy(update={"matched": True, "people": people})
    held = {
        "proposed": VerdictLabel.PROMISING,
        "rated": Certainty(rated) if rated else None,
    }
    studies = [s.model_copy(update=held) for s in findings(own)]
    opening = Sentence(text=text, evidence_ids=("E1",), origin="model", opens=True)
    verdict = decide(as_told_by(studies, decide(studies), (), [opening]))
    before = decide(studies)
    assert verdict.label == label
    assert verdict.label != before.label or verdict.certainty == before.certainty


@pytest.mark.parametrize(
    ("level", "shown"), [("high", "low"), ("low", "low"), ("very low", "very low")]
)
def test_no_verdict_is_very_uncertain_beside_rows_that_are_not(level: str, shown: str) -> None:
    (study,) = findings(vote(tier="controlled", people=20))
    assert decide([study]).certainty == "very low"
    assert decide([study.model_copy(update={"told_as": Certainty(level)})]).certainty == shown
