"""Curated sources over real HTTP on loopback: their faults, and the runs that ask them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from dbos import DBOS

from deepcritical.bootstrap.parts import open_sources_of
from deepcritical.domain.evidence.drug_facts import DrugFacts
from deepcritical.domain.question.frame import Drug
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.plan import Place
from deepcritical.export.formats import FORMATS
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.answering import deep_research
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from deepcritical.writing.ledger.auditing import audit
from tests.conftest import paper, snapshot
from tests.databases import build_durable
from tests.integration.curated import AGAINST, MAKERS, Site, curated, filled, sources_with
from tests.integration.replaying import Asked, Texts, process
from tests.servers.curated import CuratedServer
from tests.servers.faults import Fault
from tests.servers.running import running
from tests.unit.export.reports import IMPRINT

DRUG = Drug(name="examplol")
LICENSED = "Can examplol be repurposed for asthma in pregnant women?"


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with curated() as one:
        yield one


@pytest.fixture
def records(tmp_path: Path) -> Path:
    text = (
        "Design: Randomised placebo-controlled trial in 40 patients with asthma. "
        "Results: Examplol significantly improved asthma symptoms compared with placebo."
    )
    made = [paper(n, title=f"Examplol in asthma: made-up trial {n}", text=text) for n in (1, 2)]
    return snapshot(tmp_path / "made.jsonl", *made)


async def facts_of(site: Site) -> DrugFacts:
    (facts,) = await site.look_up.look_up([DRUG], 4.0)
    return facts


def outcomes(facts: DrugFacts) -> dict[str, str]:
    return {asked.source: asked.outcome for asked in facts.asked}


async def report_of(records: Path, site: Site | None, question: str = LICENSED) -> ResearchReport:
    ended = await process(Asked(partial(sources_with, records, site), question=question))
    assert isinstance(ended.document, ResearchReport)
    return ended.document


async def test_every_source_is_asked_in_one_wave(site: Site) -> None:
    filled(site.server)
    facts = await facts_of(site)
    assert outcomes(facts) == dict.fromkeys(MAKERS, "data")
    assert len(site.server.asked) == 6  # two of them of PubTator3, for a capital
    asked = dict(site.server.asked)
    assert "drugbank" not in asked["/query"]["fields"]
    assert asked["/drug/label.json"]["search"] == (
        'openfda.generic_name:"examplol" OR openfda.brand_name:"examplol"'
    )
    assert {t.symbol for t in facts.targets} == {"", "MADE1"}
    assert facts.relations[0].object == "Asthma"


async def test_nothing_known_is_empty(site: Site) -> None:
    assert outcomes(await facts_of(site)) == dict.fromkeys(MAKERS, "empty")


@pytest.mark.parametrize(
    "fault", ["500", "429", "html", "half", "empty", "reset", "told", "redirect", "truncated"]
)
async def test_a_fault_is_no_finding(site: Site, fault: Fault) -> None:
    filled(site.server)
    site.faults.on(fault)
    facts = await facts_of(site)
    assert outcomes(facts) == dict.fromkeys(MAKERS, "unavailable")
    assert all(asked.note for asked in facts.asked)
    assert facts.model_copy(update={"asked": ()}) == DrugFacts(drug="examplol")


@pytest.mark.parametrize("fault", ["500", "429 after", "reset"])
async def test_a_fault_that_passes_costs_nothing(site: Site, fault: Fault) -> None:
    filled(site.server)
    site.faults.on(fault, times=2)
    assert outcomes(await facts_of(site)) == dict.fromkeys(MAKERS, "data")


async def test_an_answer_in_part_is_degraded(site: Site) -> None:
    filled(site.server)
    site.server.opentargets["errors"] = [{"message": "made-up failure"}]
    site.server.events = {"results": [{"term": "MADE-UP RASH", "count": 12}, {"renamed": 1}]}
    found = outcomes(await facts_of(site))
    assert found.pop("Open Targets") == found.pop("openFDA FAERS") == "degraded"
    assert set(found.values()) == {"data"}


async def test_the_brief_says_licensed_first_and_quotes_the_label(
    site: Site, records: Path
) -> None:
    filled(site.server)
    report = await report_of(records, site)
    brief = report.brief
    assert brief
    (licensed,) = brief.licensed
    assert licensed.text == (
        "Licensed for this condition: the label of EXAMPLAX says: “Examplol is indicated for the "
        "treatment of asthma in adults”."
    )
    told = [sentence.text for sentence in brief.label]
    assert "Class of examplol" in told[0]
    assert any(AGAINST.partition(".")[0] in text for text in told)
    assert not any("made-up states" in text for text in told)
    printed = report.to_markdown()
    assert printed.index("Licensed for this condition") < printed.index(brief.answer[0].text[:20])
    (label,) = [r for r in report.references if r.url.endswith("setid=made-up-set")]
    assert (label.date, label.text_kind) == ("2999-01-01", "label")
    assert "openFDA label, set id made-up-set" in label.journal


async def test_such_a_report_stands_before_verify(site: Site, records: Path) -> None:
    filled(site.server)
    report = await report_of(records, site)
    assert [entry for entry in audit(report).entries if not entry.holds] == []
    forged = report.model_copy(
        update={
            "references": tuple(
                r.model_copy(update={"text": r.text.replace("asthma in adults", "gout")})
                for r in report.references
            )
        }
    )
    assert any("does not stand" in e.reason for e in audit(forged).entries if not e.holds)
    foreign = forged.model_copy(update={"drug_facts": ()})
    assert {"no record of the report's curated facts has its ids"} <= {
        entry.reason for entry in audit(foreign).entries if not entry.holds
    }
    brief = report.brief
    assert brief
    bent = brief.licensed[0].model_copy(update={"text": "Licensed for this condition: gout."})
    lying = report.model_copy(update={"brief": brief.model_copy(update={"licensed": (bent,)})})
    assert bent.text in {entry.text for entry in audit(lying).entries if not entry.holds}
    for form in FORMATS.values():
        assert await asyncio.to_thread(form.render, report, IMPRINT)


@pytest.mark.parametrize(
    ("question", "licensed"),
    [
        ("Can examplol be repurposed for migraine?", False),
        ("Can examplol be repurposed for asthma?", True),
    ],
)
async def test_a_use_that_the_label_denies_is_not_licensed(
    site: Site, tmp_path: Path, question: str, licensed: bool
) -> None:
    filled(site.server)
    condition = "asthma" if licensed else "migraine"
    text = (
        f"Design: Randomised placebo-controlled trial in 40 patients with {condition}. "
        f"Results: Examplol significantly improved {condition} compared with placebo."
    )
    path = snapshot(tmp_path / "m.jsonl", paper(title=f"Examplol in {condition}", text=text))
    report = await report_of(path, site, question)
    assert report.brief
    assert bool(report.brief.licensed) is licensed
    badge = "**Licensed for this condition** · evidence found: "
    assert report.to_markdown().split("\n\n")[1].startswith(badge) is licensed


async def test_all_down_is_told_and_costs_nothing_else(site: Site, records: Path) -> None:
    site.faults.on("500")
    down = await report_of(records, site)
    without = await report_of(records, None)
    assert any("Curated facts on examplol" in n and "unavailable" in n for n in down.notices)
    assert all(name in down.methodology.content for name in MAKERS)
    assert "Could not be asked" in down.methodology.content
    assert "not requested" in without.methodology.content
    assert without.drug_facts is None
    same: dict[str, Any] = {
        "drug_facts": None,
        "notices": without.notices,
        "methodology": without.methodology,
    }
    plain = down.model_copy(update=same)
    assert [n for n in type(plain).model_fields if getattr(plain, n) != getattr(without, n)] == []


@pytest.mark.slow
async def test_facts_and_searches_are_steps_of_their_own(
    site: Site, records: Path, url: str
) -> None:
    filled(site.server)
    traces = ToolTraceService(Database(url))
    runs = RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=ExtractiveReasoner(),
        open_sources=partial(sources_with, records, site),
        limits_for=lambda _depth: RunLimits(max_iterations=1),
        durable=build_durable(traces),
    )
    run = runs.submit(LICENSED)
    report = await run.result()
    steps = [step["function_name"] for step in await DBOS.list_workflow_steps_async(run.run_id)]
    assert steps.count("drug_facts") == 1
    assert "execute" in steps
    assert report.drug_facts
    await runs.close()
    await traces.close()


async def test_a_run_that_goes_on_elsewhere_does_not_ask_again(site: Site, records: Path) -> None:
    filled(site.server)
    asked = Asked(partial(sources_with, records, site), question=LICENSED)
    whole = await process(asked)
    first = len(site.server.asked)
    assert whole.names.count("drug_facts") == 1
    again = await process(asked, Texts(whole.journal.records[:-1]))
    assert len(site.server.asked) == first
    assert again.document == whole.document


async def test_settings_say_who_is_asked_and_where(records: Path) -> None:
    server = CuratedServer()
    filled(server)
    async with running(server.app) as url:
        names = ("mychem_url", "opentargets_url", "openfda_url", "pubtator_url")
        settings = Settings.model_validate(
            {"http_cache": None, "openfda_api_key": "made-up-key", **dict.fromkeys(names, url)}
        )
        live, stored = Place(sources=("pubmed",)), Place(snapshot=str(records))
        async with open_sources_of(settings, live)() as sources:
            assert sources.facts
            (facts,) = await sources.facts([DRUG], 4.0)
    assert set(outcomes(facts).values()) == {"data"}
    keys = {path: asked.get("api_key") for path, asked in server.asked}
    assert keys["/drug/label.json"] == "made-up-key"
    assert keys["/query"] is None
    assert "made-up-key" not in facts.model_dump_json()
    off = Settings.model_validate({"drug_facts": "off", "http_cache": None})
    for chosen, place in ((off, live), (settings, stored)):
        opening = await asyncio.to_thread(open_sources_of, chosen, place)
        async with opening() as sources:
            assert sources.facts is None
