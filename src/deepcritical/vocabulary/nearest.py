"""Finds the known name nearest to a misspelled one, within one or two edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from deepcritical.vocabulary.classes import class_names
from deepcritical.vocabulary.conditions import condition_names, condition_spelled
from deepcritical.vocabulary.drugs import drug_names

_Pool = dict[int, dict[str, list[str]]]
"""Names by length and first letter."""
_SHORTEST = 5
_LONG = 10
"""From this length on two edits may be one slip."""
_REMEMBERED = 1_024
"""Names for which the answer is kept: one question has a name looked for many times."""


class Near(NamedTuple):
    """A known name and how many edits away it is."""

    name: str
    edits: int


@lru_cache(maxsize=_REMEMBERED)
def near_drug(name: str) -> Near | None:
    """The drug or class whose name is meant by a misspelled one; None where none is near."""
    return _nearest(name.casefold(), _drugs())


@lru_cache(maxsize=_REMEMBERED)
def near_condition(name: str) -> Near | None:
    """The condition whose folded name is meant by a misspelled one; None where none is near."""
    near = _nearest(name, _conditions())
    return near and Near(condition_spelled(near.name), near.edits)


@lru_cache(maxsize=_REMEMBERED)
def offers(name: str, most: int = 3) -> tuple[str, ...]:
    """Known names that look like one, the most alike first: to be asked, never taken."""
    from rapidfuzz import fuzz, process

    low = name.casefold()
    near = [
        name
        for pool in (_drugs(), _conditions())
        for size in range(len(low) - 3, len(low) + 4)
        for names in pool.get(size, {}).values()
        for name in names
    ]
    ranked = process.extract(low, near, scorer=fuzz.ratio, score_cutoff=70, limit=2 * most)
    return tuple(dict.fromkeys(found[0] for found in ranked))[:most]


def _nearest(name: str, pool: _Pool) -> Near | None:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if len(name) < _SHORTEST:
        return None
    most = 2 if len(name) >= _LONG else 1
    # A slip in the first letter is rare, and would make one real name of another.
    near = [
        n
        for size in range(len(name) - most, len(name) + most + 1)
        for n in pool.get(size, {}).get(name[0], ())
    ]
    found = process.extractOne(name, near, scorer=OSA.distance, score_cutoff=most)
    if found or " " in name:
        return Near(found[0], int(found[1])) if found else None
    # The same letters in another order are one slip, whatever they count as: "athsma".
    letters = sorted(name)
    mixed = [n for n in pool.get(len(name), {}).get(name[0], ()) if sorted(n) == letters]
    found = process.extractOne(name, mixed, scorer=OSA.distance, score_cutoff=2)
    return Near(found[0], int(found[1])) if found else None


@cache
def _drugs() -> _Pool:
    return _by_length((*drug_names(), *class_names()))


@cache
def _conditions() -> _Pool:
    return _by_length(condition_names())


def _by_length(names: Iterable[str]) -> _Pool:
    found: _Pool = defaultdict(lambda: defaultdict(list))
    for name in names:
        if len(name) >= _SHORTEST:
            found[len(name)][name[0]].append(name)
    return found
