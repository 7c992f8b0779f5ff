"""Questions over the same records in several ways, as one table: a baseline beside the product.

    python -m benchmarks.side_by_side FOLDER=SNAPSHOT.jsonl ... [--record BASE_URL]
        [--peer NAME=PYTHON] [--answers ANSWERS.jsonl.gz] [--limit N] [--out FILE.json]

FOLDER is one of `question_sets`, SNAPSHOT its records. The questions are the lines of its
`later_verdicts.jsonl` that are marked `side_by_side`. All ways have the records of all folders
together that are read in a `readings.jsonl.gz`, and the product with a model goes by these. It
retrieves by words alone.

With `--record` all is first asked at once, and the recording holds what the server at BASE_URL
answers. Then each way is measured over the recording alone, question by question, in a process of
its own, so that time and memory are its own; the time is that without the model's. A request that
is not in the recording ends the measurement: a prompt, a question or a record has changed since.
Without a recording only the product without a model is measured. A peer is a module of
`baselines` by its name, with an interpreter in which its package is installed.

A sentence counts as unsupported when it cites nothing that was given, or holds a figure that stands
in none of the texts that it cites; the check is the same for all, and knows no meaning.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from benchmarks.baselines.plain import VERDICTS, Text, ask_plainly, verdict_of
from benchmarks.recorded_model import PATIENCE_S, RecordedModel
from deepcritical.bootstrap import build_runs
from deepcritical.domain.appraisal.verdict import DIRECTIONS, VerdictLabel
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.report.report import head_markdown
from deepcritical.evaluation.scores import Share, bootstrapped, json_lines, wilson
from deepcritical.evaluation.verdicts import is_overstated, keep_readings
from deepcritical.reading.model import reader_identity
from deepcritical.reading.sentences import text_hash
from deepcritical.settings import Settings
from deepcritical.tools.snapshot import parse
from tests.servers.running import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ANSWERS = Path(__file__).with_name("question_sets") / "side_by_side.jsonl.gz"
_MODEL = "compatible:recorded"
_UNHURRIED = {
    "model_timeout_s": PATIENCE_S,
    "deadline_s": 86_400.0,
    "source_deadline_s": PATIENCE_S,
    "embedding_model": "",
}
"""No clock and no vector may change what a model is asked, or the recording would not know it.

A machine that is slow, or rounds in another way, would put two records in another order.
"""
_SENTENCE = re.compile(r"(?<=[.!?\]])\s+(?=[A-Z•“])|\n")
_COUNTS = re.compile(
    r"\b(?:PMID|NCT)\s?\d+|"
    r"(?:[\d,]+ of )?[\d,]+ (?:relevant )?(?:people|patients|trials?|stud(?:y|ies))\b"
)
"""Ids, and sums over studies, which stand in none of them."""
_FIGURE = re.compile(r"(?<![\w.])\d*\.?\d+(?!\w)")


class Asked(NamedTuple):
    """The questions of all sets, their records as lines of a snapshot, and the readings."""

    rows: list[dict[str, Any]]
    records: list[bytes]
    readings: list[dict[str, Any]]


class Answered(NamedTuple):
    """The answer of one way to one question."""

    label: VerdictLabel | None
    text: str
    cited: Mapping[str, str]
    """The texts that may be cited, by what stands between the brackets."""


Way = Callable[[str], Awaitable[Answered]]


def statements(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences that cite something, with what they cite; a table's rows are none."""
    for sentence in _SENTENCE.split(re.sub(r"(?m)^\|.*$", "", text)):
        cited = tuple(re.findall(r"\[(\w+)\]", sentence))
        if cited:
            yield re.sub(r"\[\w+\]", "", sentence), cited


def is_unsupported(sentence: str, cited: Sequence[str], texts: Mapping[str, str]) -> bool:
    """Tell if a citation was not given, or if a figure stands in no cited text."""
    if not set(cited) <= set(texts):
        return True
    known = _figures(" ".join(texts[one] for one in cited))
    return not _figures(_COUNTS.sub("", sentence)) <= known


def _figures(text: str) -> set[float]:
    """The numbers of a text, however they are written: ".50", "0.5"."""
    return {float(n) for n in _FIGURE.findall(text.replace(",", "").replace("·", "."))}


@asynccontextmanager
async def product(snapshot: Path, model_url: str, readings: Path) -> AsyncIterator[Way]:
    """The product over a snapshot, with the model at an address or with none."""
    own: dict[str, Any] = {"DATABASE_URL": "", "model": None}
    if model_url:
        database = f"sqlite:///{snapshot.with_name('readings.sqlite')}"
        own = {"DATABASE_URL": database, "model": _MODEL, "model_base_url": model_url}
        await keep_readings(readings, database, reader_identity(_MODEL, model_url))
    runs = build_runs(Settings.model_validate(own | _UNHURRIED), snapshot=str(snapshot))

    async def answer(question: str) -> Answered:
        try:
            report = await runs.submit(question).result()
        except QuestionError:
            return Answered(None, "", {})
        texts = {
            str(n): f"{reference.title} {reference.text}"
            for n, reference in enumerate(report.references, 1)
        }
        return Answered(report.verdict.label, head_markdown(report), texts)

    try:
        yield answer
    finally:
        await runs.close()


def _texts(snapshot: Path) -> list[Text]:
    rows = [row for row in json_lines(snapshot) if row.get("pmid")]
    return [Text(str(r["pmid"]), r["title"], r.get("abstract") or r.get("text", "")) for r in rows]


def _told(text: str, texts: Sequence[Text]) -> Answered:
    return Answered(verdict_of(text), text, {t.pmid: f"{t.title} {t.abstract}" for t in texts})


@asynccontextmanager
async def plain(snapshot: Path, model_url: str, _readings: Path) -> AsyncIterator[Way]:
    """The plain way over the same records."""
    texts = _texts(snapshot)
    async with httpx.AsyncClient(base_url=model_url, timeout=PATIENCE_S) as client:

        async def answer(question: str) -> Answered:
            return _told(await ask_plainly(question, texts, client, "recorded"), texts)

        yield answer


@asynccontextmanager
async def peer(
    module: str, python: str, snapshot: Path, model_url: str, _readings: Path
) -> AsyncIterator[Way]:
    """A peer over the same records, in its own interpreter; it answers one question at a time."""
    texts, one = _texts(snapshot), asyncio.Lock()
    command = [python, "-m", f"benchmarks.baselines.{module}"]
    opening = partial(subprocess.Popen, command, stdin=PIPE, stdout=PIPE, text=True)
    process: subprocess.Popen[str] = await asyncio.to_thread(opening)

    def said(line: object) -> str:
        print(json.dumps(line), file=process.stdin, flush=True)
        return process.stdout.readline() if process.stdout else ""

    async def answer(question: str) -> Answered:
        async with one:
            line = await asyncio.to_thread(said, f"{question}\n{VERDICTS}")
        return _told(json.loads(line), texts)

    with process:
        print(json.dumps({"url": model_url, "texts": texts}), file=process.stdin, flush=True)
        yield answer


UNAIDED = "DeepCritical, no model"
Opened = Callable[[Path, str, Path], AbstractAsyncContextManager[Way]]
"""From the records, the address of a model and the readings."""


def ways_of(peers: Sequence[str]) -> dict[str, Opened]:
    """The ways by name, with those peers that are named as NAME=PYTHON."""
    ways: dict[str, Opened] = {
        UNAIDED: lambda snapshot, _url, readings: product(snapshot, "", readings),
        "DeepCritical, recorded answers": product,
        "plain, recorded answers": plain,
    }
    for module, _, python in (one.partition("=") for one in peers):
        ways[f"{module}, recorded answers"] = partial(peer, module, python)
    return ways


@asynccontextmanager
async def opened(way: Opened, asked: Asked, url: str) -> AsyncIterator[Way]:
    """One way over the records, with the model at an address."""
    with TemporaryDirectory() as folder:
        snapshot, readings = Path(folder) / "records.jsonl", Path(folder) / "readings.jsonl"
        snapshot.write_bytes(b"".join(asked.records))
        readings.write_text("\n".join(map(json.dumps, asked.readings)), encoding="utf-8")
        async with way(snapshot, f"{url}v1", readings) as answer:
            yield answer


async def record(ways: Iterable[Opened], asked: Asked, model: RecordedModel) -> None:
    """Ask everything at once, and keep the answers that this took."""

    async def ask(way: Opened, url: str) -> None:
        async with opened(way, asked, url) as answer:
            await asyncio.gather(*(answer(row["question"]) for row in asked.rows))

    complete = False
    try:
        async with running(model.app) as url, asyncio.TaskGroup() as group:
            for way in ways:
                group.create_task(ask(way, url))
        complete = True
    finally:
        model.save(used_alone=complete)


async def measure(way: Opened, asked: Asked, model: RecordedModel) -> dict[str, Any]:
    """Ask every question in one way, one after another, and count.

    Raises:
        SystemExit: The model was asked what is not in the recording.
    """
    found, seconds, calls, tokens = [], [], [], []
    async with running(model.app) as url, opened(way, asked, url) as answer:
        for row in asked.rows:
            begun, before = time.perf_counter(), (model.calls, model.tokens)
            try:
                found.append((row, await answer(row["question"])))
            finally:
                if model.refused:
                    sys.exit(_CHANGED.format(n=model.refused, asked=row["question"]))
            seconds.append(round(time.perf_counter() - begun, 2))
            calls.append(model.calls - before[0])
            tokens.append(model.tokens - before[1])
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    memory = max(one.ru_maxrss for one in used) // 1024
    spent = {"seconds": seconds, "calls": calls, "tokens": tokens, "memory_mb": memory}
    return _counted(found) | spent


_CHANGED = (
    "{n} requests for '{asked}' have no recorded answer. A prompt, a question or a record "
    "has changed since the recording. Record again with --record BASE_URL."
)


def _counted(found: Sequence[tuple[dict[str, Any], Answered]]) -> dict[str, Any]:
    right = over = said = unsupported = 0
    for row, answered in found:
        label, expected = answered.label, VerdictLabel(row["expected"])
        accepted = {expected, *map(VerdictLabel, row.get("accepted", ()))}
        if label and label is not VerdictLabel.NOT_ASSESSED:
            right += label in accepted or DIRECTIONS[label] == DIRECTIONS[expected]
        over += label is not None and label not in accepted and is_overstated(label, expected)
        for sentence, cited in statements(answered.text):
            said += 1
            unsupported += is_unsupported(sentence, cited, answered.cited)
    return {
        "n": len(found),
        "right": right,
        "over": over,
        "said": said,
        "unsupported": unsupported,
    }


def _share(share: Share) -> str:
    if not share.n:
        return "none"
    return f"{share.hits} of {share.n} [{100 * share.low:.0f}–{100 * share.high:.0f} %]"


def _mean(values: Sequence[float], digits: int) -> str:
    """The mean of a question, with its interval."""
    mean, low, high = (f"{value:,.{digits}f}" for value in bootstrapped(values))
    return mean if low == high else f"{mean} [{low}–{high}]"


def table(told: Mapping[str, Any]) -> str:
    """The ways side by side, as Markdown, and what they were measured with."""
    lines = [
        "| Way | Verdict of the right direction | Stronger than expected | Cited sentences "
        "unsupported | Answers of a model a question | Tokens a question | Seconds a question | "
        "Memory, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for way, r in told["ways"].items():
        cells = (
            _share(wilson(r["right"], r["n"])),
            _share(wilson(r["over"], r["n"])),
            _share(wilson(r["unsupported"], r["said"])),
            _mean(r["calls"], 1),
            _mean(r["tokens"], 0),
            _mean(r["seconds"], 1),
            f"{r['memory_mb']}",
        )
        lines.append(f"| {way} | {' | '.join(cells)} |")
    commit_of = f", commit {told['commit']}" if told["commit"] else ""
    n = next(iter(told["ways"].values()))["n"]
    how = f"{n} questions; means have intervals of 95 % by bootstrap, memory is one measurement"
    lines.append(f"\n{how}. DeepCritical {told['version']}{commit_of}, {told['measured_on']}.")
    return "\n".join(lines)


def asked_of(given: Sequence[str], limit: int | None) -> Asked:
    """Read the questions of each FOLDER=SNAPSHOT, with at most `limit` of each."""
    asked = Asked([], [], [])
    for folder, _, snapshot in (one.partition("=") for one in given):
        rows = json_lines(Path(folder) / "later_verdicts.jsonl")
        asked.rows.extend(islice((row for row in rows if row["side_by_side"]), limit))
        asked.readings.extend(json_lines(Path(folder) / "readings.jsonl.gz"))
        read = {row["text_sha256"] for row in asked.readings}
        for line in Path(snapshot).read_bytes().splitlines(keepends=True):
            if any(text_hash(one) in read for one in parse(line, snapshot).records):
                asked.records.append(line)
    return asked


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="FOLDER=SNAPSHOT")
    parser.add_argument("--answers", type=Path, default=ANSWERS)
    parser.add_argument("--record", default="", metavar="BASE_URL")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON")
    parser.add_argument("--way", help="measure one way, in this process")
    return parser.parse_args()


def main() -> None:
    """Record if that is asked for, measure each way in its own process, and print one table."""
    given = _parsed()
    asked, ways = asked_of(given.sets, given.limit), ways_of(given.peer)
    if given.way:
        one = measure(ways[given.way], asked, RecordedModel(given.answers))
        print(json.dumps(asyncio.run(one)))
        return
    if given.record:
        aided = [way for name, way in ways.items() if name != UNAIDED]
        asyncio.run(record(aided, asked, RecordedModel(given.answers, given.record)))
    # Late: it loads the dictionaries, which are no memory of a way.
    from deepcritical.evaluation.measuring import commit

    told = {
        "version": version("deepcritical"),
        "commit": commit(),
        "measured_on": datetime.now(UTC).date().isoformat(),
        "ways": {way: _apart(way) for way in ways if way == UNAIDED or given.answers.exists()},
    }
    print(table(told))
    if given.out:
        given.out.write_text(json.dumps(told, indent=1), encoding="utf-8")


def _apart(way: str) -> dict[str, Any]:
    """One way, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.side_by_side", *sys.argv[1:], "--way", way]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{way}: {done.stderr}")
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


if __name__ == "__main__":
    main()
