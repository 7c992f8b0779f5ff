"""What every source must keep, whatever it searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import DEMO


class Case(NamedTuple):
    """One implementation, with a query that finds much and one that finds nothing."""

    make: Callable[[], SearchTool]
    finds: str
    misses: str


CASES = {
    "snapshot": Case(
        make=lambda: SnapshotSource(DEMO),
        finds="metformin Alzheimer's disease",
        misses="examplol testitis",
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


class TestSearchTool:
    def test_it_is_a_search_tool_with_a_name(self, case: Case) -> None:
        tool = case.make()
        assert isinstance(tool, SearchTool)
        assert tool.name.strip()

    async def test_what_is_found_is_data(self, case: Case) -> None:
        result = await case.make().fetch(SourceQuery(text=case.finds))
        assert result.outcome is SourceOutcome.DATA
        assert result.evidence
        assert result.query_as_run
        assert result.total >= len(result.evidence)
        assert result.skipped == ()

    async def test_nothing_found_is_empty_and_no_error(self, case: Case) -> None:
        result = await case.make().fetch(SourceQuery(text=case.misses))
        assert (result.outcome, result.evidence) == (SourceOutcome.EMPTY, ())
        assert result.total == 0

    @pytest.mark.parametrize("text", ["?", "(", '"', "AND OR NOT", "x" * 5000, "тест", "\u2028"])
    async def test_no_query_text_is_an_error(self, case: Case, text: str) -> None:
        result = await case.make().fetch(SourceQuery(text=text))
        assert result.outcome in (SourceOutcome.DATA, SourceOutcome.EMPTY)

    @pytest.mark.parametrize("limit", [1, 3, 100])
    async def test_the_limit_is_kept(self, case: Case, limit: int) -> None:
        result = await case.make().fetch(SourceQuery(text=case.finds, max_results=limit))
        assert 1 <= len(result.evidence) <= limit

    async def test_the_best_come_first(self, case: Case) -> None:
        tool = case.make()
        many = (await tool.fetch(SourceQuery(text=case.finds, max_results=20))).evidence
        few = (await tool.fetch(SourceQuery(text=case.finds, max_results=5))).evidence
        scores = [record.relevance_score for record in many]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert few == many[:5]

    async def test_every_record_can_be_cited(self, case: Case) -> None:
        for record in await case.make().search(case.finds, 100):
            assert record.citation.title.strip()
            assert record.citation.url.startswith("https://")

    async def test_the_same_query_gives_the_same_answer(self, case: Case) -> None:
        query = SourceQuery(text=case.finds)
        assert await case.make().fetch(query) == await case.make().fetch(query)

    async def test_search_is_the_evidence_of_fetch(self, case: Case) -> None:
        tool = case.make()
        fetched = await tool.fetch(SourceQuery(text=case.finds, max_results=4))
        assert await tool.search(case.finds, 4) == list(fetched.evidence)
