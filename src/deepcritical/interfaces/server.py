"""One application on one port: the page at ``/``, what it fetches under ``/api``."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import gradio as gr
import typer
import uvicorn
from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deepcritical.interfaces.api import routes
from deepcritical.interfaces.gradio_app import HEAD, THEME, build_page
from deepcritical.jobs.runs import RunService

__all__ = ["create_app", "serve_page"]

LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
SECURITY_HEADERS = {
    # The page's framework evaluates templates in the browser; everything else is our own.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
        "connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
        "form-action 'self'; frame-ancestors 'self' https://huggingface.co"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
SHUTDOWN_S = 2
"""Seconds that open streams get when the server is stopped."""


def create_app(runs: RunService, *, host: str) -> FastAPI:
    """The whole application.

    Args:
        runs: Runs the questions.
        host: The IP address that it will be bound to; on loopback only requests to loopback names
            are answered, so that no other site can reach it through a name of its own.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as tasks:
            warming = tasks.create_task(runs.warm_up())
            yield
            warming.cancel()

    app = FastAPI(title="DeepCritical", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(
        TrustedHostMiddleware, allowed_hosts=LOOPBACK_NAMES if _is_loopback(host) else ["*"]
    )
    app.add_middleware(_SecurityHeaders)
    app.include_router(routes(runs))  # before the page, which answers every other path
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


def serve_page(runs: RunService, listening: socket.socket) -> None:
    """Answer requests at a bound socket until the process is stopped."""
    logging.basicConfig(level=logging.WARNING)
    host, port, *_ = listening.getsockname()
    config = uvicorn.Config(
        create_app(runs, host=host), log_level="warning", timeout_graceful_shutdown=SHUTDOWN_S
    )
    shown = f"[{host}]" if ":" in host else host
    typer.echo(f"DeepCritical is at http://{shown}:{port} (Ctrl-C ends it)")
    uvicorn.Server(config).run(sockets=[listening])


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


class _SecurityHeaders:
    """Adds `SECURITY_HEADERS` to every answer that does not bring its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, secured)
