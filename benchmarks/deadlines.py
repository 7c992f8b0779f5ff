"""Ends of runs whose model is slow or dead: each within its time, and with a report.

Usage: python -m benchmarks.deadlines [--scale N]

Latencies and limits are divided by the scale; what the program itself waits for is not, so that a
large scale is harder than life. A local server holds 24 made-up trials that nobody has read before.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from deepcritical.models.providers import model_server
from deepcritical.reasoning.llm import LLMReasoner
from tests.conftest import QUESTION, ended, run_service
from tests.integration.modelled import ADDRESSES, many
from tests.servers.models import ModelServer
from tests.servers.running import running

LATENCIES: tuple[float | None, ...] = (0, 5, 15, 40, 70, None)
"""Seconds before each answer; None is a server that is not there."""
LIMITS = (30, 60, 180)
CODE_S = 2.0
"""That code may take beyond a limit on a busy machine."""
TIMEOUT_S = 60.0
"""Of one question to the model: the default setting."""


class Cell(NamedTuple):
    """The end of one run."""

    latency: str
    limit_s: float
    took_s: float
    ended: str
    references: int
    told: int
    """Notices that say what was not done."""
    whole: bool
    """Whether the model did all that it is there for."""


async def cell(snapshot: Path, latency: float | None, limit: float, scale: float) -> Cell:
    """One run against a server of that latency."""
    server = ModelServer()
    server.latency_s = (latency or 0) / scale
    async with running(server.app) as url:
        base = (
            f"{url}{ADDRESSES['openai-chat']}" if latency is not None else "http://127.0.0.1:9/v1"
        )
        resolved = model_server(
            "openai-chat:made-up",
            base_url=base,
            api_key="made-up-key",
            profile="large",
            timeout_s=TIMEOUT_S / scale,
        )
        begun = time.monotonic()
        service = run_service(snapshot, LLMReasoner(resolved), deadline_s=limit / scale)
        run = service.submit(QUESTION)
        await ended(run)
        took_s = time.monotonic() - begun
        name = "dead" if latency is None else f"{latency:g} s"
        try:
            report = await run.result()
        except Exception as error:  # noqa: BLE001 - which one is the question
            return Cell(name, limit, took_s, f"{type(error).__name__}: {error}"[:60], 0, 0, False)
        told = [notice for notice in report.notices if "model" in notice or "time" in notice]
        whole = not ("rule" in report.written_by or report.written_by.startswith("extractive"))
        return Cell(
            name, limit, took_s, report.verdict.label, len(report.references), len(told), whole
        )


async def sweep(scale: float) -> list[Cell]:
    """All cells; those of one limit run beside each other, for they wait."""
    cells: list[Cell] = []
    with tempfile.TemporaryDirectory() as folder:
        snapshot = many(Path(folder), 24)
        for limit in LIMITS:
            waiting = (cell(snapshot, latency, limit, scale) for latency in LATENCIES)
            cells += await asyncio.gather(*waiting)
    return cells


def main() -> None:
    """Print the table; exit 1 if one has no report, is late, or does not say what was not done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=4.0)
    scale = parser.parse_args().scale
    print(f"{'latency':>8}{'limit s':>9}{'took s':>8}  {'ended':<62}{'references':>10}{'told':>6}")
    cells = asyncio.run(sweep(scale))
    for one in cells:
        limit, took = one.limit_s / scale, one.took_s
        print(
            f"{one.latency:>8}{limit:>9.1f}{took:>8.1f}  {one.ended:<62}"
            f"{one.references:>10}{one.told:>6}"
        )
    late = [one for one in cells if one.took_s > one.limit_s / scale + CODE_S]
    silent = [one for one in cells if not (one.told or one.whole)]
    bad = [*late, *silent, *(one for one in cells if not one.references)]
    raise SystemExit(1 if bad else 0)


if __name__ == "__main__":
    main()
