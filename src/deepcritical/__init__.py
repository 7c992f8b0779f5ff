"""Drug-repurposing answers in which every factual sentence rests on a located quote.

from deepcritical import research

report = research("Can metformin be repurposed for Alzheimer's disease?")
print(report.to_markdown())

`ask(question)` answers any biomedical question, not only one of repurposing; `aresearch` gives a
run whose events can be followed; `read_study(text)` reads one study.

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
    from collections.abc import Callable, Sequence

    from deepcritical.answering.stance import stance
    from deepcritical.domain.evidence.grading import grade
    from deepcritical.domain.report.report import ResearchReport
    from deepcritical.domain.run.budget import Depth
    from deepcritical.domain.run.events import LoggedEvent
    from deepcritical.interfaces.library import Own, aresearch, ask, deep_research, read_study
    from deepcritical.verification.claims import verify_claim

__all__ = [
    "aresearch",
    "ask",
    "deep_research",
    "grade",
    "read_study",
    "research",
    "stance",
    "verify_claim",
]

_HOMES = {
    "aresearch": "deepcritical.interfaces.library",
    "ask": "deepcritical.interfaces.library",
    "deep_research": "deepcritical.interfaces.library",
    "grade": "deepcritical.domain.evidence.grading",
    "read_study": "deepcritical.interfaces.library",
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
    question: str,
    *,
    model: str | None = None,
    depth: Depth = "standard",
    sources: Sequence[str] = (),
    snapshot: str | None = None,
    documents: Sequence[Own] = (),
    on_event: Callable[[LoggedEvent], None] | None = None,
) -> ResearchReport:
    """Answer a question on drugs and conditions with a report; blocks until it is there.

    Its arguments are those of `aresearch`; `on_event` is given each event as it comes.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given.
    """
    from deepcritical.interfaces.library import aresearch, waited_for

    async def report() -> ResearchReport:
        async with aresearch(
            question,
            model=model,
            depth=depth,
            sources=sources,
            snapshot=snapshot,
            documents=documents,
        ) as run:
            if on_event:
                async for logged in run.tail():
                    on_event(logged)
            return await run.result()

    return waited_for(report)
