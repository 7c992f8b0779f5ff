"""Drug-repurposing answers in which every factual sentence rests on a located quote.

from deepcritical import research

report = research("Can metformin be repurposed for Alzheimer's disease?")
print(report.to_markdown())

The judging functions it rests on are pure, need no key and no network, and can be used alone:
`grade(record)`, `stance(record, hypothesis)`, `edges(text)` and `verify_claim(sentence, record)`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

# First, for Python binds a package's name in its parent when it loads it: later, it would
# overwrite the function of the same name.
import deepcritical.research  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Sequence

    from deepcritical.domain.grading import grade
    from deepcritical.domain.live_sources import SourceKey
    from deepcritical.domain.report import ResearchReport
    from deepcritical.reasoning.edges import edges
    from deepcritical.reasoning.hypothesis_stance import stance
    from deepcritical.reasoning.verifying import verify_claim

__all__ = ["edges", "grade", "research", "stance", "verify_claim"]

_HOMES = {
    "edges": "deepcritical.reasoning.edges",
    "grade": "deepcritical.domain.grading",
    "stance": "deepcritical.reasoning.hypothesis_stance",
    "verify_claim": "deepcritical.reasoning.verifying",
}
"""Names that are imported when first asked for, so that `deepcritical --help` stays fast."""

# A library does not print what it logs; `deepcritical serve` does.
logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'deepcritical' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def research(
    question: str, *, snapshot: str | None = None, sources: Sequence[SourceKey] = ()
) -> ResearchReport:
    """Answer a question from live sources or from a snapshot; blocks until the report is there.

    Args:
        question: A drug and a condition, a condition alone, or a hypothesis to judge.
        snapshot: ``demo``, or the path of a .jsonl file.
        sources: Live sources: ``pubmed``, ``clinicaltrials``, ``europepmc``, ``web``. Without
            snapshot and sources the settings decide: by default the first three.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given.
    """
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    from deepcritical.bootstrap import build_runs, read_settings

    runs = build_runs(read_settings(), snapshot=snapshot, sources=sources)

    async def answer() -> ResearchReport:
        return await runs.submit(question).result()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer())
    # Within a running loop, as in a notebook, the run gets a loop of its own in another thread.
    with ThreadPoolExecutor(max_workers=1) as worker:
        return worker.submit(lambda: asyncio.run(answer())).result()
