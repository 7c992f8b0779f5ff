"""Conditions named in text: headings, names, and what is above and below them in the tree.

The table is made by `scripts/build_conditions.py` from MeSH's names and tree numbers, the Disease
Ontology and a reviewed list.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.folding import Token, key_of, tokens_of
from deepcritical.vocabulary.words import is_english

__all__ = [
    "ConditionMention",
    "KnownCondition",
    "condition_named",
    "condition_names",
    "find_conditions",
    "is_kind_of",
]

_MOST_WORDS = 10
_GAP = bounded(r"[\s\-\u2010-\u2015\u2212/'’ʼ]{0,2}|[,.] ?")
_NEGATED = bounded(r"(?<![^\W_])non[- ]\Z", re.IGNORECASE)
_CONTEXT = 300
_WORD = 4
"""Up to this length an acronym that is typed small may be a word."""


class KnownCondition(NamedTuple):
    """A condition of the table."""

    name: str
    """Its heading, in the order of speech: "Type 2 Diabetes Mellitus"."""
    mesh_id: str
    """Its MeSH descriptor, `D` and digits; '' where no source gives the right one."""
    trees: tuple[str, ...]
    """Its MeSH tree numbers."""
    parents: tuple[int, ...]
    """Rows of the conditions above it in the Disease Ontology."""
    names: tuple[str, ...]
    """Other names fit for a literal search."""


class ConditionMention(NamedTuple):
    """A condition named in a text: `source[start:end] == text`."""

    condition: KnownCondition
    start: int
    end: int
    text: str
    others: tuple[KnownCondition, ...] = ()
    """What else an abbreviation may stand for."""


class _Table(NamedTuple):
    rows: tuple[str, ...]
    at: dict[str, int]
    """Folded name -> its row."""
    acronyms: dict[str, int]
    """As written -> its row."""
    first: frozenset[str]


def _data(name: str) -> list[str]:
    file = resources.files("deepcritical").joinpath("data", name)
    return file.read_text(encoding="utf-8").splitlines()


@cache
def _table() -> _Table:
    rows = tuple(_data("conditions.tsv"))
    at: dict[str, int] = {}
    acronyms: dict[str, int] = {}
    for n, row in enumerate(rows):
        _, _, _, _, keys, shorts, _ = row.split("\t")
        for key in keys.split("|") if keys else ():
            at.setdefault(key, n)
        for short in shorts.split("|") if shorts else ():
            acronyms.setdefault(short, n)
    return _Table(rows, at, acronyms, frozenset(key.partition(" ")[0] for key in at))


@cache
def _ambiguous() -> dict[str, tuple[tuple[int, frozenset[str]], ...]]:
    found: dict[str, list[tuple[int, frozenset[str]]]] = defaultdict(list)
    for line in _data("abbreviations.tsv"):
        short, name, words = line.split("\t")
        found[short].append((_table().at[key_of(name)], frozenset(words.split())))
    return {short: tuple(meanings) for short, meanings in found.items()}


@cache
def _condition(row: int) -> KnownCondition:
    name, mesh_id, trees, parents, _, shorts, names = _table().rows[row].split("\t")
    mesh_id = mesh_id.partition(",")[0]
    said = [n for n in names.split("|") if n]
    return KnownCondition(
        name,
        mesh_id,
        tuple(filter(None, trees.split("|"))),
        tuple(int(n) for n in parents.split("|") if n),
        (*said, *(s for s in shorts.split("|") if s)),
    )


def condition_names() -> tuple[str, ...]:
    """The folded names of all conditions, for offering the nearest."""
    return tuple(_table().at)


def condition_named(name: str) -> KnownCondition | None:
    """The condition that a whole text names."""
    row = _table().acronyms.get(name.strip(), _table().at.get(key_of(name)))
    if row is None and (meant := _ambiguous().get(name.strip().upper())):
        row = meant[0][0]
    if row is None and 2 < len(name.strip()) <= 6:
        row = _any_case().get(name.strip().casefold())
    return None if row is None else _condition(row)


@cache
def _any_case() -> dict[str, int]:
    return {short.casefold(): row for short, row in _table().acronyms.items() if len(short) > 2}


def find_conditions(text: str, *, any_case: bool = False) -> tuple[ConditionMention, ...]:
    """The conditions named in a text, in order, without overlap; the longest name wins.

    Args:
        text: Any text.
        any_case: Whether acronyms of three characters or more may be written small, as in a
            search box. In records they must be written as they are.
    """
    tokens = tokens_of(text)
    mentions: list[ConditionMention] = []
    at = 0
    while at < len(tokens):
        found = _match(text, tokens, at, any_case=any_case)
        if found:
            mentions.append(found[0])
        at += found[1] if found else 1
    return tuple(mentions)


def _match(
    text: str, tokens: list[Token], at: int, *, any_case: bool
) -> tuple[ConditionMention, int] | None:
    table = _table()
    first = tokens[at]
    reach = min(_MOST_WORDS, len(tokens) - at) if first.folded in table.first else 0
    for count in range(reach, 0, -1):
        taken = tokens[at : at + count]
        row = table.at.get(" ".join(token.folded for token in taken))
        if row is not None and _stands_alone(text, taken):
            return _mention(text, row, first.start, taken[-1].end), count
    for count in (2, 1):
        taken = tokens[at : at + count]
        short = text[first.start : taken[-1].end]
        if len(taken) == count and len(short) <= 8 and _stands_alone(text, taken):
            if meant := _ambiguous().get(short):
                return _among(text, meant, first.start, taken[-1].end), count
            row = table.acronyms.get(short)
            if row is None and any_case and (len(short) > _WORD or not is_english(short)):
                row = _any_case().get(short.casefold())
            if row is not None:
                return _mention(text, row, first.start, taken[-1].end), count
    return None


def _mention(text: str, row: int, start: int, end: int) -> ConditionMention:
    return ConditionMention(_condition(row), start, end, text[start:end])


def _among(
    text: str, meant: tuple[tuple[int, frozenset[str]], ...], start: int, end: int
) -> ConditionMention:
    """The meaning of which the text has most words; the first where none is told."""
    around = {token.folded for token in tokens_of(text[max(0, start - _CONTEXT) : end + _CONTEXT])}
    ranked = sorted(meant, key=lambda pair: -len(pair[1] & around))
    told = bool(ranked[0][1] & around)
    others = () if told else tuple(_condition(row) for row, _ in ranked[1:])
    return ConditionMention(_condition(ranked[0][0]), start, end, text[start:end], others)


def _stands_alone(text: str, tokens: list[Token]) -> bool:
    """Whether the tokens are adjacent and whole words."""
    start, end = tokens[0].start, tokens[-1].end
    if (start and text[start - 1].isalnum()) or text[end : end + 1].isalnum():
        return False
    if _NEGATED.search(text, max(0, start - 5), start):
        return False
    return all(
        _GAP.fullmatch(text, left.possessive_end, right.start) for left, right in pairwise(tokens)
    )


def is_kind_of(narrow: KnownCondition, broad: KnownCondition) -> bool:
    """Whether a condition is the other one or lies below it, by tree number or by parent."""
    left, seen = [narrow], set[str]()
    while left:
        one = left.pop()
        if one.name == broad.name:
            return True
        if any(n.startswith(f"{b}.") for n in one.trees for b in broad.trees):
            return True
        seen.add(one.name)
        # The two sources place some conditions above each other.
        left += [c for c in map(_condition, one.parents) if c.name not in seen]
    return False
