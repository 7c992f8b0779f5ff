"""Check a bundled snapshot against the corpus of verified facts that it was written from.

A snapshot ships summaries in our own words. A reader can trust them only if nothing was added on
the way: every number of a text must occur in the corpus record, every bibliographic field must
equal the corpus field, a summary must not copy a run of words, registry text must be verbatim.

Usage: python scripts/check_snapshot.py CORPUS [SNAPSHOT]
Prints one line a record and a closing line; exits with 1 if anything is wrong.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]

DEFAULT_SNAPSHOT = (
    Path(__file__).resolve().parent.parent / "src/deepcritical/data/snapshots/demo.jsonl"
)
MAX_COPIED_WORDS = 7
IDENTIFIERS = ("pmid", "doi", "nct", "pmcid")
PAPER_FIELDS = ("kind", "topic", "title", "journal", "year", "volume_pages")
TRIAL_FIELDS = ("status", "phase", "sponsor", "start_date", "completion_date")
STOP_FIELDS = ("why_stopped", "stop_date")
LIST_FIELDS = ("authors", "pub_types", "conditions", "interventions")
COUNT_FIELDS = ("enrollment", "planned_enrollment")
BIBLIOGRAPHY = (
    *IDENTIFIERS,
    *PAPER_FIELDS,
    *TRIAL_FIELDS,
    *STOP_FIELDS,
    *LIST_FIELDS,
    *COUNT_FIELDS,
    "has_results",
)
OWN_FIELDS = ("linked", "note", "text", "text_kind", "licence")
MAY_BE_LEFT_OUT = ("authors", "pub_types", "enrollment")
"""Fields that the corpus may mark as incomplete, stale or not as published."""
NOT_A_SOURCE_OF_NUMBERS = frozenset({"seen_in", "authors", "volume_pages", *IDENTIFIERS})
LICENCES = {"summary": "CC0-1.0", "registry": "ClinicalTrials.gov registry text", "none": None}

UNITS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"]
TEENS += ["sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
NUMBER_WORDS = {word: n for n, word in enumerate(UNITS + TEENS, 1)}
NUMBER_WORDS |= dict(zip(TENS, range(20, 100, 10), strict=True))
NUMBER_WORD = re.compile(
    rf"\b(?:({'|'.join(TENS)})-({'|'.join(UNITS)})|({'|'.join(NUMBER_WORDS)}))\b", re.IGNORECASE
)
THOUSANDS = re.compile(r"(?<![\w.])\d{1,3}(?:[, ]\d{3})+(?!\d)")
NUMBER = re.compile(r"(?<![\w.])(?<![^\W\d_]-)(-(?=\d))?(\d+(?:\.\d+)?)(%?)")
NAME_WITH_DIGITS = re.compile(r"(?=[\w-]*\d)(?=[\w-]*[^\W\d_])\w+(?:-\w+)*")
WORD = re.compile(r"\d+\.\d+|\w+(?:'\w+)?")


@dataclass
class Tally:
    """Counts and faults of one record, or of all of them."""

    numbers: int = 0
    missing: list[str] = field(default_factory=list)
    """Numbers of the text or note that the corpus record does not show."""
    copied: list[str] = field(default_factory=list)
    """Runs of words shared with the abstract that are longer than allowed."""
    differing: list[str] = field(default_factory=list)
    """Fields that do not say what the corpus says."""
    left_out: list[str] = field(default_factory=list)
    """Corpus fields that the snapshot omits although it may."""

    @property
    def clean(self) -> bool:
        """Tell if nothing is wrong."""
        return not (self.missing or self.copied or self.differing)

    def __add__(self, other: "Tally") -> "Tally":
        """Join the findings of two tallies."""
        return Tally(
            self.numbers + other.numbers,
            self.missing + other.missing,
            self.copied + other.copied,
            self.differing + other.differing,
            self.left_out + other.left_out,
        )


# --- reading and matching ---------------------------------------------------------------------


def read_jsonl(path: Path) -> list[Record]:
    """Read one JSON object a line; blank lines are skipped."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line.strip()]


def identity(record: Record) -> str:
    """Name a record by its first identifier, as in `pmid:26890736`."""
    for name in IDENTIFIERS:
        if record.get(name):
            return f"{name}:{record[name]}"
    return "record without identifier"


def agreements(record: Record, original: Record) -> int:
    """Count the identifiers, and the title, that two records of one topic and kind share."""
    if any(record.get(name) != original[name] for name in ("topic", "kind")):
        return 0
    named = [name for name in (*IDENTIFIERS, "title") if record.get(name)]
    return sum(record[name] == original.get(name) for name in named)


def find_original(record: Record, corpus: list[Record]) -> Record | None:
    """Find the corpus record that the snapshot record was written from."""
    best = max(corpus, key=lambda original: agreements(record, original))
    return best if agreements(record, best) else None


# --- numbers ----------------------------------------------------------------------------------


def _word_as_digits(match: re.Match[str]) -> str:
    tens, unit, single = match.groups()
    value = NUMBER_WORDS[(single or tens).lower()]
    return str(value + (NUMBER_WORDS[unit.lower()] if unit else 0))


def normalise(text: str) -> str:
    """Write numbers one way: digits, plain minus, decimal point, no thousands separator."""
    text = re.sub(r"[\u00a0\u2009\u202f]", " ", text)
    text = re.sub(r"(?<=\d)\u2013(?=\d)", " to ", text)
    text = re.sub(r"[\u2010-\u2013\u2212]", "-", text)
    text = re.sub(r"(?<=\d)\u00b7(?=\d)", ".", text)
    text = NUMBER_WORD.sub(_word_as_digits, text)
    text = THOUSANDS.sub(lambda match: re.sub("[, ]", "", match[0]), text)
    return re.sub(r"(?<=\d)\s*(?:%|per ?cent\b)", "%", text)


def squeeze(text: str) -> str:
    """Lower-case a text and drop hyphens and spaces, so that `GLP-1 RA` equals `GLP1RA`."""
    return re.sub(r"[\s-]", "", normalise(text)).lower()


def numbers_of(text: str) -> list[str]:
    """List the numbers of a text with sign and percent; digits inside names do not count."""
    return ["".join(parts) for parts in NUMBER.findall(normalise(text))]


def names_with_digits(text: str) -> list[str]:
    """List names such as `P301S` or `GLP-1`; a number with its unit (`12-month`) is not one."""
    names = NAME_WITH_DIGITS.findall(normalise(text))
    return [name for name in names if not NUMBER.match(name)]


def source_text(original: Record) -> str:
    """Join what a number may be taken from: abstract, note, results and the registry fields."""
    fields = (name for name in original if name not in NOT_A_SOURCE_OF_NUMBERS)
    return " ; ".join(str(original[name]) for name in fields)


def check_numbers(record: Record, original: Record) -> Tally:
    """Look up every number, and every name with digits, of text and note in the corpus."""
    written = " ; ".join(record.get(name, "") for name in ("text", "note"))
    source = source_text(original)
    known, squeezed = set(numbers_of(source)), squeeze(source)
    numbers, names = numbers_of(written), names_with_digits(written)
    missing = [number for number in numbers if number not in known]
    missing += [name for name in names if squeeze(name) not in squeezed]
    return Tally(numbers=len(numbers) + len(names), missing=missing)


# --- copied words -----------------------------------------------------------------------------


def as_words(text: str) -> str:
    """Write a text as lower-case words and numbers with single spaces around each."""
    words = WORD.findall(text.lower().replace("\u2019", "'"))
    return f" {' '.join(words)} "


def shared_runs(text: str, source: str) -> Iterator[str]:
    """Yield the longest run of words from each word on that a text shares with its source."""
    words, theirs = as_words(text).split(), as_words(source)
    end = 0
    for start in range(len(words)):
        reached = max(end, start)
        while reached < len(words) and f" {' '.join(words[start : reached + 1])} " in theirs:
            reached += 1
        if reached > end:
            yield " ".join(words[start:reached])
        end = reached


def check_copying(record: Record, original: Record) -> Tally:
    """Find the runs of words that a summary copies; figures and the title do not count."""
    if record.get("text_kind") != "summary":
        return Tally()
    title = as_words(original["title"])
    runs = shared_runs(record.get("text", ""), original.get("abstract", ""))
    too_long = [
        run
        for run in runs
        if sum(not word[0].isdigit() for word in run.split()) > MAX_COPIED_WORDS
        and f" {run} " not in title
    ]
    return Tally(copied=too_long)


# --- fields -----------------------------------------------------------------------------------


def expected(name: str, value: str) -> Any:
    """Write a corpus field the way a snapshot carries it."""
    if name in LIST_FIELDS:
        parts = [part.strip() for part in value.split(";")]
        return [part for part in parts if part and not part.endswith("(by content)")]
    if name in COUNT_FIELDS:
        return int(value) if value.isdecimal() else None
    return value.startswith("yes") if name == "has_results" else value


def wanted_fields(original: Record) -> Record:
    """Write the bibliography of a corpus record the way a snapshot carries it.

    A paper's `nct` names the trial that it reports: in a snapshot that is a link, no identity.
    """
    names = [name for name in BIBLIOGRAPHY if original.get(name)]
    if original["kind"] != "trial":
        names = [name for name in names if name != "nct"]
    fields = {name: expected(name, original[name]) for name in names}
    return {name: value for name, value in fields.items() if value not in (None, [])}


def check_fields(record: Record, original: Record) -> Tally:
    """Compare every bibliographic field with the corpus, in both directions."""
    wanted = wanted_fields(original)
    left_out = [name for name in MAY_BE_LEFT_OUT if name in wanted and name not in record]
    names = [name for name in BIBLIOGRAPHY if name not in left_out]
    differing = [name for name in names if record.get(name) != wanted.get(name)]
    differing += [name for name in record if name not in (*BIBLIOGRAPHY, *OWN_FIELDS)]
    return Tally(differing=differing, left_out=left_out)


def check_text(record: Record, original: Record) -> Tally:
    """Check that kind of text, licence and text belong together; registry text is verbatim."""
    kind, text = record.get("text_kind"), record.get("text")
    differing = []
    if kind not in LICENCES or (kind == "none") == bool(text):
        differing.append("text_kind")
    if record.get("licence") != LICENCES.get(str(kind)):
        differing.append("licence")
    if kind == "registry" and text != original.get("abstract"):
        differing.append("text")
    return Tally(differing=differing)


def check_links(record: Record, original: Record, corpus: list[Record]) -> Tally:
    """Check that each link is stated by one of the two corpus records that it joins."""
    differing = []
    for link in record.get("linked", []):
        name, _, target_id = link.partition(":")
        targets = [r for r in corpus if r.get(name) == target_id and r["topic"] == record["topic"]]
        own_ids = [str(record[n]) for n in IDENTIFIERS if record.get(n)]
        stated = target_id in str(original) or any(
            own_id in str(target) for target in targets for own_id in own_ids
        )
        differing += [] if stated else [f"linked {link}"]
    return Tally(differing=differing)


# --- the report -------------------------------------------------------------------------------


def check_record(record: Record, corpus: list[Record]) -> Tally:
    """Run every check on one record."""
    original = find_original(record, corpus)
    if original is None:
        return Tally(differing=["no corpus record of this topic, kind and identifier"])
    return (
        check_fields(record, original)
        + check_text(record, original)
        + check_links(record, original, corpus)
        + check_numbers(record, original)
        + check_copying(record, original)
    )


def line_for(record: Record, tally: Tally) -> str:
    """Describe the findings on one record in one line."""
    parts = [f"{tally.numbers} numbers"]
    parts += [f"MISSING {', '.join(tally.missing)}"] if tally.missing else []
    parts += [f"COPIED {run!r}" for run in tally.copied]
    parts += [f"DIFFERS {', '.join(tally.differing)}"] if tally.differing else []
    parts += [f"left out: {', '.join(tally.left_out)}"] if tally.left_out else []
    state = "ok" if tally.clean else "WRONG"
    return f"{state:5} {identity(record)} ({record.get('text_kind')}): {'; '.join(parts)}"


def check_header(records: list[Record]) -> Tally:
    """Check that the first line is the header and that no record comes twice."""
    header, ids = records[0], [(r.get("topic"), identity(r)) for r in records[1:]]
    wanted = ("name", "created", "description")
    differing = [f"header {name}" for name in wanted if not header.get(name)]
    differing += [] if header.get("kind") == "snapshot" else ["header kind"]
    differing += [f"{name} comes twice" for topic, name in set(ids) if ids.count((topic, name)) > 1]
    return Tally(differing=differing)


def report(corpus: list[Record], snapshot: list[Record]) -> Tally:
    """Print one line a record and a closing line; return what all came to."""
    total = check_header(snapshot)
    for problem in total.differing:
        print(f"WRONG {problem}")
    for record in snapshot[1:]:
        tally = check_record(record, corpus)
        print(line_for(record, tally))
        total += tally
    print(
        f"{len(snapshot) - 1} records: {total.numbers} numbers compared, "
        f"{len(total.missing)} missing; {len(total.copied)} copied runs; "
        f"{len(total.differing)} fields differ"
    )
    return total


def main() -> int:
    """Read the two files, print the report, return the exit code."""
    parser = argparse.ArgumentParser(description="Check a bundled snapshot against its corpus.")
    parser.add_argument("corpus", type=Path, help="JSON lines: the verified facts")
    parser.add_argument("snapshot", type=Path, nargs="?", default=DEFAULT_SNAPSHOT)
    arguments = parser.parse_args()
    total = report(read_jsonl(arguments.corpus), read_jsonl(arguments.snapshot))
    return 0 if total.clean else 1


if __name__ == "__main__":
    sys.exit(main())
