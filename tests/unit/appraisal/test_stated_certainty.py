"""What a review states of its evidence is what is told of it."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.records import read_for
from deepcritical.appraisal.rows import outcome_rows
from deepcritical.domain.appraisal import Appraisal, study_findings
from deepcritical.domain.certainty import Certainty, certainties_stated
from deepcritical.domain.grading import grade
from deepcritical.domain.votes import OutcomeRow
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
        (f"{LEAD}{TOLD} (12 trials; GRADE: low).", "low"),
        (f"{LEAD}{TOLD}. The certainty of the evidence was judged very low.", "very low"),
        (f"{LEAD}{TOLD} (high-certainty evidence). Harms were of low certainty.", "high"),
    ],
)
def test_a_row_is_as_certain_as_its_review_says(text: str, level: str) -> None:
    row = reviewed(text)
    assert row.certainty.value == level
    assert row.reasons == (f"stated: the evidence is rated {level} by its review",)


def test_people_who_do_not_fit_lower_what_a_review_states() -> None:
    row = reviewed(f"{LEAD}{TOLD} (moderate-certainty evidence).", part=True)
    assert (row.directness, row.certainty) == ("broader", Certainty.LOW)
    assert row.reasons[-1].startswith("indirectness: ")


def test_of_several_levels_none_beyond_them_is_told() -> None:
    text = f"{LEAD}{TOLD}. Certainty was low for pain. Very low certainty evidence was on sleep."
    assert reviewed(text).certainty in (Certainty.LOW, Certainty.VERY_LOW)


@pytest.mark.parametrize(
    "text",
    [
        "High-quality evidence is lacking.",
        "There is a need for high-quality evidence.",
        "No high-certainty evidence was found.",
        "Low-quality studies were left out.",
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
