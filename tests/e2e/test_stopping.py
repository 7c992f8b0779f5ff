"""A run of one process that others cancel, have written, kill, and go on with."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION
from tests.databases import fresh_database
from tests.integration.modelled import records
from tests.servers.commands import forked_command
from tests.servers.models import ModelServer
from tests.servers.running import running

COMMAND = forked_command()
SLOW_S = 390.0
"""Longer than any test lasts."""


class Site(NamedTuple):
    """A folder with records and a database, and a model on loopback."""

    server: ModelServer
    source: Path
    settings: dict[str, str]

    async def start(self, *args: str) -> Process:
        return await asyncio.create_subprocess_exec(
            COMMAND, *args, env=os.environ | self.settings, stdout=PIPE, stderr=PIPE
        )

    async def call(self, *args: str) -> tuple[int, str, str]:
        process = await self.start(*args)
        out, err = await process.communicate()
        assert process.returncode is not None
        return process.returncode, out.decode(), err.decode()

    async def under_way(self) -> Process:
        """A run that waits for the model's second answer or a later one."""
        self.server.fault = self._slow
        process = await self.start("research", QUESTION, "--snapshot", str(self.source))
        async with asyncio.timeout(60):
            while not self.server.latency_s:  # noqa: ASYNC110 - the server is not ours to change
                await asyncio.sleep(0.05)
        return process

    def _slow(self, _asked: object) -> None:
        self.server.latency_s = SLOW_S if len(self.server.asked) > 1 else 0.0

    async def run_id(self) -> str:
        _, listed, _ = await self.call("traces", "list", "--json")
        return str(json.loads(listed)[0]["id"])

    def fast(self) -> int:
        """Let the model answer at once; how often it was asked before."""
        self.server.fault = lambda _asked: None
        self.server.latency_s = 0.0
        return len(self.server.asked)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Site]:
    server = ModelServer()
    with fresh_database("any", tmp_path) as kept:
        async with running(server.app) as url:
            settings = {
                "DATABASE_URL": kept,
                "DEEPCRITICAL_MODEL": "openai-chat:made-up",
                "DEEPCRITICAL_MODEL_BASE_URL": f"{url}v1",
                "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
                # Nothing goes on without the model's answer, however long a test takes.
                "DEEPCRITICAL_MODEL_TIMEOUT_S": "600",
                "DEEPCRITICAL_DEADLINE_S": "900",
                "DEEPCRITICAL_EMBEDDING_MODEL": "",
            }
            yield Site(server, records(tmp_path), settings)


@pytest.mark.slow
async def test_a_cancelled_run_is_resumed_without_asking_again(site: Site) -> None:
    process = await site.under_way()
    run_id = await site.run_id()
    code, said, _ = await site.call("traces", "cancel", run_id)
    assert (code, said) == (0, f"Cancelled: {run_id}\n")
    async with asyncio.timeout(60):
        assert await process.wait() == 130
    assert (await site.call("traces", "cancel", run_id))[0] == 11
    asked = site.fast()
    first = site.server.asked[0].prompt
    code, said, err = await site.call("traces", "resume", run_id)
    assert (code, said) == (0, f"Completed: {run_id}\n"), err
    assert "made-up-key" not in said + err
    assert first not in [later.prompt for later in site.server.asked[asked:]]
    assert (await site.call("traces", "resume", run_id))[0] == 11
    assert (await site.call("traces", "export", run_id))[0] == 0


@pytest.mark.slow
async def test_a_killed_run_is_gone_on_with_by_the_next_command(site: Site) -> None:
    process = await site.under_way()
    run_id = await site.run_id()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    site.fast()
    code, _, err = await site.call("traces", "resume", run_id, "--quiet")
    assert code == 0, err
    shown = json.loads((await site.call("traces", "show", run_id, "--json"))[1])
    assert shown["status"] == "completed"
    assert shown["input_params"]["question"] == QUESTION


@pytest.mark.slow
async def test_a_run_that_is_told_to_writes_from_what_there_is(site: Site) -> None:
    process = await site.under_way()
    run_id = await site.run_id()
    code, said, _ = await site.call("traces", "stop", run_id)
    assert (code, said) == (0, f"Writes now: {run_id}\n")
    assert (await site.call("traces", "stop", "00000000-0000-4000-8000-000000000000"))[0] == 14
    process.send_signal(signal.SIGKILL)
    await process.wait()
    site.fast()
    assert (await site.call("traces", "resume", run_id, "--quiet"))[0] == 0
    _, told, _ = await site.call("traces", "tail", run_id, "--json")
    last = json.loads(told.splitlines()[-1])["event"]
    assert (last["type"], last["stop_reason"]) == ("run_completed", "user_stop")


@pytest.mark.slow
async def test_to_stop_waiting_for_a_resumed_run_cancels_it(site: Site) -> None:
    process = await site.under_way()
    run_id = await site.run_id()
    process.send_signal(signal.SIGKILL)
    await process.wait()
    asked = len(site.server.asked)
    process = await site.start("traces", "resume", run_id)
    async with asyncio.timeout(60):
        while len(site.server.asked) == asked:  # noqa: ASYNC110 - the server is not ours to change
            await asyncio.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    told = (await process.communicate())[1].decode()
    assert told.endswith("Interrupted.\n")
    assert f"deepcritical traces resume {run_id}" in told
    assert process.returncode == 130
    shown = json.loads((await site.call("traces", "show", run_id, "--json"))[1])
    assert shown["status"] == "cancelled"


@pytest.mark.slow
async def test_to_stop_following_a_run_of_another_process_leaves_it_alone(site: Site) -> None:
    process = await site.under_way()
    run_id = await site.run_id()
    follower = await site.start("traces", "resume", run_id)
    assert follower.stderr is not None
    said = [await follower.stderr.readline() for _ in range(2)]
    assert b"under way in another process" in said[0]
    assert b"Question" in said[1]
    follower.send_signal(signal.SIGINT)
    assert b"goes on in its own process" in (await follower.communicate())[1]
    assert follower.returncode == 130
    site.fast()
    shown = json.loads((await site.call("traces", "show", run_id, "--json"))[1])
    assert shown["status"] == "in_progress"
    process.send_signal(signal.SIGTERM)  # its own process still cancels it
    assert await process.wait() == 130


async def test_a_run_of_an_older_version_cannot_be_told_to_write(site: Site) -> None:
    kept = ToolTraceService(Database(normalised_url(site.settings["DATABASE_URL"])))
    run_id = (await kept.create_trace("research", {"question": QUESTION})).id
    await kept.close()
    code, _, err = await site.call("traces", "stop", run_id)
    assert code == 11
    assert "Cancel it" in err
    assert (await site.call("traces", "cancel", run_id))[0] == 0
