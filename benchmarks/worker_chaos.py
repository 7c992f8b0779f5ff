"""Kill -9, suspend and cut off three workers at random while sixty runs are under way.

Half of them are of each orchestration, on a PostgreSQL server of their own that is restarted once.
Every run must complete, once, with the report of a run that nobody disturbs, and no step on record
twice.
Prints a table; the exit code is 1 when any run differs.

With --storm the one worker is restarted that often instead, by kill -9 and by SIGTERM in turns,
while twelve runs are under way, on SQLite and on PostgreSQL: all must complete within their limit.

Usage: `make chaos`, or `python -m benchmarks.worker_chaos [--runs N] [--seed N] [--storm N]`
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg

from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION
from tests.databases import fresh_database, why_no_server
from tests.integration.modelled import records
from tests.killed import comparable
from tests.own_postgres import OwnServer, own_server, programs
from tests.workers import Order, Start, forking, lines, service

WORKERS = 3
TTL_S = 3.0
EVERY_S = 2.0
"""Between two disturbances."""
LATENCY_S = 0.2
"""What an effect waits for, so that a disturbance finds runs in the middle of one."""
WAIT_S = 900.0
STORM_RUNS = 12
STORM_LATENCY_S = 1.0
STORM_DEADLINE_S = 60.0
ENDS = ("run_completed", "run_failed", "run_cancelled")


class Disturbing:
    """Does to workers what happens to them; the next one is started when one is killed.

    Args:
        start: Starts a worker.
        server: Their database.
        seed: Of what happens when.
    """

    def __init__(self, start: Start, server: OwnServer, seed: int) -> None:
        self._start = start
        self._server = server
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self.workers = [start() for _ in range(WORKERS)]
        self.done: Counter[str] = Counter()

    async def forever(self) -> None:
        """Until it is cancelled."""
        restart_at = 6
        while True:
            await asyncio.sleep(EVERY_S * self._random.uniform(0.5, 1.5))
            if self.done.total() == restart_at:
                await self._restart()
            elif self._random.random() < 0.7:
                self._kill()
            else:
                await self._suspend()

    def _kill(self) -> None:
        place = self._random.randrange(WORKERS)
        os.kill(self.workers[place], signal.SIGKILL)
        self.workers[place] = self._start()
        self.done["kill -9"] += 1

    async def _suspend(self) -> None:
        worker = self._random.choice(self.workers)
        os.kill(worker, signal.SIGSTOP)
        await asyncio.sleep(2 * TTL_S)
        os.kill(worker, signal.SIGCONT)
        self.done["suspended past the lease"] += 1

    async def _restart(self) -> None:
        await asyncio.to_thread(self._server.stop)
        await asyncio.sleep(1.5 * TTL_S)  # longer than a worker may be silent
        await asyncio.to_thread(self._server.start)
        self.done["database restarted"] += 1


def submitted(runs: RunService, number: int) -> list[Run]:
    """As many runs, of both orchestrations and of three users."""
    return [
        (runs.ask if place % 2 else runs.submit)(QUESTION, user_id=f"user-{place % 3}")
        for place in range(number)
    ]


async def whole(order: Order) -> dict[str, Any]:
    """Return the outcomes of undisturbed runs, by tool."""
    runs = service(order._replace(latency_s=0.0))
    found = {}
    for run in submitted(runs, 2):
        await run.result()
        found[run.tool_name] = await _outcome(order, run.run_id)
    await runs.close()
    return found


async def _outcome(order: Order, run_id: str) -> dict[str, Any]:
    traces = ToolTraceService(Database(order.url))
    trace, events = await traces.get_trace(run_id), await traces.events(run_id)
    await traces.close()
    kinds = [logged.event.type for logged in events]
    return {
        "status": trace.status.value,
        "result": comparable(trace.result),
        "ends": sum(kind in ENDS for kind in kinds),
        "numbers": [logged.seq for logged in events] == list(range(1, len(events) + 1)),
        "steps": _steps(order, run_id),
    }


def _steps(order: Order, run_id: str) -> list[str]:
    asked = "SELECT function_name FROM dbos.operation_outputs WHERE workflow_uuid = %s ORDER BY 1"
    with psycopg.connect(order.url.replace("+psycopg", "")) as server:
        return [name for (name,) in server.execute(asked, (run_id,)).fetchall()]


async def main(number: int, seed: int) -> int:
    """Run and disturb them, and print."""
    with own_server() as server, tempfile.TemporaryDirectory() as made:
        source = records(Path(made))
        order = Order(server.url, made, str(source), of_user=4, ttl_s=TTL_S, latency_s=LATENCY_S)
        expected = await whole(order)
        order.log.unlink(missing_ok=True)
        with forking(order) as start:
            runs = service(order, conducts=False)
            begun = time.monotonic()
            started = submitted(runs, number)
            await asyncio.sleep(1.0)  # until the database knows them
            disturbing = Disturbing(start, server, seed)
            disturbed = asyncio.create_task(disturbing.forever())
            async with asyncio.timeout(WAIT_S):
                await asyncio.gather(*(_ended(order, run.run_id) for run in started))
            disturbed.cancel()
            took = time.monotonic() - begun
            await asyncio.sleep(2 * TTL_S)  # what is stale would write now
            await runs.close()
        outcomes = {run.run_id: await _outcome(order, run.run_id) for run in started}
        same = sum(outcomes[run.run_id] == expected[run.tool_name] for run in started)
        _print(disturbing.done, order, outcomes, same, took, seed)
        for run in started:
            names = [
                n
                for n in expected["research"]
                if outcomes[run.run_id][n] != expected[run.tool_name][n]
            ]
            if names:
                print(f"  {run.tool_name} {run.run_id} differs in {names}")
    return 0 if same == number else 1


async def storm(kind: str, restarts: int, seed: int) -> bool:
    """Restart one worker again and again, and print what becomes of its runs."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    with tempfile.TemporaryDirectory() as made, fresh_database(kind, Path(made)) as url:
        order = Order(
            url,
            made,
            str(records(Path(made))),
            of_user=4,
            ttl_s=1.0,
            latency_s=STORM_LATENCY_S,
            deadline_s=STORM_DEADLINE_S,
        )
        with forking(order) as start:
            runs = service(order, conducts=False)
            begun = time.monotonic()
            started = submitted(runs, STORM_RUNS)
            worker = start()
            open_at_restart = []
            for number in range(restarts):
                await asyncio.sleep(chance.uniform(2.5, 5.0))
                open_at_restart.append(sum(not run.ended for run in started))
                os.kill(worker, signal.SIGTERM if number % 2 else signal.SIGKILL)
                worker = start()
            ends = await asyncio.gather(*(_end_of(run) for run in started))
            took = time.monotonic() - begun
            await runs.close()
    completed = ends.count("run_completed")
    print(
        f"{kind:11}restarts {restarts}, of which {sum(map(bool, open_at_restart))} met runs; "
        f"runs {len(ends)}, completed {completed}, each within {STORM_DEADLINE_S:.0f} s of its "
        f"own; {took:.0f} s in all",
        flush=True,
    )
    return completed == len(ends)


async def _end_of(run: Run) -> str:
    async with asyncio.timeout(WAIT_S):
        return [logged.event.type async for logged in run.tail()][-1]


async def _ended(order: Order, run_id: str) -> None:
    """Until a run has ended, whatever happens to the database meanwhile."""
    while True:
        try:
            with psycopg.connect(order.url.replace("+psycopg", ""), connect_timeout=2) as server:
                asked = "SELECT status FROM tool_traces WHERE id = %s"
                found = server.execute(asked, (run_id,)).fetchone()
            if found and found[0] in ("completed", "failed", "cancelled"):
                return
        except psycopg.OperationalError:
            pass  # it is being restarted
        await asyncio.sleep(1.0)


def _print(
    done: Counter[str],
    order: Order,
    outcomes: dict[str, dict[str, Any]],
    same: int,
    took: float,
    seed: int,
) -> None:
    effects = sum(line.what == "effect" for line in lines(order))
    steps = sum(len(outcome["steps"]) for outcome in outcomes.values())
    rows = {
        "seed": seed,
        "workers at once": WORKERS,
        **done,
        "runs": len(outcomes),
        "completed": sum(o["status"] == "completed" for o in outcomes.values()),
        "ended exactly once": sum(o["ends"] == 1 for o in outcomes.values()),
        "events without gap or double": sum(o["numbers"] for o in outcomes.values()),
        "report, steps and all as undisturbed": same,
        "steps on record": steps,
        "effects run": effects,
        "effects repeated": effects - steps,
        "seconds": f"{took:.0f}",
    }
    for name, value in rows.items():
        print(f"{name:38}{value:>8}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--storm", type=int, default=0, help="restarts of one worker")
    given = options.parse_args()
    if given.storm:
        kinds = ["sqlite"] if why_no_server() else ["sqlite", "postgresql"]
        good = [asyncio.run(storm(kind, given.storm, given.seed)) for kind in kinds]
        raise SystemExit(0 if all(good) else 1)
    if programs() is None:
        raise SystemExit("PostgreSQL's initdb and pg_ctl are not installed")
    raise SystemExit(asyncio.run(main(given.runs, given.seed)))
