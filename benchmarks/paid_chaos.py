"""Kill -9 a worker at random moments of runs with a model, and count what the model was asked.

The made-up model counts its requests, and takes a moment for each. Every run has a database of its
own, since readings are kept for all runs of one. A request counts as in flight at a kill that the
model had not answered, or answered less than a tenth of a second before.
Prints a table; the exit code is 1 when a run ends otherwise, or asks for more than it needs.

Usage: `make chaos`, or `python -m benchmarks.paid_chaos [--kills N] [--seed N]`
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.chaos import SAME, TOOLS, model_on_loopback, outcomes
from tests.conftest import QUESTION
from tests.databases import fresh_database, why_no_server
from tests.integration.modelled import many
from tests.servers.models import ModelServer

RECORDS = 60
LATENCY_S = 0.4
LIVES = 5
"""Processes of one run that are killed."""
ON_ITS_WAY_S = 0.1


class Killed(NamedTuple):
    """A run, and what the model was asked for it."""

    told: dict[str, Any]
    calls: int
    in_flight: int


def run_of(kind: str, tool: str, lives: list[float], address: str, server: ModelServer) -> Killed:
    """One run on a database of its own."""
    begun = len(server.asked)
    spans = len(server.spans)
    with tempfile.TemporaryDirectory() as made, fresh_database(kind, Path(made)) as url:
        order = {
            "url": url,
            "folder": made,
            "question": QUESTION,
            "snapshot": str(many(Path(made), RECORDS)),
            "model": address,
            "results": RECORDS,
            "deadline_s": 600.0,
            "lives": [(tool, lives)],
        }
        (told,) = outcomes(order)
    in_flight = sum(
        arrived <= moment < answered + ON_ITS_WAY_S
        for moment in told["killed_at"]
        for arrived, answered in server.spans[spans:]
    )
    return Killed(told, len(server.asked) - begun, in_flight)


def measured(kind: str, kills: int, address: str, server: ModelServer, seed: int) -> bool:
    """Print one line of the table; whether all is as it should be."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    wholes = {tool: run_of(kind, tool, [], address, server) for tool in TOOLS}
    runs: list[Killed] = []
    good = True
    while sum(len(run.told["killed_at"]) for run in runs) < kills:
        tool = TOOLS[len(runs) % len(TOOLS)]
        whole = wholes[tool]
        lives = [chance.uniform(0.5, 4.0) for _ in range(LIVES)]
        run = run_of(kind, tool, lives, address, server)
        runs.append(run)
        wrong = [name for name in SAME if run.told.get(name) != whole.told[name]]
        wrong += ["numbers"] * (run.told.get("numbers") != whole.told["numbers"])
        wrong += ["calls"] * (run.calls > whole.calls + run.in_flight)
        wrong += ["charged"] * (run.told.get("charged") != run.calls)
        good &= not wrong
        print(
            f"{kind:11}{tool:15}{len(run.told['killed_at']):6}{run.calls:7}{whole.calls:8}"
            f"{run.in_flight:10}{run.told.get('charged', 0):9}  {', '.join(wrong) or 'the same'}"
            f"{' ' + str(run.told.get('error', '')) if wrong else ''}",
            flush=True,
        )
    total = [sum(column) for column in zip(*(numbers(run, wholes) for run in runs), strict=True)]
    print(
        f"{kind:11}{f'{len(runs)} runs':15}{total[0]:6}{total[1]:7}{total[2]:8}{total[3]:10}"
        f"{total[4]:9}",
        flush=True,
    )
    return good


def numbers(run: Killed, wholes: dict[str, Killed]) -> tuple[int, int, int, int, int]:
    """Kills, calls, calls that were needed, requests in flight, calls that were charged."""
    needed = wholes[run.told["tool"]].calls
    charged = run.told.get("charged", 0)
    return len(run.told["killed_at"]), run.calls, needed, run.in_flight, charged


def main() -> int:
    """Print the table."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--kills", type=int, default=25, help="on each database, at least")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    databases = ["sqlite"] if why_no_server() else ["sqlite", "postgresql"]
    print(
        f"{'database':11}{'tool':15}{'kills':>6}{'calls':>7}{'needed':>8}{'in flight':>10}"
        f"{'charged':>9}  against the run that is not killed"
    )
    server = ModelServer()
    server.latency_s = LATENCY_S
    with model_on_loopback(server) as address:
        good = [measured(kind, given.kills, address, server, given.seed) for kind in databases]
    return 0 if all(good) else 1


if __name__ == "__main__":
    raise SystemExit(main())
