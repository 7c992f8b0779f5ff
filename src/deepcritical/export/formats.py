"""The formats that a report can be had in, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deepcritical.domain.report import ResearchReport

__all__ = ["FORMATS", "Format"]


_SVG = "image/svg+xml"


class Format(NamedTuple):
    """One format of a report."""

    suffix: str
    name: str
    """As people call it, in a word or two."""
    holds: str
    """What is in the file."""
    media_type: str

    def render(self, report: ResearchReport, run_id: str) -> bytes:
        """The file; the same report gives the same bytes, but for the head of the JSON."""
        # Imported late: `--help` names the formats and must not wait for what writes them.
        from deepcritical.export.writers import WRITERS

        return WRITERS[self.suffix](report, run_id)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
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
            Format("prisma.svg", "PRISMA", "The PRISMA flow diagram, as SVG", _SVG),
            Format("mechanism.svg", "Mechanism", "The mechanism graph, as SVG", _SVG),
            Format("timeline.svg", "Timeline", "The evidence timeline, as SVG", _SVG),
            Format("figures.json", "Figure data", "What the figures show", "application/json"),
        )
    }
)
"""By file suffix."""
