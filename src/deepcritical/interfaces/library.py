"""The Python API: functions that take a question and return a report, an answer or a reading.

`deepcritical` itself offers these functions; they are loaded when first asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from deepcritical.bootstrap import build_reasoner, build_runs, read_settings
from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.domain.run.recipe import OwnDocument, PastedText
from deepcritical.models.desk import RunDesk
from deepcritical.tools.documents import SUFFIXES, read_document
from deepcritical.toolset.starting import documents_of

if TYPE_CHECKING:
    from deepcritical.domain.report.answer import DeepAnswer
    from deepcritical.domain.report.report import ResearchReport
    from deepcritical.domain.run.budget import Depth
    from deepcritical.domain.study.reading import StudyReading
    from deepcritical.jobs.run import RunOf
    from deepcritical.jobs.runs import RunService

Result = TypeVar("Result")
Own = str | Path | Mapping[str, str]
"""A document of the user's own: a file or folder, an id, or a pasted text as `{"text": ...}`."""
_TITLE = "Text of a study"


@asynccontextmanager
async def aresearch(
    question: str,
    *,
    model: str | None = None,
    depth: Depth = "standard",
    sources: Sequence[str] = (),
    snapshot: str | None = None,
    documents: Sequence[Own] = (),
) -> AsyncIterator[RunOf[ResearchReport]]:
    """Start a run, and give it: its events as they come, its result, a way to stop it.

    A run that is left before its end is cancelled.

    Args:
        question: A drug and a condition, a condition alone, or a hypothesis to judge.
        model: As ``provider:name``, '' for none; None leaves it to the settings, as all keys are.
        depth: quick, standard or deep.
        sources: Live sources, by the keys of ``tools/registry.py``, such as ``pubmed``.
        snapshot: ``demo``, or the path of a .jsonl file. Without either the settings decide.
        documents: Read with what is found: paths of .pdf, .txt or .md files and of folders of them,
            a PMID, PMCID, DOI or NCT number, and pasted texts as ``{"text": ...}``.

    Raises:
        DeepCriticalError: The question cannot be worked on, a document cannot be read, or a setting
            is wrong.
        ValueError: Both a snapshot and sources are given.
    """
    own = await _documents(documents)
    runs = await _runs(model, snapshot, sources)
    try:
        run = runs.submit(question, depth=depth, documents=own)
        try:
            yield run
        finally:
            if not run.ended:
                run.cancel()
                await asyncio.wait([run.ending])
    finally:
        await runs.close()


def ask(
    question: str,
    *,
    context: str = "",
    model: str | None = None,
    max_iterations: int | None = None,
    sources: Sequence[str] = (),
    snapshot: str | None = None,
    documents: Sequence[Own] = (),
) -> DeepAnswer:
    """Answer any biomedical question in located sentences; blocks until the answer is there.

    Best on one thing; `context` is what should be known beside it. `max_iterations` are rounds of
    search at most, 1-10, None leaves them to the settings. The others are as for `aresearch`.

    Raises:
        DeepCriticalError: The question cannot be worked on, or no source can be read.
        ValueError: Both a snapshot and sources are given, or the rounds are out of range.
    """

    async def answer() -> DeepAnswer:
        own = await _documents(documents)
        runs = await _runs(model, snapshot, sources)
        try:
            run = runs.ask(question, context=context, max_iterations=max_iterations, documents=own)
            return await run.result()
        finally:
            await runs.close()

    return waited_for(answer)


deep_research = ask
"""The former name of `ask`."""


def read_study(text: str | Path, *, title: str = "", model: str | None = None) -> StudyReading:
    """Read one study, an abstract or the path of a .pdf, .txt or .md file: arms, outcomes, results.

    Nothing is searched and nothing is kept. Without a model few results are read; the reading says
    by whom it is.

    Raises:
        DeepCriticalError: The model cannot be asked, or the file cannot be read.
        ValueError: The text is empty.
    """
    if isinstance(text, str) and not text.strip():
        raise ValueError("text: give the abstract of a study.")

    async def reading() -> StudyReading:
        record = await asyncio.to_thread(_record, text, title)
        made = await asyncio.to_thread(lambda: build_reasoner(read_settings(model)))
        async with made.for_run(RunDesk()) as reasoner:
            return (await reasoner.read_studies({"E1": record}, "")).readings["E1"]

    return waited_for(reading)


def _record(text: str | Path, title: str) -> Evidence:
    if isinstance(text, Path):
        return read_document(text)
    return Evidence(content=text, citation=Citation(source="web", title=title or _TITLE))


async def _documents(given: Sequence[Own]) -> tuple[OwnDocument, ...]:
    return await documents_of(None, [_named(one) for one in given], "", reads_files=True)


def _named(one: Own) -> str | PastedText:
    if isinstance(one, Mapping):
        return PastedText.model_validate(one)
    path = Path(one).expanduser()
    is_path = isinstance(one, Path) or path.suffix.lower() in SUFFIXES or path.is_dir()
    return str(path.absolute()) if is_path else str(one)


async def _runs(model: str | None, snapshot: str | None, sources: Sequence[str]) -> RunService:
    # In a thread, for it reads files and opens a database.
    return await asyncio.to_thread(
        lambda: build_runs(read_settings(model), snapshot=snapshot, sources=sources)
    )


def waited_for(work: Callable[[], Coroutine[None, None, Result]]) -> Result:
    """The result; within a running loop, as in a notebook, from a loop in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1) as worker:
        return worker.submit(lambda: asyncio.run(work())).result()
