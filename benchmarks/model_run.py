"""What a report costs with a model: calls, prompt tokens, calls on the critical path, time.

A made-up model answers over HTTP on loopback, the bundled snapshot is searched. First both answer
at once, so that what is left is our own work; then the model takes 2 s and a search 0.5 s, and the
wall time is set against the longest chain of answers that had to wait for one another.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.budget import RunLimits
from deepcritical.jobs.runs import RunService
from deepcritical.models.providers import model_server
from deepcritical.orchestrators.deep_research import deep_research
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.research.session import RunSources
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path
from tests.servers.models import ModelServer
from tests.servers.running import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from deepcritical.tools.base import SourceQuery, SourceResult

QUESTION = "Can metformin be repurposed for Alzheimer's disease?"


class Slow(SnapshotSource):
    """The snapshot behind a wait; it keeps when it was asked."""

    wait_s = 0.0
    asked_s: list[float]

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The records that match, after the wait."""
        self.asked_s.append(time.monotonic())
        await asyncio.sleep(self.wait_s)
        return await super().fetch(query)


class Measured(NamedTuple):
    """One run."""

    calls: int
    prompt_tokens: int
    model_waves: int
    search_waves: int
    wall_s: float


def waves(at_s: list[float], gap_s: float) -> int:
    """How many times one had to wait for another: what arrives together goes along."""
    started: list[float] = []
    for moment in sorted(at_s):
        if not started or moment > started[-1] + gap_s:
            started.append(moment)
    return len(started)


async def measure(model_s: float, search_s: float, rounds: int) -> Measured:
    """One run with these latencies."""
    server = ModelServer()
    server.latency_s = model_s
    source = Slow(snapshot_path("demo"))
    source.wait_s, source.asked_s = search_s, []

    @asynccontextmanager
    async def opened() -> AsyncIterator[RunSources]:
        yield RunSources(SearchHandler([source]), ("demo",))

    async with running(server.app) as url:
        resolved = model_server("compatible:made-up", base_url=f"{url}v1", profile="large")
        limits = RunLimits(max_iterations=rounds, results_per_query=10)
        runs = RunService(
            orchestrate=run_team,
            answering=deep_research,
            reasoner=LLMReasoner(resolved),
            open_sources=opened,
            limits_for=lambda _depth: limits,
        )
        await runs.warm_up()
        start = time.perf_counter()
        await runs.submit(QUESTION).result()
        wall_s = time.perf_counter() - start
    read = sum(len(asked.prompt + asked.system) // 4 for asked in server.asked)
    model_at = [asked.at_s for asked in server.asked]
    return Measured(
        len(server.asked),
        read,
        waves(model_at, 0.9 * model_s),
        waves(source.asked_s, 0.9 * search_s),
        wall_s,
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    rounds = parser.parse_args().rounds
    bare = asyncio.run(measure(0.0, 0.0, rounds))
    slow = asyncio.run(measure(2.0, 0.5, rounds))
    path_s = 2.0 * slow.model_waves + 0.5 * slow.search_waves
    print(f"rounds {rounds}: {bare.calls} model calls, about {bare.prompt_tokens:,} prompt tokens")
    print(f"without latency: {bare.wall_s:.2f} s")
    print(
        f"model 2 s, search 0.5 s: {slow.model_waves} calls and {slow.search_waves} searches "
        f"wait for one another, {path_s:.1f} s; "
        f"wall {slow.wall_s:.1f} s, {slow.wall_s / path_s:.2f} x"
    )


if __name__ == "__main__":
    main()
