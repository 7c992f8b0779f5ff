"""Serves the MCP tools over streamable HTTP, within the one application."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, NamedTuple

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
    similar: SimilarRuns | None = None,
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
