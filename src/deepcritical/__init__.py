"""Drug-repurposing answers in which every factual sentence rests on a located quote.

from deepcritical import research

report = research("Can metformin be repurposed for Alzheimer's disease?")
print(report.to_markdown())

`deep_research(question)` answers any biomedical question, not only one of repurposing.

The judging functions it rests on are pure, need no key and no network, and can be used alone:
`grade(record)`, `stance(record, hypothesis)` and `verify_claim(sentence, record)`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

# First, for Python binds a package's name in its parent when it loads it: later, it would
# overwrite the function of the same name.
import deepcritical.research  # noqa: F401

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import TypeVar

    from deepcritical.answering.stance import stance
    from deepcritical.domain.answer import DeepAnswer
    from deepcritical.domain.grading import grade
    from deepcritical.domain.report import ResearchReport
    from deepcritical.verification.claims import verify_claim

    Document = TypeVar("Document", ResearchReport, DeepAnswer)

__all__ = ["deep_research", "grade", "research", "stance", "verify_claim"]

_HOMES = {
    "grade": "deepcritical.domain.grading",
    "stance": "deepcritical.answering.stance",
    "verify_claim": "deepcritical.verification.claims",
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
    question: str, *, snapshot: str | None = None, sources: Sequence[str] = ()
) -> ResearchReport:
    """Answer a question from live sources or from a snapshot; blocks until the report is there.

    Args:
        question: A drug and a condition, a condition alone, or a hypothesis to judge.
        snapshot: ``demo``, or the path of a .jsonl file.
        sources: Live sources, by the keys of ``tools/registry.py``, such as ``pubmed``. Without
            snapshot and sources the settings decide.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given.
    """
    from deepcritical.bootstrap import build_runs, read_settings

    runs = build_runs(read_settings(), snapshot=snapshot, sources=sources)

    async def report() -> ResearchReport:
        try:
            return await runs.submit(question).result()
        finally:
            await runs.close()

    return _waited_for(report)


def deep_research(
    question: str,
    *,
    context: str = "",
    max_iterations: int | None = None,
    snapshot: str | None = None,
    sources: Sequence[str] = (),
) -> DeepAnswer:
    """Answer any biomedical question in located sentences; blocks until the answer is there.

    Args:
        question: Any question, best on one thing.
        context: What should be known beside it.
        max_iterations: Rounds of search at most, 1-10; None leaves it to the settings.
        snapshot: As for `research`.
        sources: As for `research`.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given, or the rounds are out of range.
    """
    from deepcritical.bootstrap import build_runs, read_settings

    runs = build_runs(read_settings(), snapshot=snapshot, sources=sources)

    async def answer() -> DeepAnswer:
        try:
            run = runs.ask(question, context=context, max_iterations=max_iterations)
            return await run.result()
        finally:
            await runs.close()

    return _waited_for(answer)


def _waited_for(work: Callable[[], Coroutine[None, None, Document]]) -> Document:
    """The result; within a running loop, as in a notebook, from a loop in another thread."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1) as worker:
        return worker.submit(lambda: asyncio.run(work())).result()
