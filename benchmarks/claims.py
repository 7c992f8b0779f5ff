"""How many lies `verify_claim` catches, and how often it cries wolf.

Takes true sentences out of the abstracts of a JSON Lines file (``title`` and ``abstract`` on each
line), changes each by rule, and prints per class how many changed sentences are caught; then how
many true sentences, faithful paraphrases and sentences of labelled sets are refused.

    python -m benchmarks.claims --data records.jsonl [--seed 7] [--n 300] [--labelled FOLDER]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.claim_mutations import ABSURD, LIES, PARAPHRASES, Given, Pool, absurd_of, pool_of
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.text import sentences, whole_sentences
from deepcritical.reasoning.verifying import verify_claim

REFERENCES = (
    "\n\nReferences\n"
    "1. Invented A, Planted B. Examplol cured every case of testitis in a large trial. "
    "J Made Up Res. 2016;12(3):45-50.\n"
    "2. Planted B, Invented A. Examplol harms nobody. Made Up Lett. 2017;31(2):107-113.\n"
)
QUOTED_REFERENCE = "Examplol cured every case of testitis in a large trial."


class Case(NamedTuple):
    """A true sentence and the record it stands in."""

    sentence: str
    record: Evidence


class Tally:
    """Counts with the sentences that came out wrong."""

    def __init__(self) -> None:
        self.n: Counter[str] = Counter()
        self.hit: Counter[str] = Counter()
        self.wrong: list[str] = []

    def add(self, name: str, hit: bool, shown: str) -> None:
        """Count one; what did not come out as it should is kept to be shown."""
        self.n[name] += 1
        self.hit[name] += hit
        if not hit:
            self.wrong.append(f"{name}: {shown}")


def _records(path: Path) -> list[Evidence]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [_record(row) for row in rows if row.get("abstract")]


def _record(row: dict[str, Any]) -> Evidence:
    return Evidence(
        content=row["abstract"],
        citation=Citation(source="pubmed", title=row.get("title") or "-", date=row.get("year", "")),
        metadata=EvidenceMetadata(
            pmid=row.get("pmid"),
            doi=row.get("doi"),
            nct_id=row.get("nct"),
            publication_types=_types(row.get("publication_types")),
        ),
    )


def _types(found: object) -> tuple[str, ...]:
    return tuple(found) if isinstance(found, list) else ()


def _cases(records: Sequence[Evidence], rng: random.Random) -> list[Case]:
    found = [
        Case(span.text, record)
        for record in records
        if not is_retracted(record)
        for span in whole_sentences(record.content, ended=True)
        if len(span.text.split()) > 5
    ]
    rng.shuffle(found)
    return found


def lies(cases: Sequence[Case], pool: Pool, n: int, rng: random.Random) -> Tally:
    """Changed sentences: a hit is one that is refused."""
    tally = Tally()
    for name, make in LIES.items():
        for case in cases:
            if tally.n[name] >= n:
                break
            changed = make(Given(case.sentence, case.record.content, pool, rng))
            if changed and changed != case.sentence:
                check = verify_claim(changed, case.record)
                tally.add(name, not check.supported, f"{changed}  <-  {case.sentence}")
    _id_and_quote_lies(tally, cases[:n], rng)
    return tally


def _id_and_quote_lies(tally: Tally, cases: Sequence[Case], rng: random.Random) -> None:
    for at, case in enumerate(cases):
        wrong = f"{case.sentence.rstrip('.')} (PMID {99000000 + at})."
        tally.add("id", not verify_claim(wrong, case.record).supported, wrong)
        store = {"E1": case.record, "E2": cases[at - 1].record}
        absent = f"{case.sentence} [E{at + 3}]"
        tally.add("id", not verify_claim(absent, store).supported, absent)
        other = cases[at - 1].record
        if other != case.record:
            title = other.citation.title
            check = verify_claim(case.sentence, case.record, quote=title)
            tally.add("quote in another's title", not check.supported, title)
            check = verify_claim(case.sentence, other)
            tally.add("another record", not check.supported, case.sentence)
        own = case.record.citation.title
        check = verify_claim(own, case.record, quote=own)
        tally.add("quote in its own title", not check.supported, own)
        listed = case.record.model_copy(update={"content": case.record.content + REFERENCES})
        check = verify_claim(QUOTED_REFERENCE, listed, quote=QUOTED_REFERENCE)
        tally.add("quote in a reference list", not check.supported, own)
        if told := absurd_of(case.record.content, rng):
            check = verify_claim(told, case.record)
            tally.add("absurd, of the record's drug", not check.supported, told)
        absurd = rng.choice(ABSURD)
        tally.add("absurd", not verify_claim(absurd, case.record).supported, absurd)


def truths(cases: Sequence[Case], pool: Pool, n: int, rng: random.Random) -> Tally:
    """True sentences and faithful paraphrases: a hit is one that is supported."""
    tally = Tally()
    for case in cases[: max(n, 1000)]:
        check = verify_claim(case.sentence, case.record)
        tally.add("unchanged", check.supported, f"{case.sentence}  {check.reason}")
    for name, make in PARAPHRASES.items():
        for case in cases:
            if tally.n[name] >= n:
                break
            told = make(Given(case.sentence, case.record.content, pool, rng))
            if told and told != case.sentence:
                check = verify_claim(told, case.record)
                tally.add(name, check.supported, f"{told}  <-  {case.sentence}  {check.reason}")
    return tally


def _plain(text: str, title: str = "-") -> Evidence:
    return Evidence(content=text, citation=Citation(source="pubmed", title=title))


def labelled(folder: Path) -> Tally:
    """Sentences that people wrote or chose, against their own text and against another's."""
    tally = Tally()
    for said, record in _evidence_inference(folder / "evidence_inference_dev.jsonl.gz"):
        check = verify_claim(said, record)
        tally.add("evidence inference", check.supported, f"{said}  {check.reason}")
    found = json.loads((folder / "pubmedqa_dev.json").read_text(encoding="utf-8"))
    rows = list(found.values()) if isinstance(found, dict) else found
    for at, row in enumerate(rows):
        own = _plain(" ".join(row["CONTEXTS"]), row["QUESTION"])
        other = rows[(at + 17) % len(rows)]
        another = _plain(" ".join(other["CONTEXTS"]), other["QUESTION"])
        for span in sentences(row["LONG_ANSWER"]):
            check = verify_claim(span.text, own)
            tally.add("conclusions, own abstract", check.supported, f"{span.text}  {check.reason}")
            refused = not verify_claim(span.text, another).supported
            tally.add("conclusions, another's abstract refused", refused, span.text)
    return tally


def _evidence_inference(path: Path) -> Iterator[tuple[str, Evidence]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["evidence_in_abstract"]:
                yield row["evidence"], _plain(row["text"])


def speed_ms(cases: Sequence[Case]) -> float:
    """The median time of a call, each sentence for the first time."""
    taken = []
    for case in cases:
        begun = time.perf_counter()
        verify_claim(f"{case.sentence} ", case.record)
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def _print(title: str, tally: Tally, show: int) -> None:
    print(f"\n{title}")
    for name, n in tally.n.items():
        print(f"  {name:42s} n = {n:4d}   {tally.hit[name] / n:6.1%}")
    for line in tally.wrong[:show]:
        print(f"    - {line}")


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--labelled", type=Path, help="folder with the labelled sets")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--n", type=int, default=300, help="changed sentences a class, at most")
    parser.add_argument("--show", type=int, default=0, help="sentences that came out wrong")
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311 - a sample, not a secret
    records = _records(options.data)
    cases = _cases(records, rng)
    pool = pool_of([record.content for record in records])
    print(f"{len(records)} records, {len(cases)} sentences, seed {options.seed}")
    print(f"median {speed_ms(cases[:500]):.2f} ms a call")
    _print("Lies caught", lies(cases, pool, options.n, rng), options.show)
    _print("Truths let through", truths(cases, pool, options.n, rng), options.show)
    if options.labelled:
        _print("Labelled sets", labelled(options.labelled), options.show)


if __name__ == "__main__":
    main()
