"""Whether two numbers stand with the arms of a study that the source has them for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import Quantity, same_value
from deepcritical.reasoning.claim_places import places
from deepcritical.reasoning.claim_words import Word, words

__all__ = ["on_other_arms"]

_OF_ARM = frozenset("with on in given receiving taking".split())
_REACH = 8
"""Words from a number to its arm, at most."""
_NEXT_ARM = frozenset("and compared versus vs while whereas than but".split())
_PAIR = bounded(r"\W*(?:vs\.?|versus|compared (?:with|to)|against|and)\W*$", re.IGNORECASE)


def on_other_arms(said: str, body: Sequence[str]) -> str:
    """Two numbers that changed arms between source and sentence; '' where none did.

    Args:
        said: A sentence with "20% with A and 40% with B".
        body: The sentences of the record; one that has both numbers and the arms can disagree.
    """
    told = [p.quantity for p in places(said) if not p.quantity.kind]
    for one, other in pairwise(told):
        if (one.unit, one.noun) != (other.unit, other.noun) or same_value(one, other):
            continue
        arms = _arms_of(said, one, other)
        if arms and any(_swapped_in(source, arms, one, other) for source in body):
            shown = said[one.start : one.end], said[other.start : other.end]
            return f"{shown[0]} and {shown[1]} stand with each other's group"
    return ""


def _swapped_in(source: str, arms: tuple[str, str], one: Quantity, other: Quantity) -> bool:
    mine, theirs = _found(source, one), _found(source, other)
    return mine is not None and theirs is not None and _is_swapped(source, arms, mine, theirs)


def _found(source: str, said: Quantity) -> Quantity | None:
    """The one number of the source that is meant; None for none or several."""
    same = [p.quantity for p in places(source) if same_value(said, p.quantity)]
    return same[0] if len(same) == 1 else None


def _arms_of(said: str, one: Quantity, other: Quantity) -> tuple[str, str] | None:
    """The word next behind "with" or "on" for each number, if one is told against another."""
    told = words(said)
    between = [w for w in told if one.end <= w.start < other.start]
    if not any(w.raw in _NEXT_ARM for w in between):
        return None
    first, second = _arm(between), _arm([w for w in told if w.start >= other.end])
    return (first, second) if first and second and first != second else None


def _arm(told: Sequence[Word]) -> str:
    end = next((i for i, w in enumerate(told) if w.raw in _NEXT_ARM), len(told))
    found = (b for a, b in pairwise(told[: min(end, _REACH)]) if a.raw in _OF_ARM and b.key)
    return next((word.raw for word in found if not word.raw.isdigit()), "")


def _is_swapped(source: str, arms: tuple[str, str], one: Quantity, other: Quantity) -> bool:
    first, second = min(one, other, key=_start), max(one, other, key=_start)
    known = [(w.start, w.raw) for w in words(source) if w.raw in arms]
    if _PAIR.match(source[first.end : second.start].lstrip("% ")):
        before = list(dict.fromkeys(raw for start, raw in known if start < first.start))
        owner = before[0] if before else ""
        return bool(owner) and owner == (arms[1] if one is first else arms[0])
    if not any(start < first.start for start, _ in known):
        behind = [(start, raw) for start, raw in known if start < second.start]
        owners = _next(behind, first), _next(known, second)
        return owners == (arms if one is second else arms[::-1])
    return _owner(known, one) == arms[1] and _owner(known, other) == arms[0]


def _next(known: Sequence[tuple[int, str]], quantity: Quantity) -> str:
    """The arm named first behind a number: "53% for those on A vs. 32% for B"."""
    return next((raw for start, raw in known if start > quantity.start), "")


def _start(quantity: Quantity) -> int:
    return quantity.start


def _owner(known: Sequence[tuple[int, str]], quantity: Quantity) -> str:
    """The arm named last before a number."""
    return next((raw for start, raw in reversed(known) if start < quantity.start), "")
