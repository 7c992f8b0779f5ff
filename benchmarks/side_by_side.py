"""One set of questions over the same records: the product without and with a model, a baseline.

    python -m benchmarks.side_by_side VERDICTS.jsonl SNAPSHOT.jsonl [--answers ANSWERS.jsonl.gz]
        [--readings READINGS.jsonl.gz] [--record BASE_URL] [--limit N] [--out FILE.json]

Every way runs in a process of its own, so that time and memory are its own. Those with a model ask
the recorded one; without `--answers` only the product without a model is measured. With
`--readings` all ways have those records alone that are read in the file, and the product with a
model goes by these readings. A sentence counts as unsupported when it cites nothing that was given,
or holds a figure that stands in none of the texts that it cites; the check is the same for all, and
knows no meaning.
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
from collections.abc import Awaitable, Callable, Container, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from benchmarks.baselines.plain import Text, ask_plainly
from benchmarks.recorded_model import RecordedModel
from deepcritical.bootstrap import build_runs
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.events import JudgementMade
from deepcritical.domain.layout_markdown import head_markdown
from deepcritical.domain.verdict import DIRECTIONS, VerdictLabel
from deepcritical.evaluation.scores import Share, json_lines, wilson
from deepcritical.evaluation.verdicts import is_overstated, keep_readings
from deepcritical.reading.model import reader_identity
from deepcritical.reading.sentences import text_hash
from deepcritical.settings import Settings
from deepcritical.tools.snapshot_records import parse
from tests.servers.running import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from deepcritical.domain.evidence import Evidence

WAYS = ("DeepCritical, no model", "DeepCritical, recorded answers", "plain, recorded answers")
_MODEL = "compatible:recorded"
_PATIENCE_S = 3_600.0
"""For an answer that is still to be recorded."""
_SENTENCE = re.compile(r"(?<=[.!?\]])\s+(?=[A-Z•“])|\n")
_COUNTS = re.compile(r"\b(?:PMID|NCT)\s?\d+|[\d,]+ (?:people|patients|trials?|stud(?:y|ies))\b")
"""Ids, and sums over studies, which stand in none of them."""
_FIGURE = re.compile(r"(?<![\w.])\d*\.?\d+(?!\w)")


class Answered(NamedTuple):
    """What one way said to one question."""

    label: VerdictLabel | None
    text: str
    cited: Mapping[str, str]
    """The texts that may be cited, by what stands between the brackets."""
    calls: int
    tokens: int


Way = Callable[[str], Awaitable[Answered]]


def statements(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The sentences that cite something, with what they cite; a table's rows are none."""
    for sentence in _SENTENCE.split(re.sub(r"(?m)^\|.*$", "", text)):
        cited = tuple(re.findall(r"\[(\w+)\]", sentence))
        if cited:
            yield re.sub(r"\[\w+\]", "", sentence), cited


def is_unsupported(sentence: str, cited: Sequence[str], texts: Mapping[str, str]) -> bool:
    """Whether something cited was not given, or a figure stands in none of what is cited."""
    if not set(cited) <= set(texts):
        return True
    known = _figures(" ".join(texts[one] for one in cited))
    return not _figures(_COUNTS.sub("", sentence)) <= known


def _figures(text: str) -> set[float]:
    """The numbers of a text, however they are written: ".50", "0.5"."""
    return {float(n) for n in _FIGURE.findall(text.replace(",", "").replace("·", "."))}


@asynccontextmanager
async def product(snapshot: Path, model_url: str, readings: Path | None) -> AsyncIterator[Way]:
    """The product over a snapshot, with the model at an address or with none."""
    database = (
        f"sqlite:///{snapshot.with_name('readings.sqlite')}" if model_url and readings else ""
    )
    own: dict[str, Any] = {"DATABASE_URL": database, "model": None}
    if model_url:
        patient = {"model_timeout_s": _PATIENCE_S, "deadline_s": _PATIENCE_S}
        own |= {"model": _MODEL, "model_base_url": model_url, **patient}
    if database and readings:
        await keep_readings(readings, database, reader_identity(_MODEL, model_url))
    runs = build_runs(Settings.model_validate(own), snapshot=str(snapshot))

    async def answer(question: str) -> Answered:
        try:
            run = runs.submit(question)
            report = await run.result()
        except QuestionError:
            return Answered(None, "", {}, 0, 0)
        spent = [e.event.spent for e in await run.events() if isinstance(e.event, JudgementMade)]
        most = max(spent, key=lambda one: one.requests, default=None)
        texts = {
            str(n): f"{reference.title} {reference.text}"
            for n, reference in enumerate(report.references, 1)
        }
        return Answered(
            report.verdict.label,
            head_markdown(report),
            texts,
            most.calls if most else 0,
            most.tokens if most else 0,
        )

    try:
        yield answer
    finally:
        await runs.close()


@asynccontextmanager
async def baseline(snapshot: Path, model_url: str, _readings: Path | None) -> AsyncIterator[Way]:
    """The plain way over the same records."""
    rows = [row for row in json_lines(snapshot) if row.get("pmid")]
    texts = [Text(str(r["pmid"]), r["title"], r.get("abstract") or r.get("text", "")) for r in rows]
    cited = {text.pmid: f"{text.title} {text.abstract}" for text in texts}
    async with httpx.AsyncClient(base_url=model_url, timeout=_PATIENCE_S) as client:

        async def answer(question: str) -> Answered:
            told = await ask_plainly(question, texts, client, "recorded")
            return Answered(told.verdict, told.text, cited, 1, told.tokens)

        yield answer


async def measure(way: str, asked: argparse.Namespace) -> dict[str, Any]:
    """Ask every question in one way, and count."""
    rows = list(islice(json_lines(asked.verdicts), asked.limit))
    model = RecordedModel(asked.answers or Path("none"), asked.record)
    with TemporaryDirectory() as folder:
        snapshot = Path(folder) / asked.snapshot.name
        await asyncio.to_thread(_write_read, asked.snapshot, asked.readings, snapshot)
        async with running(model.app) as url:
            address = "" if way == WAYS[0] else f"{url}v1"
            opened = baseline if way == WAYS[2] else product
            async with opened(snapshot, address, asked.readings) as answer:
                begun = time.perf_counter()
                found = [(row, await answer(row["question"])) for row in rows]
                seconds = time.perf_counter() - begun
    return _counted(found) | {
        "seconds": seconds,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "refused": model.refused,
    }


def _write_read(snapshot: Path, readings: Path | None, out: Path) -> None:
    """Write a snapshot without the records that nobody read, where readings are given."""
    payload = snapshot.read_bytes()
    if readings:
        read = {row["text_sha256"] for row in json_lines(readings)}
        lines = payload.splitlines(keepends=True)
        records = [parse(line, snapshot.name).records for line in lines]
        payload = b"".join(
            line for line, found in zip(lines, records, strict=True) if _is_read(found, read)
        )
    out.write_bytes(payload)


def _is_read(records: Sequence[Evidence], read: Container[str]) -> bool:
    return any(text_hash(record) in read for record in records)


def _counted(found: Sequence[tuple[dict[str, Any], Answered]]) -> dict[str, Any]:
    right = told = over = said = unsupported = 0
    for row, answered in found:
        label, expected = answered.label, VerdictLabel(row["expected"])
        accepted = {expected, *map(VerdictLabel, row.get("accepted", ()))}
        if label and label is not VerdictLabel.NOT_ASSESSED:
            told += 1
            right += label in accepted or DIRECTIONS[label] == DIRECTIONS[expected]
        over += label is not None and label not in accepted and is_overstated(label, expected)
        for sentence, cited in statements(answered.text):
            said += 1
            unsupported += is_unsupported(sentence, cited, answered.cited)
    return {
        "n": len(found),
        "told": told,
        "right": right,
        "over": over,
        "said": said,
        "unsupported": unsupported,
        "calls": sum(one.calls for _, one in found),
        "tokens": sum(one.tokens for _, one in found),
    }


def _cell(share: Share) -> str:
    if not share.n:
        return "none"
    return f"{share.hits} of {share.n} [{100 * share.low:.0f}–{100 * share.high:.0f} %]"


def table(results: Mapping[str, dict[str, Any]]) -> str:
    """The ways side by side, as Markdown."""
    lines = [
        "| Way | Verdict of the right direction | Stronger than expected | Cited sentences "
        "unsupported | Answers of a model | Tokens | Seconds | Memory, MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for way, r in results.items():
        cells = (
            _cell(wilson(r["right"], r["n"])),
            _cell(wilson(r["over"], r["n"])),
            _cell(wilson(r["unsupported"], r["said"])),
            f"{r['calls']:,}",
            f"{r['tokens']:,}",
            f"{r['seconds']:.1f}",
            f"{r['memory']:.0f}",
        )
        lines.append(f"| {way} | {' | '.join(cells)} |")
        if r["refused"]:
            lines.append(f"\n{way}: {r['refused']} requests were not in the recording.\n")
    return "\n".join(lines)


def main() -> None:
    """Measure each way in a process of its own, and print one table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verdicts", type=Path)
    parser.add_argument("snapshot", type=Path)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--readings", type=Path)
    parser.add_argument("--record", default="")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--way", choices=WAYS, help="measure one way, in this process")
    asked = parser.parse_args()
    if asked.way:
        print(json.dumps(asyncio.run(measure(asked.way, asked))))
        return
    results = {}
    for way in WAYS if asked.answers else WAYS[:1]:
        command = [sys.executable, "-m", "benchmarks.side_by_side", *sys.argv[1:], "--way", way]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        results[way] = json.loads(done.stdout.splitlines()[-1])
    print(table(results))
    if asked.out:
        asked.out.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
