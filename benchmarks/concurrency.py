"""100 durable runs at once in one process, with sources and judgements that take no time.

Prints how many completed and how long it took, the memory per run over that of the process before,
and how late the event loop was (95th percentile).

Usage: `python -m benchmarks.concurrency [NUMBER]`
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from deepcritical.jobs.runs import RunService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, paper, run_service, snapshot, trial
from tests.databases import build_durable

NUMBER = 100
EVERY_S = 0.01
KILOBYTES = 1024


def memory_mb() -> float:
    """Return the resident memory of this process."""
    told = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in told.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / KILOBYTES


class Watch:
    """Samples memory and the lateness of the loop."""

    def __init__(self) -> None:
        self.late_ms: list[float] = []
        self.most_mb = 0.0

    async def forever(self) -> None:
        """Until it is cancelled."""
        while True:
            due = time.perf_counter() + EVERY_S
            await asyncio.sleep(EVERY_S)
            self.late_ms.append((time.perf_counter() - due) * 1000)
            self.most_mb = max(self.most_mb, memory_mb())


def service(folder: Path, number: int) -> RunService:
    """A service with a slot for each run."""
    kept = ToolTraceService(Database(normalised_url(f"sqlite:///{folder / 'runs.sqlite'}")))
    durable = build_durable(kept, slots=number + 1, of_user=number + 1, most_of_user=2 * number)
    source = snapshot(folder / "made.jsonl", paper(1), paper(2), trial(3))
    return run_service(source, traces=kept, durable=durable)


async def main(number: int) -> None:
    """Run them, and print."""
    with tempfile.TemporaryDirectory() as folder:
        runs = service(Path(folder), number)
        await runs.submit(QUESTION).result()  # loads what every run shares
        watch, before = Watch(), memory_mb()
        watching = asyncio.create_task(watch.forever())
        begun = time.perf_counter()
        started = [runs.submit(QUESTION) for _ in range(number)]
        reports = await asyncio.gather(*(run.result() for run in started))
        took = time.perf_counter() - begun
        watching.cancel()
        print(f"completed  {sum(bool(r.references) for r in reports)} of {number} in {took:.1f} s")
        print(f"memory     {(watch.most_mb - before) / number:.2f} MB a run over {before:.0f} MB")
        print(f"loop lag   p95 {quantiles(watch.late_ms, n=20)[-1]:.0f} ms")
        await runs.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else NUMBER))
