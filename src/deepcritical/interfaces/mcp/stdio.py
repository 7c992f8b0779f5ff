"""Serves the MCP tools to one client over stdin and stdout, until stdin ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from typing import TYPE_CHECKING, Any

from mcp.server import Server
from mcp.server.stdio import stdio_server

from deepcritical.interfaces.mcp.server import build_server

if TYPE_CHECKING:
    from deepcritical.bootstrap import Lookups
    from deepcritical.jobs.runs import RunService
    from deepcritical.toolset.similar_runs import SimilarRuns


def serve_stdio(runs: RunService, lookups: Lookups, similar: SimilarRuns | None = None) -> None:
    """Answer the client that started this process, which is the local user.

    Nothing but the protocol goes to stdout; logs go to stderr.
    """
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(_serve(build_server(runs, lookups, None, similar), runs))


async def _serve(server: Server[Any], runs: RunService) -> None:
    _close_on_signals(runs)
    beginning = [asyncio.create_task(work) for work in (runs.warm_up(), runs.keep_tending())]
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
