"""Which rows an answer tells, and which trials are listed as under way."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.rows import outcome_rows
from deepcritical.appraisal.verdict import decide
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.record_kinds import is_current
from deepcritical.domain.verdict import VerdictLabel
from deepcritical.domain.votes import Importance, Vote, Way
from deepcritical.writing.brief import leading_rows
from deepcritical.writing.harms import harm_sentences
from deepcritical.writing.words import FIRST, LATEST, row_sentence
from tests.unit.appraisal.builders import findings, vote


def told(way: Way, row: str, importance: Importance = "critical", people: int = 600) -> Vote:
    return vote(way, row=row, importance=importance, people=people)


def test_a_mixed_answer_tells_what_is_split_and_each_side() -> None:
    votes = (
        told(Way.BENEFIT, "flurb score"),
        told(Way.HARM, "flurb score"),
        told(Way.BENEFIT, "snerk"),
        told(Way.NO_DIFFERENCE, "grumble"),
        told(Way.BENEFIT, "zorb level", "surrogate", 9000),
    )
    verdict = decide(findings(*votes))
    assert verdict.label is VerdictLabel.MIXED
    rows = [(row.outcome, row.way) for row in leading_rows(verdict)]
    assert rows == [
        ("flurb score", Way.CONFLICT),
        ("snerk", Way.BENEFIT),
        ("grumble", Way.NO_DIFFERENCE),
    ]


@pytest.mark.parametrize(
    "note",
    [
        "status and enrolment from an old trial list (2020), may be out of date",
        "the sources disagree on the status (Not Recruiting / Recruiting)",
    ],
)
def test_a_status_that_its_note_doubts_is_not_current(note: str) -> None:
    metadata = EvidenceMetadata(kind="trial", status="RECRUITING", note=note)
    citation = Citation(source="clinicaltrials", title="Examplol in testitis", date="2029")
    assert not is_current(Evidence(content="", citation=citation, metadata=metadata))


def test_harms_against_the_drug_asked_about_are_told_and_were_not_in_former_reports() -> None:
    harms = told(Way.HARM, "grumble", "harm").model_copy(
        update={"comparator": "testamine", "against_asked": True}
    )
    verdict = decide(findings(harms, harms))
    (now,), (before,) = (harm_sentences(verdict, "examplol", wording=w) for w in (LATEST, FIRST))
    assert now.text.startswith("Grumble was more frequent with examplol than with testamine")
    assert before.text.startswith("No comparison of harms of examplol could be read")


@pytest.mark.parametrize(
    ("row", "now", "before"),
    [
        ("composite (flurbs, snerks)", "on the composite of flurbs, snerks", "on composite (flu"),
        ("flurbs", "Results of one study differ on", "Studies disagree on"),
    ],
)
def test_a_row_is_told_as_now_and_as_former_reports_told_it(
    row: str, now: str, before: str
) -> None:
    (found,) = outcome_rows(findings(told(Way.CONFLICT, row)))
    assert now in row_sentence(found, "examplol")
    assert before in row_sentence(found, "examplol", wording=FIRST)
