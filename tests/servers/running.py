"""Runs an ASGI app on a free port of loopback, within the loop of the test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from starlette.types import ASGIApp


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[str]:
    """Serve an app for as long as the block lasts.

    Yields:
        The base URL, such as ``http://127.0.0.1:45678/``.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            await task
            await let_go(server)


async def let_go(server: uvicorn.Server) -> None:
    """Close the connections that arrived while a server stopped, of clients that were cancelled.

    A server ends those that it has when it is told to stop, and accepts what the system had
    already taken up; what it leaves would be found by a later test.
    """
    for late in list(server.server_state.connections):
        late.shutdown()
    await asyncio.sleep(0)
