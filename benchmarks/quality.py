"""How well the stance of records is judged, on public labelled sets.

    python benchmarks/quality.py --data PATH

PATH holds the sets as they are published: PubMedQA and Evidence Inference. A set that is not there
is left out. Beside each figure stands a trivial baseline. The halves are by a
hash of each row's id: far apart, they would show rules that fit single rows. Both have been looked
at, so that only other rows of these sets, or other sets, are unseen.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from deepcritical import stance
from deepcritical.domain.evidence import Citation, Evidence


class Row(NamedTuple):
    """One judged row: its half, what is right and what was said."""

    half: str
    gold: str
    said: str


def half(key: str) -> str:
    """A or B, by a hash of the row's id."""
    return (
        "B" if int(hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest(), 16) % 2 else "A"
    )


class Scores(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def scored(hits: int, said: int, gold: int) -> Scores:
    """The scores of so many hits; 0 where nothing was said or is to be found."""
    either = said + gold
    return Scores(*(hits / n if n else 0.0 for n in (said, gold, either / 2)))


def by_class(rows: Sequence[Row], name: str) -> Scores:
    """The scores of one class."""
    hits = sum(r.gold == r.said == name for r in rows)
    return scored(hits, sum(r.said == name for r in rows), sum(r.gold == name for r in rows))


def macro(rows: Sequence[Row]) -> float:
    """The mean F1 of the classes."""
    return fmean(by_class(rows, name).f1 for name in {r.gold for r in rows})


def tell(title: str, rows: Sequence[Row], baseline: Sequence[Row]) -> None:
    """Print a table per class, with both halves and the baseline."""
    print(f"\n{title}")
    print(f"  {'class':<16}{'n':>6}{'precision':>11}{'recall':>9}{'F1':>7}{'baseline F1':>13}")
    for name in sorted({r.gold for r in rows}):
        own, trivial = by_class(rows, name), by_class(baseline, name)
        n = sum(r.gold == name for r in rows)
        print(
            f"  {name:<16}{n:>6}{own.precision:>11.3f}{own.recall:>9.3f}{own.f1:>7.3f}"
            f"{trivial.f1:>13.3f}"
        )
    parts = {"all": rows} | {
        f"half {name}": [r for r in rows if r.half == name] for name in ("A", "B")
    }
    for name, part in parts.items():
        right = sum(r.gold == r.said for r in part) / len(part)
        print(f"  {name:<16}{len(part):>6}  macro-F1 {macro(part):.3f}  accuracy {right:.3f}")
    print(f"  {'baseline':<16}{len(baseline):>6}  macro-F1 {macro(baseline):.3f}")


def record(content: str) -> Evidence:
    """A record of a text alone."""
    return Evidence(content=content, citation=Citation(source="pubmed", title="Untitled"))


_GOLD = {"yes": "supports", "no": "refutes", "maybe": "neutral"}
_DENIES = re.compile(
    r"\b(?:no|not|cannot|neither|nor|without|fail\w*|lack\w*|unlikely|unnecessary|insufficient|"
    r"inadequate|poor|limited)\b",
    re.IGNORECASE,
)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a gzipped JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def by_cue_words(text: str) -> str:
    """The baseline: a denial refutes, a wish for more is neutral, all else supports."""
    open_ended = re.search(r"\b(?:further|unclear|unknown|inconclusive)\b", text, re.IGNORECASE)
    return "refutes" if _DENIES.search(text) else "neutral" if open_ended else "supports"


def sections(row: dict[str, Any]) -> str:
    """The abstract without its conclusion, each section behind its label."""
    return "\n".join(
        f"{label}: {text}" for label, text in zip(row["LABELS"], row["CONTEXTS"], strict=True)
    )


_TEXTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "full text incl. conclusion (LONG_ANSWER)": lambda row: (
        f"{sections(row)}\nCONCLUSIONS: {row['LONG_ANSWER']}"
    ),
    "conclusion alone": lambda row: row["LONG_ANSWER"],
    "full text without section labels": lambda row: (
        f"{' '.join(row['CONTEXTS'])} {row['LONG_ANSWER']}"
    ),
    "abstract without the conclusion": sections,
}


def judge_questions(path: Path) -> None:
    """PubMedQA in each of its texts, yes and no alone, and with the questions mixed up."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for title, text_of in _TEXTS.items():
        rows, trivial = [], []
        for key, row in data.items():
            text, gold = text_of(row), _GOLD[row["final_decision"]]
            said = stance(record(text), row["QUESTION"]).stance.value
            rows.append(Row(half(key), gold, said))
            end = row["LONG_ANSWER"] if "without the" not in title else text
            trivial.append(Row(half(key), gold, by_cue_words(end)))
        tell(f"PubMedQA, {title}", rows, trivial)
        tell_decided([r for r in rows if r.gold != "neutral"])
    mixed_up(list(data.values()))


def tell_decided(rows: Sequence[Row]) -> None:
    """Print how often yes and no are told apart, over all and over those that are decided."""
    right = sum(r.gold == r.said for r in rows)
    taken = sum(r.said != "neutral" for r in rows)
    print(
        f"  yes and no only: right in {right / len(rows):.3f}; where decided, {right / taken:.3f}"
    )


def mixed_up(rows: Sequence[dict[str, Any]]) -> None:
    """Each abstract with the question of another one, towards which it should be neutral."""
    text_of = next(iter(_TEXTS.values()))
    moved = [*rows[37:], *rows[:37]]
    pairs = zip(rows, moved, strict=True)
    said = Counter(stance(record(text_of(a)), b["QUESTION"]).stance.value for a, b in pairs)
    print(f"\nPubMedQA, each abstract with another one's question: {dict(said)}")


_DIRECTIONS = {
    "significantly increased": "increased",
    "significantly decreased": "decreased",
    "no significant difference": "no difference",
}


def judge_claims(path: Path) -> None:
    """Evidence Inference: the stance towards a claim of more and one of less, made of each row."""
    rows = []
    for row in read_lines(path):
        for verb, direction in (("increase", "increased"), ("reduce", "decreased")):
            arms = (
                f"{row['intervention']} {verb} {row['outcome']} compared with {row['comparator']}"
            )
            gold = "supports" if _DIRECTIONS[row["label"]] == direction else "refutes"
            said = stance(record(row["text"]), f"Does {arms}?").stance.value
            rows.append(Row(half(row["pmcid"]), gold, said))
    trivial = [Row(r.half, r.gold, "refutes") for r in rows]
    tell("Evidence Inference, stance towards a claim of more or less", rows, trivial)


_SETS: dict[str, Callable[[Path], None]] = {
    "pubmedqa_dev.json": judge_questions,
    "evidence_inference_dev.jsonl.gz": judge_claims,
}


def main() -> None:
    """Score each set that is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the labelled sets")
    folder = parser.parse_args().data
    for name, judge in _SETS.items():
        path = folder / name
        judge(path) if path.is_file() else print(f"\n{name}: not in {folder}")


if __name__ == "__main__":
    main()
