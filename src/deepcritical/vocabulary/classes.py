"""Finds classes of drugs in text, and lists their members."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import NamedTuple

from deepcritical.vocabulary.drugs import DrugKind, lookup_drug
from deepcritical.vocabulary.folding import Token, key_of, scan, tokens_of
from deepcritical.vocabulary.words import data_text, is_english

_MOST_WORDS = 7
_WIDE = 80
"""Members from which on the drugs of a class have little in common: "antihypertensives"."""
_WORD = 4
"""Up to this length a name may be a word: "AIs" is a class, "is" and "Ai" are not."""


class DrugClass(NamedTuple):
    """A class of drugs."""

    name: str
    """In the plural, as pharmacologists write it: "SGLT2 inhibitors"."""
    names: tuple[str, ...]
    members: tuple[str, ...]
    """Canonical names of its drugs, as far as the dictionary has them; () where it is too wide."""


class ClassMention(NamedTuple):
    """A class named in a text: `source[start:end] == text`."""

    group: DrugClass
    start: int
    end: int
    text: str


class _Table(NamedTuple):
    at: dict[str, DrugClass]
    """Folded name -> class."""
    first: frozenset[str]


@cache
def _table() -> _Table:
    found: dict[str, DrugClass] = {}
    for line in data_text("drug_classes.tsv").splitlines():
        name, others, members = (tuple(filter(None, cell.split("|"))) for cell in line.split("\t"))
        kept = DrugClass(name[0], others, members)
        for other in (*name, *others):
            # "anti-epileptics" and "antiepileptics" are one word to their writers.
            for key in {key_of(other), key_of(other).replace("anti ", "anti")}:
                found.setdefault(key, kept)
    return _Table(found, frozenset(key.partition(" ")[0] for key in found) | {"anti"})


def class_names() -> tuple[str, ...]:
    """The folded names of all classes, for offering the nearest."""
    return tuple(_table().at)


def drug_class(name: str) -> DrugClass | None:
    """The class that a name stands for, in the singular, the plural or as an abbreviation."""
    return _named(key_of(name)) or (_listed(name) if " or " in name else None)


def classes_of(drug: str) -> tuple[DrugClass, ...]:
    """The classes with a drug among their members, the narrowest first; none that is very wide."""
    groups = dict.fromkeys(_table().at.values())
    found = (g for g in groups if len(g.members) <= _WIDE and drug in g.members)
    return tuple(sorted(found, key=lambda group: len(group.members)))


def classes_above(group: DrugClass) -> tuple[DrugClass, ...]:
    """The classes that hold all members of a class and more, the narrowest first."""
    own = set(group.members)
    groups = dict.fromkeys(_table().at.values())
    found = (g for g in groups if own and own < set(g.members) and len(g.members) <= _WIDE)
    return tuple(sorted(found, key=lambda group: len(group.members)))


def listed_class(names: Sequence[str]) -> DrugClass:
    """The class that a question makes of drugs: "rivaroxaban, edoxaban or dabigatran"."""
    *others, last = names
    return DrugClass(f"{', '.join(others)} or {last}" if others else last, (), tuple(names))


def _listed(name: str) -> DrugClass | None:
    """The class that is named by a list of its members, each of which is known."""
    first, _, last = name.rpartition(" or ")
    names = (*first.split(", "), last)
    is_known = all(lookup_drug(n).kind is not DrugKind.UNKNOWN or _named(key_of(n)) for n in names)
    return listed_class(names) if is_known else None


def known_members(group: DrugClass) -> tuple[str, ...]:
    """Return the drugs of a class, the best known first.

    A drug counts as better known the more names the dictionary has for it: names are given where a
    drug is sold.
    """
    return tuple(sorted(group.members, key=lambda m: (-len(lookup_drug(m).synonyms), m)))


def _named(key: str) -> DrugClass | None:
    return _table().at.get(key) or _table().at.get(key.replace("anti ", "anti"))


def find_classes(text: str, *, shouted: bool = False) -> tuple[ClassMention, ...]:
    """The classes named in a text, in order, without overlap; the longest name wins.

    In a `shouted` text, which is in capitals, these tell no abbreviation.
    """
    return tuple(scan(tokens_of(text), partial(_match, text, shouted)))


def _match(
    text: str, shouted: bool, tokens: Sequence[Token], at: int
) -> tuple[ClassMention, int] | None:
    if tokens[at].folded not in _table().first:
        return None
    for count in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
        taken = tokens[at : at + count]
        written = text[taken[0].start : taken[-1].end]
        group = _named(" ".join(token.folded for token in taken))
        if group and _is_class(written, group, shouted):
            return ClassMention(group, taken[0].start, taken[-1].end, written), count
    return None


def _is_class(written: str, group: DrugClass, shouted: bool) -> bool:
    """Return whether a short name of a class is written as one: "EDS" folds to what "AEDs" does."""
    if len(written) > _WORD:
        return True
    short = written.casefold().removesuffix("s")
    if all(short != n.casefold().removesuffix("s") for n in (group.name, *group.names)):
        return False
    capitals = sum(c.isupper() for c in written) >= 2 and not shouted
    return capitals or (len(written) > 2 and not is_english(written))
