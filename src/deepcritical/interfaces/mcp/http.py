"""The tools by streamable HTTP, as a part of the one application."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.routing import Route

from deepcritical.interfaces.access import Access, Caller
from deepcritical.interfaces.guard import MAX_BODY_BYTES
from deepcritical.interfaces.mcp.server import build_server
from deepcritical.interfaces.mcp.tool import Needs

if TYPE_CHECKING:
    from deepcritical.bootstrap import Lookups
    from deepcritical.jobs.runs import RunService
    from deepcritical.jobs.similar_runs import SimilarRuns

__all__ = ["PATH", "Mounted", "over_http"]

PATH = "/mcp"
_MAX_SESSIONS = 1000


class Mounted(NamedTuple):
    """What the application takes up."""

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

    Args:
        runs: Runs the questions.
        lookups: Searches and finds records.
        access: Says who may start and stop runs.
        hosts: The names under which the server is asked, and whose pages may ask; None for any.
        similar: Finds former runs of similar questions; without it none are found.
    """
    manager = StreamableHTTPSessionManager(
        build_server(runs, lookups, partial(_caller, access), similar),
        security_settings=_security(hosts),
        max_request_body_size=MAX_BODY_BYTES,
        max_sessions=_MAX_SESSIONS,
    )
    return Mounted(Route(PATH, StreamableHTTPASGIApp(manager)), manager.run())


def _caller(access: Access, request: Request | None, needs: Needs) -> Caller:
    if request is None:
        raise ValueError("the transport gave a call without its request")
    if needs is Needs.READ:
        return Caller("", "")
    caller = access.identify(request)
    if needs is Needs.WORK:
        access.admit_heavy(request)
    if needs is Needs.START:
        access.admit_run(caller)
    return caller


def _security(hosts: Sequence[str] | None) -> TransportSecuritySettings:
    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [form for host in hosts for form in (host, f"{host}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    return TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins)
