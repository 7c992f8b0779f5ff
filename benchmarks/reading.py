"""How much of trials a reader reads, and how much of that is right, on sets labelled by experts.

`python -m benchmarks.reading FOLDER`, the folder of the development sets: the PICO corpus (people
by arm), Evidence Inference (directions) and outcome triplets with figures. Articles are halved by
their order: rules are written on the even half, and the odd one shows what they are worth.

With `--model PROVIDER:NAME --base-url URL --only IDS` a model reads the articles whose ids (PMIDs
or PMCIDs, one a line) stand in a file, as it would in a run, and is scored by the same labels.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.domain.budget import RunLimits
from deepcritical.domain.effects import has_more, significant
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.quantities import quantities
from deepcritical.domain.study import Arm, ArmFigure, Result, StudyReading
from deepcritical.domain.text import fold
from deepcritical.models.asking import open_asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.providers import model_server
from deepcritical.reading.model import ModelReader
from deepcritical.reading.rules import read_by_rules
from deepcritical.reading.sentences import numbered, text_hash

Read = Callable[[Evidence], StudyReading]
Row = dict[str, Any]
Judge = Callable[["Labelled", StudyReading], Iterator["Outcome"]]
READERS: dict[str, Read] = {"rules": lambda record: read_by_rules(record, datetime.now(UTC))}
HALVES = ("even", "odd")


class Score(NamedTuple):
    """How many were asked for, read, and read right."""

    asked: int
    read: int
    right: int

    def __str__(self) -> str:
        precision = self.right / self.read if self.read else float("nan")
        share = self.read / self.asked if self.asked else float("nan")
        return f"right {self.right}/{self.read} = {precision:.3f}, read {share:.3f} of {self.asked}"


class Outcome(NamedTuple):
    """One label: whether it was read, and whether rightly; with what shows why."""

    read: bool
    right: bool
    shown: str = ""


class Labelled(NamedTuple):
    """A record with the labels of its article."""

    record: Evidence
    rows: tuple[Row, ...]


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _record(title: str, text: str, **ids: str) -> Evidence:
    citation = Citation(source="pubmed", title=title.strip()[:500] or "Untitled")
    return Evidence(content=text, citation=citation, metadata=EvidenceMetadata.model_validate(ids))


def pico(folder: Path) -> list[Labelled]:
    """Return the abstracts of the PICO corpus; the first sentence is the title."""
    found = []
    for row in rows_of(folder / "pico_corpus_dev.jsonl.gz"):
        begun = re.match(r".{20,300}?[.?!] ", row["text"])
        end = begun.end() if begun else 0
        title = row["text"][:end].strip() or "Untitled"
        found.append(Labelled(_record(title, row["text"][end:], pmid=row["pmid"]), (row,)))
    return found


def inference(folder: Path) -> list[Labelled]:
    """Return the articles of Evidence Inference with the rows that their abstracts answer."""
    articles: dict[str, list[Row]] = {}
    for row in rows_of(folder / "evidence_inference_dev.jsonl.gz"):
        articles.setdefault(row["pmcid"], []).append(row)
    found = []
    for pmcid, rows in articles.items():
        begun = re.match(r"TITLE:\s*(.*?)\n", rows[0]["text"], re.DOTALL)
        title = begun[1] if begun else "Untitled"
        text = rows[0]["text"][begun.end() :] if begun else rows[0]["text"]
        text = re.sub(
            r"ABSTRACT\.?([A-Z &/,]*)\.?:\s*",
            lambda m: f"{m[1].capitalize()}: " if m[1] else "",
            text,
        )
        told = tuple(row for row in rows if row["evidence_in_abstract"])
        text = re.sub(r"\n+", "\n", text).strip()
        found.append(Labelled(_record(title, text, pmcid=pmcid), told))
    return found


def triplets(folder: Path) -> list[Labelled]:
    """Return the articles with figures by arm; the text is abstract and results."""
    return [
        Labelled(
            _record("Randomised trial", row["text"], pmcid=f"PMC{row['pmcid']}"),
            tuple(row["triplets"]),
        )
        for row in rows_of(folder / "rct_ico_dev.jsonl.gz")
    ]


def _sizes(row: Row, labels: Sequence[str]) -> list[int]:
    told = (a["text"] for a in row["annotations"] if a["label"] in labels)
    return [int(abs(q.value)) for text in told for q in quantities(f"{text} patients")[:1]]


def judge_people(item: Labelled, reading: StudyReading) -> Iterator[Outcome]:
    """Yield whether the number of all people is one of those labelled."""
    labelled = _sizes(item.rows[0], ("total-participants",))
    n = reading.population.n_randomised
    if labelled:
        yield Outcome(n is not None, n in labelled, f"{n} for {labelled}")


def judge_arm_sizes(item: Labelled, reading: StudyReading) -> Iterator[Outcome]:
    """Yield for each labelled arm, or arm read beyond them, whether its number is labelled."""
    labelled = _sizes(item.rows[0], ("intervention-participants", "control-participants"))
    sizes = [arm.n for arm in reading.arms if arm.n is not None]
    if not labelled:
        return
    for n in sizes:
        yield Outcome(True, n in labelled, f"{n} for {labelled}")
    for _ in range(max(0, min(2, len(labelled)) - len(sizes))):
        yield Outcome(False, False, f"none for {labelled}")


_STOP = frozenset("the a an of in on at to for with by and or from than as was were is are".split())


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W_]+", fold(text))
    return frozenset(w[:6].rstrip("s") for w in found if w not in _STOP)


_MEASURES = _words(
    "mean median rate score level number proportion incidence overall total one two year"
)
_LOWERED = re.compile(r"^(?:\w+ )?(?:reductions?|decreases?|declines?|falls?|drops?)\b", re.I)


def direction(result: Result) -> str | None:
    """Return what a result tells of arm a against b; None where it does not tell which has more."""
    if result.better == "no_difference" or significant(result.effect) is False:
        return "no difference"
    more = has_more(result) if result.more or significant(result.effect) else None
    if more is None and result.better in ("a", "b"):
        if result.higher_is_better is None:
            return "better"
        more = "a" if (result.better == "a") == result.higher_is_better else "b"
    return None if more is None else "increased" if more == "a" else "decreased"


_TURNED = {"increased": "decreased", "decreased": "increased"}
_CONTROL = re.compile(r"placebo|control|usual|sham|standard|\bno\b|untreated|conventional", re.I)


def _arm_text(arm: Arm | None) -> str:
    return " ".join((arm.label, *(i.name for i in arm.interventions))) if arm else ""


def _overlap(one: str, other: str) -> float:
    a, b = _words(one), _words(other)
    shared = len(a & b) / min(len(a), len(b)) if a and b else 0.0
    return shared + 0.5 * (bool(_CONTROL.search(one)) and bool(_CONTROL.search(other)))


def side(reading: StudyReading, result: Result, row: Row) -> int:
    """Return 1 if arm a is the row's intervention, -1 if b is, 0 if that cannot be told."""
    a, b = (_arm_text(reading.arm(i)) for i in (result.a, result.b))
    one, other = row["intervention"], row["comparator"]
    same = _overlap(a, one) + _overlap(b, other)
    turned = _overlap(a, other) + _overlap(b, one)
    if max(same, turned) <= 0 or same == turned:
        return 0
    return 1 if same > turned else -1


def _tells(result: Result, row: Row, told: Sequence[str]) -> bool:
    """Whether a result is from the row's sentence and of its outcome."""
    evidence = fold(row["evidence"])
    sentence = fold(" ".join(told[n] for n in result.sentences))
    within = evidence in sentence or sentence in evidence
    near = _words(evidence) & _words(sentence)
    close = len(near) >= 0.7 * min(len(_words(evidence)), len(_words(sentence)))
    if fold(result.outcome) in sentence and fold(result.outcome) not in evidence:
        return False  # of another part of the sentence
    return (within or close) and _is_about(result, row)


def judge_directions(item: Labelled, reading: StudyReading) -> Iterator[Outcome]:
    """Yield for each row whether its direction was read, and rightly."""
    told = [span.text for span in numbered(item.record)]
    for row in item.rows:
        label = row["label"].removeprefix("significantly ").replace("no significant", "no")
        found = [r for r in reading.results if _tells(r, row, told)]
        answers = [a for r in found if (a := _answer(reading, r, row))]
        right = bool(answers) and label in (answers[0], answers[0].partition("/")[2])
        shown = f"{answers[:1]} for {label}: {row['outcome'][:50]} | {row['evidence'][:160]}"
        yield Outcome(bool(answers), right, shown)


def _answer(reading: StudyReading, result: Result, row: Row) -> str | None:
    """The direction by intervention and comparator of the row; None where it is not told."""
    way, turn = direction(result), side(reading, result, row)
    if way in (None, "better") or (turn == 0 and way != "no difference"):
        return None
    if _LOWERED.match(result.outcome) and not _LOWERED.search(row["outcome"]):
        way = _TURNED.get(way, way)
    return _TURNED.get(way, way) if turn < 0 else way


def judge_articles(item: Labelled, reading: StudyReading) -> Iterator[Outcome]:
    """Yield whether an article has a result with a direction."""
    if item.rows:
        told = any(direction(r) is not None for r in reading.results)
        yield Outcome(told, told)


def judge_figures(item: Labelled, reading: StudyReading) -> Iterator[Outcome]:
    """Yield for each triplet with figures whether they were read by arm, and rightly."""
    for row in item.rows:
        if row["is_data_complete"] != "TRUE":
            continue
        found = [r for r in reading.results if r.figures and _is_about(r, row)]
        judged = [right for r in found if (right := _figures_right(reading, r, row)) is not None]
        yield Outcome(bool(judged), any(judged), f"{row['outcome'][:60]}: {found[:1]}")


def _is_about(result: Result, row: Row) -> bool:
    outcome, asked = _words(result.outcome) - _MEASURES, _words(row["outcome"]) - _MEASURES
    return len(outcome & asked) >= 0.5 * min(len(outcome), len(asked)) > 0


def _figures_right(reading: StudyReading, result: Result, row: Row) -> bool | None:
    turn = side(reading, result, row)
    by_arm = {figure.arm: figure for figure in result.figures}
    a, b = (result.a, result.b) if turn >= 0 else (result.b, result.a)
    if turn == 0 or a not in by_arm or b not in by_arm:
        return None
    return _is_figure(by_arm[a], row, "intervention") and _is_figure(by_arm[b], row, "comparator")


def _is_figure(figure: ArmFigure, row: Row, arm: str) -> bool:
    events, size, mean = (row[f"{arm}_{k}"] for k in ("events", "group_size", "mean"))
    if figure.events is not None:
        return bool(figure.events == events)
    value = figure.value
    if value is None:
        return False
    shares = [100 * float(events) / float(size)] if events != "" and size not in ("", 0) else []
    wanted = [float(x) for x in (events, mean) if x != ""] + shares
    return any(abs(value - w) <= max(0.6 if w in shares else 0.0, 1e-9) for w in wanted)


JUDGES: tuple[tuple[Callable[[Path], list[Labelled]], dict[str, Judge]], ...] = (
    (pico, {"people randomised": judge_people, "people by arm": judge_arm_sizes}),
    (inference, {"directions": judge_directions, "articles with a direction": judge_articles}),
    (triplets, {"figures by arm": judge_figures}),
)


def measure(items: Sequence[Labelled], read: Read, judges: dict[str, Judge], wrong: bool) -> None:
    """Print the score of a reader on some articles by each judge."""
    readings = [read(item.record) for item in items]
    for name, judge in judges.items():
        found = [o for pair in zip(items, readings, strict=True) for o in judge(*pair)]
        reads = [outcome for outcome in found if outcome.read]
        print(f"  {name}: {Score(len(found), len(reads), sum(o.right for o in reads))}")
        if wrong:
            print(*(f"    {o.shown}" for o in reads if not o.right), sep="\n")


async def read_by_model(
    spec: str, base_url: str, records: Sequence[Evidence]
) -> dict[str, StudyReading]:
    """Return what a model reads, by the hash of what was read, and print what that took."""
    server = model_server(spec, base_url=base_url, timeout_s=3_000)
    limits = RunLimits(deadline_s=6_000, max_calls=1_000, max_tokens=50_000_000)
    async with open_asker(server, RunDesk(limits)) as asker:
        readings = await ModelReader(asker).read({text_hash(r): r for r in records}, _unkept)
    found = readings.found
    faults = Counter(re.sub(r"\[\d+\]", "", f.part) for r in found.values() for f in r.faults)
    written = asker.purse.spent.output_tokens / max(1, len(found))
    print(f"{spec}: {len(found)} of {len(records)} read, {asker.purse.spent}")
    print(f"  {written:.0f} tokens written for a record; {dict(faults)} taken out")
    return found


async def _unkept(_readings: Mapping[str, StudyReading]) -> None:
    """Nothing is kept."""


def _id(record: Evidence) -> str:
    return record.metadata.pmid or record.metadata.pmcid or ""


def by_model(folder: Path, spec: str, base_url: str, only: frozenset[str], wrong: bool) -> None:
    """Print the scores of a model on some articles."""
    sets = [([i for i in load(folder) if _id(i.record) in only], j) for load, j in JUDGES]
    records = [item.record for items, _ in sets for item in items]
    found = asyncio.run(read_by_model(spec, base_url, records))
    for items, judges in sets:
        read = [item for item in items if text_hash(item.record) in found]
        measure(read, lambda record: found[text_hash(record)], judges, wrong)


def main() -> None:
    """Print the scores by reader, judge and half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of the development sets")
    parser.add_argument("--wrong", action="store_true", help="show what the even half gets wrong")
    parser.add_argument("--model", help="a model as provider:name")
    parser.add_argument("--base-url", help="its address")
    parser.add_argument("--only", type=Path, help="file of ids of the articles that it reads")
    asked = parser.parse_args()
    if asked.model:
        only = frozenset(asked.only.read_text("utf-8").split())
        by_model(asked.folder, asked.model, asked.base_url, only, asked.wrong)
        return
    for name, read in READERS.items():
        for load, judges in JUDGES:
            items = load(asked.folder)
            for at, half in enumerate(HALVES):
                print(f"{name}, {load.__name__}, {half} half")
                measure(items[at::2], read, judges, asked.wrong and at == 0)


if __name__ == "__main__":
    main()
