"""Former runs of similar questions, in a real database: found, dated, and never another user's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from pydantic import SecretStr
from starlette.requests import Request

from deepcritical.bootstrap import Lookups, build_runs, build_similar, place_of
from deepcritical.domain.tool.chat import SimilarRun
from deepcritical.interfaces.access import Access, Caller, Mode
from deepcritical.interfaces.mcp.models import Call
from deepcritical.interfaces.mcp.server import catalogue
from deepcritical.interfaces.page.asking import FormerRuns
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from deepcritical.tools.snapshot import SnapshotSource
from deepcritical.toolset.similar_runs import SimilarRuns
from tests.conftest import opened, paper, run_service, snapshot
from tests.databases import fresh_database
from tests.integration.test_api import served
from tests.servers.pubmed import PubMedServer
from tests.servers.world import world

ASKED = "Does examplol help in testitis?"
SAME = "Is examplol effective in testitis?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "made.jsonl", paper(1), paper(2))


@pytest.fixture
async def runs(url: str, source: Path) -> AsyncIterator[RunService]:
    service = run_service(source, traces=ToolTraceService(Database(url)), max_iterations=2)
    yield service
    await service.close()


def finding(runs: RunService, source: Path, **options: Any) -> SimilarRuns:
    over = partial(opened, SnapshotSource(source))
    chosen = {"ttl_days": 30.0, "rounds": 2, **options}
    return SimilarRuns(runs, None, over, **chosen)


async def done(runs: RunService, question: str, **options: Any) -> str:
    run = runs.ask(question, **options)
    async with asyncio.timeout(60):
        await run.result()
    return run.run_id


@pytest.mark.slow
async def test_a_similar_question_is_found_with_its_age_and_what_is_new(
    runs: RunService, source: Path
) -> None:
    run_id = await done(runs, ASKED)
    later = finding(runs, source, now=lambda: datetime.now(UTC) + timedelta(days=3))
    (one,) = await later.similar(SAME, "deep_research")
    assert (one.run_id, one.question, one.age) == (run_id, ASKED, "3 days")
    assert one.news.state == "nothing"
    assert "No new records" in one.news.told
    assert 0 < one.similarity < 1
    assert one.references > 0
    (exact,) = await later.similar(ASKED, "deep_research")
    assert exact.similarity == 1.0


@pytest.mark.slow
async def test_of_the_same_words_the_newest_is_offered(runs: RunService, source: Path) -> None:
    older, newer = await done(runs, ASKED), await done(runs, f" {ASKED.lower()}")
    other = await done(runs, SAME)
    found = await finding(runs, source).similar(ASKED, "deep_research")
    assert [one.run_id for one in found] == [newer, other]
    assert older not in [one.run_id for one in found]


@pytest.mark.slow
async def test_over_http_own_former_runs_are_offered_and_nothing_is_started(
    runs: RunService, source: Path
) -> None:
    run_id = await done(runs, ASKED)
    later = finding(runs, source, now=lambda: datetime.now(UTC) + timedelta(days=3))
    async with served(runs, similar=later) as site:
        asked = await site.client.get("/api/similar", params={"question": SAME})
        (one,) = asked.json()["runs"]
        assert (one["run_id"], one["ago"], one["news"]["state"]) == (run_id, "3 days", "nothing")
        assert (await site.client.get(one["links"]["output"])).json()["status"] == "completed"
        other = await site.client.get("/api/similar", params={"question": SAME, "context": "old"})
        assert other.json() == {"runs": []}
        wrong = await site.client.get("/api/similar", params={"question": "!"})
        assert wrong.status_code == 422
        assert len(await runs.runs_of()) == 1
    eve = {"eve": SecretStr("made-up-token-of-eve")}
    async with served(runs, Access(Mode.TOKENS, eve), similar=later) as site:
        refused = await site.client.get("/api/similar", params={"question": SAME})
        assert refused.status_code == 401
        sent = {"Authorization": "Bearer made-up-token-of-eve"}
        hers = await site.client.get("/api/similar", params={"question": SAME}, headers=sent)
        assert hers.json() == {"runs": []}


@pytest.mark.slow
async def test_over_the_tools_own_former_runs_are_offered(runs: RunService, source: Path) -> None:
    run_id = await done(runs, ASKED)
    tools = catalogue(runs, Lookups(Settings()), finding(runs, source))
    tool = tools["find_similar_research"]
    for user, found in (("local", [run_id]), ("eve", [])):
        call = Call(Caller(user, ""), "", None, _untold, _everybody, _unattached)
        output = await tool.run(call, tool.checked({"question": SAME}))
        assert [one["run_id"] for one in output.model_dump()["runs"]] == found


async def test_a_search_that_the_servers_end_cuts_short_is_told_without_a_trace(
    runs: RunService, source: Path
) -> None:
    class Waiting(SimilarRuns):
        async def similar(self, *_asked: Any, **_options: Any) -> tuple[SimilarRun, ...]:
            await asyncio.Event().wait()
            raise AssertionError

    over = partial(opened, SnapshotSource(source))
    never = Waiting(runs, None, over, ttl_days=1, rounds=2)
    scope = {"type": "http", "client": ("127.0.0.1", 1), "headers": [], "path": "/"}
    asked = gr.Request(request=Request(scope))
    offered = FormerRuns(runs, Access(), never).offered(ASKED, "research", "quick", None, asked)
    looking = asyncio.create_task(offered)
    await asyncio.sleep(0.05)
    looking.cancel()
    with pytest.raises(gr.Error, match="ending") as told:
        await looking
    assert not told.value.print_exception


async def _untold(_progress: float, _message: str) -> None:
    raise AssertionError("nothing is waited for")


def _everybody(_run_id: str, _owner: str) -> None:
    """Lets everybody read every run."""


def _unattached(_run_id: str) -> AbstractContextManager[None]:
    raise AssertionError("nothing is started")


@pytest.mark.slow
async def test_what_differs_in_any_way_is_not_found(runs: RunService, source: Path) -> None:
    await done(runs, ASKED)
    similar = finding(runs, source).similar
    for question in (
        "Does samplomab help in testitis?",
        "Does examplol help in exampletis?",
        "Does examplol cause testitis?",
        "Does examplol not help in testitis?",
        "Does examplol help in testitis in women?",
    ):
        assert await similar(question, "deep_research") == ()
    assert await similar(ASKED, "research") == ()
    assert await similar(ASKED, "deep_research", context="in pregnancy") == ()
    assert await similar(ASKED, "deep_research", max_iterations=1) == ()
    assert await similar(ASKED, "deep_research", user_id="eve") == ()
    assert len(await similar(ASKED, "deep_research")) == 1


@pytest.mark.slow
async def test_each_user_finds_his_own_alone(runs: RunService, source: Path) -> None:
    similar = finding(runs, source).similar
    own = {user: await done(runs, ASKED, user_id=user) for user in ("ada", "eve")}
    for user, run_id in own.items():
        (one,) = await similar(SAME, "deep_research", user_id=user)
        assert one.run_id == run_id


@pytest.mark.slow
async def test_what_is_too_old_or_switched_off_is_not_found(runs: RunService, source: Path) -> None:
    await done(runs, ASKED)
    late = finding(runs, source, now=lambda: datetime.now(UTC) + timedelta(days=31))
    assert await late.similar(ASKED, "deep_research") == ()
    off = finding(runs, source, ttl_days=0.0)
    assert await off.similar(ASKED, "deep_research") == ()


async def test_another_snapshot_of_the_same_name_is_another_source(source: Path, url: str) -> None:
    settings = {"snapshot": str(source), "database_url": url, "max_iterations": 1}
    async with application(**settings) as (runs, finder):
        await done(runs, ASKED)
        assert len(await finder.similar(SAME, "deep_research")) == 1
    snapshot(source, paper(1), paper(2), paper(3))
    async with application(**settings) as (_, finder):
        assert await finder.similar(SAME, "deep_research") == ()


@pytest.mark.slow
async def test_a_run_that_was_ended_early_or_cancelled_is_not_found(
    runs: RunService, source: Path
) -> None:
    early = runs.ask(ASKED)
    early.write_now()
    cancelled = runs.ask(ASKED)
    cancelled.cancel()
    await early.result()
    await asyncio.wait([cancelled.ending])
    assert await finding(runs, source).similar(ASKED, "deep_research") == ()


@pytest.mark.slow
async def test_new_matches_at_live_sources_are_counted(tmp_path: Path) -> None:
    question = "Does examplol improve testitis?"
    with fresh_database("any", tmp_path) as url:
        async with (
            world(tmp_path) as site,
            application(
                sources="pubmed",
                pubmed_url=site.environment["DEEPCRITICAL_PUBMED_URL"],
                database_url=url,
                http_cache="",
                drug_facts="off",
                max_iterations=1,
            ) as (runs, finder),
        ):
            await done(runs, question)
            (same,) = await finder.similar(question, "deep_research")
            assert (same.news.state, same.news.more) == ("nothing", 0), same.news
            more_records(site.pubmed)
            (newer,) = await finder.similar(question, "deep_research")
            assert (newer.news.state, newer.news.more) == ("more", 1), newer.news
            assert newer.news.told == "New matches since: PubMed 1."
            site.faults["pubmed"].on("truncated")
            (unread,) = await finder.similar(question, "deep_research")
            assert unread.news.state == "unknown"


@asynccontextmanager
async def application(**settings: object) -> AsyncIterator[tuple[RunService, SimilarRuns]]:
    """Build runs and similar runs from settings, by the composition root."""
    made = Settings.model_validate({"embedding_model": "", **settings})
    runs = await asyncio.to_thread(build_runs, made)
    try:
        yield runs, await asyncio.to_thread(build_similar, made, runs, place_of(made))
    finally:
        await runs.close()


def more_records(server: PubMedServer) -> None:
    """One more record that the widest query matches."""
    words = server._words
    pmid = next(p for p, text in words.items() if "examplol" in text and "testitis" in text)
    words["99009999"] = words[pmid]
    server._records["99009999"] = server._records[pmid]
