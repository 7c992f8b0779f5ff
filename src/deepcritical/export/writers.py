"""The function that writes each format of `FORMATS`, tables as CSV included."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, TypeAdapter

from deepcritical.domain.appraisal.evidence_table import DrugStance, EvidenceRow
from deepcritical.domain.report.answer import Document, read_document
from deepcritical.domain.report.brief import StudyRow
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import numbers_of
from deepcritical.domain.text.markdown import one_line
from deepcritical.export.bibliography import as_bibtex, as_csl_json, as_ris
from deepcritical.export.figures import FIGURES
from deepcritical.export.imprint import Imprint
from deepcritical.export.mechanism_graph import mechanism_graph
from deepcritical.export.svg import standalone
from deepcritical.export.timeline import timeline
from deepcritical.services.imports import Later

if TYPE_CHECKING:
    from deepcritical.export import html, typeset
else:  # the command line prints Markdown without waiting for templates and the typesetter
    html, typeset = Later("deepcritical.export.html"), Later("deepcritical.export.typeset")

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
"""Beginnings of formulas in spreadsheets, full-width forms too (OWASP, CSV injection)."""


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


_HEAD = ("run_id", "generated_at")
_TIME: TypeAdapter[AwareDatetime] = TypeAdapter(AwareDatetime)
_ID = TypeAdapter(str)


def as_json(report: Document, imprint: Imprint) -> str:
    """The report as JSON, headed by the run's id and the time at which that ended."""
    at = imprint.generated_at.isoformat(timespec="seconds")
    return _json({"run_id": imprint.run_id, "generated_at": at} | report.model_dump(mode="json"))


def as_figures_json(report: ResearchReport) -> str:
    """Return the data of the figures as JSON: counts, nodes, edges, points; null if unknown."""
    return _json(
        {
            "prisma": report.prisma.model_dump(mode="json") if report.prisma else None,
            "mechanism": mechanism_graph(report).model_dump(mode="json"),
            "timeline": [point.model_dump(mode="json") for point in timeline(report)],
        }
    )


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _figure(name: str, report: ResearchReport) -> str:
    return standalone(FIGURES[name](report))


WRITERS: Mapping[str, Callable[[Any], str | bytes]] = {
    "html": html.render_page,
    "pdf": typeset.as_pdf,
    "md": lambda document: document.to_markdown(),
    "bib": as_bibtex,
    "ris": as_ris,
    "csl.json": as_csl_json,
    "evidence.csv": as_evidence_csv,
    "studies.csv": as_studies_csv,
    **{f"{name}.svg": partial(_figure, name) for name in FIGURES},
    "figures.json": as_figures_json,
}
"""By file suffix, of all formats but `json`, which is headed by the imprint."""


def written(suffix: str, document: Document, imprint: Imprint) -> bytes:
    """The file of that suffix, which must be one that the document can be had in."""
    made = as_json(document, imprint) if suffix == "json" else WRITERS[suffix](document)
    return made.encode() if isinstance(made, str) else made


def from_json(text: str) -> tuple[Document, Imprint]:
    """The report, or the answer, and its imprint.

    Raises:
        ValidationError: A field is missing, unknown or of another type.
        ValueError: The text is no JSON, or has no head.
    """
    parsed = json.loads(text)
    body = {k: v for k, v in parsed.items() if k not in _HEAD} if type(parsed) is dict else parsed
    report = read_document(body)
    missing = [name for name in _HEAD if name not in parsed]
    if missing:
        raise ValueError(f"{' and '.join(missing)} missing")
    run_id = _ID.validate_python(parsed["run_id"], strict=True)
    return report, Imprint(run_id, _TIME.validate_python(parsed["generated_at"]))
