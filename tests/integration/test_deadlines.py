"""A query ends by the time that it was given, and what had come by then is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

import httpx
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.question.frame import Drug
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery
from deepcritical.tools.clinicaltrials.source import ClinicalTrials
from deepcritical.tools.crossref import check_all
from deepcritical.tools.deadline import Deadline
from deepcritical.tools.drug_facts.base import DrugFactsLookUp
from deepcritical.tools.drug_facts.pubtator import PubTator
from deepcritical.tools.europepmc.source import EuropePMC
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import RequestsTransport
from deepcritical.tools.pubmed.source import PubMed
from deepcritical.tools.rate_limiter import Limiter, new_limiter
from tests.conftest import make_evidence
from tests.integration.test_europepmc import many as many_papers
from tests.integration.test_pubmed import many as many_articles
from tests.limiters import Noted, Once
from tests.servers.clinicaltrials import ClinicalTrialsServer, made_up_study
from tests.servers.faults import Faults
from tests.servers.pubmed import PubMedServer
from tests.servers.running import running
from tests.servers.scripted import Make, OverHTTP, Server

GIVEN_S = 1.0
PAGE_S = 4.0
"""In which a page comes whole, also where the loop stands still for a second."""
LATE_S = 8.0
"""What a busy machine may take to notice: what does not end in time takes 20 s here, or an hour."""


@contextmanager
def ends_within(given_s: float = GIVEN_S) -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < given_s + LATE_S


def in_time(text: str = "testitis", most: int = 10, given_s: float = GIVEN_S) -> SourceQuery:
    return SourceQuery(text=text, max_results=most, answer_by=Deadline(given_s))


@asynccontextmanager
async def asking(
    make: Callable[[SourceClient], SearchTool],
    app: ASGIApp,
    path: str = "",
    limiter: Limiter | None = None,
) -> AsyncIterator[tuple[SearchTool, Faults]]:
    """A tool over a server, of which requests to a path can be made to fail."""
    faults = Faults(app)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        reached: ASGIApp = faults if path in scope["path"] else app
        await reached(scope, receive, send)

    async with running(routed) as url:
        client = SourceClient(
            "The source",
            f"{url}api/v2" if make is ClinicalTrials else url,
            limiter=limiter or new_limiter(1000),
            network=RequestsTransport() if make is ClinicalTrials else None,
            wait_s=0.01,
        )
        try:
            yield make(client), faults
        finally:
            await client.aclose()


class TestKept:
    @pytest.mark.slow
    async def test_pubmed_keeps_the_batches_that_came(self) -> None:
        async with asking(PubMed, PubMedServer(many_articles(1300)).app, "efetch") as (
            tool,
            faults,
        ):
            faults.on("slow", after=1)
            with ends_within(6):
                result = await tool.fetch(in_time(most=1300, given_s=6))
        assert result.outcome is SourceOutcome.DEGRADED
        assert len(result.evidence) == 400
        assert result.skipped == (
            "900 records, PMID 99100400 to 99101299: The source did not answer in time.",
        )
        assert faults.requests == 2

    @pytest.mark.slow
    async def test_pubmed_says_what_it_found_and_did_not_give(self) -> None:
        async with asking(PubMed, PubMedServer().app, "efetch") as (tool, faults):
            faults.on("slow")
            told = "PubMed found 10 records and gave none of them: The source did not answer in"
            with ends_within(PAGE_S), pytest.raises(SearchError, match=told):
                await tool.fetch(in_time(given_s=PAGE_S))

    @pytest.mark.slow
    async def test_europe_pmc_keeps_the_pages_that_came(self) -> None:
        async with asking(EuropePMC, many_papers(250).app) as (tool, faults):
            faults.on("slow", after=1)
            with ends_within(PAGE_S):
                result = await tool.fetch(in_time("examplol", 250, PAGE_S))
        assert (result.outcome, len(result.evidence)) == (SourceOutcome.DEGRADED, 100)
        assert result.total == 250
        assert "after 100 records: The source did not answer in time." in result.skipped[0]

    @pytest.mark.slow
    async def test_the_registry_keeps_the_pages_that_came(self) -> None:
        server = ClinicalTrialsServer([made_up_study(n) for n in range(1, 8)])
        server.page_limit = 3
        async with asking(ClinicalTrials, server.app) as (tool, faults):
            faults.on("slow", after=2)  # the first page of each of the two queries comes
            with ends_within(PAGE_S):
                result = await tool.fetch(in_time("examplol", given_s=PAGE_S))
        assert result.outcome is SourceOutcome.DEGRADED
        # On a busy machine one query may have asked for its second page before the other began.
        assert len(result.evidence) in (3, 6)
        assert "The source did not answer in time. Try again later." in result.skipped[0]

    @pytest.mark.slow
    @pytest.mark.parametrize("make", [PubMed, EuropePMC, ClinicalTrials])
    async def test_nothing_in_time_is_an_error(
        self, make: Callable[[SourceClient], SearchTool]
    ) -> None:
        async with asking(make, ClinicalTrialsServer().app) as (tool, faults):
            faults.on("slow")
            with ends_within(), pytest.raises(SearchError, match="did not answer in time"):
                await tool.fetch(in_time())

    async def test_a_time_that_is_over_asks_for_nothing(self) -> None:
        async with asking(EuropePMC, many_papers(3).app) as (tool, faults):
            with pytest.raises(SearchError, match="did not answer in time"):
                await tool.fetch(in_time("examplol", given_s=-1))
            assert faults.requests == 0


class TestWaiting(OverHTTP):
    """For a permit: it is no fault of the source."""

    @pytest.mark.slow
    async def test_it_does_not_count(self, make: Make) -> None:
        client = make(limiter=new_limiter(1))
        by = Deadline(3)
        asked = (client.get("data", {"n": n}, by=by) for n in range(5))
        for payload in await asyncio.gather(*asked):
            assert payload.content == b'{"answer": 1}'
        assert by.waited_s > 4  # of all at once, counted once
        assert 0 < by.left_s < 3

    @pytest.mark.slow
    async def test_it_ends_with_the_run_and_is_told(self, make: Make, server: Server) -> None:
        client = make(limiter=Once())
        await client.get("data", {"n": 1})
        by = Deadline(1, 3)
        told = r"of which \d+ s passed in waiting for the limit that all runs share"
        with ends_within(3), pytest.raises(SearchError, match=told):
            await client.get("data", {"n": 2}, by=by)
        assert by.waited_s > 1.5
        assert len(server.asked) == 1

    @pytest.mark.slow
    async def test_the_time_for_the_answer_is_the_same_after_it(
        self, make: Make, server: Server
    ) -> None:
        client = make(limiter=new_limiter(1))
        await client.get("data", {"n": 1})
        server.faults.on("slow")
        with ends_within(1.5), pytest.raises(SearchError, match="did not answer in time"):
            await client.get("data", {"n": 2}, by=Deadline(0.4))

    @pytest.mark.slow
    async def test_runs_take_turns(self, make: Make) -> None:
        limiter = new_limiter(5)
        many, few = Noted(limiter), Noted(limiter)
        first, second = make(limiter=many), make(limiter=few)
        asked = [first.get("data", {"n": n}) for n in range(12)]
        asked += [second.get("data", {"few": n}) for n in range(2)]
        await asyncio.gather(*asked)
        # Who has twelve requests has one place in the queue: two others had their turn meanwhile.
        assert sum(at < few.times[-1] for at in many.times) <= 9


class TestClient(OverHTTP):
    async def test_waiting_for_a_permit_ends_too(self, make: Make, server: Server) -> None:
        client = make(limiter=Once())
        await client.get("data", {"n": 1})
        by = Deadline(0.2, 0.2)
        told = "Made Up did not answer in time"
        with ends_within(0.2), pytest.raises(SearchError, match=told):
            await client.get("data", {"n": 2}, by=by)
        assert len(server.asked) == 1

    async def test_a_retry_that_would_come_too_late_is_not_waited_for(
        self, make: Make, server: Server
    ) -> None:
        server.faults.on("429 after")
        server.faults.retry_after = "30"
        by = Deadline(25)
        with ends_within(0), pytest.raises(RateLimitError) as caught:
            await make().get("data", {}, by=by)
        assert caught.value.retry_after_s == 30

    async def test_a_form_ends_too(self, make: Make, server: Server) -> None:
        server.faults.on("slow")
        with pytest.raises(SearchError, match="did not answer in time"):
            await make().get("data", {"n": "1" * 2_000}, by=Deadline(0.2), form_path="data")

    @pytest.mark.slow
    async def test_the_client_goes_on_after_the_end(self, make: Make, server: Server) -> None:
        client = make()
        server.faults.on("slow")
        by = Deadline(0.5)
        ended = await asyncio.gather(
            *(client.get("data", {"n": n}, by=by) for n in range(8)), return_exceptions=True
        )
        assert {type(error) for error in ended} == {SearchError}
        server.faults.off()
        assert (await client.get("data", {"n": 9})).content == b'{"answer": 1}'

    async def test_enough_time_changes_nothing(self, make: Make) -> None:
        by = Deadline(30)
        assert (await make().get("data", {}, by=by)).content == b'{"answer": 1}'


class _Silent(httpx.AsyncBaseTransport):
    """A host that answers some requests with an error, and the others never."""

    def __init__(self, refused: int) -> None:
        self._refused = refused
        self.under_way = 0
        self.arrived = asyncio.Event()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.under_way += 1
        self.arrived.set()
        try:
            if self._refused:
                self._refused -= 1
                return httpx.Response(400, request=request)
            await asyncio.Event().wait()
            raise AssertionError
        finally:
            for _ in range(5):  # closing a connection takes some steps of the loop, too
                await asyncio.sleep(0)
            self.under_way -= 1


class TestTogether:
    """A request that outlives its client opens a connection that nobody closes."""

    async def test_a_request_that_fails_ends_those_beside_it(self) -> None:
        host = _Silent(refused=1)
        client = SourceClient("made", "http://made.test", limiter=new_limiter(9), network=host)
        look_up = DrugFactsLookUp([PubTator(client)], deadline_s=30.0, today=lambda: "2999-01-01")
        with ends_within(0):
            (facts,) = await look_up.look_up([Drug(name="examplol")], 30.0)
        assert [asked.outcome for asked in facts.asked] == ["unavailable"]
        assert host.arrived.is_set()
        assert host.under_way == 0

    async def test_a_caller_who_is_cancelled_leaves_no_request(self) -> None:
        host = _Silent(refused=0)
        client = SourceClient("made", "http://made.test", limiter=new_limiter(9), network=host)
        records = [make_evidence(doi=f"10.99999/made.{n}") for n in (1, 2)]
        checking = asyncio.create_task(check_all(records, 30.0, client=client))
        await host.arrived.wait()
        checking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await checking
        assert host.under_way == 0
