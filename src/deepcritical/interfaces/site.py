"""The application under the page: its guards, and the REST API under ``/api``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from deepcritical.interfaces.access import Access, is_loopback
from deepcritical.interfaces.api import build_api
from deepcritical.interfaces.guard import Guard, PageGate
from deepcritical.interfaces.problems import add_handlers
from deepcritical.jobs.runs import RunService

__all__ = ["build_site"]

LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"]
THREADS = 32
"""Threads for what blocks: files, the database, renderers. By default a small machine has six."""


def build_site(runs: RunService, access: Access, *, host: str, name: str = "") -> FastAPI:
    """The application without the page.

    Args:
        runs: Runs the questions.
        access: Who may start, stop and list runs.
        host: The IP address that it will be bound to; on loopback only requests to loopback names
            are answered, so that no other site can reach it through a name of its own.
        name: A further name under which it is asked.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, "blocking"))
        async with asyncio.TaskGroup() as tasks:
            warming = tasks.create_task(runs.warm_up())
            yield
            warming.cancel()
            await runs.close()

    app = FastAPI(title="DeepCritical", lifespan=lifespan, openapi_url=None)
    own = {*LOOPBACK_NAMES, host, *filter(None, [name])}
    app.add_middleware(
        TrustedHostMiddleware, allowed_hosts=sorted(own) if is_loopback(host) else ["*"]
    )
    app.add_middleware(PageGate, access=access)
    app.add_middleware(Guard)
    add_handlers(app)
    app.mount("/api", build_api(runs, access))
    return app
