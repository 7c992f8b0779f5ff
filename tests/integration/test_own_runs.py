"""A user's own runs over REST: searched, seen waiting, continued."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deepcritical.bootstrap.parts import open_sources_of, sources_at
from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.run.budget import OwnLimits, RunLimits
from deepcritical.domain.run.plan import Place
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.answering import deep_research
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from tests.conftest import QUESTION, ended, of_type, paper, run_service, snapshot
from tests.databases import build_durable, fresh_database
from tests.integration.doubles import Interrupted
from tests.integration.durably import SOON_S
from tests.integration.test_api import Served, served

OTHER = "Can wizardol be repurposed for testitis?"
KNOWN = "Can metformin be repurposed for asthma?"
"""Of names that need not be looked up."""


class Gate:
    """Holds every run at its first query until it is open."""

    def __init__(self) -> None:
        self.open = asyncio.Event()

    async def __call__(self, _call: int) -> None:
        await self.open.wait()


@asynccontextmanager
async def site_of(kind: str, folder: Path, gate: Gate, slots: int = 1) -> AsyncIterator[Served]:
    with fresh_database(kind, folder) as url:
        traces = ToolTraceService(Database(url))
        source = snapshot(folder / "records.jsonl", paper(1), paper(2))
        runs = run_service(
            source,
            Interrupted("generate_queries", gate),
            traces,
            build_durable(traces, slots=slots),
        )
        async with served(runs) as site:
            try:
                yield site
            finally:
                gate.open.set()
                await runs.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def position(site: Served, run_id: str) -> int | None:
    shown = (await site.client.get(f"/api/runs/{run_id}")).json()
    at: int | None = shown["queue_position"]
    return at


async def questions(site: Served, words: str) -> list[str]:
    page = (await site.client.get("/api/runs", params={"words": words})).json()
    return [run["question"] for run in page["runs"]]


@pytest.mark.slow
async def test_a_run_that_waits_knows_its_place(kind: str, tmp_path: Path) -> None:
    gate = Gate()
    async with site_of(kind, tmp_path, gate) as site:
        first = site.runs.submit(QUESTION)
        async for _ in first.tail():
            break
        waiting = [site.runs.submit(OTHER).run_id for _ in range(2)]
        await site.runs.runs_of()  # by then the database has them
        assert await position(site, first.run_id) is None
        assert [await position(site, run_id) for run_id in waiting] == [1, 2]
        shown = (await site.client.get(f"/api/runs/{waiting[0]}")).json()
        assert shown["no_worker"] is False
        await site.client.post(f"/api/runs/{waiting[0]}/cancel")
        async with asyncio.timeout(SOON_S):
            while await position(site, waiting[1]) != 1:  # noqa: ASYNC110 - HTTP calls nobody
                await asyncio.sleep(0.02)
        gate.open.set()
        last = await site.runs.find(waiting[1])
        assert last is not None
        assert (await ended(last))[-1].event.type == "run_completed"  # type: ignore[arg-type]
        assert await position(site, waiting[1]) is None


@pytest.mark.slow
async def test_own_runs_are_found_by_words_of_their_questions(kind: str, tmp_path: Path) -> None:
    gate = Gate()
    gate.open.set()
    async with site_of(kind, tmp_path, gate) as site:
        for question in (QUESTION, OTHER, "Can sparkol (100%_) be\0repurposed for testitis?"):
            await site.runs.submit(question).result()
        assert await questions(site, "EXAMPLOL testitis") == [QUESTION]
        assert await questions(site, "wizardol examplol") == []
        assert len(await questions(site, "repurposed")) == 3
        assert await questions(site, "100%_") == ["Can sparkol (100%_) be repurposed for testitis?"]
        assert len(await questions(site, "\0testitis")) == 3
        page = (await site.client.get("/api/runs?words=testitis%20can&limit=2")).json()
        rest = (await site.client.get(page["next"])).json()
        assert [run["question"] for run in rest["runs"]] == [QUESTION]


@pytest.mark.slow
async def test_a_stopped_run_is_resumed_and_only_such_a_one(kind: str, tmp_path: Path) -> None:
    gate = Gate()
    async with site_of(kind, tmp_path, gate) as site:
        run = site.runs.submit(QUESTION)
        at = f"/api/runs/{run.run_id}"
        async for _ in run.tail():
            break
        assert (await site.client.post(f"{at}/resume")).status_code == 409
        await site.client.post(f"{at}/cancel")
        async with asyncio.timeout(SOON_S):
            await site.client.get(f"{at}/events")
        gate.open.set()
        answer = await site.client.post(f"{at}/resume")
        assert answer.status_code == 202, answer.text
        async with asyncio.timeout(30):
            told = await site.client.get(f"{at}/events")
        assert "run_completed" in told.text
        assert "run_cancelled" not in told.text
        assert (await site.client.post(f"{at}/resume")).status_code == 409


@pytest.mark.slow
async def test_one_that_was_stopped_while_it_waited_is_shown_as_it_goes_on(
    kind: str, tmp_path: Path
) -> None:
    gate = Gate()
    async with site_of(kind, tmp_path, gate) as site:
        first = site.runs.submit(QUESTION)
        async for _ in first.tail():
            break
        at = f"/api/runs/{site.runs.submit(OTHER).run_id}"
        await site.runs.runs_of()  # by then the database has it
        await site.client.post(f"{at}/cancel")
        async with asyncio.timeout(SOON_S):
            before = await site.client.get(f"{at}/events")
        assert "run_cancelled" in before.text
        gate.open.set()
        assert (await site.client.post(f"{at}/resume")).status_code == 202
        async with asyncio.timeout(SOON_S):
            told = await site.client.get(f"{at}/events", params={"after": 1})
        assert "run_completed" in told.text
        assert (await site.client.get(at)).json()["status"] == "completed"
        assert (await site.client.get(f"{at}/export/md")).status_code == 200
        last = max(int(line[4:]) for line in told.text.splitlines() if line.startswith("id: "))
        again = await site.client.get(f"{at}/events", headers={"Last-Event-ID": str(last)})
        assert (again.status_code, again.text) == (204, "")  # an EventSource asks no more


def live_service(most: RunLimits | None = None) -> RunService:
    place = Place(sources=("pubmed", "europepmc"))
    settings = Settings(http_cache=None)
    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=ExtractiveReasoner(),
        open_sources=open_sources_of(settings, place),
        limits_for=lambda depth: most or RunLimits.for_depth(depth),
        place=place,
        open_at=sources_at(settings),
    )


async def test_a_run_may_leave_out_sources_and_choose_none_that_is_not_there() -> None:
    runs = live_service()
    with pytest.raises(ConfigurationError, match="not searched here"):
        runs.submit(KNOWN, sources=("web",))
    plan = await runs.plan(KNOWN, sources=("europepmc",))
    assert plan.place.sources == ("europepmc",)
    run = runs.submit(KNOWN, sources=("europepmc",), own_limits=OwnLimits(deadline_s=2.0))
    async for logged in run.tail():
        if opened := of_type([logged], "sources_opened"):
            assert opened[0].sources[0] == "Europe PMC: searched live"
            break
    await runs.close()


async def test_limits_of_ones_own_hold_and_go_no_further_than_the_servers() -> None:
    runs = live_service(RunLimits(max_iterations=4, deadline_s=200.0))
    with pytest.raises(ConfigurationError, match="max_iterations is 5; at most 4"):
        runs.submit(KNOWN, own_limits=OwnLimits(max_iterations=5))
    with pytest.raises(ConfigurationError, match="deadline_s is 201"):
        runs.ask(KNOWN, own_limits=OwnLimits(deadline_s=201))
    plan = await runs.plan(KNOWN, own_limits=OwnLimits(max_iterations=2, max_tokens=9))
    assert (plan.limits.max_iterations, plan.limits.max_tokens) == (2, 9)
    assert plan.limits.deadline_s == 200.0
