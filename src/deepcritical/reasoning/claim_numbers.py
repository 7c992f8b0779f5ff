"""Whether each number of a sentence stands in its source, with its unit and for the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.claim_checks import Failure
from deepcritical.domain.quantities import Quantity, quantities, same_value
from deepcritical.domain.units import NO_UNIT
from deepcritical.reasoning.claim_words import DOWN, GENERIC, WORSE, words

__all__ = ["NumberFault", "number_faults"]

_REACH = 5
_MARGIN = 0.34
_RUN = 4
"""Words, numbers among them, that must agree in a row before their numbers are compared."""
_SMALL_WORD = 10
_RATIO = re.compile(
    r"\b(?:(?P<OR>a?ORs?|odds ratio)|(?P<HR>a?HRs?|hazard ratio)|(?P<RR>a?RRs?|relative risk|"
    r"risk ratio|rate ratio)|(?P<MD>[SW]?MDs?|mean difference))\b"
)
_LABELS = ("type", "stage", "phase", "grade", "class")
_LOSS = frozenset({DOWN, WORSE})


class NumberFault(NamedTuple):
    """A number that the source does not bear out."""

    failure: Failure
    reason: str
    weak: bool = False


class _Place(NamedTuple):
    """A number with the words around it."""

    quantity: Quantity
    left: Mapping[str, float]
    right: Mapping[str, float]
    sentence: str


@lru_cache(maxsize=8192)
def _places(sentence: str) -> tuple[_Place, ...]:
    told = words(sentence)
    found = []
    for q in quantities(sentence):
        left = [w.key or w.raw for w in told if w.end <= q.start and _counts(w.key)][-_REACH:]
        right = [w.key or w.raw for w in told if w.start >= q.end and _counts(w.key)][:_REACH]
        found.append(_Place(q, _weighted(reversed(left)), _weighted(right), sentence))
    return tuple(found)


def _counts(key: str) -> bool:
    return bool(key) and key not in GENERIC


def _weighted(keys: Iterator[str] | Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for distance, key in enumerate(keys):
        found.setdefault(key, 1.0 / (1 + 0.25 * distance))
    return found


def _alike(one: _Place, other: _Place) -> float:
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


def number_faults(
    said: str, body: Sequence[str], known: frozenset[float], *, closely: bool
) -> Iterator[NumberFault]:
    """The numbers of a sentence that its source does not bear out, each with the reason.

    Args:
        said: The sentence.
        body: The sentences of the record, those that it rests on first.
        known: Numbers of the record's own entry, such as its year and its enrolment.
        closely: Whether the sentence follows the first of them word by word.
    """
    source = [place for sentence in body for place in _places(sentence)]
    for place in _places(said):
        if fault := _fault(place, source, body[0] if body else "", known):
            yield fault
    if closely:
        yield from _exchanged(said, body[0])


def _fault(
    place: _Place, source: Sequence[_Place], first: str, known: frozenset[float]
) -> NumberFault | None:
    q = place.quantity
    shown = place.sentence[q.start : q.end]
    equal = [p for p in source if same_value(q, p.quantity)]
    if not equal:
        if _is_known(q, known):
            return None
        bare = [p for p in source if p.quantity.value == q.value and p.quantity.unit != q.unit]
        if bare and q.unit is not NO_UNIT:
            return NumberFault(Failure.UNIT_CHANGED, f"{_told(place)} is {_told(bare[0])} there")
        return _missing(place, source, shown)
    fitting = [p for p in equal if _same_unit(place, p)]
    if not fitting:
        return NumberFault(Failure.UNIT_CHANGED, f"{_told(place)} is {_told(equal[0])} there")
    fitting = [p for p in fitting if not _turned(place, p)]
    if not fitting:
        return NumberFault(Failure.NUMBER_MISSING, f"{shown} is bounded the other way there")
    return _misplaced(place, fitting, source, first, shown)


def _is_known(q: Quantity, known: frozenset[float]) -> bool:
    return q.unit is NO_UNIT and not q.kind and q.value in known


def _missing(place: _Place, source: Sequence[_Place], shown: str) -> NumberFault:
    """A small number in words may count what the source lists, unless it counts otherwise there."""
    q = place.quantity
    rivals = [p for p in source if _same_dimension(q, p.quantity) and (_alike(place, p) > 0.3)]
    small = (q.spelled and q.value <= _SMALL_WORD and q.unit is NO_UNIT) or q.kind in _LABELS
    weak = small and not rivals
    return NumberFault(Failure.NUMBER_MISSING, f"{shown} is not in the text", weak)


def _told(place: _Place) -> str:
    q = place.quantity
    return place.sentence[q.start : q.end + 12].split("  ")[0].strip(" ,;.()")


def _same_unit(place: _Place, other: _Place) -> bool:
    q, p = place.quantity, other.quantity
    if q.kind != p.kind and "" not in (q.kind, p.kind):
        return False
    if q.kind != p.kind and {q.kind, p.kind} & {"p", "confidence", "phase", "type"}:
        return False
    if q.noun and p.noun and q.noun != p.noun:
        return False
    if q.unit.dimension == p.unit.dimension:
        return _same_ratio(place, other)
    loose = {"", "points", "fold"}
    if q.unit.dimension in loose:
        return not p.unit.dimension or p.unit.dimension in loose or q.unit.dimension == ""
    return p.unit.dimension in loose and _unit_elsewhere(q, other)


def _unit_elsewhere(q: Quantity, other: _Place) -> bool:
    """Whether the unit stands in the source's sentence once for all its numbers."""
    return _has_unit(q, other) or (q.unit.dimension == "%" and "%" in other.sentence)


def _has_unit(q: Quantity, other: _Place) -> bool:
    """Whether another number of a sentence has the unit of this one."""
    return any(x.unit == q.unit for x in quantities(other.sentence))


def _same_ratio(place: _Place, other: _Place) -> bool:
    mine, theirs = _ratio(place), _ratio(other)
    return not (mine and theirs and mine != theirs)


def _ratio(place: _Place) -> str:
    q = place.quantity
    found = list(_RATIO.finditer(place.sentence, max(0, q.start - 60), q.start))
    between = place.sentence[found[-1].end() : q.start] if found else ""
    if not found or re.search(r"\d|;|\)", between):
        return ""
    return found[-1].lastgroup or ""


def _same_dimension(one: Quantity, other: Quantity) -> bool:
    return (
        one.unit.dimension == other.unit.dimension
        and one.kind == other.kind
        and (one.noun == other.noun or not (one.noun and other.noun))
    )


def _turned(place: _Place, other: _Place) -> bool:
    """Whether a bound or a sign is the opposite one."""
    q, p = place.quantity, other.quantity
    if q.kind != "p" and {q.bound, p.bound} == {"<", ">"}:
        return True
    if q.value < 0 <= p.value:
        return not _says_loss(other.sentence)
    return p.value < 0 <= q.value and not _says_loss(place.sentence)


def _says_loss(sentence: str) -> bool:
    return any(w.key in _LOSS or w.raw in ("loss", "lost") for w in words(sentence))


def _misplaced(
    place: _Place, fitting: Sequence[_Place], source: Sequence[_Place], first: str, shown: str
) -> NumberFault | None:
    """A number whose surroundings are those of another number of its unit."""
    best = max(_alike(place, p) for p in fitting)
    rivals = [
        (_alike(place, p), p)
        for p in source
        if p not in fitting
        and _same_dimension(place.quantity, p.quantity)
        and not same_value(place.quantity, p.quantity)
    ]
    score, rival = max(rivals, key=lambda r: r[0], default=(0.0, None))
    if rival is not None and score >= 0.6 and score > best + _MARGIN:
        other = rival.sentence[rival.quantity.start : rival.quantity.end]
        return NumberFault(Failure.NUMBER_MISPLACED, f"the source has {other} where {shown} stands")
    elsewhere = all(p.sentence != first for p in fitting)
    if (
        elsewhere
        and best < 0.08
        and len(place.left) + len(place.right) > 2
        and not place.quantity.kind
    ):
        return NumberFault(Failure.NUMBER_MISPLACED, f"{shown} stands for something else there")
    return None


def _exchanged(said: str, source: str) -> Iterator[NumberFault]:
    """Numbers that stand where the source has others, with the same words on either side."""
    ours, theirs = _masked(said), _masked(source)
    matcher = SequenceMatcher(None, [k for k, _ in theirs], [k for k, _ in ours], autojunk=False)
    for block in matcher.get_matching_blocks():
        if block.size < _RUN:
            continue
        for step in range(block.size):
            mine, other = ours[block.b + step][1], theirs[block.a + step][1]
            if mine and other and _are_two(mine, other) and _fits_better(said, mine, source, other):
                yield NumberFault(
                    Failure.NUMBER_MISPLACED,
                    f"the source has {source[other.start : other.end]} where "
                    f"{said[mine.start : mine.end]} stands",
                )


def _fits_better(said: str, mine: Quantity, source: str, other: Quantity) -> bool:
    """Whether a number stands as the other one does, rather than as its own equal does."""
    place = next(p for p in _places(said) if p.quantity is mine)
    own = [p for p in _places(source) if same_value(mine, p.quantity)]
    rival = next(p for p in _places(source) if p.quantity is other)
    return _alike(place, rival) >= max((_alike(place, p) for p in own), default=0.0)


@lru_cache(maxsize=8192)
def _masked(sentence: str) -> tuple[tuple[str, Quantity | None], ...]:
    """The words of a sentence with one token for every number, so that numbers do not align."""
    found: list[tuple[str, Quantity | None]] = []
    numbers = quantities(sentence)
    for word in words(sentence):
        within = next((q for q in numbers if q.start <= word.start < q.end), None)
        if within is None:
            found.append((word.key or word.raw, None))
        elif not found or found[-1][1] is not within:
            found.append(("#", within))
    return tuple(found)


def _are_two(mine: Quantity, theirs: Quantity) -> bool:
    return _same_dimension(mine, theirs) and not same_value(mine, theirs)
