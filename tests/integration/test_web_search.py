"""The web search against a made-up result page on loopback, read by the real library."""

from __future__ import annotations

import asyncio
import html
import threading
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.rate_limiter import new_limiter
from deepcritical.tools.web_search import Search, WebSearch, duckduckgo, public_url
from tests.limiters import Noted, Once
from tests.servers.faults import Fault, Faults
from tests.servers.running import running

HREF = "https://www.examplol-news.org/a"
RESULT = """<div class="result results_links web-result"><div class="links_main result__body">
<h2 class="result__title"><a class="result__a" href="{href}">{title}</a></h2>
<a class="result__snippet" href="{href}">{body}</a></div></div>"""
NOTHING = '<div class="result result--no-result"><div class="no-results">No results.</div></div>'


class Page:
    """DuckDuckGo's page without scripts, with made-up results."""

    def __init__(self) -> None:
        self.results: list[tuple[str, str, str]] = []
        self.asked: list[str] = []
        self.status = 200
        self.instead = ""
        self.app = Starlette(routes=[Route("/html/", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> HTMLResponse:
        self.asked += parse_qs((await request.body()).decode())["q"]
        found = "".join(
            RESULT.format(href=html.escape(href), title=title, body=body)
            for href, title, body in self.results
        )
        page = f"<html><body><div id='links'>{found or NOTHING}</div></body></html>"
        return HTMLResponse(self.instead or page, self.status)


class Site(NamedTuple):
    """A running page, its faults, and the tool that asks it."""

    page: Page
    faults: Faults
    tool: WebSearch


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    page = Page()
    faults = Faults(page.app)
    async with running(faults) as url:
        yield Site(page, faults, WebSearch(duckduckgo(f"{url}html/", timeout_s=2)))


def fixed(*pages: Mapping[str, object]) -> WebSearch:
    return WebSearch(lambda _query, limit: pages[:limit])


async def test_a_result_is_title_snippet_and_address(site: Site) -> None:
    site.page.results = [(HREF, "Examplol &amp; <b>testitis</b>", "A made-up <b>snippet</b>.")]
    assert isinstance(site.tool, SearchTool)
    result = await site.tool.fetch(SourceQuery(text="Can examplol be repurposed for testitis?"))
    assert result.outcome is SourceOutcome.DATA
    assert result.query_as_run == site.page.asked[0] == "examplol testitis"
    (record,) = result.evidence
    assert record.citation.title == "Examplol & testitis"
    assert record.content == "A made-up snippet."
    assert (record.citation.url, record.citation.source) == (HREF, "web")
    assert record.metadata.text_kind == "web"
    assert record.metadata.note is not None
    assert site.faults.requests == 1  # the result itself is not fetched


async def test_the_web_is_asked_in_plain_words(site: Site) -> None:
    query = SourceQuery(
        text="Can examplol be repurposed for testitis?",
        drug=Drug(name="examplol", synonyms=("madeuphage",)),
        condition=Condition(name="testitis"),
    )
    assert (await site.tool.fetch(query)).query_as_run == "examplol testitis"


async def test_the_web_is_not_asked_for_papers(site: Site) -> None:
    result = await site.tool.fetch(SourceQuery(text="examplol", literature_only=True))
    assert result.outcome is SourceOutcome.NOT_APPLICABLE
    assert site.faults.requests == 0


async def test_searches_are_paced() -> None:
    calls: list[float] = []

    def noted(_query: str, _limit: int) -> list[Mapping[str, object]]:
        calls.append(time.monotonic())
        return []

    permits = Noted(new_limiter(2))
    tool = WebSearch(noted, limiter=permits)
    await asyncio.gather(*(tool.fetch(SourceQuery(text=f"examplol {n}")) for n in range(4)))
    assert len(permits.times) == 4
    assert permits.times[-1] - permits.times[0] >= 1
    assert all(at >= given for at, given in zip(sorted(calls), permits.times, strict=True))


async def test_waiting_for_a_permit_ends_in_time() -> None:
    calls: list[str] = []

    def kept(query: str, _limit: int) -> list[Mapping[str, object]]:
        calls.append(query)
        return []

    tool = WebSearch(kept, limiter=Once())
    await tool.fetch(SourceQuery(text="examplol"))
    by = Deadline(0.05, 0.05)
    with pytest.raises(SearchError, match="in time"):
        await asyncio.wait_for(tool.fetch(SourceQuery(text="testitis", answer_by=by)), 20)
    assert calls == ["examplol"]


async def test_nothing_found_is_empty(site: Site) -> None:
    result = await site.tool.fetch(SourceQuery(text="examplol"))
    assert (result.outcome, result.evidence, result.total) == (SourceOutcome.EMPTY, (), 0)
    assert result.filters == ("DuckDuckGo", "titles and snippets only", "first 10")


@pytest.mark.parametrize("text", ["?", "AND OR NOT", "\u2028"])
async def test_no_word_asks_nothing(site: Site, text: str) -> None:
    assert (await site.tool.fetch(SourceQuery(text=text))).outcome is SourceOutcome.EMPTY
    assert site.faults.requests == 0


async def test_the_limit_and_the_order_are_kept(site: Site) -> None:
    site.page.results = [(f"{HREF}{n}", f"Examplol {n}", "x") for n in range(9)]
    few = await site.tool.search("examplol", 3)
    assert [record.citation.title for record in few] == ["Examplol 0", "Examplol 1", "Examplol 2"]
    assert few == (await site.tool.search("examplol", 9))[:3]
    scores = [record.relevance_score for record in few]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("status", [202, 403, 429])
async def test_a_refusal_is_not_nothing_found(site: Site, status: int) -> None:
    site.page.status = status
    with pytest.raises(RateLimitError):
        await site.tool.fetch(SourceQuery(text="examplol"))


async def test_a_riddle_with_status_200_is_a_refusal(site: Site) -> None:
    site.page.instead = "<html><div class='anomaly-modal__title'>Are you a duck?</div></html>"
    with pytest.raises(RateLimitError):
        await site.tool.fetch(SourceQuery(text="examplol"))


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500", "html", "reset", "slow", "empty"])
async def test_a_fault_is_an_error(site: Site, fault: Fault) -> None:
    site.faults.on(fault)
    with pytest.raises(SearchError) as failed:
        await site.tool.fetch(SourceQuery(text="examplol"))
    assert not isinstance(failed.value, RateLimitError)
    assert failed.value.advice


async def test_a_cancelled_search_ends_at_once() -> None:
    gate = threading.Event()
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def hang(_query: str, _limit: int) -> list[Mapping[str, object]]:
        loop.call_soon_threadsafe(asked.set)
        gate.wait(30)
        return []

    task = asyncio.create_task(WebSearch(hang, timeout_s=60).fetch(SourceQuery(text="examplol")))
    await asked.wait()
    task.cancel()
    await asyncio.wait([task], timeout=10)
    gate.set()
    assert task.cancelled()


async def test_a_refusal_by_the_library_is_one() -> None:
    from ddgs.exceptions import RatelimitException

    def refuse(_query: str, _limit: int) -> list[Mapping[str, object]]:
        raise RatelimitException("202")

    with pytest.raises(RateLimitError):
        await WebSearch(refuse).fetch(SourceQuery(text="examplol"))


async def test_a_search_that_hangs_ends_in_time() -> None:
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hang(_query: str, _limit: int) -> list[Mapping[str, object]]:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        return []

    for timeout_s, by in ((0.05, None), (30, Deadline(0.05)), (0.05, Deadline(30))):
        query = SourceQuery(text="examplol", answer_by=by)
        with pytest.raises(SearchError, match="did not answer in time"):
            await asyncio.wait_for(WebSearch(hang, timeout_s=timeout_s).fetch(query), 20)
    gate.set()


async def test_what_cannot_be_cited_is_left_out() -> None:
    pages: list[Any] = [
        {"title": "Local", "href": "http://127.0.0.1/admin", "body": "x"},
        {"title": "Script", "href": "javascript:alert(1)", "body": "x"},
        {"title": "", "href": HREF, "body": "x"},
        {"title": None, "href": None, "body": None},
        "no page",
        {"title": "Examplol", "href": HREF, "body": 7},
        {"title": "Examplol again", "href": f"{HREF}/?utm_source=x#top", "body": "x"},
    ]
    result = await fixed(*pages).fetch(SourceQuery(text="examplol"))
    assert [record.citation.title for record in result.evidence] == ["Examplol"]
    assert result.evidence[0].metadata.text_kind == "none"


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ("HTTP://WWW.Examplol.ORG:80", "https://www.examplol.org/"),
        (f"{HREF}?b=2&utm_source=x&a=1&fbclid=y#part", f"{HREF}?b=2&a=1"),
        (f"{HREF}/%C3%A4 b\"<c>'", f"{HREF}/%C3%A4%20b%22%3Cc%3E%27"),
        ("//duckduckgo.com/l/?uddg=https%3A%2F%2Fwww.examplol%2Dnews.org%2Fa&rut=1", HREF),
        ("https://8.8.8.8/x", "https://8.8.8.8/x"),
        ("https://[2606:4700::1]/x", "https://[2606:4700::1]/x"),
    ],
)
def test_an_address_has_one_spelling(found: str, kept: str) -> None:
    assert public_url(found) == kept
    assert public_url(kept) == kept


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "text",
            "ftp://examplol.org/",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:,x",
        ),
        *("http://localhost/", "http://localhost./", "http://a.localhost/", "http://box.local/"),
        *("http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/"),
        *("http://0x7f000001/", "http://0177.0.0.1/", "http://10.0.0.1/", "http://192.168.0.1/"),
        *(
            "http://169.254.169.254/latest",
            "http://172.16.0.1/",
            "http://0.0.0.0/",
            "http://[::1]/",
        ),
        *("http://[::ffff:127.0.0.1]/", "http://[fe80::1]/", "http://[fc00::1]/", "http://[::1"),
        *("http://intranet/", "http://db.internal/", "https://user:pass@examplol.org/", "http://"),
        *("https://examplol.org:8080/", "https://examplol.org:x/", "http://examplol..org/"),
        *("https://duckduckgo.com/y.js?ad=1", "//duckduckgo.com/l/?uddg=http%3A%2F%2F127.0.0.1"),
    ],
)
def test_an_address_that_is_not_public_is_none(url: str) -> None:
    assert public_url(url) == ""


def test_the_search_can_be_replaced() -> None:
    search: Search = duckduckgo()
    assert callable(search)
    assert WebSearch().name == WebSearch(search).name == "web"
