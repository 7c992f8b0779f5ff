"""The numbers of a sentence with the words around them, by which they are told apart."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import Quantity, quantities
from deepcritical.reasoning.claim_words import GENERIC, words

__all__ = ["Place", "alike", "places", "ratio_of"]

_REACH = 5
_RATIO = bounded(
    r"\b(?:(?P<OR>a?ORs?|odds ratio)|(?P<HR>a?HRs?|hazard ratio)|(?P<RR>a?RRs?|relative risk|"
    r"risk ratio|rate ratio)|(?P<MD>[SW]?MDs?|mean difference))\b"
)


class Place(NamedTuple):
    """A number with the words around it."""

    quantity: Quantity
    left: Mapping[str, float]
    right: Mapping[str, float]
    sentence: str


@lru_cache(maxsize=8192)
def places(sentence: str) -> tuple[Place, ...]:
    """The numbers of a sentence in order, each with up to five words on either side."""
    told = [w for w in words(sentence) if _counts(w.key)]
    starts, ends = [w.start for w in told], [w.end for w in told]
    found = []
    for q in quantities(sentence):
        before, behind = bisect_right(ends, q.start), bisect_left(starts, q.end)
        left = [w.key for w in told[max(0, before - _REACH) : before]]
        right = [w.key for w in told[behind : behind + _REACH]]
        found.append(Place(q, _weighted(reversed(left)), _weighted(right), sentence))
    return tuple(found)


def _counts(key: str) -> bool:
    return bool(key) and key not in GENERIC


def _weighted(keys: Iterator[str] | Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for distance, key in enumerate(keys):
        found.setdefault(key, 1.0 / (1 + 0.25 * distance))
    return found


def alike(one: Place, other: Place) -> float:
    """How much of a number's surroundings another number has, 0-1; the same side counts more."""
    total = sum(one.left.values()) + sum(one.right.values())
    if not total:
        return 0.0
    shared = 0.0
    for mine, same, across in (
        (one.left, other.left, other.right),
        (one.right, other.right, other.left),
    ):
        for key, value in mine.items():
            if key in same:
                shared += value * min(1.0, same[key] / value + 0.2)
            elif key in across:
                shared += 0.5 * value
    return shared / total


def ratio_of(place: Place) -> str:
    """The kind of ratio that a number is, such as HR; '' for none."""
    return _ratio_before(place.sentence, place.quantity.start)


@lru_cache(maxsize=8192)
def _ratio_before(sentence: str, start: int) -> str:
    found = list(_RATIO.finditer(sentence, max(0, start - 60), start))
    between = sentence[found[-1].end() : start] if found else ""
    if not found or re.search(r"\d|;|\)", between):
        return ""
    return found[-1].lastgroup or ""
