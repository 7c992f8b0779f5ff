"""The application under the page: its guards, the REST API under ``/api``, tools at ``/mcp``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from deepcritical.bootstrap import Lookups
from deepcritical.domain.errors import StorageError
from deepcritical.interfaces.access import Access, is_loopback
from deepcritical.interfaces.api import build_api
from deepcritical.interfaces.guard import Guard, PageGate
from deepcritical.interfaces.mcp.http import over_http
from deepcritical.interfaces.problems import add_handlers
from deepcritical.jobs.engine import EngineBusyError
from deepcritical.jobs.runs import RunService

__all__ = ["build_site"]

_LOG = logging.getLogger(__name__)

LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
THREADS = 32
"""Threads for what blocks: files, the database, renderers. By default a small machine has six."""


def build_site(
    runs: RunService, access: Access, lookups: Lookups, *, host: str, name: str = ""
) -> FastAPI:
    """The application without the page.

    Args:
        runs: Runs the questions.
        access: Who may start, stop and list runs.
        lookups: Searches and finds records outside of runs.
        host: The IP address that it will be bound to; on loopback only requests to loopback names
            are answered, so that no other site can reach it through a name of its own.
        name: A further name under which it is asked.
    """
    own = sorted({*LOOPBACK_NAMES, host, *filter(None, [name])})
    hosts = own if is_loopback(host) else None
    tools = over_http(runs, lookups, access, hosts)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "blocking"))
        async with tools.running, asyncio.TaskGroup() as tasks:
            beginning = [tasks.create_task(work) for work in (runs.warm_up(), _tended(runs))]
            yield
            for task in beginning:
                task.cancel()
            await runs.close()

    app = FastAPI(title="DeepCritical", lifespan=lifespan, openapi_url=None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts or ["*"])
    app.add_middleware(PageGate, access=access)
    app.add_middleware(Guard)
    add_handlers(app)
    app.mount("/api", build_api(runs, access))
    app.router.routes.append(tools.route)
    return app


async def _tended(runs: RunService) -> None:
    """Go on with what former processes left; a database that is away ends no server."""
    try:
        await runs.tend()
    except (StorageError, EngineBusyError) as error:
        _LOG.warning("runs that were left are not gone on with: %s", error)
