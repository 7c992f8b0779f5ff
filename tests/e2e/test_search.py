"""``deepcritical search`` as a process, over loopback servers of every source."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.world import Ended, World, call, world

SOURCES = ("pubmed", "clinicaltrials", "europepmc")
QUERY = "examplol"


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as served:
        yield served


async def search(site: World, *args: str, **more: str) -> Ended:
    return await call(site, "search", *args, **more)


def records(ended: Ended) -> list[dict[str, Any]]:
    found = json.loads(ended.out)
    assert isinstance(found, list)
    return found


async def test_all_sources_answer_and_one_work_is_one_record(site: World) -> None:
    ended = await search(site, "all", QUERY, "--json")
    assert ended.code == 0, ended.err
    assert [line.split(":")[0] for line in ended.err.splitlines()] == [
        "PubMed",
        "ClinicalTrials.gov",
        "Europe PMC",
    ]
    ids = [record["metadata"]["pmid"] for record in records(ended) if record["metadata"]["pmid"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("source", SOURCES)
async def test_a_source_alone_prints_a_line_for_each_record(site: World, source: str) -> None:
    ended = await search(site, source, QUERY, "--max", "3")
    assert ended.code == 0, ended.err
    assert 1 <= len(ended.out.splitlines()) <= 3
    assert len(ended.err.splitlines()) == 1


async def test_a_second_search_is_answered_from_the_cache_and_says_so(site: World) -> None:
    first = await search(site, "europepmc", QUERY)
    asked = site.faults["europepmc"].requests
    second = await search(site, "europepmc", QUERY)
    assert second.out == first.out
    assert "kept from an earlier search" in second.err
    assert site.faults["europepmc"].requests == asked
    await search(site, "europepmc", QUERY, DEEPCRITICAL_HTTP_CACHE="")
    assert site.faults["europepmc"].requests > asked


@pytest.mark.slow
@pytest.mark.parametrize("down", SOURCES)
async def test_a_source_that_is_down_costs_no_other_its_records(site: World, down: str) -> None:
    site.faults[down].on("500")
    ended = await search(site, "all", QUERY, "--json", DEEPCRITICAL_SOURCE_DEADLINE_S="4")
    assert ended.code == 0, ended.err
    told = [line.split(": ")[1].split(",")[0] for line in ended.err.splitlines()]
    assert sorted(told) == ["data", "data", "unavailable"]


@pytest.mark.slow
async def test_nothing_found_and_nothing_reached_are_different_ends(site: World) -> None:
    nothing = await search(site, "all", "zorblaxin")
    assert (nothing.code, nothing.out.strip()) == (3, "")
    for faults in site.faults.values():
        faults.on("500")
    unreached = await search(site, "all", QUERY, DEEPCRITICAL_SOURCE_DEADLINE_S="0.5")
    assert unreached.code == 10
    assert "--snapshot demo" in unreached.err


async def test_a_key_reaches_ncbi_and_nothing_else(site: World, tmp_path: Path) -> None:
    ended = await search(site, "pubmed", QUERY, NCBI_API_KEY="made-up-key-1234")
    assert ended.code == 0, ended.err
    sent = [params.get("api_key") for params in site.pubmed.params("esearch")]
    assert sent == ["made-up-key-1234"]
    assert "made-up-key-1234" not in ended.out + ended.err
    kept = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert kept
    assert b"made-up-key-1234" not in kept


@pytest.mark.parametrize(
    ("args", "code"),
    [(("pubmed", ""), 4), (("nowhere", QUERY), 2), (("pubmed", QUERY, "--max", "0"), 2)],
    ids=str,
)
async def test_bad_input_has_an_exit_code_of_its_own(
    site: World, args: tuple[str, ...], code: int
) -> None:
    assert (await search(site, *args)).code == code
