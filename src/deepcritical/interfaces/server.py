"""Assembles the application and serves it: the page, REST under ``/api``, tools at ``/mcp``."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from types import FrameType
from typing import NamedTuple
from urllib.parse import urlsplit

import gradio as gr
import typer
import uvicorn
from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from deepcritical.bootstrap import ChatService, Lookups
from deepcritical.interfaces import shared_pages
from deepcritical.interfaces.access import Access, Mode, is_loopback
from deepcritical.interfaces.guard import MOST_OPEN, MOST_OPEN_LOCAL, Crowd, Guard, PageGate
from deepcritical.interfaces.mcp.transports import over_http
from deepcritical.interfaces.page import views
from deepcritical.interfaces.page.layout import Document, build_page
from deepcritical.interfaces.page.parts import THEME
from deepcritical.interfaces.problems import add_handlers
from deepcritical.interfaces.rest.api import build_api
from deepcritical.jobs.runs import RunService
from deepcritical.toolset.similar_runs import SimilarRuns

SHUTDOWN_S = 2
"""Seconds that open streams get when the server is stopped."""


def create_app(served: Served, host: str, names: Sequence[str] = ()) -> FastAPI:
    """The whole application; see `build_site`."""
    # The page last, for it answers every other path.
    page = build_page(served.runs, served.access, served.similar)
    mounted: FastAPI = gr.mount_gradio_app(
        build_site(served, host, names, page),
        page,
        path="",
        theme=THEME,
        run_history=False,
        ssr_mode=False,
        show_error=False,
        mcp_server=False,
        footer_links=[],
    )
    return mounted


def serve_page(
    served: Served, listening: socket.socket, proxies: str | None = None, names: Sequence[str] = ()
) -> None:
    """Answer requests at a bound socket until the process is stopped.

    Its runs then wait for the next process. `proxies` are believed for whom they ask, see
    `Settings.proxies`; `names` are as of `build_site`.
    """
    logging.basicConfig(level=logging.WARNING)
    # While a run calculates, the loop and every statement to the database wait for their turn. By
    # default that takes 5 ms each time: with twenty runs, events come seconds late.
    sys.setswitchinterval(0.001)
    host, port, *_ = listening.getsockname()
    config = _config(create_app(served, host, names), proxies)
    logging.getLogger("uvicorn.error").addFilter(_is_worth_saying)
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"DeepCritical is at http://{shown}:{port} (Ctrl-C ends it)")
    _Server(config, served.runs).run(sockets=[listening])


def _config(app: FastAPI, proxies: str | None) -> uvicorn.Config:
    # With "on" a server whose start fails ends; by default it would answer half prepared.
    return uvicorn.Config(
        app,
        lifespan="on",
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_S,
        # By default loopback is believed, so that anybody on this machine could be anybody.
        proxy_headers=proxies is not None,
        forwarded_allow_ips=proxies or "",
    )


def _is_worth_saying(record: logging.LogRecord) -> bool:
    """False for what a server says of streams that it cuts when it ends: an open page has one."""
    error = record.exc_info[1] if record.exc_info else None
    return not (isinstance(error, asyncio.CancelledError) or "Cancel %s running" in str(record.msg))


class _Server(uvicorn.Server):
    """Lets its runs go when it is told to end, which ends the open streams."""

    def __init__(self, config: uvicorn.Config, runs: RunService) -> None:
        super().__init__(config)
        self._runs = runs

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the first signal and by every further one."""
        self._runs.cancel_all()
        super().handle_exit(sig, frame)


Opening = AbstractAsyncContextManager[ChatService]
"""Chats that are there while the context lasts."""
LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
THREADS = 32
"""Threads for what blocks: files, the database, renderers. By default a small machine has six."""


class Served(NamedTuple):
    """The services that the application answers with."""

    runs: RunService
    access: Access
    lookups: Lookups
    similar: SimilarRuns
    """Finds former runs of similar questions."""
    chats: Opening
    """Opens the chats for as long as the application answers."""


def build_site(
    served: Served, host: str, names: Sequence[str] = (), page: gr.Blocks | None = None
) -> FastAPI:
    """The application without the page.

    Args:
        served: What it answers with.
        host: The IP address that it will be bound to; on loopback only requests to loopback names
            are answered, so that no other site can reach it through a name of its own.
        names: Further names under which it is asked; pages at one that is an address are its own.
        page: The page that will be mounted, if any.
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
    if page is not None:
        app.add_middleware(Document, page=page)
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
    if access.sign_in:
        access.sign_in.join(app)
    most = MOST_OPEN_LOCAL if access.mode is Mode.LOCAL else MOST_OPEN
    app.add_middleware(Crowd, most=most)
    known = map(urlsplit, names)
    own = frozenset(f"{name.scheme}://{name.netloc}" for name in known if name.netloc)
    app.add_middleware(Guard, own=own)


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
        beginning = [
            tasks.create_task(work)
            for work in (_warm_up(runs, api), runs.start_engine_when_ready())
        ]
        yield
        for task in beginning:
            task.cancel()
        await runs.close()
