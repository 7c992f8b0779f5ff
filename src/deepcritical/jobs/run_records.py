"""The records of a finished run: all that it read while this process has them, else those it cites.

What is stored of a run is its report, or its answer, with the text of every reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from deepcritical.domain.designs import Design
from deepcritical.domain.documents import Document
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.evidence_table import EvidenceRow
from deepcritical.domain.report_parts import Reference
from deepcritical.jobs.run import RunOf
from deepcritical.jobs.stored_runs import RunView
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.snapshot_records import parse
from deepcritical.writing.auditing import records_of

__all__ = ["RunRecords", "run_records"]

_TYPES = {
    Design.RCT: "Randomized Controlled Trial",
    Design.REVIEW_OF_RCTS: "Systematic Review",
    Design.REVIEW_OF_COHORTS: "Systematic Review",
    Design.REVIEW_UNSTATED: "Systematic Review",
    Design.REVIEW_WITH_CASE_CONTROL: "Systematic Review",
    Design.REVIEW_WITH_ANIMALS: "Systematic Review",
    Design.NARRATIVE_REVIEW: "Review",
}
"""The publication type by which an index names a design, where it names one."""


class RunRecords(NamedTuple):
    """What a run can be asked."""

    records: Mapping[str, Evidence]
    """By evidence id."""
    named: str
    """What they are, as a phrase."""


def run_records(run: RunView) -> RunRecords:
    """The records of a run; none of one that has not ended, or ended without a result."""
    short = run.run_id[:8]
    if run.ended and isinstance(run, RunOf):
        store = EvidenceStore()
        store.add(parse(run.evidence(), "evidence").records)
        return RunRecords(dict(store.evidence), f"the evidence of run {short}")
    document = (run.report or run.answer) if run.ended else None
    records = _cited(document) if document else {}
    return RunRecords(records, f"the records cited in run {short}")


def _cited(document: Document) -> dict[str, Evidence]:
    """The references as records, with what the evidence table knows of them."""
    rows = {row.evidence_id: row for row in document.evidence_table}
    records = records_of(document)
    return {
        reference.evidence_id: _told(
            records[reference.evidence_id], reference, rows.get(reference.evidence_id)
        )
        for reference in document.references
    }


def _told(record: Evidence, reference: Reference, row: EvidenceRow | None) -> Evidence:
    fields = record.metadata.model_dump()
    registered = reference.source in ("clinicaltrials", "registry")
    fields |= {
        "kind": "trial" if registered else "publication",
        "text_kind": reference.text_kind,
        "journal": reference.journal or None,
        "volume_pages": reference.volume_pages or None,
        **(_of_row(row) if row else {}),
    }
    if row and not row.design_from_text and (known := _type_of(row.design)):
        fields["publication_types"] = (*fields["publication_types"], known)
    metadata = type(record.metadata).model_validate(fields)
    return record.model_copy(update={"metadata": metadata})


def _of_row(row: EvidenceRow) -> dict[str, object]:
    return {
        "status": row.status or None,
        "phase": row.phase or None,
        "enrollment": row.participants,
        "why_stopped": row.why_stopped or None,
        "stop_class": row.stop_class,
        "integrity": row.integrity,
    }


def _type_of(design: str) -> str:
    return next((name for known, name in _TYPES.items() if known.value == design), "")
