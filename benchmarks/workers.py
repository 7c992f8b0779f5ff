"""Gain of more workers, cost of coordination, and waiting time of a second user.

Runs by rules over a snapshot, whose sources answer at once, on PostgreSQL. "Alone" is the same run
without database, queue and journal; the difference is what coordination costs a run. As these runs
are nothing but computing, more workers than cores bring nothing; with a wait in every step, as a
model or a source makes it, they do.

Usage: `python -m benchmarks.workers [--runs N]`
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from deepcritical.jobs.run import Run
from tests.conftest import QUESTION, run_service
from tests.databases import fresh_database
from tests.integration.modelled import records
from tests.workers import Line, Order, forking, lines, most_at_once, service

MANY = 40
"""Runs of the user who has many."""


async def alone(order: Order, number: int) -> float:
    """Seconds of a run in one process, without anything around it."""
    runs = run_service(Path(order.snapshot))
    await runs.submit(QUESTION).result()
    begun = time.perf_counter()
    for _ in range(number):
        await runs.submit(QUESTION).result()
    return (time.perf_counter() - begun) / number


async def conducted(order: Order, workers: int, number: int) -> tuple[float, list[Line]]:
    """Seconds until that many runs have ended, from the moment that the workers are there."""
    order.log.unlink(missing_ok=True)
    with forking(order) as start:
        for _ in range(workers):
            start()
        await asyncio.sleep(3.0)
        runs = service(order, conducts=False)
        await runs.start_engine()
        begun = time.perf_counter()
        started = [runs.submit(QUESTION, user_id=f"user-{n % 10}") for n in range(number)]
        await asyncio.gather(*(run.result() for run in started))
        took = time.perf_counter() - begun
        await runs.close()
    return took, lines(order)


async def throughput(order: Order, number: int) -> None:
    """Print runs a minute for one, two and three workers."""
    single = await alone(order, 10)
    print(f"cores {os.cpu_count()}; a run alone takes {single:.2f} s of one core")
    for latency_s in (0.0, 0.5):
        first = 0.0
        for workers in (1, 2, 3):
            kind = order._replace(slots=4, of_user=4, latency_s=latency_s)
            took, noted = await conducted(kind, workers, number)
            first = first or took
            steps = sum(line.what == "effect" for line in noted) / number
            lost = took * min(workers, os.cpu_count() or 1) / number - single
            cost = f"{lost * 1000:5.0f} ms a run" if not latency_s else "    -"
            print(
                f"steps wait {latency_s:.1f} s  workers {workers}"
                f"  {60 * number / took:6.1f} runs/min  {first / took:4.2f}x"
                f"  {steps:.0f} steps a run  coordination {cost}",
                flush=True,
            )


async def fairness(order: Order) -> None:
    """Print how long the first run of a second user waits behind many of another."""
    order = order._replace(slots=8, of_user=6, of_all=14, latency_s=0.3, ttl_s=60.0)
    order.log.unlink(missing_ok=True)
    with forking(order) as start:
        start()
        start()
        await asyncio.sleep(3.0)
        runs = service(order, conducts=False)
        await runs.start_engine()
        many_at = time.time()
        many = [runs.submit(QUESTION, user_id="many") for _ in range(MANY)]
        await asyncio.sleep(4.0)
        waits = []
        for user in ("ada", "ben", "eve", "few"):
            asked = time.time()
            one = runs.submit(QUESTION, user_id=user)
            await one.result()
            waits.append(_begun(lines(order), one) - asked)
        await asyncio.gather(*(run.result() for run in many))
        noted = lines(order)
        await runs.close()
    own = {run.run_id for run in many}
    his = median(_begun(noted, run) - many_at for run in many)
    print(
        f"{MANY} runs of one user wait {his:.1f} s (median), those of {len(waits)} others "
        f"{median(waits):.2f} s, at most {max(waits):.2f} s: 1/{his / median(waits):.0f} of his"
    )
    print(f"at once      {most_at_once(noted)} of all (limit 14), ", end="")
    print(f"{most_at_once([line for line in noted if line.run_id in own])} of one user (limit 6)")


def _begun(noted: list[Line], run: Run) -> float:
    return next(line.at for line in noted if line.what == "begin" and line.run_id == run.run_id)


async def main(number: int) -> None:
    """Measure, and print."""
    with tempfile.TemporaryDirectory() as made, fresh_database("postgresql", Path(made)) as url:
        order = Order(url, made, str(records(Path(made))), ttl_s=30.0)
        await throughput(order, number)
        await fairness(order)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=60)
    asyncio.run(main(options.parse_args().runs))
