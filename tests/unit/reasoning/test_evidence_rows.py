"""The evidence table of a report says of each reference what was read and graded."""

from __future__ import annotations

from pathlib import Path

import pytest

import deepcritical
from deepcritical.domain.appraisal.evidence_table import EvidenceRow, VerdictRole
from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.report.citation_validator import validate_references
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from tests.conftest import QUESTION, make_evidence, paper, snapshot, trial

HARMED = "Results: Examplol did not improve testitis symptoms compared with placebo."


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> ResearchReport:
    records = (
        paper(1),
        paper(2, text=f"Design: Randomised placebo-controlled trial in 60 patients. {HARMED}"),
        paper(3, pub_types=["Randomized Controlled Trial", "Retracted Publication"]),
        trial(4, status="Terminated", why_stopped="Slow recruitment", phase="PHASE2"),
        paper(5, title="Otherol in testitis", text="Otherol was studied in testitis."),
    )
    path = snapshot(tmp_path_factory.mktemp("made") / "made.jsonl", *records)
    return deepcritical.research(QUESTION, snapshot=str(path))


def row(report: ResearchReport, title: str) -> EvidenceRow:
    found = next(r.evidence_id for r in report.references if title in r.title)
    return next(row for row in report.evidence_table if row.evidence_id == found)


def test_there_is_a_row_for_each_reference_in_order(report: ResearchReport) -> None:
    told = [row.evidence_id for row in report.evidence_table]
    assert told == [reference.evidence_id for reference in report.references]


def test_a_row_has_design_size_direction_and_role(report: ResearchReport) -> None:
    found = row(report, "made-up trial 1")
    assert (found.design, found.level, found.participants) == ("randomised controlled trial", 2, 40)
    assert (found.direction, found.role) == (Direction.SUPPORTS, VerdictRole.DECIDES)
    assert row(report, "made-up trial 2").direction is Direction.REFUTES


def test_a_retracted_record_is_shown_and_does_not_count(report: ResearchReport) -> None:
    found = row(report, "made-up trial 3")
    assert (found.role, found.integrity) == (VerdictRole.RETRACTED, "retracted")


def test_a_trial_says_how_it_ended(report: ResearchReport) -> None:
    found = row(report, "registry entry 4")
    assert (found.status, found.phase) == ("TERMINATED", "PHASE2")
    assert found.why_stopped == "Slow recruitment"
    assert found.stop_class == "enrolment"


def test_the_counts_add_up(report: ResearchReport) -> None:
    flow = report.prisma
    assert flow is not None
    assert flow.identified == sum(search.identified for search in report.searches)
    assert (flow.screened, flow.excluded, flow.included) == (5, 1, 4)
    assert flow.screened - flow.excluded == flow.included


def test_an_edge_names_the_records_of_each_side() -> None:
    asked = "Does metformin slow Alzheimer's disease through AMPK?"
    tested = deepcritical.research(asked, snapshot="demo").hypotheses_tested
    edge = tested[0].edges[0]
    assert (edge.increases, edge.decreases, edge.no_effect) == (edge.evidence_ids, (), ())
    assert edge.evidence_ids


def test_the_row_of_a_removed_reference_goes_with_it(report: ResearchReport) -> None:
    kept = report.references[0]
    invented = Reference(evidence_id="E9", title="Invented", ids=("pmid:99999999",))
    rows = (EvidenceRow(evidence_id="E9", design="x"), row(report, kept.title))
    record = make_evidence(kept.title, pmid="99000001")
    changed = report.model_copy(update={"references": (invented, kept), "evidence_table": rows})
    checked = validate_references(changed, {kept.evidence_id: record}).report
    assert [r.evidence_id for r in checked.evidence_table] == [kept.evidence_id]


def test_a_row_names_the_other_records_of_its_study_and_what_the_registry_holds(
    tmp_path: Path,
) -> None:
    entry = trial(2, planned_enrollment=120, has_results=True)
    path = snapshot(tmp_path / "made.jsonl", paper(1, nct=entry["nct"]), entry, paper(3))
    report = deepcritical.research(QUESTION, snapshot=str(path))
    published, registered = row(report, "made-up trial 1"), row(report, "registry entry 2")
    assert registered.same_study == (published.evidence_id,)
    assert published.same_study == (registered.evidence_id,)
    assert row(report, "made-up trial 3").same_study == ()
    assert (registered.planned, registered.has_results) == (120, True)
    assert published.has_results is None
