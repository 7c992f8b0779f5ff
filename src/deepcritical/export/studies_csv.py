"""The table of studies as CSV, one row a study."""

from __future__ import annotations

from deepcritical.domain.brief import StudyRow
from deepcritical.domain.report import ResearchReport
from deepcritical.export.cited import numbers_of
from deepcritical.export.spreadsheet import as_csv

__all__ = ["STUDY_COLUMNS", "as_studies_csv"]

STUDY_COLUMNS = (
    "study design population arms comparator outcome result people certainty in_verdict "
    "references ids url"
).split()


def as_studies_csv(report: ResearchReport) -> bytes:
    """Return the table with its header; the header alone for a report without one."""
    return as_csv(STUDY_COLUMNS, [_values(study, report) for study in report.study_table])


def _values(study: StudyRow, report: ResearchReport) -> tuple[object, ...]:
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
