"""Findings of `doctor`, over real HTTP to servers on loopback that fail as they are told to."""

from __future__ import annotations

import asyncio
import re
import socket
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from deepcritical.domain.checks import Check, CheckState
from deepcritical.domain.run.budget import RunLimits
from deepcritical.interfaces.cli.checks import (
    EXTRAS,
    check_database,
    check_embeddings,
    check_file,
    check_index,
    check_model,
)
from deepcritical.models.providers import model_server
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.http import SourceClient
from deepcritical.tools.rate_limiter import new_limiter
from deepcritical.tools.searching import check_crossref, check_source
from tests.conftest import ROOT
from tests.integration.modelled import ADDRESSES, APIS
from tests.servers.faults import Fault as SourceFault
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running
from tests.servers.world import World, fast_tools, world

KEY = "made-up-key"
OK, PROBLEM, SKIPPED = CheckState


async def probed(
    server: ModelServer, api: str = "openai-chat", name: str = "made-up", **limits: float
) -> dict[str, Check]:
    async with running(server.app) as url:
        resolved = model_server(
            f"{api}:{name}", base_url=f"{url}{ADDRESSES[api]}", api_key=KEY, timeout_s=2.0
        )
        checks = await check_model(resolved, "made-up place", RunLimits.model_validate(limits))
    assert KEY not in "".join(check.model_dump_json() for check in checks)
    return {check.name: check for check in checks}


def states(checks: dict[str, Check]) -> dict[str, CheckState]:
    return {name: check.state for name, check in checks.items()}


@pytest.mark.parametrize("api", ADDRESSES)
async def test_a_model_that_answers_is_told_with_its_way_of_answering(api: str) -> None:
    server = ModelServer()
    checks = await probed(server, api)
    assert states(checks) == {"model": OK, "key": OK, "answer": OK, "price": SKIPPED}
    assert "by a tool call" in checks["answer"].detail
    assert "http://127.0.0.1:" in checks["model"].detail
    assert "made-up place" in checks["key"].detail
    assert {asked.key for asked in server.asked} == {KEY}
    assert len(server.asked) == 1


async def test_a_server_without_tools_is_asked_by_a_schema_as_a_run_would_ask_it() -> None:
    server = ModelServer()
    server.fault = lambda asked: Fault(status=400) if asked.mode == "tool" else None
    assert "by a JSON schema" in (await probed(server))["answer"].detail


async def test_a_known_price_is_told_and_an_unknown_one_is_a_problem_under_a_limit() -> None:
    assert "cost $0.0" in (await probed(ModelServer(), name="gpt-4o"))["price"].detail
    price = (await probed(ModelServer(), max_cost_usd=1.0))["price"]
    assert price.state is PROBLEM
    assert "DEEPCRITICAL_MAX_TOKENS" in price.advice


async def test_a_model_that_answers_nonsense_in_the_right_form_is_told() -> None:
    server = ModelServer()
    server.change = lambda _task, sane: sane | {"drugs": ["zorblaxin"]}
    answer = (await probed(server))["answer"]
    assert answer.state is OK
    assert "misread" in answer.detail


FAULTS: dict[str, tuple[Fault, dict[str, CheckState], str]] = {
    "401": (Fault(status=401), {"key": PROBLEM, "answer": SKIPPED}, "refused the key"),
    "404": (Fault(status=404), {"key": OK, "answer": PROBLEM}, "knows no model"),
    "429": (Fault(status=429), {"key": SKIPPED, "answer": PROBLEM}, "rate limit"),
    "500": (Fault(status=500), {"key": SKIPPED, "answer": PROBLEM}, "failed"),
    "page": (Fault(body="<html></html>"), {"key": SKIPPED, "answer": PROBLEM}, "not be read"),
    "cut": (Fault(cut=True), {"key": SKIPPED, "answer": PROBLEM}, ""),
    "slow": (Fault(wait_s=3), {"key": SKIPPED, "answer": PROBLEM}, "in time"),
    "reset": (Fault(reset=True), {"key": SKIPPED, "answer": PROBLEM}, "connection"),
}


@pytest.mark.slow
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_the_models_server_is_a_problem_with_advice(fault: str, api: str) -> None:
    done, expected, words = FAULTS[fault]
    server = ModelServer()
    server.fault = lambda _asked: done
    checks = await probed(server, api)
    assert states(checks) == {"model": OK, **expected}
    problem = next(check for check in checks.values() if check.state is PROBLEM)
    assert words in problem.detail
    assert problem.advice


@pytest.mark.slow
async def test_a_model_server_that_is_not_there_is_told() -> None:
    # Port 1 is privileged, and nothing listens there.
    server = model_server("vllm:made-up", base_url="http://127.0.0.1:1/v1")
    checks = await check_model(server, "", RunLimits())
    assert [check.state for check in checks] == [OK, SKIPPED, PROBLEM]
    assert "whether one is wanted is not known" in checks[1].detail
    assert "connection" in checks[2].detail
    assert "MODEL_BASE_URL" in checks[2].advice


async def test_a_hosted_model_without_a_key_is_not_asked() -> None:
    checks = await check_model(model_server("anthropic:made-up"), "", RunLimits())
    assert [check.state for check in checks] == [OK, PROBLEM, SKIPPED]
    assert "--ask-key" in checks[1].advice


async def test_limits_that_allow_no_call_are_found_as_a_run_would_find_them() -> None:
    server = ModelServer()
    assert "budget" in (await probed(server, max_calls=0))["answer"].detail
    assert server.asked == []


async def test_sources_that_answer_are_told_with_their_records(tmp_path: Path) -> None:
    async with world(tmp_path) as site, fast_tools(site) as tools:
        checks = [await check_source(tool, 5) for tool in tools]
    assert [check.state for check in checks] == [OK, OK, OK]
    assert 'records for "trial"' in checks[0].detail


async def found(site: World, name: str, within_s: float = 5) -> Check:
    async with fast_tools(site, [name]) as tools:
        return await check_source(tools[0], within_s)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pubmed", "clinicaltrials", "europepmc"])
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("429 after", "429"),
        ("500", "500"),
        ("html", "web page"),
        ("slow", "in time|within 1 s"),
        ("reset", ""),
    ],
)
async def test_a_fault_of_a_source_is_a_problem_with_advice(
    tmp_path: Path, name: str, fault: SourceFault, words: str
) -> None:
    async with world(tmp_path) as site:
        site.faults[name].on(fault)
        check = await found(site, name, 1.0 if fault == "slow" else 20.0)
    assert check.state is PROBLEM
    assert re.search(words, check.detail)
    assert check.advice


async def test_a_source_without_a_single_record_is_not_the_one_that_was_meant(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as site:
        site.clinicaltrials.studies.clear()
        check = await found(site, "clinicaltrials")
    assert check.state is PROBLEM
    assert "no record" in check.detail


async def test_crossref_is_asked_lightly(tmp_path: Path) -> None:
    async with world(tmp_path) as site:
        url = site.environment["DEEPCRITICAL_CROSSREF_URL"]
        client = SourceClient("Crossref", url, limiter=new_limiter(1000), wait_s=0.01)
        try:
            assert (await check_crossref(client, 5)).state is OK
            assert len(site.crossref.asked) == 1
        finally:
            await client.aclose()
        down = SourceClient("Crossref", f"{url}nowhere/", limiter=new_limiter(1000), wait_s=0.01)
        try:
            assert (await check_crossref(down, 5)).state is PROBLEM
        finally:
            await down.aclose()


class TestFiles:
    async def test_a_file_is_made_and_its_rows_stay(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "kept.sqlite"
        assert (await check_file("kept", path, "VARIABLE")).state is OK
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE t (x)")
        assert (await check_file("kept", path, "VARIABLE")).state is OK
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("SELECT count(*) FROM t").fetchone() == (0,)

    async def test_what_cannot_be_written_is_named_with_its_setting(self, tmp_path: Path) -> None:
        (tmp_path / "text").write_text("no database " * 100, encoding="utf-8")
        for path in (tmp_path, tmp_path / "text", tmp_path / "text" / "below.sqlite"):
            check = await check_file("kept", path, "VARIABLE")
            assert check.state is PROBLEM, path
            assert "VARIABLE" in check.advice

    async def test_no_file_is_no_problem(self) -> None:
        assert (await check_file("kept", None, "VARIABLE")).state is SKIPPED


class TestRanking:
    @pytest.mark.slow
    async def test_a_folder_that_holds_no_model_is_a_problem(self, tmp_path: Path) -> None:
        check = await check_embeddings(str(tmp_path))
        assert check.state is PROBLEM
        assert "DEEPCRITICAL_EMBEDDING_MODEL" in check.advice
        assert (await check_embeddings("")).state is SKIPPED

    async def test_an_index_in_a_folder_can_be_opened(self, tmp_path: Path) -> None:
        pytest.importorskip("chromadb")
        assert (await check_index(str(tmp_path / "index"))).state is OK
        assert (await check_index("")).state is SKIPPED

    @pytest.mark.slow
    async def test_a_server_that_is_not_there_or_says_nothing_ends_in_time(self) -> None:
        refused = await check_index("http://127.0.0.1:1")
        assert refused.state is PROBLEM
        assert "CHROMA_URL" in refused.advice
        with socket.create_server(("127.0.0.1", 0)) as silent:
            async with asyncio.timeout(15):
                port = silent.getsockname()[1]
                assert (await check_index(f"http://127.0.0.1:{port}")).state is PROBLEM


def test_every_optional_part_that_a_user_may_miss_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    # The weights of `offline` are told with the embeddings.
    assert set(EXTRAS) == set(project["optional-dependencies"]) - {"offline", "dev", "docs", "lock"}


class TestDatabase:
    async def test_one_that_works_is_told_and_stays_as_it_is(self, url: str) -> None:
        for told in ("nothing is kept there yet|can be written", "can be written"):
            check = await check_database(url)
            assert check.state is OK
            assert re.search(told, check.detail)
            traces = ToolTraceService(Database(url))
            await traces.create_trace("research", {})
            await traces.close()
        traces = ToolTraceService(Database(url))
        assert len(await traces.list_traces()) == 2
        await traces.close()

    async def test_a_file_that_is_not_there_is_not_made(self, tmp_path: Path) -> None:
        file = tmp_path / "new" / "runs.sqlite"
        assert (await check_database(normalised_url(f"sqlite:///{file}"))).state is OK
        assert not file.parent.exists()
        (tmp_path / "new").write_text("", encoding="utf-8")
        problem = await check_database(normalised_url(f"sqlite:///{file}"))
        assert problem.state is PROBLEM
        assert "DATABASE_URL" in problem.advice

    @pytest.mark.slow
    async def test_a_server_that_takes_connections_and_is_silent_ends(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            check = await check_database(normalised_url(f"postgresql://ada@127.0.0.1:{port}/none"))
        assert check.state is PROBLEM
        assert "cannot be reached" in check.detail

    async def test_none_is_kept_by_setting(self) -> None:
        assert (await check_database("")).state is SKIPPED
