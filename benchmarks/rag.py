"""Cost of indexing and retrieval, each figure as a ratio to its floor or its limit.

- ingest: texts through the product, as a ratio to sentence-transformers' own encode of the same
  texts (target: at most 1.1); the same texts in a new run, as a ratio to the first (target: 0.05)
- query: median hybrid query over chunks with synthetic vectors, as a ratio to 50 ms (target: 1)
- stall: longest wait of the event loop, also while libraries load, as a ratio to 50 ms (target: 1)
- memory after sequential runs, as a ratio to that after the first tenth of them (target: 1.05); and
  rows of one run that another saw (target: 0)

Give PubMedQA's JSON file (github.com/pubmedqa/pubmedqa, MIT).
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrieval import read
from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import (
    EmbeddingService,
    EmbeddingState,
    ModelLoaded,
    Role,
    installed_copy,
)
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService

LIMIT_S = 0.05
DIM = 384
PER_RUN = 30


class Synthetic:
    """Random unit vectors, new at every call."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    async def load(self) -> EmbeddingState:
        """Always ready."""
        return ModelLoaded(name="synthetic", origin="folder", fingerprint="synthetic", dim=DIM)

    async def embed(self, texts: Sequence[str], *, role: Role = "document") -> NDArray[np.float32]:
        """`(n_texts, 384)` float32; the role changes nothing."""
        del role
        return await asyncio.to_thread(self._drawn, len(texts))

    def _drawn(self, n: int) -> NDArray[np.float32]:
        vectors = self._random.normal(size=(n, DIM)).astype(np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@asynccontextmanager
async def probed(what: str) -> AsyncIterator[None]:
    """Print the longest stall of the event loop: how much later than asked for it woke up.

    The CPU time of the process meanwhile tells its own work from that of a busy machine.
    """
    stalls: list[tuple[float, float]] = []

    async def probe() -> None:
        while True:
            start, computed = time.perf_counter(), time.process_time()
            await asyncio.sleep(0.005)
            late = time.perf_counter() - start - 0.005
            stalls.append((late, time.process_time() - computed))

    task = asyncio.create_task(probe())
    try:
        yield
    finally:
        task.cancel()
    longest, cpu = max(stalls)
    detail = f"{1000 * longest:.0f} ms, CPU {1000 * cpu:.0f} ms"
    show(f"stall in {what} / 50 ms", longest / LIMIT_S, 1, detail)


async def make_up(n: int, run: int = 0) -> dict[str, Evidence]:
    """Records by id, off the event loop."""
    return await asyncio.to_thread(lambda: {f"E{i}": made_up(i, run) for i in range(1, n + 1)})


def made_up(number: int, run: int = 0) -> Evidence:
    """A record of 200 words."""
    words = np.random.default_rng((number, run)).integers(0, 5000, 200)
    return Evidence(
        content=" ".join(f"word{word}" for word in words),
        citation=Citation(source="pubmed", title=f"Made-up record {number} of run {run}"),
    )


async def measure_ingest(records: dict[str, Evidence], cache: Path) -> tuple[float, float]:
    """Seconds of a first and a second ingest, each in a run and with a service of its own."""
    took: list[float] = []
    for run in ("first", "second"):
        embeddings = EmbeddingService(cache=cache)
        async with LlamaIndexRAGService(run, embeddings, ChromaIndex()) as rag:
            print(run, "ingest:", (await rag.retrieval()).label)
            start = time.perf_counter()
            await rag.ingest(records)
            took.append(time.perf_counter() - start)
    return took[0], took[1]


def measure_raw(records: dict[str, Evidence]) -> float:
    """Seconds of sentence-transformers' own encode with its defaults."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(installed_copy()), device="cpu", local_files_only=True)
    texts = [f"{record.citation.title}. {record.content}" for record in records.values()]
    model.encode(texts[:8], show_progress_bar=False)
    start = time.perf_counter()
    model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    return time.perf_counter() - start


async def measure_query(chunks: dict[str, Evidence], queries: int) -> list[float]:
    """Seconds of each query; words and vector of it are random."""
    took: list[float] = []
    async with LlamaIndexRAGService("benchmark", Synthetic(), ChromaIndex()) as rag:
        await rag.ingest(chunks)
        for number in range(queries):
            text = " ".join(made_up(number, run=1).content.split()[:12])
            start = time.perf_counter()
            found = await rag.query(text)
            took.append(time.perf_counter() - start)
            if len(found) != 10:
                raise RuntimeError(f"{len(found)} of 10 records were found")
    return took


async def measure_runs(runs: int) -> tuple[list[float], int]:
    """Resident megabytes after each tenth of the runs, and rows that were seen of other runs."""
    index, sizes, foreign = ChromaIndex(), [], 0
    for run in range(runs):
        async with LlamaIndexRAGService(f"run {run}", Synthetic(), index) as rag:
            await rag.ingest(await make_up(PER_RUN, run))
            found = await rag.query("made-up record", PER_RUN + 10)
            titles = [record.citation.title for record in found.values()]
            foreign += sum(not title.endswith(f" of run {run}") for title in titles)
            if len(found) != PER_RUN:
                raise RuntimeError(f"{len(found)} of {PER_RUN} records were found")
        if (run + 1) % max(1, runs // 10) == 0:
            sizes.append(resident_mb())
    return sizes, foreign


def resident_mb() -> float:
    """Resident memory; its peak where the system does not tell the present one."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text(encoding="ascii").split()[1]) * resource.getpagesize() / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


async def report(args: argparse.Namespace, records: dict[str, Evidence]) -> None:
    """Measure and print."""
    # First, in a process that is still small.
    async with probed("runs"):
        sizes, foreign = await measure_runs(args.runs)
    show("memory, last tenth / first", sizes[-1] / sizes[0], 1.05, f"{sizes[-1]:.0f} MB")
    show("rows of other runs", foreign, 0, f"{args.runs} runs")
    # Made beforehand: making up texts would keep the loop waiting itself.
    chunks = await make_up(args.chunks)
    async with probed("ingest and query of chunks"):
        took = await measure_query(chunks, 50)
    show("hybrid query / 50 ms", median(took) / LIMIT_S, 1, f"{1000 * median(took):.1f} ms")
    firsts, seconds, raws = [], [], []
    for _ in range(args.repeats):
        with tempfile.TemporaryDirectory() as folder:
            async with probed("load and ingest"):
                first, second = await measure_ingest(records, Path(folder) / "vectors.sqlite")
        firsts.append(first)
        seconds.append(second)
        raws.append(await asyncio.to_thread(measure_raw, records))
    ratio = median(first / raw for first, raw in zip(firsts, raws, strict=True))
    show("first ingest / raw encode", ratio, 1.1, f"{median(firsts):.1f} s")
    show(
        "second ingest / first", median(seconds) / median(firsts), 0.05, f"{median(seconds):.2f} s"
    )


def show(what: str, ratio: float, target: float, detail: str) -> None:
    """Print a line of the table."""
    print(f"{what:42} {ratio:8.3f}  target {target:<5g} {detail}")


def main() -> None:
    """Read the options, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=500, help="abstracts")
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=1)
    args = parser.parse_args()
    records, _ = read(args.data, args.limit)
    asyncio.run(report(args, records))


if __name__ == "__main__":
    main()
