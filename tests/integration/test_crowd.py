"""Limits of one address on a server: requests that are open at once, and sessions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from deepcritical.bootstrap import Lookups
from deepcritical.interfaces.access import SESSIONS_PER_HALF_HOUR, Access, Mode
from deepcritical.interfaces.guard import Crowd
from deepcritical.interfaces.mcp.transports import over_http
from deepcritical.interfaces.problems import add_handlers
from deepcritical.settings import Settings
from tests.conftest import none_similar, paper, run_service, snapshot
from tests.servers.running import running

ACCEPTS = {"Accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "made-up", "version": "1"},
    },
}


async def test_an_address_has_no_more_requests_open_than_it_may() -> None:
    gate, both = asyncio.Event(), asyncio.Barrier(3)

    async def wait(_request: Request) -> PlainTextResponse:
        if not gate.is_set():
            await both.wait()
        await gate.wait()
        return PlainTextResponse("answered")

    app = Starlette(routes=[Route("/", wait)], middleware=[Middleware(Crowd, most=2)])
    async with running(app) as url, httpx.AsyncClient(trust_env=False) as client:
        waiting = [asyncio.create_task(client.get(url)) for _ in range(2)]
        await both.wait()
        refused = await client.get(url)
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "10"
        assert "Close some" in refused.json()["advice"]
        gate.set()
        assert [(await answer).text for answer in waiting] == ["answered"] * 2
        assert (await client.get(url)).status_code == 200


@pytest.mark.slow
async def test_an_address_beyond_loopback_begins_no_more_sessions_than_it_may(
    tmp_path: Path,
) -> None:
    runs = run_service(snapshot(tmp_path / "records.jsonl", paper(1)))
    lookups, similar = Lookups(Settings()), none_similar(runs)
    for mode, last in ((Mode.PUBLIC, 429), (Mode.LOCAL, 200)):
        tools = await asyncio.to_thread(over_http, runs, lookups, Access(mode), None, similar)
        app = FastAPI()
        add_handlers(app)
        app.router.routes.append(tools.route)
        async with tools.running, running(app) as url, httpx.AsyncClient(trust_env=False) as client:
            asked = [
                await client.post(f"{url}mcp", json=HELLO, headers=ACCEPTS)
                for _ in range(SESSIONS_PER_HALF_HOUR + 1)
            ]
        assert {answer.status_code for answer in asked[:-1]} == {200}
        assert asked[-1].status_code == last
    await runs.close()
