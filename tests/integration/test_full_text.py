"""Full texts over real HTTP on loopback: fetched, refused, read, and cited by section."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import get_args

import pytest

from deepcritical.domain.evidence.record import MAX_TEXT_CHARS, Evidence
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import Depth, RunLimits
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reading.library import Library, read_by_code
from deepcritical.reading.model import ask_to_read, show
from deepcritical.reading.sentences import numbered, text_hash
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.research import processing, steps
from deepcritical.research.answering import deep_research
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.event_log import EventLog
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.base import SourceOutcome
from deepcritical.tools.fulltext import fetch_full_texts, with_full_text
from deepcritical.tools.jats import parse_jats
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import (
    QUESTION,
    as_they_stand,
    ended,
    make_evidence,
    of_type,
    paper,
    queries,
    snapshot,
)
from tests.databases import build_durable
from tests.integration.doubles import hanging
from tests.integration.full_texts import PMCID, Site, opened_site
from tests.jats import RESULT, article
from tests.servers.faults import Fault

ABSTRACT = "Methods: We randomised 99 adults. Results: They are in the article."


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with opened_site() as opened:
        yield opened


def record(**meta: str) -> Evidence:
    return make_evidence("Drugazole in testitis", ABSTRACT, pmcid=PMCID, **meta)


async def test_results_and_tables_stand_behind_the_abstract(site: Site) -> None:
    (answer,) = await fetch_full_texts([record()], 5.0, client=site.client)
    longer = answer.evidence
    assert answer.outcome is SourceOutcome.DATA
    assert longer is not None
    assert longer.content.startswith(ABSTRACT)
    assert longer.abstract == ABSTRACT
    assert longer.quotable
    assert longer.metadata.licence == "cc by"
    spans = {span.text: span for span in numbered(longer)}
    row = next(text for text in spans if text.startswith("Table 2"))
    assert [longer.place_of(spans[text].start) for text in (f"{RESULT}.", row)] == [
        "full text, Results",
        "full text, table",
    ]
    assert spans[f"{RESULT}."].label == "results"
    assert row.endswith("Week 12 Drugazole: 3.1; Week 12 Placebo: 5.2.")
    assert "made up" not in longer.content  # the discussion


@pytest.mark.parametrize(
    ("payload", "outcome"),
    [
        (article("All rights reserved."), SourceOutcome.NOT_APPLICABLE),
        (article(results=""), SourceOutcome.DATA),
        (article()[:-900], SourceOutcome.DEGRADED),
        (b'<!DOCTYPE a [<!ENTITY a "a">]><article/>', SourceOutcome.UNAVAILABLE),
        (None, SourceOutcome.UNAVAILABLE),
    ],
)
async def test_each_look_up_ends_as_one_outcome(
    site: Site, payload: bytes | None, outcome: SourceOutcome
) -> None:
    site.server.articles = {PMCID: payload} if payload else {}
    (answer,) = await fetch_full_texts([record()], 5.0, client=site.client)
    assert answer.outcome is outcome
    assert bool(answer.why) is (outcome is not SourceOutcome.DATA)


@pytest.mark.parametrize("pmcid", ["", "PMC", "../search", "PMC1/../x", "99"])
async def test_what_is_no_pmcid_is_not_asked_for(site: Site, pmcid: str) -> None:
    one = make_evidence("Drugazole", ABSTRACT, pmcid=pmcid)
    (answer,) = await fetch_full_texts([one], 5.0, client=site.client)
    assert answer.outcome is SourceOutcome.NOT_APPLICABLE
    assert site.server.articles_asked == []


@pytest.mark.parametrize("fault", ["429", "500", "truncated", "huge", "html", "reset", "xml bomb"])
async def test_a_fault_of_the_service_costs_no_more_than_the_text(site: Site, fault: Fault) -> None:
    site.faults.on(fault)
    (answer,) = await fetch_full_texts([record()], 5.0, client=site.client)
    assert (answer.outcome, answer.evidence) == (SourceOutcome.UNAVAILABLE, None)


async def test_what_takes_too_long_is_given_up(site: Site) -> None:
    site.faults.on("slow")
    started = time.monotonic()
    (answer,) = await fetch_full_texts([record()], 0.2, client=site.client)
    assert answer.outcome is SourceOutcome.UNAVAILABLE
    assert time.monotonic() - started < 1.5


@pytest.mark.parametrize(("licence", "asked"), [("CC BY 4.0", 1), ("All rights reserved.", 2)])
async def test_the_cache_keeps_a_text_only_where_its_licence_allows_it(
    tmp_path: Path, licence: str, asked: int
) -> None:
    async with opened_site(tmp_path / "http.sqlite") as site:
        site.server.articles[PMCID] = article(licence)
        for _ in range(2):
            await fetch_full_texts([record()], 5.0, client=site.client)
        assert len(site.server.articles_asked) == asked


def test_rules_read_sentences_of_the_results_and_no_tables() -> None:
    longer = with_full_text(record(), parse_jats(article()))
    assert longer is not None
    readings = read_by_code({"short": record(), "long": longer})
    short, long = readings["short"], readings["long"]
    assert (short.text, short.results) == ("abstract", ())
    assert (long.text, long.text_sha256) == ("full_text", text_hash(longer))
    (result,) = long.results
    assert result.effect is not None
    assert result.effect.value == 0.61


BENEFIT = "Drugazole significantly improved testitis compared with placebo"
NULL = "The primary outcome, change in testitis, did not differ between drugazole and placebo"


@pytest.mark.parametrize(
    ("results", "read"),
    [
        (f"<p>{BENEFIT} in the primary outcome.</p>", ["a"]),
        (f"<p>{NULL}.</p><p>{BENEFIT} at week 2 (p = 0.01).</p>", ["no_difference"]),
        (f'<p>{BENEFIT} <xref ref-type="bibr" rid="r1">12</xref>.</p>', []),
        (f"<p>A pooled analysis of others showed that {BENEFIT.lower()}.</p>", []),
        (
            f"<sec><title>Post hoc analysis</title><p>{BENEFIT} in the primary outcome.</p></sec>",
            [],
        ),
    ],
)
def test_rules_read_only_the_primary_outcome_of_an_article(results: str, read: list[str]) -> None:
    longer = with_full_text(record(), parse_jats(article(results=f"<p>All came.</p>{results}")))
    assert longer is not None
    assert [r.better for r in read_by_code({"long": longer})["long"].results] == read


async def test_a_later_abstract_displaces_neither_the_text_nor_its_reading(site: Site) -> None:
    (answer,) = await fetch_full_texts([record()], 5.0, client=site.client)
    assert answer.evidence is not None
    store = EvidenceStore()
    (key,) = store.add([record()])
    store.add([answer.evidence])
    outcome = await Library().read(dict(store.evidence))
    store.add_study(key, outcome.readings[key])
    store.add([record(journal="Journal of Made-up Trials")])
    assert store.readings[key].text == "full_text"
    assert store.evidence[key].place_of(len(ABSTRACT) + 3) == "full text, Results"


def new_session(site: Site, path: Path, full_texts: int) -> ResearchSession:
    session = ResearchSession(
        text=QUESTION,
        limits=RunLimits(full_texts=full_texts),
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=time.monotonic,
        searched_on="2999-01-01",
    )
    session.sources = RunSources(
        SearchHandler([SnapshotSource(path)]),
        (),
        look_up=as_they_stand,
        full_texts=partial(fetch_full_texts, client=site.client),
    )
    return session


@pytest.fixture
def made(tmp_path: Path) -> Path:
    one = paper(1, title="Examplol in testitis", text=ABSTRACT, text_kind="abstract", pmcid=PMCID)
    return snapshot(tmp_path / "made.jsonl", one)


@pytest.mark.parametrize(("full_texts", "asked"), [(0, []), (5, [PMCID])])
async def test_a_study_without_a_result_in_its_abstract_is_read_in_full(
    site: Site, made: Path, full_texts: int, asked: list[str]
) -> None:
    text = RESULT.replace("Drugazole", "Examplol").replace("in itching", "in testitis")
    site.server.articles[PMCID] = article(results=f"<p>{text}.</p>")
    session = new_session(site, made, full_texts)
    await steps.refine_question(session)
    for query in ("examplol testitis", "examplol"):
        await steps.execute_searches(session, queries(query))
        await processing.process_results(session)
    assert site.server.articles_asked == asked
    (reading,) = session.store.readings.values()
    assert reading.text == ("full_text" if asked else "abstract")
    told = [n for n in session.notices if n.startswith("The full text")]
    assert told == (
        ["The full text of 1 study was read, because the abstract gave no result."] if asked else []
    )


def test_a_model_is_shown_rows_of_tables_as_numbered_sentences() -> None:
    longer = with_full_text(record(), parse_jats(article()))
    assert longer is not None
    prompt = ask_to_read({"R1": show(longer, 6_000)}).text
    assert f"(full text, Results) {RESULT}." in prompt
    assert re.search(
        r"\[\d+\] Table 2, Itching, Adults only; Outcome: Itching, points; Week", prompt
    )


def test_a_long_article_adds_a_bounded_text() -> None:
    results = f"<p>{RESULT}. {'It itched. ' * 90}</p>" * 100
    longer = with_full_text(record(), parse_jats(article(results=results)))
    assert longer is not None
    assert len(longer.content) < MAX_TEXT_CHARS


def test_a_quick_run_reads_no_full_text() -> None:
    assert [RunLimits.for_depth(depth).full_texts for depth in get_args(Depth)] == [0, 5, 5]


@pytest.fixture
def resumable(tmp_path: Path) -> Path:
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
        durable=build_durable(traces),
    )


@pytest.mark.slow
async def test_a_run_that_goes_on_does_not_fetch_again(url: str, resumable: Path) -> None:
    async with opened_site() as site:
        results = f"<p>{RESULT.replace('Drugazole', 'Examplol')}.</p>"
        site.server.articles[PMCID] = article(results=results)
        reached = asyncio.Event()
        first = service(url, hanging("assess_evidence", reached), site, resumable)
        run = first.submit(QUESTION)
        await reached.wait()
        run.cancel()
        await ended(run)
        await first.close()
        again = service(url, ExtractiveReasoner(), site, resumable)
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
