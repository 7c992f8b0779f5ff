"""Cost of a report with a model: calls, prompt tokens, calls on the critical path, time.

A made-up model answers over HTTP on loopback, the bundled snapshot is searched. First both answer
at once, so that what is left is our own work; then the model takes 2 s and a search 0.5 s, and the
wall time is set against the longest chain of answers that had to wait for one another. With
--estimates it prints how far the estimate of a run is from what it spends, for records that are
known and for new ones.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from contextlib import asynccontextmanager
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, get_args

from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.events import BudgetPlanned, JudgementMade
from deepcritical.jobs.runs import RunService
from deepcritical.models.profiles import ProfileName
from deepcritical.models.providers import model_server
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.research.answering import deep_research
from deepcritical.research.session import RunSources
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path
from tests.servers.answers import Answer
from tests.servers.models import Asked, Change, ModelServer
from tests.servers.running import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from deepcritical.tools.base import SourceQuery, SourceResult

QUESTION = "Can metformin be repurposed for Alzheimer's disease?"


class Slow(SnapshotSource):
    """The snapshot behind a wait; it keeps when it was asked."""

    wait_s = 0.0
    is_new = False
    """Whether its records are texts that nobody has read before."""
    asked_s: list[float]

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The records that match, after the wait."""
        self.asked_s.append(time.monotonic())
        await asyncio.sleep(self.wait_s)
        found = await super().fetch(query)
        if not self.is_new:
            return found
        changed = (
            one.model_copy(update={"content": f"{one.content} Made new."}) for one in found.evidence
        )
        return found.model_copy(update={"evidence": tuple(changed)})


class Measured(NamedTuple):
    """One run."""

    calls: int
    prompt_tokens: int
    model_waves: int
    search_waves: int
    wall_s: float
    estimate: Spent
    spent: Spent
    kinds: dict[str, tuple[int, int]]
    """By what was asked: calls, and tokens of the requests with rules and schema."""


def waves(at_s: list[float], gap_s: float) -> int:
    """Count the calls that waited for another; calls that arrive together count once."""
    started: list[float] = []
    for moment in sorted(at_s):
        if not started or moment > started[-1] + gap_s:
            started.append(moment)
    return len(started)


def service(reasoner: LLMReasoner, source: Slow, limits: RunLimits) -> RunService:
    """Runs with this reasoner over this source alone."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[RunSources]:
        yield RunSources(SearchHandler([source]), ("demo",))

    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=reasoner,
        open_sources=opened,
        limits_for=lambda _depth: limits,
    )


async def measure(
    rounds: int,
    model_s: float = 0.0,
    search_s: float = 0.0,
    profile: ProfileName = "large",
    *,
    is_new: bool = False,
) -> Measured:
    """One run with these latencies."""
    server = ModelServer()
    server.latency_s = model_s
    server.change = judge_for(rounds)
    source = Slow(snapshot_path("demo"))
    source.wait_s, source.asked_s, source.is_new = search_s, [], is_new
    async with running(server.app) as url:
        resolved = model_server("compatible:made-up", base_url=f"{url}v1", profile=profile)
        limits = RunLimits(max_iterations=rounds, max_calls=200, max_tokens=2_000_000)
        runs = service(LLMReasoner(resolved), source, limits)
        await runs.warm_up()
        start = time.perf_counter()
        run = runs.submit(QUESTION)
        await run.result()
        wall_s = time.perf_counter() - start
        events = [logged.event for logged in await run.events()]
    read = sum(asked.chars // 4 for asked in server.asked)
    model_at = [asked.at_s for asked in server.asked]
    return Measured(
        len(server.asked),
        read,
        waves(model_at, 0.9 * model_s),
        waves(source.asked_s, 0.9 * search_s),
        wall_s,
        [event.estimate for event in events if isinstance(event, BudgetPlanned)][-1],
        [event.spent for event in events if isinstance(event, JudgementMade)][-1],
        by_kind(server.asked),
    )


def judge_for(rounds: int) -> Change:
    """A judge that wants so many rounds and no more."""
    judged = 0

    def change(task: str, sane: Answer) -> Answer:
        nonlocal judged
        if task != "assess_evidence":
            return sane
        judged += 1
        searches = [f"made up {'ab'[judged % 2]} words"]
        wish = "go_on" if judged < rounds else "enough"
        return {**sane, "next_round": wish, "searches": searches}

    return change


def by_kind(asked: Sequence[Asked]) -> dict[str, tuple[int, int]]:
    """Calls and tokens by task, in the order in which they were first asked."""
    kinds: dict[str, tuple[int, int]] = {}
    for one in asked:
        calls, tokens = kinds.get(one.task, (0, 0))
        kinds[one.task] = calls + 1, tokens + one.chars // 4
    return kinds


def estimates() -> None:
    """Print the ratio of estimate to spend, in tokens and in calls."""
    for profile, is_new, rounds in product(get_args(ProfileName)[1:], (False, True), (1, 2, 3)):
        made = asyncio.run(measure(rounds, profile=profile, is_new=is_new))
        print(
            f"{profile:6} {'new' if is_new else 'known':5} rounds {rounds}: "
            f"{made.spent.calls} calls, {made.spent.tokens:,} tokens spent; estimate x "
            f"{made.estimate.calls / made.spent.calls:.2f} calls, "
            f"x {made.estimate.tokens / made.spent.tokens:.2f} tokens"
        )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--estimates", action="store_true")
    chosen = parser.parse_args()
    if chosen.estimates:
        estimates()
        return
    for is_new in (False, True):
        told(chosen.rounds, is_new=is_new)


def told(rounds: int, *, is_new: bool) -> None:
    """Print what was asked in a run over records that are known, or new, and how long it takes."""
    bare = asyncio.run(measure(rounds, is_new=is_new))
    slow = asyncio.run(measure(rounds, 2.0, 0.5, is_new=is_new))
    path_s = 2.0 * slow.model_waves + 0.5 * slow.search_waves
    print(f"rounds {rounds}, {'new' if is_new else 'known'} records: {bare.calls} model calls")
    print(f"about {bare.prompt_tokens:,} tokens of prompts, with schemas")
    for task, (calls, tokens) in bare.kinds.items():
        print(f"  {task}: {calls} calls, {tokens:,} tokens")
    print(f"without latency: {bare.wall_s:.2f} s")
    print(
        f"model 2 s, search 0.5 s: {slow.model_waves} calls and {slow.search_waves} searches "
        f"wait for one another, {path_s:.1f} s; "
        f"wall {slow.wall_s:.1f} s, {slow.wall_s / path_s:.2f} x"
    )


if __name__ == "__main__":
    main()
