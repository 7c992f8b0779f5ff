"""A server that answers as it is told to, and clients of it over each network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import anysqlite
import httpx
import pytest
from hishel import AsyncSqliteStorage
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from deepcritical.domain.errors import SearchError
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import RequestsTransport
from deepcritical.tools.rate_limiter import new_limiter
from tests.servers.faults import Faults
from tests.servers.running import running

Make = Callable[..., SourceClient]
NETWORKS: dict[str, Callable[[], httpx.AsyncBaseTransport]] = {
    "httpx": httpx.AsyncHTTPTransport,
    "requests": RequestsTransport,
}


class Server:
    """Answers with what it is told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.status = 200
        self.body = b'{"answer": 1}'
        self.headers = {"content-type": "application/json"}
        self.asked: list[Request] = []
        self.bodies: list[bytes] = []
        app = Starlette(
            routes=[
                Route("/api/moved", lambda _: RedirectResponse("/api/data")),
                Route("/api/data", self._answer, methods=["GET", "POST"]),
            ]
        )
        self.faults = Faults(app)

    async def _answer(self, request: Request) -> Response:
        self.asked.append(request)
        self.bodies.append(await request.body())
        return Response(self.body, self.status, self.headers)


async def storage_at(path: Path) -> AsyncSqliteStorage:
    """A cache; left to itself, it would make the folder of its file on the event loop."""
    return AsyncSqliteStorage(connection=await anysqlite.connect(str(path), isolation_level=None))


def refuse(_body: bytes) -> None:
    """A check that lets nothing through."""
    raise SearchError("made-up refusal")


class OverHTTP:
    """The fixtures of tests over both networks."""

    @pytest.fixture
    def server(self) -> Server:
        return Server()

    @pytest.fixture
    async def url(self, server: Server) -> AsyncIterator[str]:
        async with running(server.faults) as base:
            yield f"{base}api"

    @pytest.fixture(params=NETWORKS)
    async def make(self, request: pytest.FixtureRequest, url: str) -> AsyncIterator[Make]:
        """Makes clients of the server, and closes them in the end."""
        made: list[SourceClient] = []

        def client(**options: Any) -> SourceClient:
            options = {
                "limiter": new_limiter(1000),
                "network": NETWORKS[request.param](),
                "timeout_s": 5.0,
                "wait_s": 0.01,
                **options,
            }
            made.append(SourceClient("Made Up", url, **options))
            return made[-1]

        yield client
        for one in made:
            await one.aclose()

    @pytest.fixture
    async def storage(self, tmp_path: Path) -> AsyncIterator[AsyncSqliteStorage]:
        kept = await storage_at(tmp_path / "cache.db")
        yield kept
        await kept.close()
