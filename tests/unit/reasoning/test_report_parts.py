"""What the extractive report says of safety, and of trials that are not finished."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from deepcritical.appraisal.asked import asked_of
from deepcritical.appraisal.records import read_for
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.domain.report import ResearchReport
from deepcritical.reading.rules import read_by_rules
from deepcritical.reasoning.clinical import ClinicalSection, safety
from deepcritical.reasoning.writing import write
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.citing import Citer
from deepcritical.writing.context import ReportContext
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
        study = read_by_rules(record, datetime(2999, 1, 1, tzinfo=UTC))
        reading = read_for(asked_of(EXAMPLOL, TESTITIS), key, record, study, grade(record))
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
        said = report_of(planned()).what_would_change.content
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
        assert "recruiting (as recorded" in report_of(planned(note)).what_would_change.content


class TestWhatWouldChangeTheVerdict:
    FOR = (
        "Design: Randomised trial of examplol or placebo in 60 patients. "
        "Results: Examplol significantly improved testitis symptoms compared with placebo."
    )

    def test_is_told_by_the_rules_of_the_verdict(self) -> None:
        told = report_of(paper("Examplol in testitis", self.FOR, pmid="99001"))
        content = told.what_would_change.content
        assert told.verdict.label == "promising"
        assert "Now: promising, very low certainty." in content
        assert "400 participants in favour | supported | moderate |" in content
        assert "| lacked PMID 99001 [1] | insufficient evidence | very low |" in content

    def test_names_more_trials_with_their_numbers(self) -> None:
        many = [
            trial(f"NCT9900000{n}", "Adults with testitis are given examplol.", status="RECRUITING")
            for n in range(7)
        ]
        content = report_of(*many).what_would_change.content
        assert re.search(r"; and 2 more \[\d\]\[\d\]\.", content)

    def test_says_that_no_trial_is_under_way(self) -> None:
        done = trial(content="Adults with testitis are given examplol.", status="COMPLETED")
        assert "No trial under way" in report_of(done).what_would_change.content


class TestContradictions:
    FOR = (
        "Design: Randomised trial in 60 patients. "
        "Results: Examplol significantly improved testitis symptoms compared with placebo."
    )
    AGAINST = (
        "Design: Randomised trial in 90 patients. "
        "Results: Examplol did not improve testitis symptoms compared with placebo."
    )

    def test_quote_both_sides_with_level_and_size(self) -> None:
        content = report_of(
            paper("Examplol in testitis: one study", self.FOR, pmid="99001"),
            paper("Examplol in testitis: another study", self.AGAINST, pmid="99002"),
        ).contradictions.content
        own, _, other = content.partition("Against:")
        assert "(level 2, 60 people), quoted from [1]: “Examplol significantly improved" in own
        assert "(level 2, 90 people), quoted from [2]: “Examplol did not improve" in other

    def test_a_registered_trial_has_the_outcome_of_its_paper(self) -> None:
        entry = trial("NCT99000001", "Adults with testitis are given examplol.", status="COMPLETED")
        result = paper(
            "Examplol in testitis: a study", self.FOR, pmid="99001", linked_ids=("nct:NCT99000001",)
        )
        alone, both = (
            report_of(*records).clinical_findings.content for records in ((entry,), (entry, result))
        )
        assert "no result found here" in alone
        assert "| favours [1] |" in both
        assert "no result found here" not in both


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


class TestSafetyOfSeveralDrugs:
    def test_says_once_of_which_drugs_nothing_is_reported(self) -> None:
        store, citer = EvidenceStore(), Citer(EvidenceStore())
        parts = [ClinicalSection(store, citer, drug, "testitis") for drug in ("a", "b", "c")]
        assert safety(parts).startswith("No record found here reports harms of a, b or c. ")
        assert "harms of a. " in safety(parts[:1])
        assert safety([]) == ""
