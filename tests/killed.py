"""Runs that are killed at a chosen step, and the processes that go on with them.

As a script it reads an order as JSON and prints an outcome a line. It imports everything once and
forks for every run, so that a kill costs no start: ``python -m tests.killed < order.json``
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from dbos import DBOS

from deepcritical.domain.run.events import RunCompleted
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs import dbos_engine
from deepcritical.jobs.dbos_engine import DbosJournal
from deepcritical.jobs.engine import Effect
from deepcritical.jobs.runs import RunService
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.schema import jobs
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import run_service
from tests.databases import build_durable

TTL_S = 1.0
WAIT_S = 60.0


class Order(NamedTuple):
    """The runs to start, and the moments to kill them."""

    url: str
    folder: str
    question: str
    snapshot: str
    kills: tuple[tuple[str, str, int], ...] = ()
    """Tool of the run; "before", "inside" or "after" a step's effect; the step, 0 for no kill."""
    model: str = ""
    """Address of a model's server; without it rules reason."""
    deadline_s: float = 120.0
    away_s: float = 0.0
    """How long nobody goes on with a run that was killed."""
    results: int = 10
    """Of a query, at most."""
    lives: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """Runs whose processes are killed after so many seconds, one after the other."""


class Killing(DbosJournal):
    """Ends its process at one step; every effect that is run leaves a line in a file."""

    where, at, lines = "", 0, Path()
    begun = 0

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        Killing.begun += 1
        number = Killing.begun

        async def noted() -> dict[str, Any]:
            with self.lines.open("a", encoding="utf-8") as file:
                file.write(f"{name}\n")
            self._die(number, "before")
            outcome = await effect()
            self._die(number, "inside")
            return outcome

        outcome = await super().record(name, noted)
        self._die(number, "after")
        return outcome

    def _die(self, number: int, where: str) -> None:
        if (number, where) == (self.at, self.where):
            os.kill(os.getpid(), signal.SIGKILL)


def service(order: Order) -> RunService:
    traces = ToolTraceService(Database(order.url))
    durable = build_durable(traces, ttl_s=TTL_S)
    return run_service(
        Path(order.snapshot),
        _reasoner(order),
        traces,
        durable,
        deadline_s=order.deadline_s,
        max_calls=400,
        max_tokens=4_000_000,
        results_per_query=order.results,
    )


def _reasoner(order: Order) -> Reasoner:
    if not order.model:
        return ExtractiveReasoner()
    from deepcritical.models.providers import model_server
    from deepcritical.reading.library import Library
    from deepcritical.reasoning.llm import LLMReasoner
    from deepcritical.services.storage.study_readings import StudyReadings

    made = model_server(
        "openai-chat:made-up",
        base_url=order.model,
        api_key="made-up-key",
        profile="small" if order.lives else "auto",
    )
    return LLMReasoner(made, library=Library(StudyReadings(Database(order.url))))


async def _begin(order: Order, tool: str, run_file: Path) -> None:
    runs = service(order)
    run = runs.submit(order.question) if tool == "research" else runs.ask(order.question)
    if order.lives:  # the first kill is of a run that the database knows
        await runs.runs_of()
    await asyncio.to_thread(run_file.write_text, run.run_id, encoding="utf-8")
    async for _ in run.tail():
        pass
    await _tell(runs, run.run_id)


async def _go_on(order: Order, run_id: str) -> None:
    runs = service(order)
    await runs.start_engine()
    await _tell(runs, run_id)


async def _tell(runs: RunService, run_id: str) -> None:
    traces = runs.traces
    assert traces is not None
    async with asyncio.timeout(WAIT_S):
        events = [logged async for logged in traces.tail(run_id)]
    trace = await traces.get_trace(run_id)
    steps = await DBOS.list_workflow_steps_async(run_id)
    last = events[-1].event
    told = {
        "losses": await _losses(traces, run_id),
        "status": trace.status.value,
        "stop_reason": last.stop_reason.value if isinstance(last, RunCompleted) else "",
        "result": comparable(trace.result) if trace.status is TraceStatus.COMPLETED else None,
        "error": trace.error_message,
        "events": [logged.event.type for logged in events],
        "numbers": [logged.seq for logged in events],
        "charged": trace.metrics.llm_calls,
        "steps": [step["function_name"] for step in steps],
    }
    await runs.close()
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


async def _losses(traces: ToolTraceService, run_id: str) -> int:
    counted = sa.select(jobs.c.takeovers + jobs.c.lost_with_others).where(jobs.c.run_id == run_id)
    return int(await traces.database.read(lambda connection: connection.scalar(counted)) or 0)


def comparable(result: Any) -> Any:
    """Without what differs between two runs that do the same."""
    if isinstance(result, dict):
        return {
            name: comparable(value)
            for name, value in result.items()
            if name not in ("run_id", "generated_at", "seconds", "elapsed_s")
        }
    return [comparable(item) for item in result] if isinstance(result, list) else result


def _forked(work: Any, life: Callable[[], float] | None = None) -> tuple[int, str]:
    """The exit status of a process of its own, and what it printed; it is killed after its life."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(write, 1)
        code = 1
        try:
            work()
            code = 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as said:
        if life and not select.select([said], [], [], life())[0]:
            os.kill(child, signal.SIGKILL)
        text = said.read()
    return os.waitpid(child, 0)[1], text


def killed(order: Order, tool: str, where: str, at: int) -> dict[str, Any]:
    """One run, killed at a step and gone on with."""
    folder = Path(order.folder)
    run_file, lines = folder / "run", folder / f"effects-{tool}-{where}-{at}"
    Killing.where, Killing.at, Killing.lines = where, at, lines
    status, text = _forked(lambda: asyncio.run(_begin(order, tool, run_file)))
    was_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    Killing.at = 0
    begun = time.monotonic()
    if was_killed:
        time.sleep(order.away_s)
        run_id = run_file.read_text(encoding="utf-8")
        _, text = _forked(lambda: asyncio.run(_go_on(order, run_id)))
    done = Counter(lines.read_text(encoding="utf-8").split("\n")[:-1])
    told = json.loads(text.splitlines()[-1]) if text.strip() else {"status": "nothing", "steps": []}
    return {
        "tool": tool,
        "where": where,
        "at": at,
        "killed": was_killed,
        "repeated": sum(done.values()) - len(told["steps"]),
        "seconds": round(time.monotonic() - begun, 2),
        **told,
    }


def outlived(order: Order, tool: str, lives: tuple[float, ...]) -> dict[str, Any]:
    """One run whose processes are killed, each in its time; the last one ends it."""
    run_file = Path(order.folder) / "run"
    run_file.unlink(missing_ok=True)
    Killing.lines = Path(order.folder) / "effects"
    killed_at: list[float] = []

    def begun(life_s: float) -> float:
        while not run_file.exists():
            time.sleep(0.01)
        return life_s

    def work() -> None:
        run_id = run_file.read_text(encoding="utf-8") if run_file.exists() else ""
        asyncio.run(_go_on(order, run_id) if run_id else _begin(order, tool, run_file))

    for life_s in (*lives, None):
        status, text = _forked(work, partial(begun, life_s) if life_s is not None else None)
        if not os.WIFSIGNALED(status):
            break
        killed_at.append(time.time())
    told = json.loads(text.splitlines()[-1]) if text.strip() else {"status": "nothing", "steps": []}
    return {"tool": tool, "killed_at": killed_at, **told}


async def _warm(order: Order) -> None:
    """Load all that a run needs, once for all of them."""
    await run_service(Path(order.snapshot), deadline_s=60).submit(order.question).result()


def main() -> None:
    order = Order(**json.load(sys.stdin))
    asyncio.run(_warm(order))
    dbos_engine.DbosJournal = Killing  # type: ignore[misc]
    for tool, lives in order.lives:
        sys.stdout.write(json.dumps(outlived(order, tool, tuple(lives))) + "\n")
        sys.stdout.flush()
    for tool, where, at in order.kills:
        sys.stdout.write(json.dumps(killed(order, tool, where, at)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
