"""Size of a database of many ended runs, and time of its list and its search.

A run of each orchestration over the bundled snapshot is made with all that is stored of it, and
pruned as a worker does. Its rows are then copied, each copy with a question of its own.

Usage: `python -m benchmarks.kept_runs [--runs N]`
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from deepcritical.jobs.upkeep import Upkeep
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.engines import engine_of
from deepcritical.services.storage.schema import jobs, tool_traces, trace_events
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import DEMO, DEMO_QUESTION, run_service
from tests.databases import fresh_database, why_no_server

ASKED = 20
WORDS = ("metformin", "copper", "in children", "4321")


def rows_of(connection: sa.Connection, run_id: str) -> dict[sa.Table, list[dict[str, Any]]]:
    """All rows of a run."""
    keys = {tool_traces: "id", trace_events: "trace_id", jobs: "run_id"}
    return {
        table: [
            dict(row._mapping)
            for row in connection.execute(sa.select(table).where(table.c[key] == run_id))
        ]
        for table, key in keys.items()
    }


def copied(rows: dict[sa.Table, list[dict[str, Any]]], number: int) -> Any:
    """The rows as those of another run."""
    run_id, metals = str(uuid4()), ("copper", "zinc", "iron")
    (trace,) = rows[tool_traces]
    question = f"Question {number} on metformin and {metals[number % 3]} in children?"
    changed = {
        "id": run_id,
        "user_id": "local",
        "input_params": trace["input_params"] | {"question": question},
        "created_at": trace["created_at"] - timedelta(minutes=number),
    }
    events = [row | {"trace_id": run_id} for row in rows[trace_events]]
    job = [row | {"run_id": run_id} for row in rows[jobs]]
    return {tool_traces: [trace | changed], trace_events: events, jobs: job}


async def made(url: str, number: int) -> None:
    """Store as many runs."""
    traces = ToolTraceService(Database(url))
    runs = run_service(DEMO, traces=traces)
    both = (runs.submit(DEMO_QUESTION), runs.ask(DEMO_QUESTION))
    for run in both:
        await run.result()
    durable = runs.durable
    assert durable is not None  # noqa: S101
    upkeep = Upkeep(durable)
    while await durable.board.prunable(0.0):
        await upkeep.prune(ended_s=0.0)

    def copy(connection: sa.Connection, start: int) -> None:
        kinds = [rows_of(connection, run.run_id) for run in both]
        for place in range(start, min(start + 100, number - 2)):
            for table, rows in copied(kinds[place % 2], place).items():
                connection.execute(sa.insert(table), rows)

    for start in range(0, number - 2, 100):
        await traces.database.write(lambda connection, at=start: copy(connection, at))  # type: ignore[misc]
    await runs.close()


def size_of(url: str) -> float:
    """Megabytes."""
    engine = engine_of(url, threads=1, busy_s=5.0)
    asked = "SELECT pg_database_size(current_database())"
    if url.startswith("sqlite"):
        asked = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    with engine.connect() as connection:
        found = int(connection.scalar(sa.text(asked)) or 0)
    engine.dispose()
    return found / 1e6


async def timed(url: str) -> dict[str, list[float]]:
    """Milliseconds of each list and each search."""
    traces = ToolTraceService(Database(url))
    (last,) = (await traces.list_traces(most=500))[-1:]
    kinds: dict[str, dict[str, Any]] = {
        "list, the first page": {},
        "list, a later page": {"before": last.id},
        **{f"search for {words!r}": {"words": words.split()} for words in WORDS},
    }
    took: dict[str, list[float]] = {}
    for name, asked in kinds.items():
        for _ in range(ASKED):
            begun = time.perf_counter()
            await traces.list_traces(most=50, **asked)
            took.setdefault(name, []).append((time.perf_counter() - begun) * 1000)
    await traces.close()
    return took


async def main(number: int) -> None:
    """Store, measure and print."""
    for kind in ["sqlite"] if why_no_server() else ["sqlite", "postgresql"]:
        with tempfile.TemporaryDirectory() as folder, fresh_database(kind, Path(folder)) as url:
            await made(url, number)
            size = size_of(url)
            print(f"{kind}: {number} runs, {size:.0f} MB, {1000 * size / number:.0f} kB a run")
            for name, took in (await timed(url)).items():
                print(f"  {name:28} {median(took):6.1f} ms, at most {max(took):6.1f} ms")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--runs", type=int, default=5000)
    asyncio.run(main(options.parse_args().runs))
