"""Recall of the queries: which of the records that bear on a question do they find?

The queries of the first round are built as for PubMed and run by a small interpreter of PubMed's
syntax over a file of records. Usage::

    python -m benchmarks.recall RECORDS.jsonl.gz --marks DIR [--before QUERIES.json]
    python -m benchmarks.recall RECORDS.jsonl.gz --questions FILE

A file of marks has `question`, `marked_by_a` and `marked_by_b` (PMIDs); a record bears on the
question when both marked it. `--before` is what `--queries-out` wrote at another version.
Records without MeSH headings, publication types or substances can be found by words only: there
[Mesh], [sh], [pt], [nm] and most of [sb] find nothing, and recall is that of unindexed records.
Unranked: it counts what a query matches, not what is among the first hundred.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.answering.needs import checklist_of, inquiry_of
from deepcritical.answering.queries import need_queries
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.question import SearchBlock
from deepcritical.domain.text import fold
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.searching import search_sides
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.pubmed_query import pubmed_term
from deepcritical.vocabulary.conditions import condition_named, is_kind_of

__all__ = ["Record", "matching", "queries_of", "read_records"]

_TOKEN = re.compile(r'"[^"]*"(?:\[[^\]]*\])?|[()]|[^\s()"\[\]]+(?:\[[^\]]*\])?')
_OPERATORS = frozenset({"AND", "OR", "NOT"})
_STOP = frozenset("a an and are as at be by can do does for from in is it of on or the to".split())
_REVIEW = ("systematic review", "meta-analysis", "meta analysis", "systematic literature")
"""Words by which [sb] systematic is approximated where a record has no publication type."""


class Record(NamedTuple):
    """A record as the interpreter sees it, all in folded text with blanks around each word."""

    pmid: str
    title: str
    abstract: str
    mesh: tuple[str, ...] = ()
    subheadings: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    substances: tuple[str, ...] = ()


def _plain(text: str) -> str:
    """Words in lower case between single blanks; as PubMed, a hyphen is a blank."""
    return f" {' '.join(re.findall(r'[a-z0-9]+', fold(text).replace(chr(39), '')))} "


def read_records(path: Path) -> tuple[Record, ...]:
    """The publications of a file of records with `pmid`, `title` and `abstract`."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(_record(row) for row in rows if row.get("pmid"))


def _record(row: Mapping[str, Any]) -> Record:
    mesh = tuple(str(term) for term in row.get("mesh_terms", ()))
    return Record(
        str(row["pmid"]),
        _plain(row.get("title", "")),
        _plain(row.get("abstract", "")),
        tuple(term.partition("/")[0] for term in mesh),
        tuple(fold(part) for term in mesh for part in term.split("/")[1:]),
        tuple(fold(kind) for kind in row.get("publication_types", ())),
        tuple(fold(name) for name in row.get("substances", ())),
    )


def matching(term: str, records: Sequence[Record]) -> frozenset[str]:
    """The PMIDs of the records that a term finds; operators are read from left to right."""
    return _Term(term, records).matches()


class _Term:
    def __init__(self, term: str, records: Sequence[Record]) -> None:
        self._tokens: Iterator[str] = iter(_TOKEN.findall(term))
        self._records = records

    def matches(self) -> frozenset[str]:
        """Up to the closing parenthesis or the end."""
        found: frozenset[str] | None = None
        operator = "AND"
        for word in self._tokens:
            if word == ")":
                break
            if word in _OPERATORS:
                operator = word
                continue
            more = self.matches() if word == "(" else self._found(word)
            if more is not None:
                found = more if found is None else _joined(found, operator, more)
            operator = "AND"
        return found if found is not None else frozenset()

    def _found(self, token: str) -> frozenset[str] | None:
        """What a phrase or word finds; None for a word that PubMed ignores."""
        text, _, tag = token.partition("[")
        words, field = text.strip('"'), tag.rstrip("]").casefold()
        if fold(words) in _STOP or not re.search(r"\w", words):
            return None
        return frozenset(r.pmid for r in self._records if _holds(r, words, field))


def _joined(found: frozenset[str], operator: str, more: frozenset[str]) -> frozenset[str]:
    if operator == "OR":
        return found | more
    return found - more if operator == "NOT" else found & more


def _holds(record: Record, words: str, field: str) -> bool:
    if field in ("mesh", "mh", "mesh terms"):
        return any(_is_below(heading, words) for heading in record.mesh)
    if field == "sh":
        return fold(words) in record.subheadings
    if field == "pt":
        return fold(words) in record.types
    if field == "nm":
        return fold(words) in record.substances
    if field == "sb":
        return _in_subset(record, words)
    if field == "ti":
        return _has(record.title, words)
    return _has(record.title, words) or _has(record.abstract, words)


def _in_subset(record: Record, name: str) -> bool:
    if name == "medline":
        return bool(record.mesh)
    kinds = {"systematic review", "meta-analysis"} & set(record.types)
    return bool(kinds) or any(_has(record.title, words) for words in _REVIEW)


def _has(text: str, words: str) -> bool:
    plain = _plain(words.rstrip("*"))
    return (plain.rstrip() if words.endswith("*") else plain) in text


@cache
def _is_below(heading: str, asked: str) -> bool:
    """Whether a heading is the one that is asked for or, by our tree numbers, below it."""
    if fold(heading) == fold(asked):
        return True
    narrow, broad = condition_named(heading), condition_named(asked)
    return bool(narrow and broad and is_kind_of(narrow, broad))


def queries_of(question: str) -> tuple[str, ...]:
    """The terms of the first round for PubMed, in their order."""
    frame = literal_frame(question)
    try:
        asked = search_sides(research_question(frame), ())
    except QuestionError:  # what no report answers, a free answer does
        inquiry = inquiry_of(question)
        store = EvidenceStore()
        store.checklist = checklist_of(inquiry)
        asked = need_queries(inquiry, store)
    wanted = (query for query in asked if query.block is not SearchBlock.WORDS)
    return tuple(pubmed_term(SourceQuery(**dict(query))) for query in wanted)


class _Marked(NamedTuple):
    question: str
    bearing: frozenset[str]


def _marks(folder: Path) -> tuple[_Marked, ...]:
    told = (json.loads(path.read_text()) for path in sorted(folder.glob("q*.json")))
    return tuple(
        _Marked(
            one["question"],
            frozenset(map(str, one["marked_by_a"])) & frozenset(map(str, one["marked_by_b"])),
        )
        for one in told
    )


def _found(terms: Sequence[str], records: Sequence[Record]) -> frozenset[str]:
    return frozenset[str]().union(*(matching(term, records) for term in terms))


def _table(
    marked: Sequence[_Marked], records: Sequence[Record], before: Mapping[str, Sequence[str]]
) -> None:
    hits = {"before": 0, "now": 0}
    total = 0
    for question, bearing in marked:
        total += len(bearing)
        cells = []
        for when, terms in (("before", before.get(question, ())), ("now", queries_of(question))):
            found = _found(terms, records)
            hits[when] += len(found & bearing)
            cells.append(f"{when} {len(found & bearing)} ({len(terms)} queries, {len(found)} hits)")
        missed = sorted(bearing - _found(queries_of(question), records))
        print(f"{question}\n  bear on it {len(bearing)}; {'; '.join(cells)}; missed now: {missed}")
    for when, number in hits.items():
        print(f"Recall {when}: {number} of {total} ({number / max(total, 1):.1%})")


def main() -> None:
    """Print recall for every question with marks, or the queries themselves."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", type=Path)
    parser.add_argument("--marks", type=Path)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--queries-out", type=Path)
    parser.add_argument("--questions", type=Path)
    options = parser.parse_args()
    if options.questions:
        for question in options.questions.read_text().splitlines():
            print(f"# {question}", *queries_of(question), "", sep="\n")
        return
    records = read_records(options.records)
    indexed = sum(bool(r.mesh) for r in records)
    print(f"{len(records)} records, {indexed} of them with MeSH headings")
    if options.queries_out:
        told = {one.question: queries_of(one.question) for one in _marks(options.marks)}
        options.queries_out.write_text(json.dumps(told, indent=1))
    before = json.loads(options.before.read_text()) if options.before else {}
    _table(_marks(options.marks), records, before)


if __name__ == "__main__":
    main()
