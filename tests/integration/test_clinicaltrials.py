"""ClinicalTrials.gov over real HTTP on loopback, by `requests` in a thread."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest
from starlette.types import Receive, Scope, Send

from deepcritical.domain.errors import RateLimitError, SearchError
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.clinicaltrials.source import ClinicalTrials
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import RequestsTransport
from deepcritical.tools.rate_limiter import new_limiter
from tests.servers.clinicaltrials import ClinicalTrialsServer, Study, made_up_studies, made_up_study
from tests.servers.faults import Faults
from tests.servers.running import running

ASKED = SourceQuery(
    text="Can examplol be repurposed for testitis?",
    drug=Drug(name="examplol"),
    condition=Condition(name="testitis"),
)
RAN = (
    "COMPLETED|ACTIVE_NOT_RECRUITING|RECRUITING|ENROLLING_BY_INVITATION|NOT_YET_RECRUITING|UNKNOWN"
)
STOPPED = "TERMINATED|WITHDRAWN|SUSPENDED"
SOON_S = 10.0
"""On a busy machine; who waits for a server that is silent waits for 30."""


class Setting(NamedTuple):
    source: ClinicalTrials
    server: ClinicalTrialsServer
    faults: Faults


def client_at(url: str) -> SourceClient:
    return SourceClient(
        "ClinicalTrials.gov",
        f"{url}api/v2",
        limiter=new_limiter(1000),
        network=RequestsTransport(),
        timeout_s=30,
        wait_s=0.01,
    )


@asynccontextmanager
async def serving(studies: list[Study] | None = None) -> AsyncIterator[Setting]:
    server = ClinicalTrialsServer(studies)
    faults = Faults(server.app)
    async with running(faults) as url:
        client = client_at(url)
        yield Setting(ClinicalTrials(client), server, faults)
        await client.aclose()


@pytest.fixture
async def setting() -> AsyncIterator[Setting]:
    async with serving() as made:
        yield made


def ids(result: SourceResult) -> list[str]:
    return [(r.metadata.nct_id or "").removeprefix("NCT9900") for r in result.evidence]


def asked_for(most: int) -> SourceQuery:
    return ASKED.model_copy(update={"max_results": most})


class TestFetch:
    async def test_it_is_a_search_tool(self, setting: Setting) -> None:
        assert isinstance(setting.source, SearchTool)
        assert setting.source.name == "ClinicalTrials.gov"

    async def test_ended_running_and_stopped_trials_are_found(self, setting: Setting) -> None:
        result = await setting.source.fetch(ASKED)
        assert result.outcome is SourceOutcome.DATA
        # 8 has not begun. Not 9 of another drug, nor 10, which is no trial.
        assert ids(result) == ["0001", "0002", "0005", "0006", "0003", "0007", "0008", "0004"]
        assert (result.total, result.skipped, result.cached) == (8, (), False)

    async def test_both_queries_are_told_as_they_were_sent(self, setting: Setting) -> None:
        result = await setting.source.fetch(ASKED)
        query = 'query.intr="examplol"&query.cond="testitis"'
        rest = "filter.advanced=AREA[StudyType]INTERVENTIONAL&sort=@relevance"
        assert result.query_as_run == (
            f"{query}&filter.overallStatus={RAN}&{rest} ; "
            f"{query}&filter.overallStatus={STOPPED}&{rest}"
        )
        sent = {
            "&".join(f"{name}={asked[name]}" for name in asked if name[0] in "qf" or name == "sort")
            for asked in setting.server.asked
        }
        fields = f"&fields={setting.server.asked[0]['fields']}"
        assert {text.replace(fields, "") for text in sent} == set(result.query_as_run.split(" ; "))

    async def test_filters_are_told_in_words(self, setting: Setting) -> None:
        result = await setting.source.fetch(asked_for(4))
        assert result.filters == (
            "interventional studies",
            f"statuses {RAN.replace('|', ', ')}",
            f"and {STOPPED.replace('|', ', ')}",
            "each sorted by relevance, studies with results first, "
            "two of the former for one of the latter",
            "first 4",
        )

    async def test_a_query_for_literature_is_not_for_a_registry(self, setting: Setting) -> None:
        query = ASKED.model_copy(update={"literature_only": True})
        result = await setting.source.fetch(query)
        assert result == SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        assert setting.faults.requests == 0

    async def test_everything_that_is_read_is_asked_for(self, setting: Setting) -> None:
        record = (await setting.source.fetch(asked_for(1))).evidence[0].metadata
        assert record.posted_results
        assert record.linked_ids
        assert record.mesh_terms == ("Testitis", "Examplol")
        assert record.has_results

    async def test_the_best_come_first_whatever_the_limit(self, setting: Setting) -> None:
        many = await setting.source.fetch(ASKED)
        scores = [record.relevance_score for record in many.evidence]
        assert scores == sorted(scores, reverse=True)
        for most in range(1, 8):
            few = await setting.source.fetch(asked_for(most))
            assert few.evidence == many.evidence[:most]
            assert few.total == many.total

    async def test_search_is_the_evidence_of_fetch(self, setting: Setting) -> None:
        fetched = await setting.source.fetch(SourceQuery(text="examplol testitis", max_results=4))
        assert await setting.source.search("examplol testitis", 4) == list(fetched.evidence)

    async def test_nothing_found_is_empty(self, setting: Setting) -> None:
        result = await setting.source.fetch(SourceQuery(text="unheard"))
        assert (result.outcome, result.total) == (SourceOutcome.EMPTY, 0)

    @pytest.mark.parametrize("text", ["?", "(", '"', "AND OR NOT", "x" * 5000, "тест", "\u2028"])
    async def test_no_text_is_an_error(self, setting: Setting, text: str) -> None:
        result = await setting.source.fetch(SourceQuery(text=text))
        assert result.outcome is SourceOutcome.EMPTY

    async def test_without_words_nothing_is_asked(self, setting: Setting) -> None:
        # The API would answer with every study that there is.
        await setting.source.fetch(SourceQuery(text="?"))
        assert setting.server.asked == []

    async def test_field_tags_of_another_source_are_left_out(self, setting: Setting) -> None:
        query = SourceQuery(text="examplol[tiab] AND testitis[mh]")
        assert (await setting.source.fetch(query)).evidence
        assert {asked["query.term"] for asked in setting.server.asked} == {"examplol AND testitis"}

    async def test_operators_of_the_registry_stay(self, setting: Setting) -> None:
        await setting.source.fetch(SourceQuery(text="AREA[Phase]PHASE3 AND examplol"))
        assert setting.server.asked[0]["query.term"] == "AREA[Phase]PHASE3 AND examplol"

    async def test_a_trial_asked_for_by_its_id_is_counted_once(self, setting: Setting) -> None:
        result = await setting.source.fetch(SourceQuery(text="NCT99000002"))
        assert (ids(result), result.total) == (["0002"], 1)


class TestShares:
    async def test_many_ended_trials_do_not_crowd_out_the_stopped_ones(self) -> None:
        ended = [made_up_study(n) for n in range(1, 31)]
        stopped = [made_up_study(100 + n, "TERMINATED", "Futility") for n in range(5)]
        async with serving(ended + stopped) as setting:
            result = await setting.source.fetch(asked_for(10))
        statuses = [record.metadata.status for record in result.evidence]
        assert statuses.count("TERMINATED") == 3
        assert statuses[1] == "TERMINATED"
        assert (len(statuses), result.total) == (10, 35)

    @pytest.mark.parametrize("status", ["COMPLETED", "TERMINATED"])
    async def test_one_kind_alone_fills_the_answer(self, status: str) -> None:
        async with serving([made_up_study(n, status) for n in range(1, 31)]) as setting:
            result = await setting.source.fetch(asked_for(10))
        assert ids(result) == [f"{n:04d}" for n in range(1, 11)]

    async def test_pages_are_read_until_there_are_enough(self) -> None:
        async with serving([made_up_study(n) for n in range(1, 131)]) as setting:
            result = await setting.source.fetch(asked_for(120))
            pages = [a for a in setting.server.asked if a["filter.overallStatus"] == RAN]
        assert ids(result) == [f"{n:04d}" for n in range(1, 121)]
        assert [page.get("countTotal") for page in pages] == ["true", None]
        assert result.total == 130

    async def test_short_pages_do_not_end_the_search(self) -> None:
        async with serving([made_up_study(n) for n in range(1, 8)]) as setting:
            setting.server.page_limit = 2
            result = await setting.source.fetch(asked_for(5))
        assert len(result.evidence) == 5


class TestFailures:
    @pytest.mark.parametrize(
        ("failing", "kept", "named"),
        [
            ("TERMINATED", {"COMPLETED"}, "stopped trials: "),
            ("COMPLETED", {"TERMINATED"}, "completed, running or planned trials: "),
        ],
    )
    async def test_when_one_query_fails_the_other_is_kept(
        self, failing: str, kept: set[str], named: str
    ) -> None:
        studies = [made_up_study(1), made_up_study(2, "TERMINATED", "Futility")]
        async with serving(studies) as setting:
            setting.server.refused_statuses = {failing}
            result = await setting.source.fetch(ASKED)
        assert result.outcome is SourceOutcome.DEGRADED
        assert {record.metadata.status for record in result.evidence} == kept
        assert result.skipped == (
            f"{named}ClinicalTrials.gov answered with status 400. "
            "Put the question in other or fewer words.",
        )
        assert (failing in result.query_as_run, result.total) == (True, 1)

    async def test_when_both_fail_it_is_an_error(self, setting: Setting) -> None:
        setting.server.refused_statuses = {"TERMINATED", "COMPLETED"}
        with pytest.raises(SearchError, match="status 400"):
            await setting.source.fetch(ASKED)
        assert len(setting.server.asked) == 2  # never again after a 400

    async def test_when_a_later_page_fails_the_first_is_kept(self) -> None:
        async with serving([made_up_study(n) for n in range(1, 8)]) as setting:
            setting.server.page_limit = 3
            setting.server.refuses_tokens = True
            result = await setting.source.fetch(ASKED)
        assert (result.outcome, len(result.evidence)) == (SourceOutcome.DEGRADED, 3)
        assert result.skipped[0].startswith(
            "completed, running or planned trials after 3 records: "
        )

    async def test_a_study_that_cannot_be_read_degrades_the_answer(self) -> None:
        studies = made_up_studies()
        studies[1]["protocolSection"]["identificationModule"] = {"nctId": "NCT99000002"}
        async with serving(studies) as setting:
            result = await setting.source.fetch(ASKED)
        assert result.outcome is SourceOutcome.DEGRADED
        assert "0002" not in ids(result)
        assert result.skipped[0].startswith("NCT99000002: it has no title")

    @pytest.mark.parametrize("fault", ["429", "500", "reset"])
    async def test_a_passing_fault_is_not_seen(self, setting: Setting, fault: str) -> None:
        setting.faults.on(fault, times=2)  # type: ignore[arg-type] # one of its literals
        assert (await setting.source.fetch(ASKED)).outcome is SourceOutcome.DATA

    @pytest.mark.parametrize(
        ("fault", "told"),
        [
            ("500", "status 500"),
            ("html", "a web page"),
            ("empty", "with nothing"),
            ("half", "not JSON"),
            ("truncated", "cannot be reached"),
            ("huge", "more than 20 MB"),
            ("reset", "cannot be reached"),
        ],
    )
    async def test_a_lasting_fault_is_a_search_error(
        self, setting: Setting, fault: str, told: str
    ) -> None:
        setting.faults.on(fault)  # type: ignore[arg-type] # one of its literals
        with pytest.raises(SearchError, match=told):
            await setting.source.fetch(ASKED)

    async def test_a_lasting_refusal_says_how_long_to_wait(self, setting: Setting) -> None:
        setting.faults.on("429 after")
        with pytest.raises(RateLimitError) as caught:
            await setting.source.fetch(ASKED)
        assert caught.value.retry_after_s == 0

    async def test_another_content_type_does_not_matter(self, setting: Setting) -> None:
        setting.faults.on("wrong type")
        assert (await setting.source.fetch(ASKED)).outcome is SourceOutcome.DATA


class TestThread:
    async def test_a_slow_answer_does_not_block_the_loop(self) -> None:
        async with hanging() as (source, both_asked):
            fetching = asyncio.create_task(source.fetch(ASKED))
            await both_asked.wait()
            longest = 0.0
            for _ in range(20):
                start = time.perf_counter()
                await asyncio.sleep(0.01)
                longest = max(longest, time.perf_counter() - start)
            assert not fetching.done()
            fetching.cancel()
        assert longest < SOON_S

    async def test_a_cancelled_search_ends_at_once(self) -> None:
        async with hanging() as (source, both_asked):
            fetching = asyncio.create_task(source.fetch(ASKED))
            await both_asked.wait()
            start = time.perf_counter()
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching
            assert time.perf_counter() - start < SOON_S

    def test_a_server_that_is_silent_does_not_hold_up_the_exit(self) -> None:
        async def ask(port: int) -> None:
            client = client_at(f"http://127.0.0.1:{port}/")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(ClinicalTrials(client).fetch(ASKED), 0.3)

        start = time.perf_counter()
        with socket.create_server(("127.0.0.1", 0)) as silent:
            asyncio.run(ask(silent.getsockname()[1]))  # waits for the threads of its pool
        assert time.perf_counter() - start < SOON_S


@asynccontextmanager
async def hanging() -> AsyncIterator[tuple[ClinicalTrials, asyncio.Event]]:
    """A source whose server never answers, and an event for both of its queries having come."""
    both_asked, closing = asyncio.Event(), asyncio.Event()
    arrived: list[Scope] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        arrived.append(scope)
        if len(arrived) == 2:
            both_asked.set()
        await closing.wait()

    async with running(app) as url:
        client = client_at(url)
        try:
            yield ClinicalTrials(client), both_asked
        finally:
            closing.set()
            await client.aclose()
