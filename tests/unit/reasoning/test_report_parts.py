"""What the extractive report says of safety, and of trials that are not finished."""

from __future__ import annotations

import pytest

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.report import ResearchReport
from deepcritical.reasoning.base import ReportContext
from deepcritical.reasoning.reading import read_record
from deepcritical.reasoning.relations import record_relations
from deepcritical.reasoning.writing import write
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.domain.records import appraisal, paper, trial
from tests.unit.reasoning.examples import EXAMPLOL, QUESTION, TESTITIS

CONTEXT = ReportContext(
    stop_reason="no_new_evidence", iterations=1, searched_on="2019-01-01", sources=("made up",)
)


def report_of(*records: Evidence) -> ResearchReport:
    """The report on examplol in testitis over these records, read by the rules."""
    store = EvidenceStore()
    for record in records:
        (key,) = store.add([record])
        reading = read_record(EXAMPLOL, TESTITIS, key, record)
        found = appraisal(record, key, drug="examplol")
        store.add_appraisal(found.model_copy(update={"reading": reading}))
    return write(QUESTION, store, CONTEXT, "a test")


def planned(note: str = "") -> Evidence:
    return trial(
        content="Adults with testitis are given examplol.",
        status="RECRUITING",
        enrollment=120,
        interventions=("Examplol",),
        note=note or None,
    )


class TestTrialsThatCouldChangeTheVerdict:
    def test_have_their_status_as_of_the_record(self) -> None:
        said = report_of(planned()).conclusion
        assert "could change this verdict (status as of the record)" in said
        assert "recruiting, 120 participants" in said

    @pytest.mark.parametrize(
        "note",
        [
            "registry list of 2020: the status may be out of date",
            "the status shown is older than the stop",
        ],
    )
    def test_say_that_an_old_status_is_old(self, note: str) -> None:
        assert "recruiting (as recorded" in report_of(planned(note)).conclusion


class TestSafety:
    OWN = "Results: Adults with testitis got examplol. Examplol caused nausea as an adverse event."
    OTHER = "Testitis is rare. Results: Examplol caused an adverse rash in healthy volunteers."

    def test_keeps_harms_in_other_people_apart(self) -> None:
        found = report_of(
            paper("Examplol in testitis", self.OWN, pmid="99001"),
            paper("Examplol in healthy volunteers", self.OTHER, pmid="99002"),
        )
        own, _, related = found.safety.content.partition("In people without the condition")
        assert ("nausea" in own, "rash" in own) == (True, False)
        assert "rash" in related


class TestNodesOfChains:
    def test_are_one_whatever_their_case(self) -> None:
        text = "Examplol reduced Inflammation. Examplol reduced inflammation in testitis."
        found = record_relations(EXAMPLOL, TESTITIS, "E1", paper("A study", text))
        assert len({r.object.casefold() for r in found.drug}) == len({r.object for r in found.drug})
