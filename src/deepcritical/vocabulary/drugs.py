"""Drugs and classes of drugs named in text: canonical names, synonyms, kinds, members.

A drug is identified by its canonical name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import NamedTuple

from deepcritical.domain.base import Model
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold
from deepcritical.vocabulary.folding import GREEK_NAMES, key_of

__all__ = [
    "DrugClass",
    "DrugKind",
    "DrugMention",
    "DrugName",
    "drug_class",
    "drug_names",
    "find_drugs",
    "lookup_drug",
]

_MIN_LENGTH = 4
_MOST_WORDS = 12
_WORDS = frozenset({"buffers", "generics", "indicators", "luminal"})
"""Names in the dictionary that biomedical English uses in another sense."""
_ENDOGENOUS_CONTEXT = bounded(
    r"[\s-]+(?:action|analog|concentration|deficien|gene|level|receptor|resistan|secreti|sensiti|"
    r"signal|synthesis|transporter)",
    re.IGNORECASE,
)
_LIKE = bounded(r"-like\b", re.IGNORECASE)
_LETTERS = bounded(r"[^\W\d_]+")
_TOKEN = bounded(r"[^\W_]+")
_FIRST_WORDS = re.compile(r"[\t|]([^\W_]+)")  # over our own table, which is megabytes
_CHEMICAL_NOISE = bounded(
    r"[\[\]{}()®]|\d[rsez]-|\d'?,\d|^(?=.{19})(?:\d+'?|[a-z])-|^(?:acid[eou]m?|ácido) "
)
_TRANSLATION = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u2018\u2019\u02bc`´", "'")
    | dict.fromkeys("\t\n\r\u00a0\u2009\u202f", " ")
)


class DrugKind(StrEnum):
    """What a name in the dictionary of drugs stands for."""

    DRUG = "drug"
    DRUG_CLASS = "drug_class"
    TARGET = "target"
    UNKNOWN = "unknown"


class DrugName(Model):
    """A drug, a drug class or a biological substance under its canonical name."""

    name: str
    """Canonical name in lower case; for an unknown name, the name as given."""
    kind: DrugKind
    synonyms: tuple[str, ...] = ()
    """Other names fit for a literal search, in lower case, sorted."""
    drugbank_id: str | None = None


class DrugMention(Model):
    """A drug named in a text: `source[start:end] == text`."""

    drug: DrugName
    start: int
    end: int
    text: str


class DrugClass(NamedTuple):
    """A class of drugs."""

    name: str
    """In the plural, as pharmacologists write it: "SGLT2 inhibitors"."""
    names: tuple[str, ...]
    members: tuple[str, ...]
    """Canonical names of its drugs, as far as the dictionary has them; () where it is too wide."""


class _Table(NamedTuple):
    rows: tuple[str, ...]
    """Entry, name, kind, DrugBank id, whether endogenous, other names: a line of `drugs.tsv`."""
    at: dict[str, int]
    """Name in lower case, as a text may have it -> its row."""
    entries: dict[str, int]
    """Entry -> its row: "water" is one, and no drug that a text names."""
    first: frozenset[str]
    """The first words of all names."""


@cache
def _table() -> _Table:
    text = _data("drugs.tsv")
    rows = tuple(text.splitlines())
    at: dict[str, int] = {}
    entries: dict[str, int] = {}
    for n, row in enumerate(rows):
        entry, names = row[: row.index("\t")], row[row.rindex("\t") + 1 :].split("|")
        entries[entry] = n
        for name in names:
            at.setdefault(name, n)
        if entry in names:
            at[entry] = n
    return _Table(rows, at, entries, frozenset(_FIRST_WORDS.findall(text)))


def _data(name: str) -> str:
    return resources.files("deepcritical").joinpath("data", name).read_text(encoding="utf-8")


@cache
def _classes() -> dict[str, DrugClass]:
    """Folded name -> class."""
    found: dict[str, DrugClass] = {}
    for line in _data("drug_classes.tsv").splitlines():
        name, others, members = line.split("\t")
        kept = DrugClass(
            name,
            tuple(filter(None, others.split("|"))),
            tuple(filter(None, members.split("|"))),
        )
        for other in (name, *kept.names):
            found.setdefault(key_of(other), kept)
    return found


def drug_class(name: str) -> DrugClass | None:
    """The class that a name stands for, in the singular, the plural or as an abbreviation."""
    return _classes().get(key_of(name))


def drug_names() -> tuple[str, ...]:
    """Every name of a drug or class that a question may use, for offering the nearest."""
    return (*_table().at, *_classes())


@cache
def _drug_name(row: int) -> DrugName:
    _, name, kind, drugbank_id, _, variants = _table().rows[row].split("\t")
    names = variants.split("|")
    unwanted = _inflections(name) | {name} | {f"{variant}um" for variant in names}
    return DrugName(
        name=name,
        kind=DrugKind(kind),
        synonyms=tuple(n for n in names if n not in unwanted and _searchable(n)),
        drugbank_id=drugbank_id or None,
    )


def _inflections(name: str) -> set[str]:
    """Latin, Romance and other foreign spellings of an international non-proprietary name."""
    stems = {name, name.removesuffix("e"), name.removesuffix("um"), name.removesuffix("a")}
    return {stem + ending for stem in stems for ending in ("a", "e", "o", "um", "us")} - {name}


def _searchable(synonym: str) -> bool:
    """Whether a synonym finds literature when it is searched literally."""
    return (
        len(synonym) >= _MIN_LENGTH
        and synonym.isascii()
        and "," not in synonym
        and synonym not in _WORDS
        and _CHEMICAL_NOISE.search(synonym) is None
    )


def _spelled(name: str) -> str:
    """A folded name with Greek letters spelled out, as the dictionary has them."""
    return name if name.isascii() else "".join(GREEK_NAMES.get(char, char) for char in name)


def lookup_drug(name: str) -> DrugName:
    """The drug that a name stands for.

    Args:
        name: A drug's name, synonym or brand.

    Returns:
        The drug under its canonical name; for a name that the dictionary does not have, the name
        as given (without outer blanks) with kind unknown.
    """
    folded = fold(name)
    for candidate in (folded, _spelled(folded), folded.removesuffix("'s")):
        row = _table().at.get(candidate, _table().entries.get(candidate))
        if row is not None:
            return _drug_name(row)
    return DrugName(name=name.strip(), kind=DrugKind.UNKNOWN)


def find_drugs(text: str) -> tuple[DrugMention, ...]:
    """The drugs, drug classes and biological substances named in a text.

    Names are matched exactly but for case, dashes and Greek letters; the longest name at a
    position wins. Abbreviations of up to four letters must be written in capitals, and a hormone
    or cytokine is skipped where it is part of biology ("insulin resistance").

    Returns:
        Mentions in order of offset, without overlap; look at `drug.kind` before using one as a
        drug.
    """
    return tuple(_mentions(text))


def _mentions(text: str) -> Iterator[DrugMention]:
    same_length = _fold_in_place(text)
    tokens = [match.span() for match in _TOKEN.finditer(same_length)]
    at = 0
    while at < len(tokens):
        count, row = _longest_name(same_length, tokens, at)
        start, end = tokens[at][0], tokens[at + count - 1][1]
        if row is not None and _is_meant(text, start, end, row):
            yield DrugMention(drug=_drug_name(row), start=start, end=end, text=text[start:end])
        at += count


def _fold_in_place(text: str) -> str:
    """Text in lower case with plain dashes, apostrophes and blanks, character for character."""
    low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return low.translate(_TRANSLATION)


def _longest_name(text: str, tokens: list[tuple[int, int]], at: int) -> tuple[int, int | None]:
    """How many tokens the longest name at a token takes, and its row."""
    table = _table()
    start, end = tokens[at]
    if _spelled(text[start:end]) not in table.first:
        return 1, None
    for count in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
        name = _spelled(text[start : tokens[at + count - 1][1]])
        row = table.at.get(name)
        # In running text an inverted MeSH form is an accident of two items in a list.
        if row is not None and (", " not in name or " and " in name):
            return count, row
    return 1, None


def _is_meant(text: str, start: int, end: int, row: int) -> bool:
    """Whether a name in a text means the substance rather than a word or a part of biology."""
    canonical, _, _, _, endogenous, _ = _table().rows[row].split("\t")
    written = text[start:end]
    if written.casefold() in _WORDS or _LIKE.match(text, end):
        return False
    if _is_abbreviation(written) and written.casefold() != canonical:
        return _has_capitals(written)
    return not (endogenous and _ENDOGENOUS_CONTEXT.match(text, end))


def _is_abbreviation(written: str) -> bool:
    return max((len(run) for run in _LETTERS.findall(written)), default=0) <= _MIN_LENGTH


def _has_capitals(written: str) -> bool:
    """Two capitals, or one in a single letter such as the L of "L-dopa"; "At 10" has neither."""
    capitals = sum(char.isupper() for char in written)
    return capitals >= 2 or (capitals == 1 and not written[1:2].isalpha())
