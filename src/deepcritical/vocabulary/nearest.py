"""The known name nearest to a misspelled one, within one or two edits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from deepcritical.vocabulary.conditions import condition_names
from deepcritical.vocabulary.drugs import drug_names

__all__ = ["Near", "near_condition", "near_drug", "offers"]

_SHORTEST = 5
_LONG = 10
"""From this length on two edits may be one slip."""


class Near(NamedTuple):
    """A known name and how many edits away it is."""

    name: str
    edits: int


def near_drug(name: str) -> Near | None:
    """The drug or class whose name is meant by a misspelled one; None where none is near."""
    return _nearest(name.casefold(), _drugs())


def near_condition(name: str) -> Near | None:
    """The condition whose folded name is meant by a misspelled one; None where none is near."""
    return _nearest(name, _conditions())


def offers(name: str, most: int = 3) -> tuple[str, ...]:
    """Known names that look like one, the most alike first: to be asked, never taken."""
    from rapidfuzz import fuzz, process

    low = name.casefold()
    pools = (_drugs(), _conditions())
    near = [
        found
        for pool in pools
        for found in process.extract(
            low,
            [n for size in range(len(low) - 3, len(low) + 4) for n in pool.get(size, ())],
            scorer=fuzz.ratio,
            score_cutoff=70,
            limit=most,
        )
    ]
    ranked = sorted(near, key=lambda found: -found[1])
    return tuple(dict.fromkeys(found[0] for found in ranked))[:most]


def _nearest(name: str, pool: dict[int, list[str]]) -> Near | None:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if len(name) < _SHORTEST:
        return None
    most = 2 if len(name) >= _LONG else 1
    near = [n for size in range(len(name) - most, len(name) + most + 1) for n in pool.get(size, ())]
    found = process.extractOne(name, near, scorer=OSA.distance, score_cutoff=most)
    # A slip in the first letter is rare, and would make one real name of another.
    if found is None or found[0][0] != name[0]:
        return None
    return Near(found[0], int(found[1]))


@cache
def _drugs() -> dict[int, list[str]]:
    return _by_length(n.casefold() for n in drug_names())


@cache
def _conditions() -> dict[int, list[str]]:
    return _by_length(condition_names())


def _by_length(names: Iterable[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    for name in names:
        if len(name) >= _SHORTEST:
            found[len(name)].append(name)
    return dict(found)
