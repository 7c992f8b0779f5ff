"""The Python API: functions that take a question and return a report, an answer or a reading.

`deepcritical` itself offers these functions; they are loaded when first asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from deepcritical.bootstrap import build_reasoner, build_runs, read_settings
from deepcritical.domain.evidence import Citation, Evidence
from deepcritical.models.desk import RunDesk

if TYPE_CHECKING:
    from deepcritical.domain.answer import DeepAnswer
    from deepcritical.domain.budget import Depth
    from deepcritical.domain.events import LoggedEvent
    from deepcritical.domain.report import ResearchReport
    from deepcritical.domain.study import StudyReading
    from deepcritical.jobs.run import RunOf
    from deepcritical.jobs.runs import RunService

Result = TypeVar("Result")
_TITLE = "Text of a study"


@asynccontextmanager
async def aresearch(
    question: str,
    *,
    model: str | None = None,
    depth: Depth = "standard",
    sources: Sequence[str] = (),
    snapshot: str | None = None,
) -> AsyncIterator[RunOf[ResearchReport]]:
    """Start a run, and give it: its events as they come, its result, a way to stop it.

    A run that is left before its end is cancelled. Example::

        async with aresearch("Can metformin be repurposed for Alzheimer's disease?") as run:
            async for logged in run.tail(): ...
            report = await run.result()

    Args:
        question: A drug and a condition, a condition alone, or a hypothesis to judge.
        model: As ``provider:name``, '' for none; None leaves it to the settings, as key and
            address always are.
        depth: quick, standard or deep.
        sources: Live sources, by the keys of ``tools/registry.py``, such as ``pubmed``. Without
            snapshot and sources the settings decide.
        snapshot: ``demo``, or the path of a .jsonl file.

    Raises:
        DeepCriticalError: The question cannot be worked on, or a setting is wrong.
        ValueError: Both a snapshot and sources are given.
    """
    runs = await _runs(model, snapshot, sources)
    try:
        run = runs.submit(question, depth=depth)
        try:
            yield run
        finally:
            if not run.ended:
                run.cancel()
                await asyncio.wait([run.ending])
    finally:
        await runs.close()


def research(
    question: str,
    *,
    model: str | None = None,
    depth: Depth = "standard",
    sources: Sequence[str] = (),
    snapshot: str | None = None,
    on_event: Callable[[LoggedEvent], None] | None = None,
) -> ResearchReport:
    """Answer a question on drugs and conditions with a report; blocks until it is there.

    Its arguments are those of `aresearch`; `on_event` is given each event as it comes.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given.
    """

    async def report() -> ResearchReport:
        opened = aresearch(question, model=model, depth=depth, sources=sources, snapshot=snapshot)
        async with opened as run:
            if on_event:
                async for logged in run.tail():
                    on_event(logged)
            return await run.result()

    return _waited_for(report)


def ask(
    question: str,
    *,
    context: str = "",
    model: str | None = None,
    max_iterations: int | None = None,
    sources: Sequence[str] = (),
    snapshot: str | None = None,
) -> DeepAnswer:
    """Answer any biomedical question in located sentences; blocks until the answer is there.

    Best on one thing; `context` is what should be known beside it. `max_iterations` are rounds of
    search at most, 1-10, None leaves them to the settings. The others are as for `aresearch`.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given, or the rounds are out of range.
    """

    async def answer() -> DeepAnswer:
        runs = await _runs(model, snapshot, sources)
        try:
            run = runs.ask(question, context=context, max_iterations=max_iterations)
            return await run.result()
        finally:
            await runs.close()

    return _waited_for(answer)


deep_research = ask
"""The former name of `ask`."""


def read_study(text: str, *, title: str = "", model: str | None = None) -> StudyReading:
    """Read the text of one study, such as an abstract: its arms, outcomes and results.

    Nothing is searched and nothing is kept. Without a model few results are read; the reading says
    by whom it is.

    Raises:
        DeepCriticalError: The model cannot be asked.
        ValueError: The text is empty.
    """
    if not text.strip():
        raise ValueError("text: give the abstract of a study.")
    record = Evidence(content=text, citation=Citation(source="web", title=title or _TITLE))

    async def reading() -> StudyReading:
        made = await asyncio.to_thread(lambda: build_reasoner(read_settings(model)))
        async with made.for_run(RunDesk()) as reasoner:
            return (await reasoner.read_studies({"E1": record}, "")).readings["E1"]

    return _waited_for(reading)


async def _runs(model: str | None, snapshot: str | None, sources: Sequence[str]) -> RunService:
    # In a thread, for it reads files and opens a database.
    return await asyncio.to_thread(
        lambda: build_runs(read_settings(model), snapshot=snapshot, sources=sources)
    )


def _waited_for(work: Callable[[], Coroutine[None, None, Result]]) -> Result:
    """The result; within a running loop, as in a notebook, from a loop in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1) as worker:
        return worker.submit(lambda: asyncio.run(work())).result()
