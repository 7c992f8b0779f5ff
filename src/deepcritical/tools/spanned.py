"""A source whose queries are measured."""

from __future__ import annotations

from deepcritical.services.telemetry import Telemetry
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult

__all__ = ["SpannedTool"]


class SpannedTool(SearchTool):
    """A source over another one.

    Args:
        tool: Searches.
        telemetry: Is told of each query: how it ended and how much it brought, not what was asked.
    """

    def __init__(self, tool: SearchTool, telemetry: Telemetry) -> None:
        self._tool = tool
        self._telemetry = telemetry

    @property
    def name(self) -> str:
        """That of the other one."""
        return self._tool.name

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """One span."""
        source = {"deepcritical.source": self.name}
        with self._telemetry.span(f"search {self.name}", source, remote=True) as span:
            result = await self._tool.fetch(query)
            span.tell(
                {
                    "deepcritical.search.outcome": result.outcome.value,
                    "deepcritical.search.records": len(result.evidence),
                    "deepcritical.search.total": result.total,
                    "deepcritical.search.cached": result.cached,
                }
            )
            if result.outcome is SourceOutcome.UNAVAILABLE:
                span.fail(result.outcome.value)
        return result
