"""The structured report, which renders itself as Markdown."""

from deepcritical.domain.layout_markdown import report_markdown
from deepcritical.domain.report_data import ReportData


class ResearchReport(ReportData):
    """Everything that a reader gets. Every factual sentence ends in `[n]`."""

    def _repr_markdown_(self) -> str:
        """Return the Markdown that a notebook shows."""
        return self.to_markdown()

    def to_markdown(self) -> str:
        """The report as Markdown, for people."""
        return report_markdown(self)
