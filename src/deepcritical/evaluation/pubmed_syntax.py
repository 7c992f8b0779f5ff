"""Measures recall of the first round's queries, by an interpreter of PubMed's syntax.

Records without MeSH headings, publication types or substances can be found by words only: there
[Mesh], [sh], [pt], [nm] and most of [sb] find nothing, and recall is that of unindexed records.
Unranked: it tells what a query matches, not what is among the first hundred.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from deepcritical.answering.needs import checklist_of, inquiry_of
from deepcritical.answering.queries import need_queries
from deepcritical.domain.errors import QuestionError
from deepcritical.domain.question.question import SearchBlock
from deepcritical.domain.text.spans import fold
from deepcritical.evaluation.scores import Outcome, half_of, json_lines
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.searching import search_sides
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.pubmed.source import pubmed_term
from deepcritical.vocabulary.conditions import condition_named, is_kind_of

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
    return tuple(_record(row) for row in json_lines(path) if row.get("pmid"))


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
        """Return the records that a phrase or word finds; None for a word that PubMed ignores."""
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
    indexed = {"sh": record.subheadings, "pt": record.types, "nm": record.substances}
    if field in indexed:
        return fold(words) in indexed[field]
    if field == "sb":
        return _in_subset(record, words)
    return _has(record.title, words) or (field != "ti" and _has(record.abstract, words))


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
    """Return whether a heading is the one that is asked for or, by our tree numbers, below it."""
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


def judge_recall(rows: Iterable[Mapping[str, Any]], records: Sequence[Record]) -> Iterator[Outcome]:
    """Yield for each record that bears on a question whether the queries find it.

    A line has `question`, `half`, `marked_by_a` and `marked_by_b` (PMIDs): a record bears on the
    question when both marked it.
    """
    for row in rows:
        bearing = {str(p) for p in row["marked_by_a"]} & {str(p) for p in row["marked_by_b"]}
        terms = queries_of(row["question"])
        found = frozenset[str]().union(*(matching(term, records) for term in terms))
        for pmid in sorted(bearing):
            hit = pmid in found
            yield Outcome(
                "records found by the queries", row["half"], hit, hit, f"{pmid}: {row['question']}"
            )


def judge_guideline(path: Path) -> Iterator[Outcome]:
    """Yield for each study that a guideline of Q2CRBench-3 rests on whether its question finds it.

    The folder is as published: beside the questions (`Index`, `Question`) lie
    Included_Studies_with_PMID.json (`PICO_IDX`, `PMID`) and, in folders whose names begin with
    Screened, the records that were screened (`Paper_Index`, `Title`, `Abstract`). A study that is
    not among these cannot be found in them, and is not counted.
    """
    screened = {
        str(row["Paper_Index"]): _record(
            {"pmid": row["Paper_Index"], "title": row["Title"], "abstract": row["Abstract"] or ""}
        )
        for file in sorted(path.parent.rglob("Screened*/*.json"))
        for row in json_lines(file)
    }
    kept = defaultdict(set)
    for row in json_lines(path.with_name("Included_Studies_with_PMID.json")):
        kept[row["PICO_IDX"]].add(row["PMID"])
    for row in json_lines(path):
        studies = kept[row["Index"]] & set(screened)
        marked = {"half": half_of(row["Question"]), "marked_by_a": studies, "marked_by_b": studies}
        yield from judge_recall([{"question": row["Question"], **marked}], tuple(screened.values()))
