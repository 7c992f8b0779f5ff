"""Candidates without enough evidence, and two records of one study that are called alike."""

from __future__ import annotations

from deepcritical.domain.appraisal import Remark
from deepcritical.reasoning.auditing import audit
from deepcritical.reasoning.citing import Citer
from deepcritical.reasoning.clinical import ClinicalSection
from deepcritical.reasoning.writing import write
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.domain.records import appraisal, paper
from tests.unit.reasoning.examples import CANDIDATES
from tests.unit.reasoning.test_report_parts import CONTEXT


def test_of_candidates_without_evidence_none_is_called_the_best() -> None:
    store = EvidenceStore()
    record = paper("Examplol and otherol in testitis", "600 adults were randomised.", pmid="99001")
    (key,) = store.add([record])
    for drug in ("examplol", "otherol"):
        store.add_appraisal(appraisal(record, key, drug=drug, remark=Remark.SILENT))
    told = write(CANDIDATES, store, CONTEXT, "a test")
    assert told.executive_summary.startswith("None of the candidates has enough evidence")
    assert "best placed" not in told.executive_summary
    assert "any of the candidates (examplol, otherol) helps in testitis" in told.conclusion
    assert audit(told).failed == ()


def test_records_of_one_study_and_one_name_are_told_apart_by_their_numbers() -> None:
    store = EvidenceStore()
    for pmid in ("99001", "99002"):
        text = "600 adults were randomised to examplol or placebo."
        record = paper(
            "Examplol in testitis",
            text,
            pmid=pmid,
            publication_types=("Randomized Controlled Trial",),
            linked_ids=("nct:NCT99000001",),
        )
        (key,) = store.add([record])
        store.add_appraisal(
            appraisal(record, key, drug="examplol", direct=True, remark=Remark.SILENT)
        )
    told = ClinicalSection(store, Citer(store), "examplol", "testitis").clinical()
    assert "(same study as “Examplol in testitis” [1])" in told
