"""The formats that a report can be had in, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deepcritical.domain.report import ResearchReport

__all__ = ["FORMATS", "Format"]


class Format(NamedTuple):
    """One format of a report."""

    suffix: str
    name: str
    """As people call it."""
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
            Format("html", "HTML", "text/html"),
            Format("pdf", "PDF", "application/pdf"),
            Format("md", "Markdown", "text/markdown"),
            Format("json", "JSON", "application/json"),
            Format("bib", "BibTeX", "application/x-bibtex"),
            Format("ris", "RIS", "application/x-research-info-systems"),
            Format("csl.json", "CSL-JSON", "application/vnd.citationstyles.csl+json"),
            Format("evidence.csv", "Evidence table (CSV)", "text/csv"),
            Format("prisma.svg", "PRISMA flow (SVG)", "image/svg+xml"),
            Format("mechanism.svg", "Mechanism graph (SVG)", "image/svg+xml"),
            Format("timeline.svg", "Evidence timeline (SVG)", "image/svg+xml"),
            Format("figures.json", "Figures as data (JSON)", "application/json"),
        )
    }
)
"""By file suffix."""
