"""One application on one port: the page at ``/``, its data under ``/api``, tools at ``/mcp``."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import FrameType

import gradio as gr
import typer
import uvicorn
from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from deepcritical.bootstrap import Lookups
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.api import routes
from deepcritical.interfaces.gradio_app import HEAD, THEME, build_page
from deepcritical.interfaces.guard import Guard
from deepcritical.interfaces.mcp.http import over_http
from deepcritical.jobs.runs import RunService

__all__ = ["create_app", "serve_page"]

LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
SHUTDOWN_S = 2
"""Seconds that open streams get when the server is stopped."""


def create_app(
    runs: RunService,
    lookups: Lookups,
    *,
    host: str,
    name: str = "",
    access: Access | None = None,
) -> FastAPI:
    """The whole application.

    Args:
        runs: Runs the questions.
        lookups: Searches and finds records outside of runs.
        host: The IP address that it will be bound to; on loopback only requests to loopback names
            are answered, so that no other site can reach it through a name of its own.
        name: A further name under which it is asked.
        access: Says who may start and stop runs; by default everybody, as the local user.
    """
    own = sorted({*LOOPBACK_NAMES, host, *filter(None, [name])})
    hosts = own if _is_loopback(host) else None
    tools = over_http(runs, lookups, access or Access(), hosts)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with tools.running, asyncio.TaskGroup() as tasks:
            warming = tasks.create_task(runs.warm_up())
            yield
            warming.cancel()
            await runs.close()

    app = FastAPI(title="DeepCritical", lifespan=lifespan, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts or ["*"])
    app.add_middleware(Guard)
    app.include_router(routes(runs))  # before the page, which answers every other path
    app.router.routes.append(tools.route)
    mounted: FastAPI = gr.mount_gradio_app(
        app,
        build_page(runs),
        path="",
        theme=THEME,
        head=HEAD,
        run_history=False,
        ssr_mode=False,
        show_error=False,
        mcp_server=False,
        footer_links=[],
    )
    return mounted


def serve_page(
    runs: RunService,
    lookups: Lookups,
    listening: socket.socket,
    *,
    name: str = "",
    access: Access | None = None,
) -> None:
    """Answer requests at a bound socket until the process is stopped, which stops its runs.

    Args:
        runs: Runs the questions.
        lookups: Searches and finds records outside of runs.
        listening: Where requests arrive.
        name: The host name that was bound, if it was given as a name.
        access: As for `create_app`.
    """
    logging.basicConfig(level=logging.WARNING)
    host, port, *_ = listening.getsockname()
    app = create_app(runs, lookups, host=host, name=name, access=access)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=SHUTDOWN_S)
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"DeepCritical is at http://{shown}:{port} (Ctrl-C ends it)")
    _Server(config, runs).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Ends the runs when it is told to end: their last event then ends the open streams."""

    def __init__(self, config: uvicorn.Config, runs: RunService) -> None:
        super().__init__(config)
        self._runs = runs

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the first signal and by every further one."""
        self._runs.cancel_all()
        super().handle_exit(sig, frame)


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback
