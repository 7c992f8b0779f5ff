"""The tools over HTTP within this process: who may use them, and where a user's key goes."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr
from starlette.applications import Starlette

from deepcritical.bootstrap import Lookups, build_runs
from deepcritical.domain.base import attribute_docstrings
from deepcritical.interfaces.access import Access, Mode
from deepcritical.interfaces.mcp.transports import over_http
from deepcritical.jobs.runs import RunService
from deepcritical.models import providers
from deepcritical.settings import Settings
from tests.conftest import QUESTION, ended, none_similar, paper, run_service, snapshot
from tests.integration.modelled import records
from tests.servers.models import ModelServer
from tests.servers.running import running
from tests.servers.tools import ask, status_at_end

OWN = "made-up-key-of-the-user"
ADA, BO = "made-up-token-of-ada-1", "made-up-token-of-bo-22"
TOKENS = {"ada": SecretStr(ADA), "bo": SecretStr(BO)}
NO_TOKEN = "This server needs a token. Send it in the header Authorization: Bearer TOKEN."  # noqa: S105


@asynccontextmanager
async def served(runs: RunService, access: Access | None = None) -> AsyncIterator[str]:
    """The tools alone; the address of the protocol."""
    # In a thread, as it is made before there is a loop: it looks up the version that is installed.
    lookups = Lookups(Settings())
    similar = none_similar(runs)
    tools = await asyncio.to_thread(over_http, runs, lookups, access or Access(), None, similar)
    async with tools.running, running(Starlette(routes=[tools.route])) as url:
        yield f"{url}mcp"


@asynccontextmanager
async def client(url: str, **headers: str) -> AsyncIterator[Client]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    async with (
        httpx2.AsyncClient(headers=sent, trust_env=False, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as one,
    ):
        yield one


@pytest.fixture
def runs(tmp_path: Path) -> RunService:
    return run_service(snapshot(tmp_path / "records.jsonl", paper(1), paper(2)))


async def test_beyond_loopback_starting_and_stopping_need_a_token(runs: RunService) -> None:
    attribute_docstrings.cache_clear()  # so that the tools are described anew, beside the loop
    async with (
        served(runs, Access(Mode.TOKENS, TOKENS)) as url,
        client(url) as nobody,
        client(url, Authorization=f"Bearer {ADA}") as ada,
        client(url, Authorization=f"Bearer {BO}") as bo,
    ):
        for tool in ("deep_research", "research_report", "start_research"):
            refused = await ask(nobody, tool, question=QUESTION)
            assert refused.is_error
            assert "Authorization: Bearer" in refused.text
        refused = await ask(nobody, "search_pubmed", query="examplol")
        assert "needs a token" in refused.text
        started = await ask(ada, "start_research", question=QUESTION)
        trace_id = started.fields["trace_id"]
        for other in (nobody, bo):
            assert (await ask(other, "cancel_research", trace_id=trace_id)).is_error
        assert await status_at_end(ada, trace_id) == "completed"
        report = await ask(ada, "get_report", trace_id=trace_id)
        assert "examplol" in report.fields["content"].lower()


async def test_a_private_run_is_read_by_its_owner_or_with_his_link(runs: RunService) -> None:
    access = Access(Mode.TOKENS, TOKENS)
    run = runs.submit(QUESTION, user_id="ada")
    await ended(run)
    link = access.shares.make(run.run_id)
    async with (
        served(runs, access) as url,
        client(url) as nobody,
        client(url, Authorization=f"Bearer {BO}") as bo,
        client(f"{url}?share={link.value}") as reader,
    ):
        for tool in ("get_research_status", "get_report", "get_trace"):
            for other, why in ((nobody, "needs a token"), (bo, "another user's")):
                refused = await ask(other, tool, trace_id=run.run_id)
                assert refused.is_error
                assert why in refused.text
            assert not (await ask(reader, tool, trace_id=run.run_id)).is_error
        assert (await ask(nobody, "get_report", trace_id=str(uuid.UUID(int=0)))).text == NO_TOKEN
        assert (await ask(reader, "cancel_research", trace_id=run.run_id)).is_error


async def test_an_anonymous_user_has_a_quota(runs: RunService) -> None:
    async with served(runs, Access(Mode.PUBLIC, runs_per_hour=1)) as url:
        own = f"Bearer anonymous-{'a' * 43}"
        async with client(url, Authorization=own) as user:
            started = await ask(user, "start_research", question=QUESTION)
            again = await ask(user, "start_research", question=QUESTION)
            assert "Try again in" in again.text
            stopped = await ask(user, "cancel_research", trace_id=started.fields["trace_id"])
            assert stopped.fields["status"] in ("cancelled", "completed")


@pytest.fixture
async def hosted(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    """A hosted provider, on loopback."""
    server = ModelServer()
    async with running(server.app) as url:
        here = providers.PROVIDERS["openai-chat"]._replace(base_url=f"{url}v1")
        monkeypatch.setitem(providers.PROVIDERS, "openai-chat", here)
        yield server


def contents(folder: Path, names: str) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob(names))


@pytest.mark.slow
async def test_a_key_of_a_header_reaches_the_model_and_nothing_else(
    hosted: ModelServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path = await asyncio.to_thread(records, tmp_path)
    kept = tmp_path / "runs.sqlite"
    made = {
        "snapshot": str(path),
        "embedding_model": "",
        "max_iterations": 1,
        "DATABASE_URL": f"sqlite:///{kept}",
    }
    own = await asyncio.to_thread(build_runs, Settings.model_validate(made))
    async with served(own) as url:
        async with client(url, X_Model="openai-chat:chosen", X_Model_Key=OWN) as user:
            answered = await ask(user, "deep_research", question=QUESTION)
            assert not answered.is_error, answered.text
            trace = await ask(user, "get_trace", trace_id=answered.fields["trace_id"])
        async with client(url, X_Model_Key=OWN) as unnamed:
            refused = await ask(unnamed, "deep_research", question=QUESTION)
    await own.close()
    assert {asked.key for asked in hosted.asked} == {OWN}
    assert trace.fields["metrics"]["llm_calls"] == len(hosted.asked) > 0
    assert (refused.is_error, "no model" in refused.text) == (True, True)
    stored = await asyncio.to_thread(contents, tmp_path, "runs.sqlite*")
    said = answered.text + trace.text + refused.text + caplog.text
    assert OWN not in said
    assert answered.fields["trace_id"].encode() in stored
    assert OWN.encode() not in stored
