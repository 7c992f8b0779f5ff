"""``deepcritical doctor`` as a process, with every source and a model's server on loopback."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from tests.servers.models import Fault, ModelServer
from tests.servers.running import running
from tests.servers.world import Ended, World, call, world

KEY = "made-up-key"
NETWORKED = ("PubMed", "ClinicalTrials.gov", "Europe PMC")


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as served:
        served.environment["DEEPCRITICAL_EMBEDDING_MODEL"] = ""  # seconds, and not the matter here
        served.environment["DEEPCRITICAL_VECTOR_CACHE"] = str(tmp_path / "vectors.sqlite")
        yield served


def told(ended: Ended) -> dict[str, Any]:
    return {check["name"]: check for check in json.loads(ended.out)["checks"]}


@pytest.mark.slow
async def test_where_everything_works_it_ends_with_0(site: World) -> None:
    server = ModelServer()
    async with running(server.app) as url:
        ended = await call(
            site,
            *("doctor", "--json"),
            DEEPCRITICAL_MODEL="openai-chat:made-up",
            DEEPCRITICAL_MODEL_BASE_URL=f"{url}v1",
            DEEPCRITICAL_MODEL_API_KEY=KEY,
            DEEPCRITICAL_CHECK_INTEGRITY="true",
        )
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["works"] is True
    checks = told(ended)
    assert {*NETWORKED, "Crossref", "model", "key", "answer", "price", "database"} < set(checks)
    assert "DEEPCRITICAL_MODEL_API_KEY" in checks["key"]["detail"]
    assert KEY not in ended.out
    assert {asked.key for asked in server.asked} == {KEY}


@pytest.mark.slow
async def test_what_is_wrong_is_told_in_words_with_advice_and_ends_with_15(site: World) -> None:
    site.faults["pubmed"].on("500")
    server = ModelServer()
    server.fault = lambda _asked: Fault(status=401)
    async with running(server.app) as url:
        ended = await call(
            site,
            *("doctor", "--model", "vllm:made-up", "--model-base-url", f"{url}v1"),
            DEEPCRITICAL_MODEL_API_KEY=KEY,
        )
    assert ended.code == 15
    lines = ended.out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("problem")] == ["key", "PubMed"]
    assert sum("→" in line for line in lines) >= 2
    assert "2 of " in ended.err
    assert KEY not in ended.out + ended.err


@pytest.mark.slow
async def test_without_a_network_it_says_so_soon(site: World) -> None:
    nowhere = {f"DEEPCRITICAL_{name.upper()}_URL": "http://127.0.0.1:1/" for name in site.faults}
    # Its own limit holds, and not that of a run.
    nowhere["DEEPCRITICAL_SOURCE_DEADLINE_S"] = "600"
    started = time.monotonic()
    ended = await call(site, "doctor", "--json", **nowhere)
    assert time.monotonic() - started < 90
    assert ended.code == 15
    checks = told(ended)
    assert [checks[name]["state"] for name in NETWORKED] == ["problem"] * 3
    assert all("cannot be reached" in checks[name]["detail"] for name in NETWORKED)
    assert checks["model"]["state"] == "ok"


async def test_a_snapshot_takes_the_place_of_the_sources(site: World) -> None:
    ended = await call(site, "doctor", "--json", "--snapshot", "demo")
    assert ended.code == 0
    assert not set(NETWORKED) & set(told(ended))
    missing = await call(site, "doctor", "--json", "--snapshot", "nowhere.jsonl")
    assert missing.code == 15
    assert told(missing)["snapshot"]["state"] == "problem"


async def test_a_setting_that_cannot_be_read_or_is_misspelt_is_a_problem(site: World) -> None:
    unread = await call(site, "doctor", "--json", DEEPCRITICAL_DEADLINE_S="soon")
    assert unread.code == 15
    assert "DEEPCRITICAL_DEADLINE_S" in told(unread)["settings"]["detail"]
    misspelt = await call(site, "doctor", "--json", "--snapshot", "demo", DEEPCRITICAL_MODELS="x")
    assert misspelt.code == 15
    assert "meant: DEEPCRITICAL_MODEL?" in told(misspelt)["settings"]["detail"]


async def test_a_model_that_is_none_is_told_with_the_other_checks(site: World) -> None:
    ended = await call(site, "doctor", "--json", "--snapshot", "demo", "--model", "nobody:x")
    assert ended.code == 15
    assert "provider:name" in told(ended)["model"]["advice"]
    assert told(ended)["PDF"]["state"] == "ok"


@pytest.mark.slow
async def test_servers_that_say_nothing_are_given_up_together(site: World) -> None:
    async def silent(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    async with running(silent) as url:
        nowhere = {f"DEEPCRITICAL_{name.upper()}_URL": url for name in site.faults}
        port = url.rpartition(":")[2].strip("/")
        started = time.monotonic()
        ended = await call(
            site,
            *("doctor", "--json", "--model", "vllm:made-up", "--model-base-url", f"{url}v1"),
            CHROMA_URL=url,
            DATABASE_URL=f"postgresql://ada@127.0.0.1:{port}/none",
            **nowhere,
        )
        seconds = time.monotonic() - started
    assert ended.code == 15
    checks = told(ended)
    silent_ones = (*NETWORKED, "answer", "database", "vector index")
    assert [checks[name]["state"] for name in silent_ones] == ["problem"] * 6
    assert all(checks[name]["advice"] for name in silent_ones)
    assert seconds < 30  # each alone takes from 5 to 9 of them
