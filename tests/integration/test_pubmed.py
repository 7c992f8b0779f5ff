"""PubMed over real HTTP on loopback: what is asked, what comes back, what is said of losses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hishel import AsyncSqliteStorage
from starlette.types import ASGIApp, Receive, Scope, Send

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import SearchBlock
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.http import ATTEMPTS, SourceClient
from deepcritical.tools.pubmed.source import IDS_BY_POST, PubMed
from deepcritical.tools.rate_limiter import limiter_for
from tests.servers.faults import Fault, Faults
from tests.servers.pubmed import PubMedServer
from tests.servers.running import running

KEY = "made-up-key-5f2c"


class Site(NamedTuple):
    """The source, and the server that it speaks to."""

    tool: PubMed
    server: PubMedServer
    faults: Faults
    """Of the utility that the site was opened with."""


@asynccontextmanager
async def site(
    server: PubMedServer | None = None, fails: str = "", **options: Any
) -> AsyncIterator[Site]:
    """A source over a server, whose requests below a path can be made to fail."""
    server = server or PubMedServer()
    faults = Faults(server.app)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached: ASGIApp = faults if fails and fails in scope["path"] else server.app
        await reached(scope, receive, send)

    async with running(app) as url:
        client = SourceClient(
            "PubMed", url, limiter=limiter_for("made up", 1000), wait_s=0.01, **options
        )
        try:
            yield Site(PubMed(client, email="nobody@example.org"), server, faults)
        finally:
            await client.aclose()


def many(n_records: int) -> bytes:
    """A set of so many small records on testitis."""
    records = (
        f"<PubmedArticle><MedlineCitation><PMID>{99_100_000 + number}</PMID><Article><ArticleTitle>"
        f"Testitis {number}</ArticleTitle></Article></MedlineCitation></PubmedArticle>"
        for number in range(n_records)
    )
    return f"<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>".encode()


def pmids(result: Any) -> list[str]:
    return [record.metadata.pmid for record in result.evidence]


async def test_what_is_found_comes_in_the_order_of_the_search() -> None:
    async with site() as made:
        assert isinstance(made.tool, SearchTool)
        result = await made.tool.fetch(SourceQuery(text="examplol testitis", max_results=4))
        assert result.outcome is SourceOutcome.DATA
        # 103 names no drug.
        assert pmids(result) == ["99000101", "99000102", "99000104", "99000105"]
        assert (result.total, result.skipped, result.cached) == (9, (), False)
        scores = [record.relevance_score for record in result.evidence]
        assert scores == [1.0, 1 - 1 / 9, 1 - 2 / 9, 1 - 3 / 9]
        assert await made.tool.search("examplol testitis", 4) == list(result.evidence)


async def test_the_order_is_that_of_relevance_not_of_pmids() -> None:
    records = many(3).decode()
    turned = records.replace("99100000", "99100009").replace("99100001", "99100008").encode()
    async with site(PubMedServer(turned)) as made:
        result = await made.tool.fetch(SourceQuery(text="testitis"))
        assert pmids(result) == ["99100009", "99100008", "99100002"]


async def test_what_is_sent_is_what_the_rules_ask_for() -> None:
    async with site(secrets={"api_key": KEY}) as made:
        result = await made.tool.fetch(SourceQuery(text="examplol testitis", max_results=2))
        (search,), (fetch,) = made.server.params("esearch"), made.server.params("efetch")
        common = {
            "db": "pubmed",
            "tool": "deepcritical",
            "email": "nobody@example.org",
            "api_key": KEY,
        }
        assert search == common | {
            "term": "examplol testitis",
            "retmax": "2",
            "retmode": "json",
            "sort": "relevance",
        }
        assert fetch == common | {"id": "99000101,99000102", "retmode": "xml"}
        assert result.query_as_run == search["term"]
        assert result.filters == ("sorted by relevance", "first 2")
        assert KEY not in result.model_dump_json()


async def test_drug_and_condition_are_searched_with_their_other_names() -> None:
    query = SourceQuery(
        text="Can examplol be repurposed for testitis?",
        drug=Drug(name="examplol", synonyms=("exa-plus",)),
        condition=Condition(name="testitis", names=("testitis", "long testitis")),
    )
    async with site() as made:
        result = await made.tool.fetch(query)
        (search,) = made.server.params("esearch")
        assert result.query_as_run == search["term"]
        assert '"examplol"' in search["term"]
        assert '"testitis"' in search["term"]
        assert " AND " in search["term"]
        assert "99000101" in pmids(result)


async def test_the_user_s_operators_quotes_and_fields_are_sent_as_they_are() -> None:
    text = '("TSTE"[tiab] OR examplol) NOT mice'
    async with site() as made:
        result = await made.tool.fetch(SourceQuery(text=text))
        assert result.query_as_run == made.server.params("esearch")[0]["term"] == text
        assert "99000102" not in pmids(result)


async def test_nothing_found_is_empty_and_fetches_nothing() -> None:
    async with site() as made:
        result = await made.tool.fetch(SourceQuery(text="unobtainium"))
        assert (result.outcome, result.evidence, result.total) == (SourceOutcome.EMPTY, (), 0)
        assert result.skipped == ("PubMed knows no phrase “unobtainium” and searched without it",)
        assert made.server.params("efetch") == []


@pytest.mark.parametrize("text", ["?", "(", '"', "AND OR NOT", "\u2028", "  "])
async def test_a_query_without_a_word_is_empty_and_asks_nobody(text: str) -> None:
    async with site() as made:
        result = await made.tool.fetch(SourceQuery(text=text))
        assert result.outcome is SourceOutcome.EMPTY
        assert made.server.asked == []


@pytest.mark.parametrize("text", ["x" * 5000, "тест " * 2000, "a\tb\x00c", "100% & more=1#x"])
async def test_no_text_is_too_long_or_odd_to_be_sent(text: str) -> None:
    async with site() as made:
        result = await made.tool.fetch(SourceQuery(text=text))
        assert result.outcome in (SourceOutcome.DATA, SourceOutcome.EMPTY)
        (search,) = made.server.asked
        assert search.params["term"] == result.query_as_run
        assert search.method == ("POST" if len(text) > 1000 else "GET")


async def test_a_phrase_that_pubmed_left_out_is_told_and_is_no_loss() -> None:
    async with site() as made:
        result = await made.tool.fetch(SourceQuery(text="testitis p.E1317Q"))
        assert result.outcome is SourceOutcome.DATA
        assert result.skipped == ("PubMed knows no phrase “p.E1317Q” and searched without it",)


async def test_a_record_that_is_not_in_the_answer_is_a_loss() -> None:
    server = PubMedServer()
    server.withdrawn = {"99000102"}
    async with site(server) as made:
        result = await made.tool.fetch(SourceQuery(text="examplol testitis", max_results=2))
        assert result.outcome is SourceOutcome.DEGRADED
        assert pmids(result) == ["99000101"]
        assert result.skipped == ("PMID 99000102: found, but not in the answer",)


async def test_a_record_that_cannot_be_read_is_named_once() -> None:
    untitled = many(2).replace(b"Testitis 1<", b"<").replace(b"<Article>", b"<Article>\n", 1)
    untitled = untitled.replace(b"</MedlineCitation>", b"<Note>testitis</Note></MedlineCitation>")
    async with site(PubMedServer(untitled)) as made:
        result = await made.tool.fetch(SourceQuery(text="testitis"))
        assert result.outcome is SourceOutcome.DEGRADED
        assert result.skipped == ("PMID 99100001: no title",)


async def test_up_to_two_hundred_ids_go_in_an_address() -> None:
    async with site(PubMedServer(many(200))) as made:
        result = await made.tool.fetch(SourceQuery(text="testitis", max_results=500))
        assert len(result.evidence) == 200
        assert [asked.method for asked in made.server.asked] == ["GET", "GET"]


async def test_more_ids_are_posted_in_batches() -> None:
    n_records = 2 * IDS_BY_POST + 1
    async with site(PubMedServer(many(n_records + 9)), secrets={"api_key": KEY}) as made:
        result = await made.tool.fetch(SourceQuery(text="testitis", max_results=n_records))
        assert result.outcome is SourceOutcome.DATA
        assert len(set(pmids(result))) == len(result.evidence) == n_records
        assert result.total == n_records + 9
        fetched = [asked for asked in made.server.asked if "id" in asked.params]
        assert [asked.method for asked in fetched] == ["POST", "POST", "GET"]
        assert [len(asked.params["id"].split(",")) for asked in fetched] == [400, 400, 1]
        assert all(asked.params["api_key"] == KEY for asked in fetched)


async def test_a_batch_that_fails_costs_no_other_one() -> None:
    server = PubMedServer(many(900))
    server.unreadable = {"99100450"}
    async with site(server) as made:
        result = await made.tool.fetch(SourceQuery(text="testitis", max_results=900))
        assert result.outcome is SourceOutcome.DEGRADED
        assert len(result.evidence) == 500
        assert result.skipped == (
            "400 records, PMID 99100400 to 99100799: PubMed answered with status 400.",
        )


async def test_all_batches_failing_is_an_error() -> None:
    server = PubMedServer(many(500))
    server.unreadable = {"99100000", "99100450"}
    async with site(server) as made:
        told = "PubMed found 500 records and gave none of them: .* status 400"
        with pytest.raises(SearchError, match=told):
            await made.tool.fetch(SourceQuery(text="testitis", max_results=500))


async def test_who_refuses_one_batch_is_not_asked_for_the_next() -> None:
    async with site(PubMedServer(many(900)), fails="efetch") as made:
        made.faults.on("429")
        with pytest.raises(RateLimitError):
            await made.tool.fetch(SourceQuery(text="testitis", max_results=900))
        assert made.faults.requests == ATTEMPTS


@pytest.mark.parametrize("utility", ["esearch", "efetch"])
@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("429", RateLimitError),
        ("500", SearchError),
        ("html", SearchError),
        ("empty", SearchError),
        ("reset", SearchError),
        ("truncated", SearchError),
    ],
)
async def test_a_fault_of_either_utility_is_typed(
    utility: str, fault: Fault, error: type[SearchError]
) -> None:
    async with site(fails=utility, secrets={"api_key": KEY}) as made:
        made.faults.on(fault)
        with pytest.raises(error) as raised:
            await made.tool.fetch(SourceQuery(text="testitis"))
        assert KEY not in str(raised.value)
        assert raised.value.advice
        made.faults.off()
        result = await made.tool.fetch(SourceQuery(text="testitis"))
        assert result.outcome is SourceOutcome.DATA


@pytest.mark.parametrize("utility", ["esearch", "efetch"])
@pytest.mark.parametrize("fault", ["429", "500", "reset"])
async def test_a_fault_that_passes_costs_nothing(utility: str, fault: Fault) -> None:
    async with site(fails=utility) as made:
        made.faults.on(fault, times=2)
        result = await made.tool.fetch(SourceQuery(text="testitis"))
        assert (result.outcome, len(result.evidence)) == (SourceOutcome.DATA, 10)


async def test_half_an_answer_keeps_what_was_whole() -> None:
    async with site(fails="efetch") as made:
        made.faults.on("half")
        result = await made.tool.fetch(SourceQuery(text="testitis"))
        assert result.outcome is SourceOutcome.DEGRADED
        assert pmids(result)[0] == "99000101"
        lost = {note.partition(":")[0] for note in result.skipped}
        assert len(result.evidence) + len(lost) == 10


async def test_half_a_search_is_an_error() -> None:
    async with site(fails="esearch") as made:
        made.faults.on("half")
        with pytest.raises(SearchError):
            await made.tool.fetch(SourceQuery(text="testitis"))


async def test_what_was_saved_from_broken_xml_is_not_kept(tmp_path: Path) -> None:
    storage = AsyncSqliteStorage(database_path=tmp_path / "cache.db")
    await storage.get_entries("none yet")  # makes the file, which blocks
    async with site(fails="efetch", storage=storage) as made:
        made.faults.on("half", times=ATTEMPTS)
        broken = await made.tool.fetch(SourceQuery(text="testitis"))
        whole = await made.tool.fetch(SourceQuery(text="testitis"))
        kept = await made.tool.fetch(SourceQuery(text="testitis"))
    await storage.close()
    assert broken.outcome is SourceOutcome.DEGRADED
    assert broken.evidence
    assert (whole.outcome, whole.cached) == (SourceOutcome.DATA, False)
    assert kept == whole.model_copy(update={"cached": True})


async def test_the_second_time_comes_from_the_cache(tmp_path: Path) -> None:
    storage = AsyncSqliteStorage(database_path=tmp_path / "cache.db")
    await storage.get_entries("none yet")  # makes the file, which blocks
    query = SourceQuery(text="examplol testitis")
    async with site(storage=storage, secrets={"api_key": KEY}) as made:
        first = await made.tool.fetch(query)
        again = await made.tool.fetch(query)
        assert (first.cached, again.cached) == (False, True)
        assert again == first.model_copy(update={"cached": True})
        assert len(made.server.asked) == 2
    await storage.close()
    assert KEY.encode() not in (tmp_path / "cache.db").read_bytes()


async def test_citations_of_a_work_are_followed_within_the_drug() -> None:
    server = PubMedServer(many(6))
    first, *others = sorted(server.pmids)
    server.links = {
        first: {
            "pubmed_pubmed_reviews": [others[4]],
            "pubmed_pubmed_refs": [others[1], first],
            "pubmed_pubmed_citedin": [others[0]],
        }
    }
    query = SourceQuery(
        text="any", drug=Drug(name="testitis"), block=SearchBlock.CITATIONS, linked_to=(first, "7")
    )
    async with site(server) as opened:
        found = await opened.tool.fetch(query)
    assert [r.metadata.pmid for r in found.evidence] == others[:2]
    (asked,) = server.params("elink")
    assert (asked["id"], asked["cmd"]) == (f"{first},7", "neighbor")
    assert found.query_as_run.startswith(f"(2 works that ELink links to PMID {first}, 7) AND (")


async def test_a_work_that_nothing_is_linked_to_finds_nothing() -> None:
    query = SourceQuery(text="any", drug=Drug(name="testitis"), linked_to=("7",))
    async with site() as opened:
        found = await opened.tool.fetch(query)
    assert found.outcome is SourceOutcome.EMPTY
    assert not opened.server.params("esearch")
