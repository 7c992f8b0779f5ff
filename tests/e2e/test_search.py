"""``deepcritical search`` as a process, over loopback servers of every source."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from starlette.types import ASGIApp

from tests.servers.clinicaltrials import ClinicalTrialsServer
from tests.servers.crossref import CrossrefServer
from tests.servers.europepmc import EuropePMCServer
from tests.servers.faults import Faults
from tests.servers.pubmed import PubMedServer
from tests.servers.running import running

COMMAND = Path(sys.executable).with_name("deepcritical")
SOURCES = ("pubmed", "clinicaltrials", "europepmc")
QUERY = "examplol"


class Ended(NamedTuple):
    """How a call of the command ended."""

    code: int
    out: str
    err: str


class World(NamedTuple):
    """The servers, and the environment in which the command finds them."""

    faults: dict[str, Faults]
    pubmed: PubMedServer
    crossref: CrossrefServer
    environment: dict[str, str]

    async def search(self, *args: str, **more: str) -> Ended:
        """Call the command."""
        process = await asyncio.create_subprocess_exec(
            COMMAND,
            "search",
            *args,
            env=self.environment | more,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        return Ended(process.returncode or 0, out.decode(), err.decode())


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    pubmed = PubMedServer()
    faults = {
        "pubmed": Faults(pubmed.app),
        "clinicaltrials": Faults(ClinicalTrialsServer().app),
        "europepmc": Faults(EuropePMCServer().app),
    }
    crossref = CrossrefServer()
    kept = {name: v for name, v in os.environ.items() if not name.startswith("DEEPCRITICAL_")}
    kept["DEEPCRITICAL_HTTP_CACHE"] = str(tmp_path / "cache" / "http.sqlite")
    kept["DEEPCRITICAL_SOURCE_DEADLINE_S"] = "8"
    async with AsyncExitStack() as stack:
        apps: dict[str, ASGIApp] = {**faults, "crossref": crossref.app}
        for name, app in apps.items():
            url = await stack.enter_async_context(running(app))
            path = "api/v2/" if name == "clinicaltrials" else ""
            kept[f"DEEPCRITICAL_{name.upper()}_URL"] = url + path
        yield World(faults, pubmed, crossref, kept)


def records(ended: Ended) -> list[dict[str, Any]]:
    found = json.loads(ended.out)
    assert isinstance(found, list)
    return found


async def test_all_sources_answer_and_one_work_is_one_record(world: World) -> None:
    ended = await world.search("all", QUERY, "--json")
    assert ended.code == 0, ended.err
    assert [line.split(":")[0] for line in ended.err.splitlines()] == [
        "PubMed",
        "ClinicalTrials.gov",
        "Europe PMC",
    ]
    ids = [record["metadata"]["pmid"] for record in records(ended) if record["metadata"]["pmid"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("source", SOURCES)
async def test_a_source_alone_prints_a_line_for_each_record(world: World, source: str) -> None:
    ended = await world.search(source, QUERY, "--max", "3")
    assert ended.code == 0, ended.err
    assert 1 <= len(ended.out.splitlines()) <= 3
    assert len(ended.err.splitlines()) == 1


async def test_a_second_search_is_answered_from_the_cache_and_says_so(world: World) -> None:
    first = await world.search("europepmc", QUERY)
    asked = world.faults["europepmc"].requests
    second = await world.search("europepmc", QUERY)
    assert second.out == first.out
    assert "kept from an earlier search" in second.err
    assert world.faults["europepmc"].requests == asked
    await world.search("europepmc", QUERY, DEEPCRITICAL_HTTP_CACHE="")
    assert world.faults["europepmc"].requests > asked


@pytest.mark.parametrize("down", SOURCES)
async def test_a_source_that_is_down_costs_no_other_its_records(world: World, down: str) -> None:
    world.faults[down].on("500")
    ended = await world.search("all", QUERY, "--json")
    assert ended.code == 0, ended.err
    told = [line.split(": ")[1].split(",")[0] for line in ended.err.splitlines()]
    assert sorted(told) == ["data", "data", "unavailable"]


async def test_nothing_found_and_nothing_reached_are_different_ends(world: World) -> None:
    nothing = await world.search("all", "zorblaxin")
    assert (nothing.code, nothing.out.strip()) == (3, "")
    for faults in world.faults.values():
        faults.on("500")
    unreached = await world.search("all", QUERY)
    assert unreached.code == 10
    assert "--snapshot demo" in unreached.err


async def test_a_key_reaches_ncbi_and_nothing_else(world: World, tmp_path: Path) -> None:
    ended = await world.search("pubmed", QUERY, NCBI_API_KEY="made-up-key-1234")
    assert ended.code == 0, ended.err
    sent = [params.get("api_key") for params in world.pubmed.params("esearch")]
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
    world: World, args: tuple[str, ...], code: int
) -> None:
    assert (await world.search(*args)).code == code
