"""Candidates without enough evidence."""

from __future__ import annotations

from deepcritical.domain.appraisal import Remark
from deepcritical.reasoning.auditing import audit
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
    assert "Not known: the evidence found does not show" in told.conclusion
    assert audit(told).failed == ()
