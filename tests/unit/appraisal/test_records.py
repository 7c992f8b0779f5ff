"""What one record says for or against the drug, and what is said where no sentence does."""

from __future__ import annotations

from deepcritical.appraisal.records import read_for
from deepcritical.domain.appraisal import Remark
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.grading import grade
from tests.unit.appraisal.builders import CONDITION, DRUG, asked, study


def test_a_stop_that_only_the_registry_field_tells_is_explained() -> None:
    entry = Evidence(
        content="Adults with testitis get examplol or placebo.",
        citation=Citation(source="clinicaltrials", title="Examplol in testitis"),
        metadata=EvidenceMetadata(
            kind="trial",
            status="TERMINATED",
            why_stopped="Futility at the interim analysis",
            conditions=(CONDITION,),
            interventions=(DRUG,),
        ),
    )
    read = read_for(asked(), "E1", entry, study(), grade(entry))
    assert [vote.row for vote in read.votes] == ["stopped early"]
    assert (read.supporting, read.refuting, read.remark) == ((), (), Remark.COUNTED)
