"""Serves the MCP tools: over streamable HTTP in the one application, or over stdin and stdout."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deepcritical.interfaces.access import Access
from deepcritical.interfaces.guard import MAX_BODY_BYTES
from deepcritical.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from deepcritical.bootstrap import Lookups
    from deepcritical.jobs.runs import RunService
    from deepcritical.toolset.similar_runs import SimilarRuns

PATH = "/mcp"
_MAX_SESSIONS = 1000


class Mounted(NamedTuple):
    """The parts that the application mounts."""

    route: Route
    running: AbstractAsyncContextManager[None]
    """Must be entered for as long as the application answers."""


def over_http(
    runs: RunService,
    lookups: Lookups,
    access: Access,
    hosts: Sequence[str] | None,
    similar: SimilarRuns,
) -> Mounted:
    """The tools at `PATH`.

    Asked under the names of `hosts`, and by their pages; None takes any.
    """
    manager = StreamableHTTPSessionManager(
        build_server(runs, lookups, access, similar),
        security_settings=_security(hosts),
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=_MAX_SESSIONS,
    )
    return Mounted(Route(PATH, _Counted(StreamableHTTPASGIApp(manager), access)), manager.run())


class _Counted:
    """Counts the sessions that an address begins: answers with the id of one to a request without.

    Clients of newer versions of the protocol have none.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = Request(scope)
        if MCP_SESSION_ID_HEADER in asked.headers:
            await self._app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            begins = message["type"] == "http.response.start"
            if begins and MCP_SESSION_ID_HEADER in Headers(raw=message["headers"]):
                self._access.count_session(asked)
            await send(message)

        self._access.check_sessions(asked)
        await self._app(scope, receive, counted)


def _security(hosts: Sequence[str] | None) -> TransportSecuritySettings:
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [form for host in hosts for form in (host, f"{host}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    return TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins)


def serve_stdio(runs: RunService, lookups: Lookups, similar: SimilarRuns) -> None:
    """Answer the client that started this process, which is the local user.

    Nothing but the protocol goes to stdout; logs go to stderr.
    """
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(_serve(build_server(runs, lookups, None, similar), runs))


async def _serve(server: Server[Any], runs: RunService) -> None:
    _close_on_signals(runs)
    beginning = [
        asyncio.create_task(work) for work in (runs.warm_up(), runs.start_engine_when_ready())
    ]
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        for task in beginning:
            task.cancel()
        await runs.close()


def _close_on_signals(runs: RunService) -> None:
    """Let runs be handed over before a signal ends the process, whose stdin is being read."""
    loop = asyncio.get_running_loop()
    closing: set[asyncio.Task[None]] = set()

    async def close(signum: int) -> None:
        signal.signal(signum, signal.SIG_DFL)
        await runs.close()
        os.kill(os.getpid(), signum)

    def begin(signum: int) -> None:
        loop.remove_signal_handler(signum)
        closing.add(loop.create_task(close(signum)))

    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(signum, begin, signum)
