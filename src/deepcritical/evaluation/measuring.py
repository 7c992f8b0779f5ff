"""Runs the measures on labelled sets of the forms in `FORMATS`; a new form is a line there.

Nothing is fetched: who measures on a published set gives the path of his copy.
"""

from __future__ import annotations

import asyncio
import gzip
import platform
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatch
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.events import Event, JudgementMade
from deepcritical.evaluation import pubmed_syntax, questions, studies, verdicts
from deepcritical.evaluation.scores import (
    Cost,
    Evaluation,
    Figure,
    Measured,
    Outcome,
    figures_of,
    rows_on,
)
from deepcritical.models.desk import RunDesk

if TYPE_CHECKING:
    from deepcritical.domain.study.reading import StudyReading
    from deepcritical.jobs.runs import RunService
    from deepcritical.reasoning.base import Reasoner

_ROOM = RunLimits(deadline_s=21_600, max_calls=5_000, max_tokens=100_000_000)
"""For the readings of a whole set."""


class Bench(NamedTuple):
    """The set-up of a measurement, and its size."""

    reasoner: Reasoner
    runs: Callable[[str | None], RunService]
    """Runs over the snapshot that keep what they do in a database, or nowhere."""
    snapshot: str
    """Its name or path."""
    by_model: bool
    """True if a model is asked."""
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
    """The place where the set is published, or how it was made."""


def _by_code(judge: Callable[[Path], Iterator[Outcome]]) -> Measure:
    """Return the measure of a rule that judges row by row, without a model."""

    async def measure(path: Path, bench: Bench) -> Measured:
        return await asyncio.to_thread(lambda: Measured(list(islice(judge(path), bench.limit))))

    return measure


async def _recall(path: Path, bench: Bench) -> Measured:
    from deepcritical.tools.snapshot import snapshot_path

    records = await asyncio.to_thread(pubmed_syntax.read_records, snapshot_path(bench.snapshot))
    found = partial(pubmed_syntax.judge_recall, rows_on(path, bench.snapshot), records)
    return await asyncio.to_thread(lambda: Measured(list(islice(found(), bench.limit))))


async def _verdicts(path: Path, bench: Bench) -> Measured:
    """Measure the verdicts of runs; without a model, also with the recorded readings."""
    measured = await _answered(path, bench, None)
    recorded = path.with_name("readings.jsonl.gz")
    if bench.by_model or not recorded.exists():
        return measured
    with TemporaryDirectory() as folder:
        database = f"sqlite:///{folder}/readings.sqlite"
        await verdicts.keep_readings(recorded, database)
        by_them = await _answered(path, bench, database, reader="recorded readings")
    return Measured([*measured.outcomes, *by_them.outcomes], measured.spent)


async def _answered(
    path: Path, bench: Bench, database: str | None, *, reader: str = ""
) -> Measured:
    rows = islice(rows_on(path, bench.snapshot), bench.limit)
    runs = bench.runs(database)
    try:
        return await verdicts.judge_verdicts(rows, runs, reader=reader)
    finally:
        await runs.close()


def _trials(
    load: Callable[[Path], list[studies.Labelled]], judges: Sequence[studies.Judge]
) -> Measure:
    """Return the measure of readings of trials, by rules or by the model."""

    async def measure(path: Path, bench: Bench) -> Measured:
        items = (await asyncio.to_thread(load, path))[: bench.limit]
        spent = [Spent()]

        async def heard(event: Event) -> None:
            if isinstance(event, JudgementMade):
                spent.append(event.spent)

        records = {f"E{n}": item.record for n, item in enumerate(items, 1)}
        async with bench.reasoner.for_run(RunDesk(_ROOM, tell=heard)) as reasoner:
            readings = (await reasoner.read_studies(records, "")).readings
        read = list(zip(items, [readings[key] for key in records], strict=True))
        outcomes = await asyncio.to_thread(
            lambda: [
                Outcome(judge.measure, item.half, *answer)
                for item, reading in read
                for judge in judges
                for answer in judge.answers(item, reading)
            ]
        )
        if bench.by_model:  # rules read what it left, and would pass for it
            outcomes += [_is_by_model(item, reading) for item, reading in read]
        return Measured(outcomes, max(spent, key=lambda one: one.requests))

    return measure


def _is_by_model(item: studies.Labelled, reading: StudyReading) -> Outcome:
    told = reading.reader.kind == "model"
    return Outcome("records read by the model", item.half, told, told)


async def _biored(path: Path, bench: Bench) -> Measured:
    names = await _by_code(studies.judge_entities)(path, bench)
    relations = await _trials(studies.articles, studies.OF_RELATIONS)(path, bench)
    return Measured([*names.outcomes, *relations.outcomes], relations.spent)


_OWN = "our own"

FORMATS: tuple[Format, ...] = (
    Format("questions", "*intents.jsonl", _by_code(questions.judge_wordings), _OWN),
    Format("inputs to decline", "*declines.jsonl", _by_code(questions.judge_declined), _OWN),
    Format("fine questions", "*answerable_traps.jsonl", _by_code(questions.judge_answerable), _OWN),
    Format("conditions", "*conditions.jsonl", _by_code(questions.judge_names), _OWN),
    Format("drugs", "*/drugs.jsonl", _by_code(questions.judge_names), _OWN),
    Format("words", "*non_drugs.jsonl", _by_code(questions.judge_words), _OWN),
    Format("sentences", "*sentences.jsonl", _by_code(verdicts.judge_sentences), _OWN),
    Format("names of outcomes", "*pairs.jsonl", _by_code(studies.judge_outcomes), _OWN),
    Format("records to find", "*recall.jsonl", _recall, _OWN),
    Format("verdicts", "*verdicts.jsonl", _verdicts, _OWN),
    Format(
        "PICO corpus",
        "*pico_corpus*.jsonl*",
        _trials(studies.pico, studies.OF_PICO),
        "published with its paper",
    ),
    Format(
        "Evidence Inference",
        "*evidence_inference*.jsonl*",
        _trials(studies.inference, studies.OF_INFERENCE),
        "jayded/evidence-inference",
    ),
    Format(
        "RCT-ICO",
        "*rct_ico*.jsonl*",
        _trials(studies.triplets, studies.OF_TRIPLETS),
        "hyesunyun/llm-meta-analysis",
    ),
    Format("PubMedQA", "*pubmedqa*.json", _by_code(verdicts.judge_abstracts), "pubmedqa/pubmedqa"),
    Format("SciFact", "*claims_*.jsonl", _by_code(verdicts.judge_scifact), "allenai/scifact"),
    Format(
        "HealthVer", "*healthver*.csv", _by_code(verdicts.judge_healthver), "sarrouti/HealthVer"
    ),
    Format("DrugMechDB", "*drugmechdb*.json*", _by_code(questions.judge_pairs), "SuLab/DrugMechDB"),
    Format("BioRED", "*biored*.pubtator*", _biored, "ncbi/BioRED"),
    Format(
        "Q2CRBench-3",
        "*pico_information.json",
        _by_code(pubmed_syntax.judge_guideline),
        "somewordstoolate/Quicker",
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


def sets_in(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The files of known forms among files and in folders, in the order of the forms.

    What lies in a folder named train was trained on, and is left out.

    Raises:
        ConfigurationError: One is not there, a file has no known form, or nothing is to measure.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"There is no {path}.", "Give a set's file or a folder.")
        if path.is_file():
            _form(path)
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        wanted = (p for p in inside if p.is_file() and "train" not in p.parts)
        found |= dict.fromkeys(p for p in wanted if format_of(p.absolute()))
    if not found:
        raise ConfigurationError("There is no set of a known form.", _known())
    order = {one: n for n, one in enumerate(FORMATS)}
    return tuple(sorted(found, key=lambda p: order[_form(p)]))


def _form(path: Path) -> Format:
    known = format_of(path.absolute())
    if known is None:
        raise ConfigurationError(f"{path} has the form of no known set.", _known())
    return known


def _known() -> str:
    return "Known are: " + ", ".join(f"{f.name} ({f.files}; {f.origin})" for f in FORMATS) + "."


_MALFORMED = (
    LookupError,
    ValueError,  # JSON, text, numbers and fields that are none
    TypeError,
    AttributeError,
    gzip.BadGzipFile,
    EOFError,
    FileNotFoundError,
)
"""Raised by a file that has another form than its name says."""


async def evaluate(
    paths: Sequence[Path], bench: Bench, *, model: str
) -> tuple[Evaluation, list[Outcome]]:
    """Return the figures on each set, and the labels that were missed and may be looked at.

    Raises:
        ConfigurationError: A set has another form than its name says, or nothing to measure here.
    """
    figures: list[Figure] = []
    costs: dict[str, Cost] = {}
    missed: list[Outcome] = []
    grouped: dict[str, list[Outcome]] = {}
    for path in paths:
        known = _form(path)
        begun = time.perf_counter()
        outcomes, spent = await _measured(known, path, bench)
        seconds = time.perf_counter() - begun
        former = costs.get(known.name, Cost(seconds=0.0))
        costs[known.name] = Cost(
            seconds=former.seconds + seconds,
            calls=former.calls + spent.calls,
            tokens=former.tokens + spent.tokens,
            usd=spent.cost_usd,
        )
        grouped.setdefault(known.name, []).extend(outcomes)
    for name, outcomes in grouped.items():
        figures += figures_of(name, outcomes)
        missed += [o for o in outcomes if not o.right and o.half == "development"]
    if not figures:
        raise ConfigurationError(
            f"No line of these sets is a question on the records of {bench.snapshot}.",
            "Give with --snapshot the file that the lines name as their `records`.",
        )
    return await asyncio.to_thread(_told, tuple(figures), costs, model), missed


async def _measured(known: Format, path: Path, bench: Bench) -> Measured:
    try:
        measured = await known.measure(path, bench)
        figures_of(known.name, measured.outcomes)  # of halves that are none
    except _MALFORMED as error:
        why = f"no field {error}" if isinstance(error, KeyError) else str(error)
        raise ConfigurationError(
            f"{path} has the name of {known.name}, and not its form ({why}).",
            "Give the file as it is published, or under another name.",
        ) from error
    return measured


def _told(figures: tuple[Figure, ...], costs: dict[str, Cost], model: str) -> Evaluation:
    return Evaluation(
        version=version("deepcritical"),
        commit=commit(),
        measured_on=datetime.now(UTC).date().isoformat(),
        model=model,
        python=f"Python {platform.python_version()}",
        figures=figures,
        costs=costs,
    )


def commit() -> str:
    """The commit of the checkout that this file lies in; '' where it is installed."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(  # noqa: S603
            asked, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
