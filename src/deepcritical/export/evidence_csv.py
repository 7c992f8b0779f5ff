"""The evidence table as CSV (RFC 4180), one row a reference."""

from __future__ import annotations

from collections.abc import Callable

from deepcritical.domain.documents import Document
from deepcritical.domain.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.report_parts import Reference
from deepcritical.export.spreadsheet import as_csv

__all__ = ["COLUMNS", "as_evidence_csv", "as_rows"]

COLUMNS = (
    "number id title authors year journal design level certainty certainty_reasons quality "
    "participants direction about_condition verdict_role status phase why_stopped stop_class "
    "integrity ids url note model_reading"
).split()
_UNREAD = EvidenceRow(evidence_id="", design="")


def as_evidence_csv(report: Document) -> bytes:
    """Return the table with its header."""
    return as_csv(COLUMNS, as_rows(report))


def as_rows(report: Document) -> list[tuple[object, ...]]:
    """The values of `COLUMNS` for each reference; None or '' where nothing is known."""
    rows = {row.evidence_id: row for row in report.evidence_table}
    return [
        _values(number, reference, rows.get(reference.evidence_id, _UNREAD))
        for number, reference in enumerate(report.references, 1)
    ]


def _values(number: int, reference: Reference, row: EvidenceRow) -> tuple[object, ...]:
    integrity = "retracted" if reference.retracted else row.integrity.replace("_", " ")
    return (
        number,
        reference.evidence_id,
        reference.title,
        "; ".join(reference.authors),
        reference.date[:4],
        reference.journal,
        row.design,
        row.level,
        row.certainty,
        "; ".join(row.certainty_reasons),
        row.quality,
        row.participants,
        _each(row, lambda stance: stance.direction.value),
        _each(row, lambda stance: "yes" if stance.direct else "related"),
        _each(row, lambda stance: stance.role.value),
        row.status,
        row.phase,
        row.why_stopped,
        row.stop_class,
        integrity,
        " ".join(reference.public_ids),
        reference.link,
        reference.note,
        _each(row, lambda stance: stance.dispute),
    )


def _each(row: EvidenceRow, said: Callable[[DrugStance], str]) -> str:
    """What is said of the drug; of several, each with its name."""
    if len(row.stances) == 1:
        return said(row.stances[0])
    return "; ".join(f"{stance.drug}: {said(stance)}" for stance in row.stances)
