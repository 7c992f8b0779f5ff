"""Chooses the names by which a source is searched for a drug or a condition.

A concept has a subject heading where the vocabulary has one with its id, and a few names. Brands
are left out for drugs that the vocabulary knows; a class is searched by its names and its members.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from deepcritical.domain.named import Condition, Drug
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import SearchQuery
from deepcritical.domain.text import fold
from deepcritical.vocabulary.classes import DrugClass, drug_class, known_members
from deepcritical.vocabulary.conditions import (
    KnownCondition,
    condition_named,
    narrower_conditions,
)
from deepcritical.vocabulary.drugs import DrugKind, generic_names, lookup_drug

MAX_SYNONYMS = 8
"""Other names that are searched beside a name."""
MAX_MEMBERS = 16
"""Drugs of a class that are searched, the best known first."""
_MOST_UNSORTED = 3
"""Other names of a drug that the vocabulary does not know: which are brands is not known either."""
_MOST_NARROWER = 6
_MIN_SYNONYM = 3
"""Letters below which another name finds mostly something else: MS, AD, RA."""
_MIN_STEM = 5
_EPONYM = bounded(r"\b([A-Z][a-z]{3,24})'s\b")
"""The person whom a disease is called after; texts write the name with and without 's."""
_WORD = bounded(r"[A-Za-z]{5,40}")
_PLAIN = bounded(r"[^\W_](?:[\w' -]{0,300}[\w'])?")
_OPERATOR = bounded(r"\b(?:and|or|not)\b", re.IGNORECASE)


class Concept(NamedTuple):
    """A drug or a condition as it is searched."""

    names: tuple[str, ...]
    """Phrases that cannot leave their quotes; the first is the user's."""
    heading: str = ""
    """A name of the MeSH heading; '' where the vocabulary has none."""
    stems: tuple[str, ...] = ()
    """Words to be truncated, in lower case: for "alzheimer*"."""

    @property
    def mapped(self) -> str:
        """The first name if a source may map it by itself, without quotes; '' otherwise."""
        name = self.names[0] if self.names else ""
        return name if _PLAIN.fullmatch(name) and not _OPERATOR.search(name) else ""


def drug_concept(drug: Drug) -> Concept:
    """Return the names of a drug, or of a class and its members: those told, or the best known."""
    if group := drug_class(drug.name):
        names = (group.name, *group.names)
        is_list = " or " in group.name  # a class that the question made
        told = group.members if is_list else [n for n in drug.synonyms if _is_drug_of(group, n)]
        listed = tuple(n for one in told for n in (one, *generic_names(one)))[:MAX_MEMBERS]
        if is_list:
            return Concept(listed)
        members = listed or known_members(group)[:MAX_MEMBERS]
        # "antiepileptics" and "antiepileptic drugs" are both found by the word without its s.
        words = (n.removesuffix("s") for n in names if n.islower() and _WORD.fullmatch(n))
        stems = tuple(dict.fromkeys(word for word in words if len(word) > _MIN_STEM))
        others = (n for n in names if not _has_stem(n, stems))
        found = (*_few(drug.name, others, MAX_SYNONYMS), *members)
        return Concept(tuple(dict.fromkeys(found)), stems=stems)
    generic, known = generic_names(drug.name), lookup_drug(drug.name).synonyms
    if generic or known:
        by_user = (name for name in drug.synonyms if name not in known)
        return Concept(_few(drug.name, (*by_user, *generic), MAX_SYNONYMS))
    return Concept(_few(drug.name, drug.synonyms, _MOST_UNSORTED))


def _is_drug_of(group: DrugClass, name: str) -> bool:
    """Return whether a synonym of a class names a drug or a class within it."""
    own = drug_class(name)
    return own != group if own else lookup_drug(name).kind is DrugKind.DRUG


def condition_concept(condition: Condition) -> Concept:
    """Return the names of a condition, with the names of the headings directly below it.

    The heading finds indexed records of the narrower conditions by itself; their names find those
    that are not indexed yet.
    """
    known = _known(condition)
    if known is None:
        return Concept(_few(condition.name, condition.names, MAX_SYNONYMS))
    below = narrower_conditions(known, _MOST_NARROWER)
    stems = tuple(dict.fromkeys(s for one in (known, *below) for s in _stems(one)))
    wanted = (n for n in condition.names if not _has_stem(n, stems))
    narrower = (n.name for n in below if not _has_stem(n.name, stems))
    names = _few(condition.name, wanted, MAX_SYNONYMS)
    return Concept(
        tuple(dict.fromkeys((*names, *map(phrase, narrower)))),
        phrase(known.name) if known.mesh_id else "",
        stems,
    )


def condition_concepts(query: SearchQuery) -> tuple[Concept, ...]:
    """Return what a query asks for as its condition: any of them is enough."""
    asked = (one for either in (query.condition, query.within) if either for one in either.each)
    return tuple(map(condition_concept, asked))


def phrase(name: str) -> str:
    """A name fit to stand between quotes: nothing in it ends the phrase."""
    name = re.sub(r"[\u201c\u201d\u201e\u00ab\u00bb\u2033]", '"', name)
    name = re.sub(r"[\u2018\u2019\u02bc]", "'", name)
    plain = re.sub(r'["\[\]\\\x00-\x1f\x7f\ud800-\udfff]', " ", name)
    plain = " ".join(re.sub(r"[()]", " ", plain).split())
    return plain if re.search(r"\w", plain) else ""


def _known(condition: Condition) -> KnownCondition | None:
    if not condition.known:
        return None
    mesh_id = (condition.mesh_id or "").removeprefix("MESH:")
    named = (condition_named(name) for name in (condition.name, *condition.names))
    return next((one for one in named if one and (not mesh_id or one.mesh_id == mesh_id)), None)


def _few(name: str, others: Iterable[str], most: int) -> tuple[str, ...]:
    """A name and up to `most` others that it does not find, in their order."""
    own = phrase(name)
    kept = {fold(own): own} if own else {}
    for other in map(phrase, others):
        if sum(char.isalnum() for char in other) < _MIN_SYNONYM:
            continue
        padded = f" {fold(other)} "
        if len(kept) <= most and not any(f" {one} " in padded for one in kept):
            kept.setdefault(fold(other), other)
    return tuple(kept.values())


def _stems(known: KnownCondition) -> Iterator[str]:
    """The person a condition is called after, or its one word without the plural's s."""
    first = known.name.partition(" ")[0].casefold()
    for name in known.names:
        for match in _EPONYM.finditer(name):
            if first.startswith(match[1].casefold()):
                yield match[1].casefold()
    if _WORD.fullmatch(known.name):
        stem = known.name.casefold().removesuffix("s")
        if len(stem) >= _MIN_STEM:
            yield stem


def _has_stem(name: str, stems: tuple[str, ...]) -> bool:
    return any(word.startswith(stems) for word in fold(name).split()) if stems else False
