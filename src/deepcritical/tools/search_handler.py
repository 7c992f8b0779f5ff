"""Runs queries against all sources at once and turns failures into outcomes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.errors import DeepCriticalError, SearchError
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult

__all__ = ["SearchHandler", "SourceAnswer"]


class SourceAnswer(NamedTuple):
    """One query's result at one source."""

    source: str
    query: str
    result: SourceResult


class SearchHandler:
    """Asks every source every query.

    Args:
        tools: The sources of the run.
        deadline_s: Seconds that a source gets for one query; then it was `unavailable`.
    """

    def __init__(self, tools: Sequence[SearchTool], *, deadline_s: float = 30.0) -> None:
        if not tools:
            raise ValueError("a search handler needs at least one source")
        self._tools = tuple(tools)
        self._deadline_s = deadline_s

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources."""
        return tuple(tool.name for tool in self._tools)

    async def execute(self, queries: Sequence[str], max_results: int) -> tuple[SourceAnswer, ...]:
        """All answers, in the order of queries, then of sources; a failing source is `unavailable`.

        Raises:
            SearchError: No source answered any query.
        """
        calls = [(tool, query) for query in queries for tool in self._tools]
        results = await asyncio.gather(
            *(
                self._asked(tool, SourceQuery(text=query, max_results=max_results))
                for tool, query in calls
            ),
            return_exceptions=True,
        )
        answers = tuple(
            SourceAnswer(tool.name, query, _settled(result, query))
            for (tool, query), result in zip(calls, results, strict=True)
        )
        if answers and all(a.result.outcome is SourceOutcome.UNAVAILABLE for a in answers):
            raise _most_telling(results, answers)
        return answers

    async def _asked(self, tool: SearchTool, query: SourceQuery) -> SourceResult:
        try:
            async with asyncio.timeout(self._deadline_s) as deadline:
                return await tool.fetch(query)
        except TimeoutError as error:
            if not deadline.expired():
                raise  # a defect: a tool's own time-outs are errors of the domain
            raise SearchError(
                f"{tool.name} did not answer within {self._deadline_s:g} s.", "Try again later."
            ) from error


def _settled(result: SourceResult | BaseException, query: str) -> SourceResult:
    if isinstance(result, SourceResult):
        return result
    if isinstance(result, DeepCriticalError):
        return SourceResult(
            outcome=SourceOutcome.UNAVAILABLE, query_as_run=query, skipped=(str(result),)
        )
    raise result


def _most_telling(results: Sequence[object], answers: Sequence[SourceAnswer]) -> DeepCriticalError:
    """The one cause when all sources failed alike, else an error that names them all."""
    errors = [result for result in results if isinstance(result, DeepCriticalError)]
    causes = list(dict.fromkeys(cause for answer in answers for cause in answer.result.skipped))
    if errors and len(causes) == 1:
        return errors[0]
    return SearchError(
        f"No source could be read: {' '.join(causes)}".rstrip(),
        "Try again later, or use --snapshot demo.",
    )
