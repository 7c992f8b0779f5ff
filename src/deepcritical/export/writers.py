"""The function that writes each format of `FORMATS`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import AwareDatetime, TypeAdapter

from deepcritical.domain.answer import Document, read_document
from deepcritical.domain.report import ResearchReport
from deepcritical.export.bibliography import as_bibtex, as_csl_json, as_ris
from deepcritical.export.figures import FIGURES
from deepcritical.export.imprint import Imprint
from deepcritical.export.mechanism_graph import mechanism_graph
from deepcritical.export.spreadsheets import as_evidence_csv, as_studies_csv
from deepcritical.export.svg import standalone
from deepcritical.export.timeline import timeline

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


def _html(document: Document) -> str:
    # Imported late: the command line prints Markdown without waiting for templates.
    from deepcritical.export.html import render_page

    return render_page(document)


def _pdf(report: ResearchReport) -> bytes:
    from deepcritical.export.pdf import as_pdf

    return as_pdf(report)


def _figure(name: str, report: ResearchReport) -> str:
    return standalone(FIGURES[name](report))


WRITERS: Mapping[str, Callable[[Any], str | bytes]] = {
    "html": _html,
    "pdf": _pdf,
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
