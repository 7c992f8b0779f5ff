"""Time until a run stops that another process cancels: from the command to its acknowledgement.

The run waits in a judgement; the second process is one that asks again and again, so that the start
of a command is not part of it.

Usage: `python -m benchmarks.stopping [TIMES]`
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

from deepcritical.jobs import requests
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.databases import build_durable
from tests.integration.doubles import Interrupted

TIMES = 20


class Waiting:
    """A judgement that waits until it is stopped, and when that was."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.stopped_at = 0.0
        self.reasoner = Interrupted("generate_queries", self._wait)

    async def _wait(self, _call: int) -> None:
        self.reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped_at = time.monotonic()


def other_process(url: str, pipe: Connection) -> None:
    """Cancel each run that is named, and say when it was asked for and acknowledged."""

    async def answer() -> None:
        traces = ToolTraceService(Database(url))
        await traces.list_traces()
        while run_id := pipe.recv():
            asked = time.monotonic()
            await requests.cancel(traces, JobBoard(traces.database), run_id)
            pipe.send((asked, time.monotonic()))
        await traces.close()

    asyncio.run(answer())


async def main(times: int) -> None:
    """Stop runs, one after another, and print."""
    with tempfile.TemporaryDirectory() as folder:
        url = normalised_url(f"sqlite:///{Path(folder) / 'runs.sqlite'}")
        kept = ToolTraceService(Database(url))
        waiting = Waiting()
        source = snapshot(Path(folder) / "made.jsonl", paper(1))
        runs = run_service(source, waiting.reasoner, kept, build_durable(kept))
        here, there = get_context("spawn").Pipe()
        process = get_context("spawn").Process(target=other_process, args=(url, there))
        process.start()
        told, stopped = [], []
        for _ in range(times):
            waiting.reached.clear()
            run = runs.submit(QUESTION)
            await waiting.reached.wait()
            here.send(run.run_id)
            asked, told_at = await asyncio.to_thread(here.recv)
            told.append(told_at - asked)
            stopped.append(waiting.stopped_at - asked)
        here.send("")
        await asyncio.to_thread(process.join)
        await runs.close()
    print(f"stopped       median {median(stopped):.2f} s, most {max(stopped):.2f} s")
    print(f"acknowledged  median {median(told):.2f} s, most {max(told):.2f} s")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else TIMES))
