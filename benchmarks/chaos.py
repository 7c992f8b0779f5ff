"""Kill -9 at every recorded step of runs, and compare what becomes of them with an unkilled run.

Both orchestrations, on SQLite and, where a server answers, on PostgreSQL, with rules and with a
made-up model on loopback. Prints a table; the exit code is 1 when any run differs.

Usage: `make chaos`, or `python -m benchmarks.chaos [--every N]` to kill at every Nth step only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.conftest import QUESTION, ROOT
from tests.databases import fresh_database, why_no_server
from tests.integration.modelled import records
from tests.servers.models import ModelServer
from tests.servers.running import running

TOOLS = ("research", "deep_research")
WHERE = ("before", "inside", "after")
SAME = ("status", "stop_reason", "result", "steps", "events")
HEAD = (
    f"{'database':11}{'reasoner':9}{'tool':15}{'steps':>6}{'kills':>6}"
    f"{'same':>6}{'repeats':>8}{'most':>5}"
)


class Row(NamedTuple):
    """The outcome of the killed runs of one kind."""

    steps: int
    kills: int
    same: int
    repeats: int
    most: int
    """Repeats of one run."""


def outcomes(order: dict[str, Any]) -> list[dict[str, Any]]:
    """Read each run's outcome from the script that kills."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.killed"],
        cwd=ROOT,
        input=json.dumps(order),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def row_of(order: dict[str, Any], tool: str, every: int) -> Row:
    """Kill one run at each point."""
    (whole,) = outcomes({**order, "kills": [(tool, "none", 0)]})
    if whole["status"] != "completed":
        raise SystemExit(f"the run that is not killed ends as {whole['status']}: {whole['error']}")
    steps = len(whole["steps"])
    points = [(tool, where, at) for at in range(1, steps + 1, every) for where in WHERE]
    killed = outcomes({**order, "kills": points})
    same = 0
    for run in killed:
        differs = [name for name in SAME if run.get(name) != whole[name]]
        if differs or not run["killed"]:
            print(f"  {tool} {run['where']} {run['at']}: differs in {differs}", flush=True)
        else:
            same += 1
    repeats = [run["repeated"] for run in killed]
    return Row(steps, len(killed), same, sum(repeats), max(repeats))


@contextmanager
def model_on_loopback(server: ModelServer) -> Iterator[str]:
    """The address of a made-up model, in a thread of its own."""
    address: list[str] = []
    begun, over = threading.Event(), threading.Event()

    async def serve() -> None:
        async with running(server.app) as url:
            address.append(f"{url}v1")
            begun.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    begun.wait()
    try:
        yield address[0]
    finally:
        over.set()
        thread.join()


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--every", type=int, default=1, help="kill at every Nth step")
    every: int = options.parse_args().every
    databases = ["sqlite"] if why_no_server() else ["sqlite", "postgresql"]
    print(HEAD, flush=True)
    good = True
    with model_on_loopback(ModelServer()) as model:
        for kind in databases:
            for reasoner, address in (("rules", ""), ("model", model)):
                for tool in TOOLS:
                    with (
                        tempfile.TemporaryDirectory() as made,
                        fresh_database(kind, Path(made)) as url,
                    ):
                        source = records(Path(made))
                        order = {
                            "url": url,
                            "folder": made,
                            "question": QUESTION,
                            "snapshot": str(source),
                            "model": address,
                        }
                        row = row_of(order, tool, every)
                    good &= row.same == row.kills
                    print(
                        f"{kind:11}{reasoner:9}{tool:15}{row.steps:6}{row.kills:6}{row.same:6}"
                        f"{row.repeats:8}{row.most:5}",
                        flush=True,
                    )
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
