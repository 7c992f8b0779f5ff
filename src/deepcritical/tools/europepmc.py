"""Europe PMC as a source: papers, preprints, patents and theses, by its REST search."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from deepcritical.domain.errors import SearchError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.identity import canonical_ids
from deepcritical.domain.question import SearchBlock
from deepcritical.tools.base import (
    SearchTool,
    SourceOutcome,
    SourceQuery,
    SourceResult,
    outcome_of,
    ranked,
)
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.europepmc_query import europepmc_query
from deepcritical.tools.europepmc_records import NoAnswerError, Page, parse, read_page
from deepcritical.tools.source import AgentSearch, SourceDescription

if TYPE_CHECKING:
    from deepcritical.tools.http import Payload, SourceClient

__all__ = ["MAX_PAGE", "SOURCE", "EuropePMC", "parse"]

MAX_PAGE = 100
"""Records of one request; Europe PMC allows 1,000, which with abstracts take seconds."""
QUERY_BY_GET = 1_500
"""Bytes of a query above which it is sent by POST, to `searchPOST` with the same parameters."""
_ASKED_AGAIN = 2
"""Times that an answer without results or error is asked for again."""


class EuropePMC(SearchTool):
    """A search tool over Europe PMC.

    Args:
        client: Speaks to the REST service, whose `search` or `searchPOST` is asked.
    """

    name = "Europe PMC"

    def __init__(self, client: SourceClient) -> None:
        self._client = client

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records for a query, in the order of the source.

        What came before a later page that failed is kept, and the answer is `degraded`.

        Raises:
            RateLimitError: Europe PMC refuses for the moment.
            SearchError: It cannot be reached, or its answer is no result list.
        """
        if query.block is SearchBlock.WORDS:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        asked = await asyncio.to_thread(europepmc_query, query)  # reads vocabulary files
        if not asked:
            return SourceResult(outcome=SourceOutcome.EMPTY, query_as_run=query.text)
        found = _Found(query.max_results)
        while found.cursor:
            try:
                await self._next_page(asked, found, query.answer_by)
            except SearchError as error:
                if not found.pages:
                    raise
                found.skipped.append(f"the answer after {len(found.records)} records: {error}")
                break
        return found.result(asked)

    async def _next_page(self, asked: str, found: _Found, by: Deadline | None) -> None:
        params: dict[str, str | int] = {
            "query": asked,
            "resultType": "core",
            "format": "json",
            "pageSize": min(found.wanted, MAX_PAGE),
            "cursorMark": found.cursor,
            "synonym": "false",  # the query has its synonyms, and the reader sees them
        }
        payload = await self._answered(params, by, long=len(asked.encode()) > QUERY_BY_GET)
        found.add(await asyncio.to_thread(read_page, payload.content), payload.cached)

    async def _answered(
        self, params: dict[str, str | int], by: Deadline | None, *, long: bool
    ) -> Payload:
        path, send = ("searchPOST", self._client.post) if long else ("search", self._client.get)
        for _ in range(_ASKED_AGAIN):
            try:
                return await send(path, params, read_page, by)
            except NoAnswerError:
                continue  # the next one mostly is whole
        return await send(path, params, read_page, by)


class _Found:
    """What the pages of an answer have brought so far."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.records: list[Evidence] = []
        self.skipped: list[str] = []
        self.cursor = "*"
        self.pages = 0
        self._seen: set[str] = set()
        self._total = 0
        self._cached = True

    def add(self, page: Page, cached: bool) -> None:
        before = len(self.records)
        for record in page.records:
            ids = canonical_ids(record)
            # A page may repeat the end of the one before.
            if not ids & self._seen:
                self.records.append(record)
            self._seen |= ids
        self.skipped += page.skipped
        self.pages += 1
        self._total = max(self._total, page.total)
        self._cached = self._cached and cached
        enough = len(self.records) >= self.wanted
        last = len(self.records) + len(self.skipped) >= self._total
        moved = page.next_cursor not in ("", self.cursor)
        # Cursors that lead back to pages already read would go on for ever.
        new = len(self.records) > before or bool(page.skipped)
        self.cursor = page.next_cursor if new and moved and not (enough or last) else ""

    def result(self, asked: str) -> SourceResult:
        return SourceResult(
            outcome=outcome_of(self.records, self.skipped),
            evidence=ranked(self.records[: self.wanted]),
            query_as_run=asked,
            filters=("sorted by relevance", "no expansion by synonyms", f"first {self.wanted:,}"),
            total=max(self._total, len(self.records)),
            skipped=tuple(dict.fromkeys(self.skipped)),
            cached=self._cached,
        )


SOURCE = SourceDescription(
    key="europepmc",
    name=EuropePMC.name,
    url="https://www.ebi.ac.uk/europepmc/webservices/rest/",
    per_second=5,
    by_default=True,
    by_id={"doi": 'DOI:"{}"', "pmcid": 'PMCID:"{}"'},
    agent_search=AgentSearch(
        "europe_pmc", "for papers and preprints, by words or in its own language"
    ),
    indexes="papers, preprints, patents and theses",
    asked="core records, preprints marked `[PREPRINT - Not peer-reviewed]`",
    terms="https://europepmc.org/Copyright",
    open=lambda means: EuropePMC(means.client()),
)
