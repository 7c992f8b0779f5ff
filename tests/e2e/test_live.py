"""``deepcritical research`` by the whole team, over loopback servers of all sources."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import QUESTION
from tests.integration.curated import filled
from tests.servers.curated import CuratedServer
from tests.servers.running import running
from tests.servers.world import Ended, World, call, world

SOURCES = ("pubmed", "clinicaltrials", "europepmc")
NAMES = {"pubmed": "PubMed", "clinicaltrials": "ClinicalTrials.gov", "europepmc": "Europe PMC"}


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as served:
        yield served


async def research(site: World, *options: str, **more: str) -> Ended:
    # With a key ten requests a second are allowed, so that a test takes seconds.
    with_key = {"NCBI_API_KEY": "made-up-key"} | more
    # What was asked before would be asked for what is new since.
    options = ("--no-similar", *options)
    return await call(site, "research", QUESTION, "--json", *options, **with_key)


def report_of(ended: Ended) -> dict[str, Any]:
    """The report that it printed as JSON."""
    found = json.loads(ended.out)
    assert isinstance(found, dict)
    return found


def outcomes(report: dict[str, Any], source: str) -> set[str]:
    found = {s["outcome"] for s in report["searches"] if s["source"] == NAMES[source]}
    return found - {"not_applicable"}


@pytest.mark.slow
async def test_the_team_answers_from_every_source_without_being_told(
    site: World, tmp_path: Path
) -> None:
    ended = await research(site, "--out", str(tmp_path / "out"))
    assert ended.code == 0, ended.err
    report = report_of(ended)
    assert {s["source"] for s in report["searches"]} == set(NAMES.values())
    kinds = {reference["source"] for reference in report["references"]}
    assert {"pubmed", "clinicaltrials", "europepmc"} <= kinds
    for claim in report["claims"]:
        (cited,) = [r for r in report["references"] if r["evidence_id"] == claim["evidence_id"]]
        assert cited["text"][claim["start"] : claim["end"]] == claim["quote"]
    stopped = {row["why_stopped"] for row in report["evidence_table"]}
    assert any("Futility at the interim analysis" in why for why in stopped)
    events = (tmp_path / "out" / "events.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["event"]["type"] for line in events].count("run_completed") == 1
    kept = str(tmp_path / "out" / "evidence.jsonl")
    again = report_of(await research(site, "--snapshot", kept))
    assert again["verdict"]["label"] == report["verdict"]["label"]
    assert len(again["references"]) == len(report["references"])


@pytest.mark.slow
async def test_each_query_is_logged_as_prisma_s_asks(site: World, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    report = report_of(await research(site, "--depth", "quick", "--out", str(folder)))
    ran = [s for s in report["searches"] if s["outcome"] != "not_applicable"]
    sent = {p["term"] for p in site.pubmed.params("esearch") if p["db"] == "pubmed"}
    assert {s["query_as_run"] for s in ran if s["source"] == "PubMed"} == sent
    for search in ran:
        assert search["searched_at"]
        assert search["filters"]
        assert search["total"] >= search["identified"] >= search["new"]
    told = (folder / "report.md").read_text(encoding="utf-8")
    assert re.search(r"- \d\d:\d\d:\d\d UTC, \d+ hits?, \d+ retrieved, \d+ new: ", told)
    assert "identified (PubMed " in told


@pytest.mark.slow
async def test_a_registry_is_asked_for_drug_and_condition_once(site: World) -> None:
    report = report_of(await research(site, "--depth", "quick"))
    asked = [params for params in site.clinicaltrials.asked if "pageToken" not in params]
    assert len(asked) == 2  # those that run or ran, and those that were stopped
    assert outcomes(report, "clinicaltrials") == {"data"}


@pytest.mark.slow
@pytest.mark.parametrize("down", SOURCES)
async def test_a_source_that_is_down_is_told_and_costs_no_other(site: World, down: str) -> None:
    site.faults[down].on("500")
    ended = await research(site, "--depth", "quick", DEEPCRITICAL_SOURCE_DEADLINE_S="4")
    assert ended.code == 0, ended.err
    report = report_of(ended)
    assert outcomes(report, down) == {"unavailable"}
    assert any(NAMES[down] in notice for notice in report["notices"])
    assert any(NAMES[down] in text for text in report["limitations"])
    for other in set(SOURCES) - {down}:
        assert "data" in outcomes(report, other)


@pytest.mark.slow
async def test_without_any_source_there_is_no_report_and_no_other_evidence(site: World) -> None:
    for faults in site.faults.values():
        faults.on("500")
    ended = await research(site, DEEPCRITICAL_SOURCE_DEADLINE_S="2")
    assert (ended.code, ended.out) == (10, "")
    last = ended.err.strip().splitlines()[-1]
    assert "--snapshot demo" in last
    for name in NAMES.values():
        assert name in last


@pytest.mark.slow
async def test_the_sources_can_be_chosen(site: World) -> None:
    ended = await research(site, "--depth", "quick", "--sources", "europepmc")
    assert ended.code == 0, ended.err
    assert report_of(ended)["sources_searched"] == ["Europe PMC"]
    assert site.faults["clinicaltrials"].requests == 0
    assert {p["db"] for p in site.pubmed.params("esearch")} == {"mesh"}  # unknown names alone
    set_so = await research(site, "--depth", "quick", DEEPCRITICAL_SOURCES="pubmed, europepmc")
    assert report_of(set_so)["sources_searched"] == ["PubMed", "Europe PMC"]


@pytest.mark.parametrize(
    "options",
    [("--sources", "nowhere"), ("--sources", ""), ("--sources", "pubmed", "--snapshot", "demo")],
    ids=["unknown", "none", "both"],
)
async def test_a_choice_that_cannot_be_is_refused(site: World, options: tuple[str, ...]) -> None:
    ended = await research(site, *options)
    assert (ended.code, ended.out) == (2, "")
    assert "--sources" in ended.err


@pytest.mark.slow
async def test_answers_kept_from_an_earlier_run_are_marked(site: World) -> None:
    first = await research(site, "--depth", "quick")
    assert not any(s["cached"] for s in report_of(first)["searches"])
    second = await research(site, "--depth", "quick")
    answered = [s for s in report_of(second)["searches"] if s["outcome"] == "data"]
    assert all(s["cached"] for s in answered)
    assert any("kept from an earlier search" in text for text in report_of(second)["limitations"])


@pytest.mark.slow
async def test_a_retraction_that_only_crossref_knows_takes_the_support_away(site: World) -> None:
    before = report_of(await research(site, "--depth", "quick"))
    counted = {v["evidence_id"] for study in before["studies"] for v in study["votes"]}
    by_doi = {
        identifier.partition(":")[2]: reference["evidence_id"]
        for reference in before["references"]
        for identifier in reference["ids"]
        if identifier.startswith("doi:")
    }
    doi = next(doi for doi, evidence_id in by_doi.items() if evidence_id in counted)
    site.crossref.add(doi, ("retraction", "10.99999/notice"))
    told = {"DEEPCRITICAL_CHECK_INTEGRITY": "true", "DEEPCRITICAL_CONTACT_EMAIL": "a@b.example"}
    after = await research(site, "--depth", "quick", **told)
    assert all("mailto=a%40b.example" in asked for asked in site.crossref.asked)
    assert "looked up for retractions" in after.err
    (reference,) = [r for r in report_of(after)["references"] if f"doi:{doi}" in r["ids"]]
    assert reference["retracted"]
    left = {i for study in report_of(after)["studies"] for i in study["evidence_ids"]}
    assert reference["evidence_id"] not in left
    on_edges = {
        evidence_id
        for hypothesis in report_of(after)["hypotheses_tested"]
        for edge in hypothesis["edges"]
        for evidence_id in edge["evidence_ids"]
    }
    assert reference["evidence_id"] not in on_edges
    assert any(reference["title"].rstrip(".") in notice for notice in report_of(after)["notices"])


@pytest.mark.slow
async def test_a_retraction_look_up_that_fails_is_told(site: World) -> None:
    nowhere = {"DEEPCRITICAL_CROSSREF_URL": "http://127.0.0.1:9/"}
    ended = await research(site, "--depth", "quick", DEEPCRITICAL_CHECK_INTEGRITY="true", **nowhere)
    assert ended.code == 0, ended.err
    assert any("could not be looked up" in notice for notice in report_of(ended)["notices"])


@pytest.mark.slow
async def test_the_drugs_asked_about_are_looked_up_where_they_are_curated(
    site: World, tmp_path: Path
) -> None:
    server, out = CuratedServer(), tmp_path / "out"
    filled(server)
    names = ("MYCHEM", "OPENTARGETS", "OPENFDA", "PUBTATOR")
    async with running(server.app) as url:
        told = {f"DEEPCRITICAL_{name}_URL": url for name in names}
        more = told | {"DEEPCRITICAL_DRUG_FACTS": "on"}
        ended = await research(site, "--depth", "quick", "--out", str(out), **more)
    assert ended.code == 0, ended.err
    (facts,) = report_of(ended)["drug_facts"]
    assert {asked["outcome"] for asked in facts["asked"]} == {"data"}
    assert len(server.asked) == 6
    printed = await asyncio.to_thread((out / "report.md").read_text, encoding="utf-8")
    assert "## Curated drug facts" in printed
    assert "Attribution: " in printed
    checked = await call(site, "verify", str(out / "report.json"))
    assert checked.code == 0, checked.out + checked.err
