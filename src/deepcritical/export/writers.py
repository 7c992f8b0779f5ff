"""What writes each format of `FORMATS`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from deepcritical.domain.report import ResearchReport
from deepcritical.export.bibtex import as_bibtex
from deepcritical.export.csl_json import as_csl_json
from deepcritical.export.evidence_csv import as_evidence_csv
from deepcritical.export.figures import FIGURES, as_figures_json
from deepcritical.export.ris import as_ris
from deepcritical.export.svg import Drawing, standalone

__all__ = ["WRITERS", "as_json"]

Writer = Callable[[ResearchReport, str], bytes]


def as_json(report: ResearchReport, run_id: str) -> str:
    """The report as JSON, headed by the run's id and the time of writing (UTC)."""
    head = {"run_id": run_id, "generated_at": datetime.now(UTC).isoformat(timespec="seconds")}
    body = json.dumps(head | report.model_dump(mode="json"), ensure_ascii=False, indent=2)
    return body + "\n"


def _html(report: ResearchReport, _run_id: str) -> bytes:
    # Imported late: the command line prints Markdown without waiting for templates.
    from deepcritical.export.html import as_html

    return as_html(report).encode()


def _pdf(report: ResearchReport, _run_id: str) -> bytes:
    from deepcritical.export.pdf import as_pdf

    return as_pdf(report)


def _figure(draw: Callable[[ResearchReport], Drawing]) -> Writer:
    return _text(lambda report: standalone(draw(report)))


def _text(write: Callable[[ResearchReport], str]) -> Writer:
    return lambda report, _run_id: write(report).encode()


WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "html": _html,
        "pdf": _pdf,
        "md": _text(ResearchReport.to_markdown),
        "json": lambda report, run_id: as_json(report, run_id).encode(),
        "bib": _text(as_bibtex),
        "ris": _text(as_ris),
        "csl.json": _text(as_csl_json),
        "evidence.csv": lambda report, _run_id: as_evidence_csv(report),
        **{f"{name}.svg": _figure(draw) for name, draw in FIGURES.items()},
        "figures.json": _text(as_figures_json),
    }
)
"""By file suffix; each takes the report and the id of its run."""
