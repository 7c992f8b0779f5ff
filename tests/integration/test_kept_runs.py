"""Runs and their database: what is kept, what a restarted server shows, what a fault costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from deepcritical.domain.errors import ReasoningError, ResearchCancelled, StorageError
from deepcritical.domain.run.events import Notice, Stage
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.models.providers import model_server
from deepcritical.reasoning.base import Reasoner
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.services.event_log import EventLog, TraceWriter
from deepcritical.services.storage import database
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import sqlite_file
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import (
    DEMO,
    DEMO_QUESTION,
    QUESTION,
    ended,
    of_type,
    paper,
    run_service,
    snapshot,
)
from tests.databases import fresh_database, locked, raw_text
from tests.integration.doubles import Interrupted
from tests.integration.modelled import records
from tests.integration.test_api import messages, served
from tests.servers.models import ModelServer
from tests.servers.running import running

KEY = "sk-made-up-key-that-nobody-may-keep"
RUNS_AT_ONCE = 15


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "records.jsonl", paper(1), paper(2))


def service(url: str, source: Path, reasoner: Reasoner | None = None) -> RunService:
    return run_service(source, reasoner, ToolTraceService(Database(url)))


def gated() -> tuple[Reasoner, asyncio.Event]:
    gate = asyncio.Event()

    async def wait(_call: int) -> None:
        await gate.wait()

    return Interrupted("generate_queries", wait), gate


async def under_way(run: Run, events: int = 2) -> None:
    async for logged in run.tail():
        if logged.seq >= events:
            return


class TestRestart:
    @pytest.mark.slow
    async def test_a_finished_run_is_as_it_was(self, url: str) -> None:
        first = service(url, DEMO)
        run = first.submit(DEMO_QUESTION)
        report, log = await run.result(), await ended(run)
        await first.close()
        second = service(url, DEMO)
        again = await second.find(run.run_id)
        assert again is not None
        assert (again.run_id, again.question, again.ended) == (run.run_id, DEMO_QUESTION, True)
        assert again.report == report
        assert [logged async for logged in again.tail()] == log
        assert [logged async for logged in again.tail(after=5)] == log[5:]
        await second.close()

    @pytest.mark.slow
    async def test_over_http_it_is_the_same_too(self, url: str, source: Path) -> None:
        paths = ("", "/events", "/export/md", "/export/html", "/export/csl.json")

        async def answers(client: httpx.AsyncClient, run_id: str) -> list[object]:
            found = [await client.get(f"/api/runs/{run_id}{path}") for path in paths]
            assert {answer.status_code for answer in found} == {200}
            return [messages(found[1].text), *(a.text for n, a in enumerate(found) if n != 1)]

        async with served(service(url, source)) as site:
            run = site.runs.submit(QUESTION)
            await ended(run)
            before = await answers(site.client, run.run_id)
            await site.runs.close()
        async with served(service(url, source)) as site:
            assert await answers(site.client, run.run_id) == before
            headers = {"Last-Event-ID": "3"}
            rest = await site.client.get(f"/api/runs/{run.run_id}/events", headers=headers)
            assert messages(rest.text) == before[0][3:]  # type: ignore[index]
            unknown = await site.client.get("/api/runs/00000000-0000-4000-8000-000000000000")
            assert unknown.status_code == 404
            await site.runs.close()

    @pytest.mark.slow
    async def test_a_run_under_way_in_one_process_is_followed_in_another(
        self, url: str, source: Path, traces: ToolTraceService
    ) -> None:
        reasoner, gate = gated()
        here, there = service(url, source, reasoner), service(url, source)
        run = here.submit(QUESTION)
        await under_way(run)
        await _stored(traces, run.run_id)
        seen = await there.find(run.run_id)
        assert seen is not None
        assert (seen.ended, seen.report) == (False, None)
        following = asyncio.create_task(_all(seen.tail()))
        gate.set()
        assert await following == await ended(run)
        await here.close()
        await there.close()

    async def test_a_stream_ends_when_its_run_is_deleted(
        self, url: str, source: Path, traces: ToolTraceService
    ) -> None:
        run_id = (await traces.create_trace("research", {"question": QUESTION})).id
        await traces.append_event(run_id, Notice(message="Reading"), (Stage.SEARCH, 0.5))
        async with served(service(url, source)) as site:
            path = f"/api/runs/{run_id}/events"
            async with site.client.stream("GET", path) as answer, asyncio.timeout(30):
                lines = answer.aiter_lines()
                while '"Reading"' not in await anext(lines):
                    pass
                await traces.delete(run_id, under_way=True)
                assert [line async for line in lines if line] == []
            assert (await site.client.get(path)).status_code == 404
            await site.runs.close()

    @pytest.mark.slow
    async def test_the_run_of_a_server_that_is_stopped_goes_on_in_the_next_one(
        self, url: str, source: Path, traces: ToolTraceService
    ) -> None:
        runs = service(url, source, gated()[0])
        run = runs.submit(QUESTION)
        await under_way(run)
        await runs.close()
        assert await _all(run.tail()) == list(await run.events())
        assert (await traces.get_trace(run.run_id)).status is TraceStatus.IN_PROGRESS
        following = service(url, source)
        await following.start_engine()
        told = await _all(traces.tail(run.run_id))
        assert (await traces.get_trace(run.run_id)).status is TraceStatus.COMPLETED
        assert told[: len(await run.events())] == list(await run.events())
        await following.close()


async def _all(events: AsyncIterator[object]) -> list[object]:
    return [event async for event in events]


class TestTrace:
    @pytest.mark.slow
    async def test_it_tells_what_was_asked_found_and_spent(
        self, url: str, traces: ToolTraceService
    ) -> None:
        runs = service(url, DEMO)
        run = runs.submit(DEMO_QUESTION, depth="quick")
        report = await run.result()
        trace = await traces.get_trace(run.run_id)
        assert trace.tool_name == "research"
        assert trace.input_params == {"question": DEMO_QUESTION, "depth": "quick"}
        assert (trace.status, trace.progress) == (TraceStatus.COMPLETED, 1.0)
        known = trace.state.knowledge_base
        assert [source.title for source in known.sources] == [r.title for r in report.references]
        assert {fact.source_id for fact in known.facts} <= {source.id for source in known.sources}
        assert {fact.quote for fact in known.facts} == {claim.quote for claim in report.claims}
        assert trace.state.refined_question is not None
        assert trace.state.iterations == trace.metrics.iterations == report.search_iterations
        searches = of_type(await ended(run), "source_searched")
        assert sum(trace.metrics.queries.values()) == len(searches)
        assert trace.metrics.sources_processed == sum(search.new for search in searches)
        await runs.close()

    @pytest.mark.slow
    async def test_a_failed_run_says_why_and_has_no_result(
        self, url: str, source: Path, traces: ToolTraceService
    ) -> None:
        async def fail(_call: int) -> None:
            await asyncio.sleep(0)
            raise ReasoningError("It broke.", "Mend it.")

        runs = service(url, source, Interrupted("generate_queries", fail))
        run = runs.submit(QUESTION)
        await ended(run)
        trace = await traces.get_trace(run.run_id)
        assert (trace.status, trace.error_message) == (TraceStatus.FAILED, "It broke. Mend it.")
        assert trace.result is None
        await runs.close()

    @pytest.mark.slow
    async def test_runs_at_once_are_all_kept_in_full(self, url: str, source: Path) -> None:
        runs = service(url, source)
        started = [runs.submit(QUESTION) for _ in range(RUNS_AT_ONCE)]
        logs = {run.run_id: await ended(run) for run in started}
        await runs.close()
        traces = ToolTraceService(Database(url))
        assert len(await traces.list_traces()) == RUNS_AT_ONCE
        for run_id, log in logs.items():
            assert await traces.events(run_id) == tuple(log)
        await traces.close()

    @pytest.mark.slow
    async def test_no_key_is_kept(self, url: str, tmp_path: Path) -> None:
        server = ModelServer()
        async with running(server.app) as address:
            model = model_server(
                "openai-chat:made-up", base_url=f"{address}v1", api_key="made-up-2"
            )
            runs = service(url, records(tmp_path), LLMReasoner(model))
            run = runs.submit(QUESTION, model_api_key=SecretStr(KEY))
            await run.result()
        await runs.close()
        assert {asked.key for asked in server.asked} == {KEY}
        text = await asyncio.to_thread(raw_text, url)
        assert "testitis" in text
        assert "run_completed" in text
        assert KEY not in text
        assert "made-up-2" not in text


class TestFaults:
    @pytest.fixture
    def url(self, tmp_path: Path) -> Iterator[str]:
        with fresh_database("sqlite", tmp_path) as url:
            yield url

    @pytest.mark.slow
    async def test_a_lock_costs_nothing_once_it_is_gone(
        self, url: str, source: Path, traces: ToolTraceService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "BUSY_S", 0.05)
        await traces.list_traces()
        reasoner, gate = gated()
        runs = service(url, source, reasoner)
        holder = locked(_file(url))
        await asyncio.to_thread(holder.__enter__)
        run = runs.submit(QUESTION)
        await under_way(run)
        await asyncio.sleep(1.2)  # longer than all attempts
        await asyncio.to_thread(holder.__exit__, None, None, None)
        gate.set()
        log = await ended(run)
        assert await traces.events(run.run_id) == tuple(log)
        assert log[-1].event.type == "run_completed"
        await runs.close()

    @pytest.mark.slow
    async def test_one_that_stays_costs_the_trace_and_not_the_report(
        self, url: str, source: Path, traces: ToolTraceService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(database, "BUSY_S", 0.05)
        await traces.list_traces()
        runs = service(url, source)
        holder = locked(_file(url))
        await asyncio.to_thread(holder.__enter__)
        run = runs.submit(QUESTION)
        report = await run.result()
        log = await ended(run)
        await asyncio.to_thread(holder.__exit__, None, None, None)
        assert report.references
        assert [logged.seq for logged in log] == list(range(1, len(log) + 1))
        assert isinstance(log[-2].event, Notice)
        assert "not kept in the database" in log[-2].event.message
        assert "locked by another process" in log[-2].event.message
        # What the database does not have is still shown by the process that ran it.
        assert await runs.find(run.run_id) is run
        await runs.close()

    @pytest.mark.slow
    async def test_a_run_that_was_deleted_meanwhile_stops(
        self, url: str, source: Path, traces: ToolTraceService
    ) -> None:
        reasoner, gate = gated()
        runs = service(url, source, reasoner)
        run = runs.submit(QUESTION)
        await under_way(run)
        await _stored(traces, run.run_id)
        await traces.delete(run.run_id, under_way=True)
        gate.set()
        # The run's next record finds nothing to stand on, or its worker hears of it earlier.
        with pytest.raises((StorageError, ResearchCancelled)):
            await run.result()
        await runs.close()
        assert await traces.list_traces() == ()

    async def test_a_worker_does_not_bring_back_what_was_deleted_before_its_first_word(
        self, traces: ToolTraceService
    ) -> None:
        run_id = (await traces.create_trace("research", {"question": QUESTION})).id
        writer = TraceWriter(traces, run_id, tool_name="research", input_params={})
        writer.worker = "made-up"
        await traces.delete(run_id, under_way=True)
        log = EventLog(run_id, writer=writer)
        await log.append(Notice(message="A made-up notice."), Stage.SEARCH, 0.1)
        await writer.flush()
        assert await traces.list_traces() == ()

    @pytest.mark.slow
    async def test_a_run_that_was_ended_elsewhere_stops_and_adds_nothing(
        self, url: str, source: Path, traces: ToolTraceService
    ) -> None:
        reasoner, gate = gated()
        runs = service(url, source, reasoner)
        run = runs.submit(QUESTION)
        await under_way(run)
        await _stored(traces, run.run_id)
        await traces.cancel_trace(run.run_id)
        before = await traces.events(run.run_id)
        gate.set()
        with pytest.raises(StorageError, match="has ended"):
            await run.result()
        await runs.close()
        assert await traces.events(run.run_id) == before
        assert (await traces.get_trace(run.run_id)).status is TraceStatus.CANCELLED


async def _stored(traces: ToolTraceService, run_id: str) -> None:
    async with asyncio.timeout(30):
        while run_id not in {t.id for t in await traces.list_traces()}:  # noqa: ASYNC110 - a database calls nobody
            await asyncio.sleep(0.01)


def _file(url: str) -> Path:
    file = sqlite_file(url)
    assert file is not None
    return file
