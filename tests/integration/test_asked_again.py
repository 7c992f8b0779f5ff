"""A question that is asked again, and two runs side by side, over real HTTP."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from deepcritical.domain.run.budget import OwnLimits, RunLimits
from deepcritical.domain.run.plan import Place
from deepcritical.interfaces.access import Access, Mode
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.answering import deep_research
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import QUESTION, opened, paper, run_service, snapshot
from tests.databases import fresh_database
from tests.integration.test_api import Served, gated, served
from tests.integration.test_uploaded_documents import site_on

NULL = paper(
    2,
    text=(
        "Design: Randomised placebo-controlled trial in 40 patients with testitis. "
        "Results: Examplol did not improve testitis symptoms compared with placebo (p = 0.6)."
    ),
)
ADA, BEN = "made-up-token-of-ada", "made-up-token-of-ben"


async def asked(client: httpx.AsyncClient, body: dict[str, Any], **options: Any) -> str:
    """The id of a run that has ended."""
    answer = await client.post("/api/runs", json=body, **options)
    assert answer.status_code == 202, answer.text
    return await _ended(client, answer, **options)


async def again(client: httpx.AsyncClient, run_id: str, **options: Any) -> str:
    answer = await client.post(f"/api/runs/{run_id}/again", json={"model": ""}, **options)
    assert answer.status_code == 202, answer.text
    return await _ended(client, answer, **options)


async def _ended(client: httpx.AsyncClient, answer: httpx.Response, **options: Any) -> str:
    events = await client.get(f"{answer.headers['location']}/events", **options)
    assert "run_completed" in events.text, events.text
    return str(answer.json()["id"])


async def view(client: httpx.AsyncClient, run_id: str, **options: Any) -> str:
    return (await client.get(f"/api/runs/{run_id}/views/report", **options)).text


@pytest.mark.slow
async def test_the_new_run_has_what_was_asked_and_tells_what_is_new(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    body = {"tool": "research", "question": QUESTION, "depth": "quick"}
    with fresh_database("sqlite", tmp_path) as url:
        before = run_service(
            snapshot(records, paper(1), paper(3)), traces=ToolTraceService(Database(url))
        )
        async with served(before) as site:
            former = await asked(site.client, body)
            assert "What is new" not in await view(site.client, former)
            await before.close()
        kept = ToolTraceService(Database(url))
        now = run_service(snapshot(records, paper(1), NULL), traces=kept)
        async with served(now) as site:
            run_id = await again(site.client, former)
            shown = (await site.client.get(f"/api/runs/{run_id}")).json()
            assert (shown["former"], shown["question"]) == (former, QUESTION)
            found = await now.find(run_id)
            assert found is not None
            assert found.asked["depth"] == "quick"
            for news in (
                await view(site.client, run_id),
                (await site.client.get(f"/r/{run_id}")).text,
            ):
                assert "The verdict changed" in news
                assert "New studies: 1" in news
                assert "Studies that are gone: 1" in news
                assert f"/compare?a={former}&amp;b={run_id}" in news
            page = await site.client.get("/compare", params={"a": former, "b": run_id})
            assert page.status_code == 200
            assert "default-src 'none'" in page.headers["content-security-policy"]
            assert "Only in run A: 1" in page.text
            await site.client.delete(f"/api/runs/{former}")
            assert "That run was deleted" in await view(site.client, run_id)
            await now.close()


async def test_an_answer_is_asked_again_with_its_rounds_and_context(tmp_path: Path) -> None:
    runs = run_service(snapshot(tmp_path / "records.jsonl", paper(1)))
    body = {"tool": "deep_research", "question": QUESTION, "context": "In adults."}
    async with served(runs) as site:
        former = await asked(site.client, {**body, "max_iterations": 2})
        run_id = await again(site.client, former)
        run = await runs.find(run_id)
        assert run is not None
        told = {"question": QUESTION, "context": "In adults.", "max_iterations": 2}
        assert run.asked == {**told, "former": former}
        assert "is the same" in await view(site.client, run_id)
        assert "In adults." not in (await site.client.get(f"/compare?a={former}&b=none")).text


async def test_limits_and_sources_are_those_of_the_former_run(tmp_path: Path) -> None:
    source = SnapshotSource(snapshot(tmp_path / "records.jsonl", paper(1)))
    searching = partial(opened, source)
    runs = RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=ExtractiveReasoner(),
        open_sources=searching,
        open_at=lambda _place, _documents: searching,
        limits_for=lambda _depth: RunLimits(),
        place=Place(sources=("pubmed", "europepmc")),
    )
    limits = OwnLimits(max_iterations=1)
    former = runs.submit(QUESTION, depth="deep", sources=["europepmc"], own_limits=limits)
    await former.result()
    run = runs.again(former)
    await run.result()
    asked = {"question": QUESTION, "depth": "deep", "limits": {"max_iterations": 1}}
    assert run.asked == {**asked, "sources": ["europepmc"], "former": former.run_id}
    await runs.close()


async def test_what_has_not_ended_is_neither_asked_again_nor_compared(tmp_path: Path) -> None:
    runs, gate = gated(tmp_path)
    async with served(runs) as site:
        run = runs.submit(QUESTION)
        answer = await site.client.post(f"/api/runs/{run.run_id}/again")
        assert answer.status_code == 409
        for pair in ({"a": run.run_id, "b": run.run_id}, {"a": "none", "b": run.run_id}):
            assert (await site.client.get("/compare", params=pair)).status_code == 404
        gate.set()
        await run.result()


@pytest.mark.slow
async def test_documents_are_read_again_unless_they_are_not_kept(tmp_path: Path) -> None:
    with fresh_database("sqlite", tmp_path) as url:
        async with site_on(url, tmp_path) as site:
            body = {"tool": "research", "question": QUESTION, "depth": "quick"}
            known = await asked(site.client, {**body, "documents": ["PMID 99000001"]})
            run = await site.runs.find(await again(site.client, known))
            assert run is not None
            assert run.asked["documents"] == ["pmid:99000001"]
            pasted = await asked(site.client, {**body, "documents": [{"text": "Made up."}]})
            answer = await site.client.post(f"/api/runs/{pasted}/again")
            assert answer.status_code == 404
            assert "not kept" in answer.json()["detail"]


@pytest.mark.slow
async def test_private_runs_are_compared_and_asked_again_by_their_owner_alone(
    tmp_path: Path,
) -> None:
    access = Access(Mode.TOKENS, {"ada": SecretStr(ADA), "ben": SecretStr(BEN)})
    runs = run_service(snapshot(tmp_path / "records.jsonl", paper(1)))
    ada, ben = ({"Authorization": f"Bearer {token}"} for token in (ADA, BEN))
    body = {"tool": "research", "question": QUESTION}
    async with served(runs, access) as site:
        former = await asked(site.client, body, headers=ada)
        his = await asked(site.client, body, headers=ben)
        run_id = await again(site.client, former, headers=ada)
        assert "What is new" in await view(site.client, run_id, headers=ada)
        unknown = (await site.client.get("/compare?a=none&b=none", headers=ben)).json()
        assert unknown["status"] == 404
        page = {"a": former, "b": run_id}
        assert (await site.client.get("/compare", params=page, headers=ada)).status_code == 200
        for pair in ({"a": former, "b": his}, {"a": his, "b": former}, page):
            foreign = await site.client.get("/compare", params=pair, headers=ben)
            assert foreign.json() == unknown
        assert (await site.client.get("/compare", params=page)).status_code == 401
        answer = await site.client.post(f"/api/runs/{former}/again", headers=ben)
        assert answer.status_code == 403
        await _the_link_of_the_new_run_does_not_show_the_former_one(site, run_id, ada)


async def _the_link_of_the_new_run_does_not_show_the_former_one(
    site: Served, run_id: str, owner: dict[str, str]
) -> None:
    link = (await site.client.post(f"/api/runs/{run_id}/share", headers=owner)).json()
    shown = await site.client.get(
        f"/api/runs/{run_id}/views/report", params={"share": link["share"]}
    )
    assert shown.status_code == 200
    assert "What is new" not in shown.text
