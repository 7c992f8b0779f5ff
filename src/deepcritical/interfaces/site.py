"""Assembles the application under the page: middleware, REST API and MCP tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from deepcritical.bootstrap import ChatService, Lookups
from deepcritical.interfaces import shared_pages
from deepcritical.interfaces.access import Access, Mode, is_loopback
from deepcritical.interfaces.guard import MOST_OPEN, MOST_OPEN_LOCAL, Crowd, Guard, PageGate
from deepcritical.interfaces.mcp.transports import over_http
from deepcritical.interfaces.page import views
from deepcritical.interfaces.problems import add_handlers
from deepcritical.interfaces.rest.api import build_api
from deepcritical.jobs.runs import RunService
from deepcritical.toolset.similar_runs import SimilarRuns

Opening = AbstractAsyncContextManager[ChatService | None]
"""Chats that are there while the context lasts."""
LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
THREADS = 32
"""Threads for what blocks: files, the database, renderers. By default a small machine has six."""


class Served(NamedTuple):
    """The services that the application answers with."""

    runs: RunService
    access: Access
    lookups: Lookups
    similar: SimilarRuns | None = None
    """Finds former runs of similar questions; without it none are found."""
    chats: Opening = nullcontext()
    """Opens the chats for as long as the application answers; by default there are none."""


def build_site(served: Served, host: str, names: Sequence[str] = ()) -> FastAPI:
    """The application without the page.

    Args:
        served: What it answers with.
        host: The IP address that it will be bound to; on loopback only requests to loopback names
            are answered, so that no other site can reach it through a name of its own.
        names: Further names under which it is asked; pages at one that is an address are its own.
    """
    runs, access, lookups, similar, chats = served
    own = sorted(
        {*LOOPBACK_NAMES, host, *(urlsplit(n).hostname or "" if "://" in n else n for n in names)}
        - {""}
    )
    hosts = own if is_loopback(host) else None
    tools = over_http(runs, lookups, access, hosts, similar)
    api = build_api(runs, access, similar)
    api.include_router(views.router)
    app = FastAPI(
        title="DeepCritical",
        lifespan=partial(_lifespan, runs, tools.running, chats, api),
        openapi_url=None,
    )
    _guard(app, access, hosts, names)
    add_handlers(app)
    app.state.runs, app.state.access = runs, access
    app.include_router(shared_pages.router)
    app.mount("/api", api)
    app.router.routes.append(tools.route)
    return app


def _guard(app: FastAPI, access: Access, hosts: list[str] | None, names: Sequence[str]) -> None:
    """Put what every request passes around the application, the innermost first."""
    # Streams of events are left as they are.
    app.add_middleware(GZipMiddleware, compresslevel=6)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts or ["*"])
    app.add_middleware(PageGate, access=access)
    most = MOST_OPEN_LOCAL if access.mode is Mode.LOCAL else MOST_OPEN
    app.add_middleware(Crowd, most=most)
    app.add_middleware(Guard, own=frozenset(urlsplit(name).netloc for name in names))


async def _warm_up(runs: RunService, api: FastAPI) -> None:
    await runs.warm_up()
    api.state.research = "ready"


@asynccontextmanager
async def _lifespan(
    runs: RunService,
    tools: AbstractAsyncContextManager[None],
    chats: Opening,
    api: FastAPI,
    _app: FastAPI,
) -> AsyncIterator[None]:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "blocking"))
    async with tools, chats as api.state.chats, asyncio.TaskGroup() as tasks:
        beginning = [tasks.create_task(work) for work in (_warm_up(runs, api), runs.keep_tending())]
        yield
        for task in beginning:
            task.cancel()
        await runs.close()
