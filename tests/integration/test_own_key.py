"""Runs with a user's own model and key: what goes where, and that no key outlives its run."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from openai import AsyncOpenAI
from pydantic import SecretStr

from deepcritical.bootstrap import build_runs
from deepcritical.domain.errors import ConfigurationError
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.models import providers
from deepcritical.settings import Settings
from tests.conftest import QUESTION, ended
from tests.integration.modelled import records
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

OWN = "the-users-own-key"
SERVERS = "the-servers-key"
CHOSEN = "openai-chat:chosen"


@pytest.fixture
async def hosted(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    """A hosted provider, on loopback."""
    server = ModelServer()
    async with running(server.app) as url:
        here = providers.PROVIDERS["openai-chat"]._replace(base_url=f"{url}v1")
        monkeypatch.setitem(providers.PROVIDERS, "openai-chat", here)
        yield server


_MADE: list[RunService] = []


@pytest.fixture(autouse=True)
async def closing() -> AsyncIterator[None]:
    """A process has one engine: each service gives it back."""
    yield
    while _MADE:
        await _MADE.pop().close()


async def service(folder: Path, **more: Any) -> RunService:
    path = await asyncio.to_thread(records, folder)
    made = {"snapshot": str(path), "embedding_model": "", "max_iterations": 1}
    runs = await asyncio.to_thread(build_runs, Settings.model_validate(made | more))
    _MADE.append(runs)
    return runs


def held(key: str, *roots: object) -> list[object]:
    """Find holders of a key among all objects reachable from some; timers of the loop do not count.

    A timer that was cancelled keeps its context until it would have rung.
    """
    gc.collect()
    seen: dict[int, object] = {}
    ahead = list(roots)
    while ahead:
        one = ahead.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType, asyncio.AbstractEventLoop)):
            continue
        seen[id(one)] = one
        closed = one.__closure__ or () if isinstance(one, FunctionType) else None
        ahead += gc.get_referents(one) if closed is None else closed
    return [
        one
        for one in seen.values()
        if (isinstance(one, SecretStr) and one.get_secret_value() == key)
        or (isinstance(one, AsyncOpenAI) and one.api_key == key)
        or (isinstance(one, str) and key in one)
    ]


async def asked(runs: RunService, model: str, key: str) -> tuple[Run, str]:
    """A run that has ended, and its log."""
    own = SecretStr(key) if key else None
    reasoner = await asyncio.to_thread(runs.reasoner_of, model, own)
    run = runs.submit(QUESTION, reasoner=reasoner, model_api_key=own)
    return run, await logged(run)


async def logged(run: Run) -> str:
    """The log of a run that has ended; apart, for an error keeps the frames it passes through."""
    lines = [one.model_dump_json() for one in await ended(run)]
    with suppress(ConfigurationError):
        await run.result()
    return "\n".join(lines)


async def test_the_users_model_answers_with_the_users_key_alone(
    tmp_path: Path, hosted: ModelServer
) -> None:
    own = ModelServer()
    async with running(own.app) as url:
        runs = await service(
            tmp_path,
            model="vllm:servers",
            model_base_url=f"{url}v1",
            model_api_key=SERVERS,
            OPENAI_API_KEY=SERVERS,
        )
        run, log = await asked(runs, CHOSEN, OWN)
    assert run.report
    assert run.report.written_by == f"model {CHOSEN}"
    assert {one.key for one in hosted.asked} == {OWN}
    assert own.asked == []
    assert OWN not in log + run.report.model_dump_json()
    assert held(OWN, run, runs) == []


@pytest.mark.slow
async def test_the_servers_own_model_takes_a_users_key(tmp_path: Path) -> None:
    own = ModelServer()
    async with running(own.app) as url:
        runs = await service(
            tmp_path, model="vllm:servers", model_base_url=f"{url}v1", model_api_key=SERVERS
        )
        run, _ = await asked(runs, "", OWN)
        assert held(SERVERS, runs)  # what looks for keys finds them
        assert held(OWN, run, runs) == []
        assert {one.key for one in own.asked} == {OWN}
        await asked(runs, "vllm:servers", "")
    assert {one.key for one in own.asked} == {OWN, SERVERS}


async def test_a_wrong_key_ends_the_run_with_advice_to_who_gave_it_and_is_forgotten(
    tmp_path: Path, hosted: ModelServer
) -> None:
    hosted.fault = lambda _asked: Fault(status=401)
    runs = await service(tmp_path)
    run, log = await asked(runs, CHOSEN, OWN)
    assert run.report is None
    assert "refused the key" in log
    assert "Check the key that you gave" in log
    assert "DEEPCRITICAL_MODEL" not in log
    assert OWN not in log
    assert await runs.find(run.run_id)  # it is remembered, and its key is not
    assert held(OWN, run, runs) == []


@pytest.mark.parametrize(
    ("model", "key", "words"),
    [
        ("vllm:made-up", OWN, "openai-chat, openai-responses"),
        ("ollama:made-up", OWN, "huggingface,"),
        ("compatible:made-up", OWN, "huggingface,"),
        ("http://127.0.0.1:1/v1", OWN, "provider:name"),
        ("openai-chat:made\nup", OWN, "provider:name"),
        (f"openai-chat:{'x' * 300}", OWN, "provider:name"),
        (CHOSEN, "", "a key of yours"),
        ("", OWN, "no model"),
    ],
)
async def test_what_may_not_be_chosen_starts_nothing(
    tmp_path: Path, hosted: ModelServer, model: str, key: str, words: str
) -> None:
    runs = await service(tmp_path, OPENAI_API_KEY=SERVERS, model_api_key=SERVERS)
    with pytest.raises(ConfigurationError) as caught:
        await asked(runs, model, key)
    assert words in str(caught.value)
    assert OWN not in str(caught.value)
    assert hosted.asked == []


@pytest.mark.parametrize("key", ["clé", "two\nlines", " "])
async def test_a_key_that_can_be_none_ends_the_run_without_being_told(
    tmp_path: Path, hosted: ModelServer, key: str
) -> None:
    run, log = await asked(await service(tmp_path), CHOSEN, key)
    assert run.report is None
    assert "characters that no key has" in log
    assert hosted.asked == []
    assert key == " " or key not in log
