"""The parts of a report: trials, harms, both sides, what would change it, and none found."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.findings import Direction, Remark
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import QuestionFrame, QuestionKind
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.domain.report.report import ResearchReport
from deepcritical.reading.rules import read_by_rules
from deepcritical.reasoning.judging import assess
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.ledger.auditing import audit
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.report import write
from tests.unit.domain.records import appraisal, paper, trial, vote
from tests.unit.reasoning.examples import CANDIDATES, EXAMPLOL, QUESTION, TESTITIS

RCT = ("Randomized Controlled Trial",)
CONTEXT = ReportContext(
    stop_reason="no_new_evidence", iterations=1, searched_on="2019-01-01", sources=("made up",)
)


def report_of(*records: Evidence, asked: ResearchQuestion = QUESTION) -> ResearchReport:
    """The report on examplol in testitis over these records, read by the rules."""
    store = EvidenceStore()
    for record in records:
        (key,) = store.add([record])
        study = read_by_rules(record, datetime(2999, 1, 1, tzinfo=UTC))
        reading = read_for(asked_of(EXAMPLOL, TESTITIS), key, record, study, grade(record))
        found = appraisal(record, key, drug="examplol")
        store.add_appraisal(found.model_copy(update={"reading": reading}))
    return write(asked, store, CONTEXT, assess(asked, store), "a test")


def planned(note: str = "") -> Evidence:
    return trial(
        content="Adults with testitis are given examplol.",
        status="RECRUITING",
        enrollment=120,
        interventions=("Examplol",),
        note=note or None,
    )


@pytest.mark.parametrize(
    ("more", "doses"),
    [
        ("", "20 mg daily"),
        (
            "The mean dose of examplol was 17 mg daily; examplol 10 to 30 mg daily was allowed. ",
            "20 mg daily (range 10 to 30 mg daily; mean 17 mg daily)",
        ),
    ],
)
def test_a_question_on_a_dose_is_first_told_the_doses_of_the_studies_that_count(
    more: str, doses: str
) -> None:
    arms = "Methods: 300 adults with testitis were randomised to examplol 20 mg daily or placebo. "
    better = "Results: Examplol improved testitis compared with placebo (p = 0.01)."
    frame = QuestionFrame(text="Which dose of examplol?", kind=QuestionKind.DOSE)
    asked = QUESTION.model_copy(update={"frame": frame})
    found = paper(content=arms + more + better, pmid="99000001")
    told = report_of(found, planned(), asked=asked)
    assert told.brief
    assert told.brief.answer[0].text.startswith(
        f"Doses of examplol in the studies that count: {doses} in "
    )
    assert told.brief.answer[0].evidence_ids == ("E1",)
    assert audit(told).failed == ()


class TestRegisteredTrials:
    def test_have_their_status_as_of_the_record(self) -> None:
        told = report_of(planned())
        assert told.brief
        assert [trial.registry_id for trial in told.brief.trials] == ["NCT11111111"]
        assert "| recruiting | – | 120 |" in told.to_markdown()

    @pytest.mark.parametrize(
        "note",
        [
            "registry list of 2020: the status may be out of date",
            "the status shown is older than the stop",
        ],
    )
    def test_say_that_an_old_status_is_old(self, note: str) -> None:
        assert "| recruiting (as recorded" in report_of(planned(note)).to_markdown()


class TestWhatWouldChangeTheVerdict:
    FOR = (
        "Design: Randomised trial of examplol or placebo in 60 patients. "
        "Results: Examplol significantly improved testitis symptoms compared with placebo."
    )

    def test_is_told_by_the_rules_of_the_verdict(self) -> None:
        told = report_of(paper("Examplol in testitis", self.FOR, pmid="99001"))
        assert told.verdict.label == "promising"
        markdown = told.to_markdown()
        assert "400 participants in favour | supported | moderate |" in markdown
        assert "| lacked PMID 99001 [1] | insufficient evidence | very low |" in markdown


class TestContradictions:
    FOR = (
        "Design: Randomised trial in 60 patients. "
        "Results: Examplol significantly improved testitis symptoms compared with placebo."
    )
    AGAINST = (
        "Design: Randomised trial in 90 patients. "
        "Results: Examplol did not improve testitis symptoms compared with placebo."
    )

    def test_quote_both_sides(self) -> None:
        markdown = report_of(
            paper("Examplol in testitis: one study", self.FOR, pmid="99001"),
            paper("Examplol in testitis: another study", self.AGAINST, pmid="99002"),
        ).to_markdown()
        own, _, other = markdown.partition("Studies against**")
        assert "(randomised controlled trial) [1]: “Examplol significantly improved" in own
        assert "(randomised controlled trial) [2]: “Examplol did not improve" in other

    def test_are_said_to_be_none(self) -> None:
        told = report_of(paper("Examplol in testitis: one study", self.FOR, pmid="99001"))
        assert told.contradictions.quoted == ()
        assert "No contradiction was recognised" in told.contradictions.content


class TestSafety:
    OWN = "Results: Adults with testitis got examplol. Examplol caused nausea as an adverse event."
    OTHER = "Testitis is rare. Results: Examplol caused an adverse rash in healthy volunteers."

    def test_keeps_harms_in_other_people_apart(self) -> None:
        found = report_of(
            paper("Examplol in testitis", self.OWN, pmid="99001"),
            paper("Examplol in healthy volunteers", self.OTHER, pmid="99002"),
        )
        own, related = found.safety.quoted
        assert (own.group, "nausea" in own.claims[0].quote) == ("", True)
        assert "In other studies found" in related.group
        assert "rash" in related.claims[0].quote

    def test_says_that_no_report_of_harms_is_no_sign_of_safety(self) -> None:
        assert "not a sign of safety" in report_of(planned()).safety.content


def test_of_candidates_without_evidence_none_is_called_the_best() -> None:
    store = EvidenceStore()
    record = paper("Examplol and otherol in testitis", "600 adults were randomised.", pmid="99001")
    (key,) = store.add([record])
    for drug in ("examplol", "otherol"):
        store.add_appraisal(appraisal(record, key, drug=drug, remark=Remark.SILENT))
    told = write(CANDIDATES, store, CONTEXT, assess(CANDIDATES, store), "a test")
    assert told.executive_summary.startswith("None of the candidates has enough evidence")
    assert "Not known: the evidence found does not show" in told.conclusion
    assert "| Ref. | Study |" in told.to_markdown()
    assert audit(told).failed == ()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (QUESTION, "No study of examplol in testitis was found."),
        (CANDIDATES, "No study of any drug in testitis was found."),
    ],
)
def test_where_no_study_was_found_the_brief_says_what_was_searched(
    question: ResearchQuestion, said: str
) -> None:
    store = EvidenceStore()
    told = write(question, store, CONTEXT, assess(question, store), "a test")
    assert told.brief
    assert told.brief.answer[0].text == said
    assert "Searched were" in told.brief.missing[-1]
    assert "/10" not in told.to_markdown()
    assert audit(told).failed == ()


def candidates_in(*found: tuple[str, Way, int]) -> ResearchReport:
    """The report on candidates, each with so many trials that found a way of 400 people each."""
    store = EvidenceStore()
    for drug, way, trials in found:
        for number in range(trials):
            pmid = str(99000 + len(store.evidence))
            record = paper(f"{drug} in testitis {number}", pmid=pmid, publication_types=RCT)
            (key,) = store.add([record])
            told = vote(Direction.SUPPORTS, 2, 400, key, direct=True).model_copy(
                update={"way": way}
            )
            store.add_appraisal(appraisal(record, key, drug=drug, direct=True, votes=(told,)))
    return write(CANDIDATES, store, CONTEXT, assess(CANDIDATES, store), "a test")


@pytest.mark.parametrize(
    ("way", "is_against"),
    [(Way.NO_DIFFERENCE, False), (Way.HARM, True), (Way.BENEFIT, False)],
)
def test_the_evidence_speaks_against_what_was_refuted_or_does_harm(
    way: Way, is_against: bool
) -> None:
    told = candidates_in(("examplol", Way.BENEFIT, 3), ("otherol", way, 2)).executive_summary
    assert ("the evidence speaks against otherol" in told) is is_against
    assert ("the others are otherol (" in told) is not is_against


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (5, ""),
        (6, "Further candidates were found and are not weighed here: drug6ol."),
        (
            8,
            "Further candidates were found and are not weighed here: drug6ol, drug7ol and drug8ol.",
        ),
        (9, "Further candidates were found and are not weighed here: 4 others."),
    ],
)
def test_a_list_of_candidates_says_what_it_leaves_out(number: int, said: str) -> None:
    drugs = [(f"drug{n}ol", Way.BENEFIT, 1) for n in range(1, number + 1)]
    told = candidates_in(*drugs)
    assert len(told.drug_candidates) == 5
    assert said in told.executive_summary
    assert said or "Further candidates" not in told.executive_summary
    assert audit(told).failed == ()
