"""The contract of every source, whatever it searches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.registry import KEYS
from deepcritical.tools.snapshot import SnapshotSource
from deepcritical.tools.web_search import WebSearch
from tests.conftest import DEMO
from tests.servers.world import fast_tools, world


class Case(NamedTuple):
    """One implementation, with a query that finds much and one that finds nothing."""

    tool: SearchTool
    finds: str
    misses: str
    nasty: bool
    """Whether among the records are some that cannot be read, so that an answer is degraded."""


@asynccontextmanager
async def snapshot_case(_site: Path) -> AsyncIterator[Case]:
    found = "metformin Alzheimer's disease"
    yield Case(SnapshotSource(DEMO), found, "examplol testitis", nasty=False)


@asynccontextmanager
async def live_case(name: str, folder: Path) -> AsyncIterator[Case]:
    """The source over its loopback server."""
    async with world(folder) as site, fast_tools(site, [name]) as (tool,):
        yield Case(tool, "examplol", "zorblaxin", nasty=True)


@asynccontextmanager
async def web_case(_site: Path) -> AsyncIterator[Case]:
    """Over pages that the search engine's library hands over."""
    pages = [{"title": f"Page {n}", "href": f"https://example{n}.com/"} for n in range(60)]

    def search(query: str, most: int) -> list[dict[str, str]]:
        return pages[:most] if "examplol" in query else []

    yield Case(WebSearch(search), "examplol", "zorblaxin", nasty=False)


@pytest.fixture(params=["snapshot", *KEYS])
async def case(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Case]:
    own = {"snapshot": snapshot_case, "web": web_case}
    opened = own.get(request.param, partial(live_case, request.param))
    async with opened(tmp_path) as made:
        yield made


class TestSearchTool:
    async def test_it_is_a_search_tool_with_a_name(self, case: Case) -> None:
        tool = case.tool
        assert isinstance(tool, SearchTool)
        assert tool.name.strip()

    async def test_what_is_found_is_data(self, case: Case) -> None:
        result = await case.tool.fetch(SourceQuery(text=case.finds))
        assert result.outcome in (
            (SourceOutcome.DATA, SourceOutcome.DEGRADED) if case.nasty else (SourceOutcome.DATA,)
        )
        assert bool(result.skipped) is (result.outcome is SourceOutcome.DEGRADED)
        assert result.evidence
        assert result.query_as_run
        assert result.total >= len(result.evidence)

    async def test_nothing_found_is_empty_and_no_error(self, case: Case) -> None:
        result = await case.tool.fetch(SourceQuery(text=case.misses))
        assert (result.outcome, result.evidence) == (SourceOutcome.EMPTY, ())
        assert result.total == 0

    @pytest.mark.parametrize("text", ["?", "(", '"', "AND OR NOT", "x" * 5000, "тест", "\u2028"])
    async def test_no_query_text_is_an_error(self, case: Case, text: str) -> None:
        result = await case.tool.fetch(SourceQuery(text=text))
        assert result.outcome in (SourceOutcome.DATA, SourceOutcome.EMPTY)

    @pytest.mark.parametrize("limit", [1, 3, 100])
    async def test_the_limit_is_kept(self, case: Case, limit: int) -> None:
        result = await case.tool.fetch(SourceQuery(text=case.finds, max_results=limit))
        assert 1 <= len(result.evidence) <= limit

    async def test_the_best_come_first(self, case: Case) -> None:
        tool = case.tool
        many = (await tool.fetch(SourceQuery(text=case.finds, max_results=20))).evidence
        few = (await tool.fetch(SourceQuery(text=case.finds, max_results=5))).evidence
        scores = [record.relevance_score for record in many]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert few == many[:5]

    async def test_every_record_can_be_cited(self, case: Case) -> None:
        for record in await case.tool.search(case.finds, 100):
            assert record.citation.title.strip()
            assert record.citation.url.startswith("https://")

    async def test_the_same_query_gives_the_same_answer(self, case: Case) -> None:
        query = SourceQuery(text=case.finds)
        assert await case.tool.fetch(query) == await case.tool.fetch(query)

    async def test_search_is_the_evidence_of_fetch(self, case: Case) -> None:
        tool = case.tool
        fetched = await tool.fetch(SourceQuery(text=case.finds, max_results=4))
        assert await tool.search(case.finds, 4) == list(fetched.evidence)
