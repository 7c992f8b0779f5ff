"""The certainty that a review states lowers its row, and never lifts it."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Appraisal, study_findings
from deepcritical.domain.appraisal.votes import OutcomeRow
from deepcritical.domain.evidence.certainty import Certainty, certainties_stated
from deepcritical.domain.evidence.grading import grade
from tests.unit.appraisal.builders import asked, people, record, result, study

LEAD = "Examplol was compared with placebo in testitis in 12 trials. "
TOLD = "The flurb score was better with examplol"


def reviewed(text: str, *, part: bool = False) -> OutcomeRow:
    """The row of a review of trials with this text, of which the second sentence is cited."""
    told = study(
        result(),
        kinds=("systematic_review",),
        design=("randomised", "meta_analysis"),
        population=people(part_of_trial=part, n_studies=12, n_randomised=3000),
    )
    paper = record(
        "Examplol in testitis: a systematic review of randomised trials",
        text,
        publication_types=("Systematic Review",),
    )
    graded = grade(paper)
    found = Appraisal.weighed(read_for(asked(), "E1", paper, told, graded), graded)
    return outcome_rows(study_findings({"E1": found}, [["E1"]]))[0]


@pytest.mark.parametrize(
    ("text", "level"),
    [
        (f"{LEAD}{TOLD} (very low certainty evidence).", "very low"),
        (f"{LEAD}{TOLD}; very low-quality evidence.", "very low"),
        (f"{LEAD}{TOLD}. The certainty of the evidence was judged very low.", "very low"),
    ],
)
def test_a_row_is_no_more_certain_than_its_review_says(text: str, level: str) -> None:
    assert reviewed(f"{LEAD}{TOLD}.").certainty is Certainty.LOW
    row = reviewed(text)
    assert row.certainty.value == level
    assert row.reasons[-1] == f"stated: the evidence is rated {level} by its review"


@pytest.mark.parametrize(
    "text",
    [
        "High-certainty evidence showed more bleeding.",
        "High-quality, adequately powered trials are required.",
        "There is a paucity of high-quality evidence.",
        "The methodological quality was high in two of twelve trials.",
        "Sleep quality was high.",
        "The certainty of the evidence was high for pain. Very low-certainty evidence: sleep.",
    ],
)
def test_no_word_of_a_review_lifts_its_row(text: str) -> None:
    assert reviewed(f"{LEAD}{TOLD}. {text}").certainty is Certainty.LOW


@pytest.mark.parametrize(
    "text",
    [
        "High-quality evidence is lacking.",
        "Low-quality studies were left out.",
        "A low-quality diet was common.",
        "Twelve high-quality trials were pooled.",
        "The certainty was not high.",
    ],
)
def test_words_on_other_things_state_no_certainty(text: str) -> None:
    assert certainties_stated(text) == ()


def test_a_record_is_as_certain_as_it_says() -> None:
    text = f"{LEAD}{TOLD}. We rated the certainty of evidence as very low."
    types = ("Systematic Review",)
    paper = record("Examplol: a systematic review of trials", text, publication_types=types)
    assert grade(paper).certainty is Certainty.VERY_LOW
