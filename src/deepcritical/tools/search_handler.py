"""Runs queries against all sources at once and turns failures into outcomes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from deepcritical.domain.errors import (
    ConfigurationError,
    DeepCriticalError,
    SearchError,
    StorageError,
)
from deepcritical.domain.evidence.record import cut
from deepcritical.domain.question.question import SearchQuery
from deepcritical.services.telemetry import OFF, Span, Telemetry
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.deadline import Deadline

WEB = "web"
"""Name of the one source that queries for the web alone are put to."""
_GRACE_S = 1.0
"""Seconds that a source gets to hand over what it has when its time is over."""


class SourceAnswer(NamedTuple):
    """One query's result at one source."""

    source: str
    query: SearchQuery
    result: SourceResult
    searched_at: datetime | None = None
    """Time of the request, UTC; None for a source that does not change."""
    error: DeepCriticalError | None = None
    """The error that made the source `unavailable`."""
    seconds: float | None = None
    """Until it answered, waiting for its turn included; None for a source that does not change."""


class Searches(Protocol):
    """Protocol: what a run searches with; see `SearchHandler`."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources."""

    async def execute(
        self, queries: Sequence[SearchQuery], max_results: int, within_s: float | None = None
    ) -> tuple[SourceAnswer, ...]:
        """All answers, in the order of queries, then of sources."""
        ...


class SearchHandler:
    """Implements `Searches`. Asks every source every query.

    Args:
        tools: The sources of the run.
        deadline_s: Seconds that a source gets for a query, without those in which it waits for a
            permit. What has come by then is kept; without anything it was `unavailable`.
        broad_factor: How many times as many records a query may bring that is not for papers alone:
            it is asked once, and is the only one that a registry gets.
        now: The time of day, UTC; None for sources that do not change.
        telemetry: Receives of each query how it ended and how much it brought, not what was asked.
    """

    def __init__(
        self,
        tools: Sequence[SearchTool],
        *,
        deadline_s: float = 30.0,
        broad_factor: int = 1,
        now: Callable[[], datetime] | None = None,
        telemetry: Telemetry = OFF,
    ) -> None:
        if not tools:
            raise ValueError("a search handler needs at least one source")
        self._tools = tuple(tools)
        self._deadline_s = deadline_s
        self._broad_factor = broad_factor
        self._now = now
        self._telemetry = telemetry

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources."""
        return tuple(tool.name for tool in self._tools)

    async def execute(
        self, queries: Sequence[SearchQuery], max_results: int, within_s: float | None = None
    ) -> tuple[SourceAnswer, ...]:
        """All answers, in the order of queries, then of sources; a failing source is `unavailable`.

        A broad query may bring `broad_factor` times as many; `within_s` includes waiting.
        """
        calls = [
            (tool, self._sized(query, max_results, within_s))
            for query in queries
            for tool in self._tools
            if not query.web_only or tool.name == WEB
        ]
        searched_at = self._now() if self._now else None
        asked = (self._answered(tool, query, searched_at) for tool, query in calls)
        answers: list[SourceAnswer] = []
        for answer in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(answer, BaseException):
                raise answer  # a defect, when all others have ended
            answers.append(answer)
        return tuple(answers)

    def _sized(self, query: SearchQuery, max_results: int, within_s: float | None) -> SourceQuery:
        given_s = self._deadline_s if within_s is None else min(self._deadline_s, within_s)
        return SourceQuery(
            **dict(query),
            max_results=max_results * (1 if query.literature_only else self._broad_factor),
            answer_by=Deadline(max(0.0, given_s), within_s),
        )

    async def _answered(
        self, tool: SearchTool, query: SourceQuery, searched_at: datetime | None
    ) -> SourceAnswer:
        clock = asyncio.get_running_loop().time
        begun = clock()
        error: DeepCriticalError | None = None
        try:
            # A tool ends by itself in time; this is for one that does not.
            async with (query.answer_by or Deadline(0.0)).limit(_GRACE_S) as limit:
                with self._telemetry.span(
                    f"search {tool.name}", {"deepcritical.source": tool.name}, remote=True
                ) as span:
                    found = await tool.fetch(query)
                    _tell(span, found)
            result = found.model_copy(update={"evidence": tuple(map(cut, found.evidence))})
        except TimeoutError:
            if not limit.expired():
                raise  # a defect: a tool's own time-outs are errors of the domain
            error = _late(tool, query)
        except DeepCriticalError as failure:
            error = failure
        if error:
            outcome = SourceOutcome.UNAVAILABLE
            result = SourceResult(outcome=outcome, query_as_run="", skipped=(str(error),))
        seconds = round(clock() - begun, 3) if searched_at else None
        return SourceAnswer(tool.name, query, result, searched_at, error, seconds)


def _late(tool: SearchTool, query: SourceQuery) -> SearchError:
    within_s = query.answer_by.within_s if query.answer_by else 0.0
    return SearchError(f"{tool.name} did not answer within {within_s:g} s.", "Try again later.")


def _tell(span: Span, result: SourceResult) -> None:
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


def require_any(answers: Sequence[SourceAnswer]) -> None:
    """Refuse answers of which none came from a source that could be read.

    Raises:
        StorageError: The snapshot cannot be read.
        ConfigurationError: An address that was set is wrong, and no other source could be read.
        SearchError: No live source could be reached; it names what each of them said.
    """
    # A source that a query was not meant for says nothing about whether it can be read.
    asked = [a for a in answers if a.result.outcome is not SourceOutcome.NOT_APPLICABLE]
    down = [a for a in asked if a.result.outcome is SourceOutcome.UNAVAILABLE]
    if not down or len(down) < len(asked):
        return
    to_mend = (StorageError, ConfigurationError)
    if other := next((a.error for a in down if isinstance(a.error, to_mend)), None):
        raise other
    causes = dict.fromkeys(
        a.error.message if a.error else "; ".join(a.result.skipped) for a in down
    )
    raise SearchError(
        f"No source could be read: {' '.join(causes)}",
        "Check the network and try again later, or use --snapshot demo.",
    )
