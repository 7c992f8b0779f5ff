"""What the run has found so far, as a source: hybrid retrieval over its own records."""

from __future__ import annotations

from deepcritical.domain.evidence import Evidence
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.tools.base import SourceOutcome, SourceQuery, SourceResult

__all__ = ["RagTool"]


class RagTool:
    """A search tool over the records of one run; it adds none.

    Args:
        rag: The run's retrieval.
    """

    def __init__(self, rag: LlamaIndexRAGService) -> None:
        self._rag = rag

    @property
    def name(self) -> str:
        """``records of this run``."""
        return "records of this run"

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records of the run for a query, with the way they were ranked as a filter."""
        retrieval = await self._rag.retrieval()
        found = await self._rag.query(query.text, query.max_results)
        return SourceResult(
            outcome=SourceOutcome.DATA if found else SourceOutcome.EMPTY,
            evidence=tuple(found.values()),
            query_as_run=query.text,
            filters=(f"retrieval: {retrieval.label}", f"at most {query.max_results} records"),
            total=len(found),
        )

    async def search(self, query: str, max_results: int = 10) -> list[Evidence]:
        """The best records of the run, best first."""
        return list((await self.fetch(SourceQuery(text=query, max_results=max_results))).evidence)
