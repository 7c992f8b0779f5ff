"""Europe PMC over real HTTP on loopback: pages, outcomes, faults, cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hishel import AsyncSqliteStorage

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.identity import study_groups
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.europepmc.source import MAX_PAGE, EuropePMC
from deepcritical.tools.http import LONGEST_GET, SourceClient
from deepcritical.tools.rate_limiter import limiter_for
from tests.servers.europepmc import EuropePMCServer
from tests.servers.faults import Fault, Faults
from tests.servers.running import running

_hosts = count()


class Site(NamedTuple):
    """A running service, its faults, and the tool that asks it."""

    server: EuropePMCServer
    faults: Faults
    tool: EuropePMC


@asynccontextmanager
async def serving(server: EuropePMCServer | None = None, **client: Any) -> AsyncIterator[Site]:
    server = server or EuropePMCServer()
    faults = Faults(server.app)
    async with running(faults) as url:
        options = {"timeout_s": 2.0, "wait_s": 0.01, **client}
        limiter = limiter_for(f"europepmc-{next(_hosts)}", 1000)
        made = SourceClient("Europe PMC", url, limiter=limiter, **options)
        try:
            yield Site(server, faults, EuropePMC(made))
        finally:
            await made.aclose()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as site:
        yield site


def many(number: int) -> EuropePMCServer:
    return EuropePMCServer(
        [
            {"id": f"9900{i:04}", "source": "MED", "title": f"Examplol {i}", "citedByCount": i}
            for i in range(number)
        ]
    )


ASKED = SourceQuery(text="Can examplol be repurposed for testitis?", max_results=50)


async def test_what_is_found_is_data_in_the_order_of_the_source(site: Site) -> None:
    assert isinstance(site.tool, SearchTool)
    result = await site.tool.fetch(ASKED)
    assert result.outcome is SourceOutcome.DATA
    assert result.total == len(result.evidence) == len(site.server.records)
    assert result.query_as_run == site.server.asked[0]["query"] == "examplol testitis"
    assert result.evidence[0].metadata.pmid == "99000001"
    assert site.server.asked[0]["resultType"] == "core"
    assert site.server.asked[0]["synonym"] == "false"


async def test_names_and_synonyms_are_asked_for_as_phrases(site: Site) -> None:
    query = SourceQuery(
        text="anything",
        drug=Drug(name="examplol", synonyms=("madeuphage",)),
        condition=Condition(name="testitis"),
    )
    result = await site.tool.fetch(query)
    assert result.query_as_run == (
        '(KW:"examplol" OR TITLE_ABS:"examplol" OR TITLE_ABS:"madeuphage")'
        ' AND (KW:"testitis" OR TITLE_ABS:"testitis")'
    )
    assert result.evidence


async def test_preprint_and_paper_of_one_answer_are_one_study(site: Site) -> None:
    found = {f"E{n}": e for n, e in enumerate((await site.tool.fetch(ASKED)).evidence)}
    together = [group for group in study_groups(found) if len(group) > 1]
    assert together == [("E0", "E1")]


async def test_nothing_found_is_empty(site: Site) -> None:
    result = await site.tool.fetch(SourceQuery(text="nosuchword"))
    assert (result.outcome, result.evidence, result.total) == (SourceOutcome.EMPTY, (), 0)


@pytest.mark.parametrize("text", ["?", "(", '"', "AND OR NOT", "\u2028"])
async def test_no_word_asks_nothing(site: Site, text: str) -> None:
    result = await site.tool.fetch(SourceQuery(text=text))
    assert result.outcome is SourceOutcome.EMPTY
    assert site.faults.requests == 0


async def test_search_is_the_evidence_of_fetch(site: Site) -> None:
    fetched = await site.tool.fetch(SourceQuery(text="examplol", max_results=3))
    assert await site.tool.search("examplol", 3) == list(fetched.evidence)
    assert len(fetched.evidence) == 3


class TestPages:
    async def test_pages_are_read_until_there_is_enough(self) -> None:
        async with serving(many(350)) as site:
            result = await site.tool.fetch(SourceQuery(text="examplol", max_results=250))
        assert len(result.evidence) == 250
        assert result.total == 350
        assert [asked["cursorMark"] for asked in site.server.asked] == [
            "*",
            f"after-{MAX_PAGE}",
            f"after-{2 * MAX_PAGE}",
        ]

    async def test_they_end_where_all_have_been_read(self) -> None:
        async with serving(many(150)) as site:
            result = await site.tool.fetch(SourceQuery(text="examplol", max_results=1000))
        assert len(result.evidence) == result.total == 150
        assert len(site.server.asked) == 2

    async def test_they_end_where_the_cursor_stands_still(self) -> None:
        server = many(150)
        server.overstated = 7
        async with serving(server) as site:
            result = await site.tool.fetch(SourceQuery(text="examplol", max_results=1000))
        assert (len(result.evidence), result.total) == (150, 157)
        assert len(server.asked) == 3  # the last one finds nothing more

    @pytest.mark.parametrize("back_to", ["*", "after-100", "after-200"])
    async def test_cursors_that_lead_back_end(self, back_to: str) -> None:
        server = many(350)
        server.cursors = {"after-300": back_to}
        async with serving(server) as site:
            result = await site.tool.fetch(SourceQuery(text="examplol", max_results=1000))
        assert len(result.evidence) == 300
        assert len(server.asked) <= 4

    async def test_what_two_pages_share_is_kept_once(self) -> None:
        server = many(150)
        server.repeats = True
        async with serving(server) as site:
            result = await site.tool.fetch(SourceQuery(text="examplol", max_results=1000))
        ids = [record.metadata.pmid for record in result.evidence]
        assert len(ids) == len(set(ids)) == 150

    async def test_the_score_does_not_depend_on_the_limit(self) -> None:
        async with serving(many(150)) as site:
            few = await site.tool.fetch(SourceQuery(text="examplol", max_results=3))
            all_ = await site.tool.fetch(SourceQuery(text="examplol", max_results=150))
        assert few.evidence == all_.evidence[:3]

    async def test_a_later_page_that_fails_costs_only_itself(self) -> None:
        async with serving(many(250)) as site:
            site.faults.on("500", after=1)
            result = await site.tool.fetch(SourceQuery(text="examplol", max_results=250))
        assert result.outcome is SourceOutcome.DEGRADED
        assert len(result.evidence) == MAX_PAGE
        assert "status 500" in result.skipped[0]

    async def test_a_bad_record_degrades_and_is_named(self) -> None:
        good = {"id": "99000001", "source": "MED", "title": "Examplol"}
        async with serving(EuropePMCServer([good, {"title": "Examplol without id"}])) as site:
            result = await site.tool.fetch(SourceQuery(text="examplol"))
        assert result.outcome is SourceOutcome.DEGRADED
        assert len(result.evidence) == 1
        assert result.skipped == ("Europe PMC record 2: no id",)


class TestFaults:
    @pytest.mark.parametrize("fault", ["429", "429 after", "500", "truncated", "reset"], ids=str)
    async def test_a_short_fault_is_outlived(self, site: Site, fault: Fault) -> None:
        site.faults.on(fault, times=1)
        result = await site.tool.fetch(ASKED)
        assert result.outcome is SourceOutcome.DATA
        assert site.faults.requests == 2

    @pytest.mark.parametrize("fault", ["429", "429 after"])
    async def test_a_lasting_refusal_is_told(self, site: Site, fault: Fault) -> None:
        site.faults.on(fault)
        with pytest.raises(RateLimitError, match="429") as refused:
            await site.tool.fetch(ASKED)
        assert refused.value.retry_after_s == (0.0 if fault == "429 after" else None)

    @pytest.mark.parametrize(
        ("fault", "told"),
        [
            ("500", "status 500"),
            ("truncated", "cannot be reached"),
            ("reset", "cannot be reached"),
            ("half", "not JSON"),
            ("html", "web page"),
            ("huge", "more than 20 MB"),
            ("empty", "nothing|empty"),
        ],
    )
    async def test_a_lasting_fault_is_an_error_that_says_so(
        self, site: Site, fault: Fault, told: str
    ) -> None:
        site.faults.on(fault)
        with pytest.raises(SearchError, match=told) as failed:
            await site.tool.fetch(ASKED)
        assert not isinstance(failed.value, RateLimitError)
        assert failed.value.advice

    async def test_a_wrong_type_of_right_content_is_read(self, site: Site) -> None:
        site.faults.on("wrong type")
        assert (await site.tool.fetch(ASKED)).outcome is SourceOutcome.DATA

    @pytest.mark.slow
    async def test_a_slow_drip_ends_in_time(self) -> None:
        async with serving(attempt_s=0.3) as site:
            site.faults.on("slow")
            with pytest.raises(SearchError, match="cannot be reached"):
                await asyncio.wait_for(site.tool.fetch(ASKED), 10)

    async def test_a_cancelled_query_ends_at_once(self, site: Site) -> None:
        site.faults.on("slow")
        task = asyncio.create_task(site.tool.fetch(ASKED))
        await site.faults.arrived.wait()
        task.cancel()
        await asyncio.wait([task], timeout=10)  # it drips for 20 s
        assert task.cancelled()

    async def test_an_answer_without_results_is_asked_for_again(self, site: Site) -> None:
        site.server.bare = 2
        assert (await site.tool.fetch(ASKED)).outcome is SourceOutcome.DATA
        site.server.bare = 3
        with pytest.raises(SearchError, match="no results"):
            await site.tool.fetch(ASKED)


class TestLongQuery:
    async def test_it_is_posted_page_by_page(self) -> None:
        names = tuple(f"made-up name {number} {'of it ' * 40}" for number in range(8))
        condition = Condition(name="examplol", names=names, known=False)
        query = SourceQuery(text="x", condition=condition, max_results=150)
        async with serving(many(150)) as site:
            result = await site.tool.fetch(query)
        assert len(result.query_as_run.encode()) > LONGEST_GET
        assert len(result.evidence) == 150
        assert [asked["cursorMark"] for asked in site.server.asked] == ["*", f"after-{MAX_PAGE}"]
        assert {asked["query"] for asked in site.server.asked} == {result.query_as_run}
        assert site.server.asked[0]["resultType"] == "core"

    async def test_a_text_in_any_script_is_sent_whole(self, site: Site) -> None:
        result = await site.tool.fetch(SourceQuery(text="тест " * 399 + "& = + % #"))
        assert result.outcome is SourceOutcome.EMPTY
        assert site.server.asked[0]["query"] == result.query_as_run


async def test_filters_are_told(site: Site) -> None:
    result = await site.tool.fetch(SourceQuery(text="examplol", max_results=3))
    assert result.filters == ("sorted by relevance", "no expansion by synonyms", "first 3")


async def test_an_answer_is_kept_and_an_odd_one_is_not(tmp_path: Path) -> None:
    storage = AsyncSqliteStorage(database_path=tmp_path / "cache.db")
    await storage.get_entries("")  # opens the file, which it does on the loop
    async with serving(storage=storage) as site:
        site.server.bare = 1
        first = await site.tool.fetch(ASKED)
        again = await site.tool.fetch(ASKED)
    await storage.close()
    assert (first.cached, again.cached) == (False, True)
    assert first.evidence == again.evidence
    assert site.faults.requests == 2
