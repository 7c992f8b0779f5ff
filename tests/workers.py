"""Workers that can be started in an instant, killed and suspended, and a log of what they did.

As a script it loads everything once, and forks a worker for every line, an order as JSON, whose
process id it prints: ``python -m tests.workers``
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple

from deepcritical.domain.run.budget import RunLimits
from deepcritical.jobs import dbos_engine
from deepcritical.jobs.conduct import Orchestrate
from deepcritical.jobs.dbos_engine import DbosJournal
from deepcritical.jobs.engine import Effect
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.answering import deep_research
from deepcritical.research.session import ResearchSession
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import QUESTION, ROOT, opened, paper, snapshot
from tests.databases import build_durable


class Order(NamedTuple):
    """The settings of workers."""

    url: str
    folder: str
    """Where their log is written."""
    snapshot: str
    slots: int = 4
    of_user: int | None = None
    of_all: int | None = None
    ttl_s: float = 2.0
    latency_s: float = 0.0
    """What every effect waits for beside its work."""
    deadline_s: float = 600.0

    @property
    def log(self) -> Path:
        return Path(self.folder) / "log"


class Line(NamedTuple):
    """An action of a worker, and its time."""

    at: float
    """Seconds of the machine's clock."""
    worker: int
    """Process id."""
    what: str
    """`begin` and `end` of a run, `effect` of one of its steps."""
    run_id: str
    name: str = ""


def lines(order: Order) -> list[Line]:
    """The log, by time."""
    written = order.log.read_text(encoding="utf-8").splitlines() if order.log.exists() else []
    return sorted(Line(*json.loads(line)) for line in written)


def most_at_once(noted: list[Line]) -> int:
    """Runs between their begin and their end at the same time."""
    now = most = 0
    for line in noted:
        now += {"begin": 1, "end": -1}.get(line.what, 0)
        most = max(most, now)
    return most


class Noting(DbosJournal):
    """Leaves a line in the log for every effect that is really run."""

    order: Order

    async def record(self, name: str, effect: Effect) -> dict[str, Any]:
        async def noted() -> dict[str, Any]:
            note(self.order, "effect", "", name)
            await asyncio.sleep(self.order.latency_s)
            return await effect()

        return await super().record(name, noted)


def note(order: Order, what: str, run_id: str, name: str = "") -> None:
    line = json.dumps((time.time(), os.getpid(), what, run_id, name)) + "\n"
    descriptor = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, line.encode())  # in one piece, whoever else writes
    os.close(descriptor)


def noted(order: Order, schedule: Orchestrate) -> Orchestrate:
    """The schedule, with its begin and its end in the log."""

    async def conducted(session: ResearchSession) -> None:
        note(order, "begin", session.log.run_id)
        try:
            await schedule(session)
        finally:
            note(order, "end", session.log.run_id)

    return conducted


def service(order: Order, *, conducts: bool = True) -> RunService:
    """The real orchestrations by rules over a snapshot, as a worker or a server has them."""
    traces = ToolTraceService(Database(order.url))
    source = SnapshotSource(Path(order.snapshot))
    return RunService(
        orchestrate=noted(order, run_team),
        answering=noted(order, deep_research),
        reasoner=ExtractiveReasoner(),
        open_sources=lambda: opened(source),
        limits_for=lambda _depth: RunLimits(deadline_s=order.deadline_s),
        durable=build_durable(
            traces,
            slots=order.slots,
            of_user=order.of_user,
            of_all=order.of_all,
            conducts=conducts,
            ttl_s=order.ttl_s,
        ),
    )


async def _work(order: Order) -> None:
    told_to_end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_end.set)
    runs = service(order)
    await runs.start_engine()
    await told_to_end.wait()
    await runs.close()


async def _warm(records: Path) -> None:
    """Load all that a run needs, once for all workers."""
    source = SnapshotSource(records)
    loading = RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=ExtractiveReasoner(),
        open_sources=lambda: opened(source),
        limits_for=lambda _depth: RunLimits(deadline_s=600.0),
    )
    await loading.submit(QUESTION).result()
    await loading.ask(QUESTION).result()


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # workers that end leave nothing behind
    with TemporaryDirectory() as folder:
        asyncio.run(_warm(snapshot(Path(folder) / "made.jsonl", paper(1), paper(2))))
    dbos_engine.DbosJournal = Noting  # type: ignore[misc]
    for line in sys.stdin:
        if child := os.fork():
            sys.stdout.write(f"{child}\n")
            sys.stdout.flush()
            continue
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            Noting.order = Order(*json.loads(line))
            asyncio.run(_work(Noting.order))
        finally:
            os._exit(0)


Start = Callable[[], int]
"""Starts a worker; its process id."""


@contextmanager
def forking(order: Order) -> Iterator[Start]:
    """Start workers on call; those that are left at the end are killed."""
    asked, said = _forker()
    workers: list[int] = []

    def start() -> int:
        asked.write(json.dumps(order) + "\n")
        asked.flush()
        workers.append(int(said.readline()))
        return workers[-1]

    try:
        yield start
    finally:
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)


@cache
def _forker() -> tuple[IO[str], IO[str]]:
    """The streams of the process that forks workers, which ends with this one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.workers"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    process.returncode = 0  # nobody waits for it
    assert process.stdin
    assert process.stdout
    return process.stdin, process.stdout


if __name__ == "__main__":
    main()
