"""Numbers that follow from those of a source by arithmetic that every reader does.

A ratio of 0.72 is a reduction by 28%, and 10 against 14 days is four days less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import Quantity, quantities
from deepcritical.reasoning.claim_places import Place, ratio_of
from deepcritical.reasoning.claim_words import DOWN, UP, words

__all__ = ["follows", "is_bound_for_estimate"]

_DIFFERENCE = bounded(
    r"\b(?:differences?|absolute\w*|percentage points?|earlier|later|longer|shorter|sooner|faster|"
    r"more|fewer|less|higher|lower|greater)\b",
    re.IGNORECASE,
)
_INTERVAL = bounded(
    r"(?:\bCIs?|\bCrI|confidence intervals?|credible intervals?|\bIQR|\brange)\W{0,4}"
    r"(?:[-−–]?[\d.·]+\W{1,3}(?:to\W)?)?$"
)
_RANGE = bounded(r"\s*(?:%\s?)?(?:[-–−]|to\b|and\b|,)\s*[-−–]?[\d.·]")
_BETWEEN = bounded(r"(?:[\d.·]%?\s*(?:[-–−]|to|and|,)|\bbetween|\bfrom)\s*$")


def follows(place: Place, source: Sequence[Place]) -> bool:
    """Whether a number that is not in the source follows from what is."""
    q = place.quantity
    if q.kind:
        return False
    if q.unit.dimension == "%" and any(_is_change(place, other) for other in source):
        return True
    return bool(_DIFFERENCE.search(place.sentence)) and _is_difference(q, source)


def _is_change(place: Place, other: Place) -> bool:
    """Whether a percentage is how much a ratio differs from 1, in its direction."""
    ratio = other.quantity.value
    if ratio <= 0 or not _is_about(place.quantity, 100 * abs(ratio - 1)):
        return False
    if not ratio_of(other) or other.quantity.unit.dimension or _in_interval(other):
        return False
    signs = {w.key for w in words(place.sentence)} & {UP, DOWN}
    return signs == ({DOWN} if ratio < 1 else {UP})


def _is_about(said: Quantity, value: float) -> bool:
    tolerance = 0.06 * value if said.bound == "~" else 0.5 * 10**-said.decimals
    return abs(said.value - value) <= tolerance + 1e-9


def _is_difference(said: Quantity, source: Sequence[Place]) -> bool:
    """Whether a number is the difference of two numbers of its unit in one sentence."""
    if not said.unit.dimension:
        return False
    for sentence in dict.fromkeys(place.sentence for place in source):
        same = [q for q in quantities(sentence) if q.unit == said.unit and not q.kind]
        if any(_is_about(said, abs(a.value - b.value)) for a, b in combinations(same[:8], 2)):
            return True
    return False


def _in_interval(place: Place) -> bool:
    return bool(_INTERVAL.search(place.sentence[: place.quantity.start]))


def is_bound_for_estimate(place: Place, fitting: Sequence[Place]) -> bool:
    """Whether a bound of an interval is told as if it were the estimate."""
    q = place.quantity
    before, behind = place.sentence[: q.start], place.sentence[q.end :]
    if _in_interval(place) or _RANGE.match(behind) or _BETWEEN.search(before) or q.bound:
        return False
    return bool(ratio_of(place)) and all(map(_in_interval, fitting))
