"""Writes the evidence table and the table of studies as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence

from deepcritical.domain.answer import Document
from deepcritical.domain.brief import StudyRow
from deepcritical.domain.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.markdown import one_line
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Reference
from deepcritical.domain.sentences import numbers_of

EVIDENCE_COLUMNS = (
    "number id title authors year journal design level certainty certainty_reasons quality "
    "participants direction about_condition verdict_role status phase why_stopped stop_class "
    "integrity ids url note model_reading"
).split()
_UNREAD = EvidenceRow(evidence_id="", design="")
STUDY_COLUMNS = (
    "study design population arms comparator outcome result people certainty in_verdict "
    "references ids url"
).split()
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "|", "%")
"""What a spreadsheet takes for a formula, its full-width forms too (OWASP, CSV injection)."""


def as_evidence_csv(report: Document) -> bytes:
    """The evidence table with its header, one row a reference."""
    rows = {row.evidence_id: row for row in report.evidence_table}
    return _as_csv(
        EVIDENCE_COLUMNS,
        (
            _reference_cells(n, r, rows.get(r.evidence_id, _UNREAD))
            for n, r in enumerate(report.references, 1)
        ),
    )


def _reference_cells(number: int, reference: Reference, row: EvidenceRow) -> tuple[object, ...]:
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
    """Return the statement on the drug; of several, each with its name."""
    if len(row.stances) == 1:
        return said(row.stances[0])
    return "; ".join(f"{stance.drug}: {said(stance)}" for stance in row.stances)


def as_studies_csv(report: ResearchReport) -> bytes:
    """The table of studies, one row a study; the header alone for a report without one."""
    return _as_csv(STUDY_COLUMNS, [_study_cells(study, report) for study in report.study_table])


def _study_cells(study: StudyRow, report: ResearchReport) -> tuple[object, ...]:
    numbers = numbers_of(study.evidence_ids, report.references)
    records = [report.references[n - 1] for n in numbers]
    return (
        study.name,
        study.design,
        study.population,
        "; ".join(study.arms),
        study.comparator,
        study.outcome,
        study.result,
        study.people,
        study.certainty,
        study.counts,
        " ".join(map(str, numbers)),
        " ".join(record_id for record in records for record_id in record.public_ids),
        next((record.link for record in records if record.link), ""),
    )


def _as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """The table; UTF-8 with a byte order mark, without which Excel loses Greek letters."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_safe_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _safe_cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
