"""A run that is taken up again has the full texts that it fetched before."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from deepcritical.domain.budget import RunLimits
from deepcritical.domain.report import ResearchReport
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.deep_research import deep_research
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.research.session import RunSources
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.fulltext import fetch_full_texts
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import QUESTION, as_they_stand, ended, of_type, paper, snapshot
from tests.databases import build_durable
from tests.integration.doubles import hanging
from tests.integration.full_texts import PMCID, Site, opened_site
from tests.jats import RESULT, article


@pytest.fixture
def made(tmp_path: Path) -> Path:
    text = "Methods: We randomised 99 adults. Results: They are in the article."
    one = paper(1, title="Examplol in testitis", text=text, text_kind="abstract", pmcid=PMCID)
    return snapshot(tmp_path / "made.jsonl", one)


@asynccontextmanager
async def opened(site: Site, path: Path) -> AsyncIterator[RunSources]:
    handler = SearchHandler([SnapshotSource(path)])
    fetch = partial(fetch_full_texts, client=site.client)
    yield RunSources(handler, (), look_up=as_they_stand, full_texts=fetch)


def service(url: str, reasoner: Reasoner, site: Site, path: Path) -> RunService:
    traces = ToolTraceService(Database(url))
    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=reasoner,
        open_sources=partial(opened, site, path),
        limits_for=lambda _depth: RunLimits(full_texts=5),
        traces=traces,
        durable=build_durable(traces),
    )


@pytest.mark.slow
async def test_a_run_that_goes_on_does_not_fetch_again(url: str, made: Path) -> None:
    async with opened_site() as site:
        results = f"<p>{RESULT.replace('Drugazole', 'Examplol')}.</p>"
        site.server.articles[PMCID] = article(results=results)
        reached = asyncio.Event()
        first = service(url, hanging("assess_evidence", reached), site, made)
        run = first.submit(QUESTION)
        await reached.wait()
        run.cancel()
        await ended(run)
        await first.close()
        again = service(url, ExtractiveReasoner(), site, made)
        try:
            await again.resume(run.run_id)
            known = await again.find(run.run_id)
            assert known is not None
            events = [logged async for logged in known.tail()]
            known = await again.find(run.run_id)
            report = known.report if known else None
        finally:
            await again.close()
        assert site.server.articles_asked == [PMCID]
    assert of_type(events, "run_completed")
    assert isinstance(report, ResearchReport)
    assert [r.text_kind for r in report.references] == ["full_text"]
    assert "The full text of 1 study was read" in report.to_markdown()
    assert "Text used: abstract and results of the full text" in report.to_markdown()
    assert any(claim.place == "full text, Results" for claim in report.claims)
