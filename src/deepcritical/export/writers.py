"""What writes each format of `FORMATS`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeVar

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.documents import Document
from deepcritical.domain.report import ResearchReport
from deepcritical.export.bibtex import as_bibtex
from deepcritical.export.csl_json import as_csl_json
from deepcritical.export.evidence_csv import as_evidence_csv
from deepcritical.export.figures import FIGURES, as_figures_json
from deepcritical.export.imprint import Imprint
from deepcritical.export.ris import as_ris
from deepcritical.export.studies_csv import as_studies_csv
from deepcritical.export.svg import Drawing, standalone

__all__ = ["ANSWER_WRITERS", "WRITERS", "as_json", "written"]

Written = TypeVar("Written", ResearchReport, DeepAnswer, Document)
Writer = Callable[[Written, Imprint], bytes]


def as_json(report: Document, imprint: Imprint) -> str:
    """The report as JSON, headed by the run's id and the time at which that ended."""
    at = imprint.generated_at.isoformat(timespec="seconds")
    head = {"run_id": imprint.run_id, "generated_at": at}
    body = json.dumps(head | report.model_dump(mode="json"), ensure_ascii=False, indent=2)
    return body + "\n"


def _html(report: ResearchReport, _imprint: Imprint) -> bytes:
    # Imported late: the command line prints Markdown without waiting for templates.
    from deepcritical.export.html import as_html

    return as_html(report).encode()


def _answer_html(answer: DeepAnswer, _imprint: Imprint) -> bytes:
    from deepcritical.export.html import answer_as_html

    return answer_as_html(answer).encode()


def _pdf(report: ResearchReport, _imprint: Imprint) -> bytes:
    from deepcritical.export.pdf import as_pdf

    return as_pdf(report)


def _figure(draw: Callable[[ResearchReport], Drawing]) -> Writer[ResearchReport]:
    return _text(lambda report: standalone(draw(report)))


def _text(write: Callable[[Written], str]) -> Writer[Written]:
    return lambda report, _imprint: write(report).encode()


_OF_BOTH: Mapping[str, Writer[Document]] = MappingProxyType(
    {
        "md": lambda document, _imprint: document.to_markdown().encode(),
        "json": lambda document, imprint: as_json(document, imprint).encode(),
        "bib": _text(as_bibtex),
        "ris": _text(as_ris),
        "csl.json": _text(as_csl_json),
        "evidence.csv": lambda document, _imprint: as_evidence_csv(document),
    }
)
WRITERS: Mapping[str, Writer[ResearchReport]] = MappingProxyType(
    {
        **_OF_BOTH,
        "html": _html,
        "pdf": _pdf,
        "studies.csv": lambda report, _imprint: as_studies_csv(report),
        **{f"{name}.svg": _figure(draw) for name, draw in FIGURES.items()},
        "figures.json": _text(as_figures_json),
    }
)
"""By file suffix; each takes the report and its imprint."""
ANSWER_WRITERS: Mapping[str, Writer[DeepAnswer]] = MappingProxyType(
    {**_OF_BOTH, "html": _answer_html}
)
"""The same for answers."""


def written(suffix: str, document: Document, imprint: Imprint) -> bytes:
    """The file of that suffix, of a report or of an answer."""
    if isinstance(document, DeepAnswer):
        return ANSWER_WRITERS[suffix](document, imprint)
    return WRITERS[suffix](document, imprint)
