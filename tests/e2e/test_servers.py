"""Two servers on one database: they stop each other's runs, and hand theirs over when they end."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
import sqlalchemy as sa

from tests.conftest import QUESTION
from tests.e2e.test_stopping import COMMAND
from tests.integration.modelled import records
from tests.integration.test_rest_access import Hanging
from tests.own_postgres import own_server, programs
from tests.servers.running import running

ASKED = {"tool": "research", "question": QUESTION}
WAIT_S = 90.0
SOON_S = 30.0
"""On a busy machine, and far less than the model may take; how soon it really is,
benchmarks/stopping.py measures."""


class Server(NamedTuple):
    """A server that runs, and a client of it."""

    process: Process
    client: httpx.AsyncClient

    async def begun(self, model: Hanging) -> str:
        """The path of a run that waits for its model."""
        model.asked.clear()
        at = (await self.client.post("/api/runs", json=ASKED)).headers["location"]
        async with asyncio.timeout(WAIT_S):
            await model.asked.wait()
        return str(at)

    async def status(self, at: str) -> str:
        return str((await self.client.get(at)).json()["status"])


@asynccontextmanager
async def server(settings: dict[str, str]) -> AsyncIterator[Server]:
    command = (COMMAND, "serve", "--port", "0")
    process = await asyncio.create_subprocess_exec(
        *command, env=os.environ | settings, stdout=PIPE, stderr=STDOUT
    )
    try:
        async with asyncio.timeout(WAIT_S):
            address = await _address(process)
        async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=WAIT_S) as client:
            yield Server(process, client)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def _address(process: Process) -> str:
    assert process.stdout is not None
    async for line in process.stdout:
        if found := re.search(rb"http://\S+:\d+", line):
            return found.group().decode()
    raise AssertionError("the server ended")


@pytest.mark.slow
async def test_runs_are_stopped_by_either_server_and_outlive_theirs(
    url: str, tmp_path: Path
) -> None:
    model = Hanging()
    async with running(model) as model_url:
        settings = {
            "DATABASE_URL": url,
            "DEEPCRITICAL_SNAPSHOT": str(records(tmp_path)),
            "DEEPCRITICAL_MODEL": "openai-chat:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"{model_url}v1",
            "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
            "DEEPCRITICAL_MODEL_TIMEOUT_S": "300",
            "DEEPCRITICAL_DEADLINE_S": "900",
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
        }
        async with server(settings) as one:
            # The other server, were it there, might be the one that begins with them.
            stopped, left = [await one.begun(model) for _ in range(2)]
            async with server(settings) as other:
                await _is_cancelled(stopped, one, other, model)
                await _goes_on(left, one, other, model)
                other.process.send_signal(signal.SIGINT)
                async with asyncio.timeout(WAIT_S):
                    assert await other.process.wait() == 130
                    await _waiting(model, 0)


async def _is_cancelled(at: str, one: Server, other: Server, model: Hanging) -> None:
    """A run of one server, by the other."""
    async with asyncio.timeout(SOON_S):
        assert (await other.client.post(f"{at}/cancel")).status_code == 202
        await _waiting(model, 1)
    async with asyncio.timeout(WAIT_S):
        # Which of them shows it first is open.
        while [await each.status(at) for each in (one, other)] != ["cancelled"] * 2:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def _goes_on(at: str, one: Server, other: Server, model: Hanging) -> None:
    """A run of one server, which ends, in the other."""
    model.asked.clear()
    one.process.send_signal(signal.SIGTERM)
    async with asyncio.timeout(WAIT_S):
        assert await one.process.wait() == -signal.SIGTERM
        await model.asked.wait()
    assert await other.status(at) == "in_progress"


async def _waiting(model: Hanging, runs: int) -> None:
    while model.waiting != runs:  # noqa: ASYNC110 - it is told of each, and not of their number
        await asyncio.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif(programs() is None, reason="PostgreSQL's initdb and pg_ctl are not installed")
@pytest.mark.parametrize("command", ["serve", "worker"])
async def test_a_process_ends_soon_though_its_database_is_away(command: str) -> None:
    with own_server() as postgres:
        settings = {
            "DATABASE_URL": postgres.url,
            "DEEPCRITICAL_SNAPSHOT": "demo",
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
        }
        options = ("--port", "0") if command == "serve" else ()
        process = await asyncio.create_subprocess_exec(
            *(COMMAND, command, *options), env=os.environ | settings, stdout=PIPE, stderr=STDOUT
        )
        assert process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            assert re.search(rb"DeepCritical is at|This worker", await process.stdout.readline())
            await asyncio.to_thread(_conducts, postgres.url)
        await asyncio.to_thread(postgres.stop)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(8):  # what waits for the threads of the engine takes ten
            said, _ = await process.communicate()
        assert process.returncode == (-signal.SIGTERM if command == "serve" else 0)
        assert b"Traceback" not in said
        await asyncio.to_thread(postgres.start)


def _conducts(url: str) -> None:
    """Wait until a worker has given a sign of life, which it does when its engine runs."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        while not sa.inspect(connection).has_table("workers") or not connection.scalar(
            sa.text("SELECT count(*) FROM workers")
        ):
            connection.rollback()
            time.sleep(0.05)
    engine.dispose()
