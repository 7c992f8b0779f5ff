"""Runs an ASGI app on a free port of loopback, within the loop of the test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

END_S = 0.1
"""Seconds that an answer which is under way is given at the end; who waited for it has gone."""


class _Server(uvicorn.Server):
    """Ends as soon as it is told to; the library looks ten times a second, and then waits."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.told_to_end = asyncio.Event()

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.told_to_end.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        if answering := list(self.server_state.tasks):
            _, late = await asyncio.wait(answering, timeout=END_S)
            for task in late:
                task.cancel()
            await asyncio.sleep(0)
        for server in self.servers:
            await server.wait_closed()
        await self.lifespan.shutdown()


@asynccontextmanager
async def running(
    app: ASGIApp, host: str = "127.0.0.1", lifespan: Literal["on", "off"] = "off"
) -> AsyncIterator[str]:
    """Serve an app for as long as the block lasts.

    Yields:
        The base URL, such as ``http://127.0.0.1:45678/``.
    """
    with socket.create_server((host, 0)) as listening:
        server = _Server(uvicorn.Config(app, log_level="critical", lifespan=lifespan))
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.told_to_end.set()
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
