"""Services with durable runs on one database, and how to wait for what they do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.reasoning.base import Reasoner
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import run_service
from tests.databases import build_durable
from tests.integration.doubles import Interrupted

SOON_S = 60.0
"""On a busy machine; how soon it really is, benchmarks/stopping.py measures."""


class Services:
    """Makes services on one database and one source, and closes them when a test fails, too."""

    def __init__(self, url: str, source: Path) -> None:
        self.url = url
        self.source = source
        self.made: list[RunService] = []

    def __call__(self, reasoner: Reasoner | None = None, **more: Any) -> RunService:
        kept = ToolTraceService(Database(self.url))
        self.made.append(run_service(self.source, reasoner, kept, build_durable(kept, **more)))
        return self.made[-1]


async def status(traces: ToolTraceService, run: Run, wanted: TraceStatus) -> None:
    async with asyncio.timeout(SOON_S):
        while True:
            known = {trace.id: trace.status for trace in await traces.list_traces()}
            if known.get(run.run_id) is wanted:
                return
            await asyncio.sleep(0.02)


class Counting:
    """A reasoner whose first judgement waits for a gate, and how many wait at once."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.entered = 0
        self.inside = self.most = 0
        self.reasoner = Interrupted("generate_queries", self._wait)

    async def _wait(self, _call: int) -> None:
        self.entered += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await self.gate.wait()
        finally:
            self.inside -= 1


class SlowToStop(Counting):
    """Its first judgement goes on for a second after it was told to stop."""

    async def _wait(self, call: int) -> None:
        try:
            await super()._wait(call)
        finally:
            if call == 1:
                await asyncio.sleep(1.0)


async def full(counting: Counting, slots: int) -> None:
    await until(lambda: counting.inside >= slots)


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON_S):
        while not reached():  # noqa: ASYNC110 - of several, it waits for all
            await asyncio.sleep(0.02)
