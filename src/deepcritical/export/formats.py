"""The table of formats in which a report can be exported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deepcritical.domain.report.answer import Document
    from deepcritical.export.imprint import Imprint

_SVG = "image/svg+xml"


class Format(NamedTuple):
    """One format of a report."""

    suffix: str
    name: str
    """As people call it, in a word or two."""
    holds: str
    """Description of the file's content."""
    media_type: str

    def render(self, report: Document, imprint: Imprint) -> bytes:
        """The file; the same document and imprint give the same bytes."""
        # Imported late: `--help` names the formats and must not wait for what writes them.
        from deepcritical.export.writers import written

        return written(self.suffix, report, imprint)


FORMATS: Mapping[str, Format] = {
    form.suffix: form
    for form in (
        Format("html", "HTML", "The report; each citation opens its source", "text/html"),
        Format("pdf", "PDF", "The report for printing", "application/pdf"),
        Format("md", "Markdown", "The report as text", "text/markdown"),
        Format("json", "JSON", "The report as data", "application/json"),
        Format("bib", "BibTeX", "The references", "application/x-bibtex"),
        Format("ris", "RIS", "The references", "application/x-research-info-systems"),
        Format("csl.json", "CSL", "The references", "application/vnd.citationstyles.csl+json"),
        Format("evidence.csv", "CSV", "The evidence table", "text/csv"),
        Format("studies.csv", "Studies", "The table of studies, as CSV", "text/csv"),
        Format("prisma.svg", "PRISMA", "The PRISMA flow diagram, as SVG", _SVG),
        Format("mechanism.svg", "Mechanism", "The mechanism graph, as SVG", _SVG),
        Format("timeline.svg", "Timeline", "The evidence timeline, as SVG", _SVG),
        Format("figures.json", "Figure data", "What the figures show", "application/json"),
    )
}
"""By file suffix."""
_OF_ANSWERS = ("html", "md", "json", "bib", "ris", "csl.json", "evidence.csv")
ANSWER_FORMATS: Mapping[str, Format] = {s: FORMATS[s] for s in _OF_ANSWERS}
"""Those that an answer can be had in, which has no verdict, no chains and no figures."""


def formats_of(document: Document) -> Mapping[str, Format]:
    """The formats that a report, or an answer, can be had in."""
    return ANSWER_FORMATS if is_answer(document) else FORMATS


def is_answer(document: Document) -> bool:
    """Return whether a document answers a free question; else it is a report."""
    # Imported late, as all that has many fields.
    from deepcritical.domain.report.answer import DeepAnswer

    return isinstance(document, DeepAnswer)
