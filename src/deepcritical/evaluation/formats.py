"""The forms of labelled sets that are known, by the names of their files; a new one is a line here.

Nothing is fetched: who measures on a published set gives the path of his copy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatch
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.budget import RunLimits, Spent
from deepcritical.domain.events import Event, JudgementMade
from deepcritical.evaluation import claims, pubmed_syntax, questions, trials
from deepcritical.evaluation.files import rows_on
from deepcritical.evaluation.scores import Measured, Outcome
from deepcritical.evaluation.verdicts import judge_verdicts, keep_readings
from deepcritical.models.desk import RunDesk

if TYPE_CHECKING:
    from deepcritical.domain.study import StudyReading
    from deepcritical.jobs.runs import RunService
    from deepcritical.reasoning.base import Reasoner

_ROOM = RunLimits(deadline_s=21_600, max_calls=5_000, max_tokens=100_000_000)
"""For the readings of a whole set."""


class Bench(NamedTuple):
    """What is measured, and on how much."""

    reasoner: Reasoner
    runs: Callable[[str | None], RunService]
    """Runs over the snapshot that keep what they do in a database, or nowhere."""
    snapshot: str
    """Its name or path."""
    by_model: bool
    """Whether a model is asked."""
    limit: int | None
    """Rows of a set that are measured, or articles where they are read; None for all."""


Measure = Callable[[Path, Bench], Awaitable[Measured]]


class Format(NamedTuple):
    """One form of labelled sets."""

    name: str
    files: str
    """A pattern of its files' names, with the folder where that matters."""
    measure: Measure
    origin: str
    """Where the set is published, or how it was made."""


def _by_code(judge: Callable[[Path], Iterator[Outcome]]) -> Measure:
    """What is judged row by row, without a model."""

    async def measure(path: Path, bench: Bench) -> Measured:
        return await asyncio.to_thread(lambda: Measured(list(islice(judge(path), bench.limit))))

    return measure


async def _recall(path: Path, bench: Bench) -> Measured:
    from deepcritical.tools.snapshot import snapshot_path

    records = await asyncio.to_thread(pubmed_syntax.read_records, snapshot_path(bench.snapshot))
    found = partial(pubmed_syntax.judge_recall, rows_on(path, bench.snapshot), records)
    return await asyncio.to_thread(lambda: Measured(list(islice(found(), bench.limit))))


async def _verdicts(path: Path, bench: Bench) -> Measured:
    """What runs say; without a model also by the readings that lie beside the questions."""
    measured = await _answered(path, bench, None)
    recorded = path.with_name("readings.jsonl.gz")
    if bench.by_model or not recorded.exists():
        return measured
    with TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/readings.sqlite"
        await keep_readings(recorded, database)
        by_them = await _answered(path, bench, database, reader="recorded readings")
    return Measured([*measured.outcomes, *by_them.outcomes], measured.spent)


async def _answered(
    path: Path, bench: Bench, database: str | None, *, reader: str = ""
) -> Measured:
    rows = islice(rows_on(path, bench.snapshot), bench.limit)
    runs = bench.runs(database)
    try:
        return await judge_verdicts(rows, runs, reader=reader)
    finally:
        await runs.close()


def _trials(load: Callable[[Path], list[trials.Labelled]]) -> Measure:
    """What is read from trials, by rules or by the model."""

    async def measure(path: Path, bench: Bench) -> Measured:
        items = (await asyncio.to_thread(load, path))[: bench.limit]
        spent = [Spent()]

        async def heard(event: Event) -> None:
            if isinstance(event, JudgementMade):
                spent.append(event.spent)

        records = {f"E{n}": item.record for n, item in enumerate(items, 1)}
        async with bench.reasoner.for_run(RunDesk(_ROOM, tell=heard)) as reasoner:
            readings = (await reasoner.read_studies(records, "")).readings
        read = [readings[key] for key in records]
        judges = trials.TRIAL_JUDGES[load.__name__]
        outcomes = await asyncio.to_thread(lambda: list(_judged(items, read, judges)))
        return Measured(outcomes, max(spent, key=lambda one: one.requests))

    return measure


def _judged(
    items: Sequence[trials.Labelled],
    readings: Iterable[StudyReading],
    judges: Sequence[trials.Judge],
) -> Iterator[Outcome]:
    for item, reading in zip(items, readings, strict=True):
        for judge in judges:
            for answer in judge.answers(item, reading):
                yield Outcome(judge.measure, item.half, *answer)


_OWN = "our own"

FORMATS: tuple[Format, ...] = (
    Format("questions", "*intents.jsonl", _by_code(questions.judge_wordings), _OWN),
    Format("inputs to decline", "*declines.jsonl", _by_code(questions.judge_declined), _OWN),
    Format("fine questions", "*answerable_traps.jsonl", _by_code(questions.judge_answerable), _OWN),
    Format("conditions", "*conditions.jsonl", _by_code(questions.judge_names), _OWN),
    Format("drugs", "*/drugs.jsonl", _by_code(questions.judge_names), _OWN),
    Format("words", "*non_drugs.jsonl", _by_code(questions.judge_words), _OWN),
    Format("sentences", "*sentences.jsonl", _by_code(claims.judge_sentences), _OWN),
    Format("names of outcomes", "*pairs.jsonl", _by_code(trials.judge_outcomes), _OWN),
    Format("records to find", "*recall.jsonl", _recall, _OWN),
    Format("verdicts", "*verdicts.jsonl", _verdicts, _OWN),
    Format("PICO corpus", "*pico_corpus*.jsonl*", _trials(trials.pico), "published with its paper"),
    Format(
        "Evidence Inference",
        "*evidence_inference*.jsonl*",
        _trials(trials.inference),
        "jayded/evidence-inference",
    ),
    Format("RCT-ICO", "*rct_ico*.jsonl*", _trials(trials.triplets), "hyesunyun/llm-meta-analysis"),
    Format("PubMedQA", "*pubmedqa*.json", _by_code(claims.judge_abstracts), "pubmedqa/pubmedqa"),
    Format("SciFact", "*claims_*.jsonl", _by_code(claims.judge_scifact), "allenai/scifact"),
    Format("HealthVer", "*healthver*.csv", _by_code(claims.judge_healthver), "sarrouti/HealthVer"),
    Format(
        "DrugMechDB",
        "*drugmechdb*.json*",
        _by_code(questions.judge_pairs),
        "SuLab/DrugMechDB",
    ),
    Format("repoDB", "*repodb*.csv", _by_code(questions.judge_pairs), "published as a table"),
    Format(
        "PharmacotherapyDB",
        "*indications.tsv",
        _by_code(questions.judge_pairs),
        "dhimmel/indications",
    ),
)


def format_of(path: Path) -> Format | None:
    """The form of a file, by its name and folder; None where none is known."""
    told = path.as_posix().casefold()
    return next((one for one in FORMATS if fnmatch(told, one.files)), None)
