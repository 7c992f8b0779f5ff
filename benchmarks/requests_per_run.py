"""Requests of one run to each source and the model, counted by servers on loopback.

The servers hold made-up records, so a real question may differ: it is the structure that shows. No
answer is kept between runs. Usage: `python -m benchmarks.requests_per_run`
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.conftest import QUESTION
from tests.servers.models import ModelServer
from tests.servers.running import running
from tests.servers.world import World, call, world

RUNS: tuple[tuple[str, ...], ...] = (
    ("research", "--depth", "quick"),
    ("research", "--depth", "standard"),
    ("research", "--depth", "deep"),
    ("ask",),
)


async def count(site: World, model: ModelServer, run: Sequence[str], **more: str) -> list[int]:
    """Requests of one run to each source, and to the model."""
    before = {name: faults.requests for name, faults in site.faults.items()}
    asked = len(model.asked)
    # With a key ten requests a second are allowed, so that nothing is cut off by the deadline.
    kept = {"NCBI_API_KEY": "made-up-key", "DEEPCRITICAL_HTTP_CACHE": "", "DATABASE_URL": ""}
    command, *options = run
    limits = {"DEEPCRITICAL_EMBEDDING_MODEL": "", "DEEPCRITICAL_SOURCE_DEADLINE_S": "30"}
    done = await call(site, command, QUESTION, *options, "--json", **kept, **limits, **more)
    if done.code:
        raise SystemExit(f"{' '.join(run)} ended with {done.code}: {done.err}")
    sent = [faults.requests - before[name] for name, faults in site.faults.items()]
    return [*sent, len(model.asked) - asked]


async def main() -> None:
    """Count every kind of run, without and with a model, and print a table."""
    model = ModelServer()
    with tempfile.TemporaryDirectory() as folder:
        async with world(Path(folder)) as site, running(model.app) as url:
            with_model = {
                "DEEPCRITICAL_MODEL": "openai-chat:made-up",
                "DEEPCRITICAL_MODEL_BASE_URL": f"{url}v1",
                "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
            }
            print(f"{'run':28} {'reasoner':9}", *(f"{n:>15}" for n in (*site.faults, "model")))
            for run in RUNS:
                for reasoner, more in (("rules", {}), ("model", with_model)):
                    counted = await count(site, model, run, **more)
                    print(f"{' '.join(run):28} {reasoner:9}", *(f"{n:>15}" for n in counted))


if __name__ == "__main__":
    asyncio.run(main())
