"""Whether each number of a sentence stands in its source, with its unit and for the same thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.claim_checks import Failure
from deepcritical.domain.quantities import Quantity, quantities, same_value
from deepcritical.domain.units import NO_UNIT, Unit
from deepcritical.reasoning.claim_arms import on_other_arms
from deepcritical.reasoning.claim_derived import follows, is_bound_for_estimate
from deepcritical.reasoning.claim_places import Place, alike, places, ratio_of
from deepcritical.reasoning.claim_words import DOWN, WORSE, words

__all__ = ["NumberFault", "number_faults"]

_MARGIN = 0.34
_RUN = 4
"""Words, numbers among them, that must agree in a row before their numbers are compared."""
_SMALL_WORD = 10
_LABELS = ("type", "stage", "phase", "grade", "class")
_LOSS = frozenset({DOWN, WORSE})


class NumberFault(NamedTuple):
    """A number that the source does not bear out."""

    failure: Failure
    reason: str
    weak: bool = False


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
    source = [place for sentence in body for place in places(sentence)]
    for place in places(said):
        if fault := _fault(place, source, body[0] if body else "", known):
            yield fault
    if closely:
        yield from _exchanged(said, body[0])
    if told := on_other_arms(said, body):
        yield NumberFault(Failure.NUMBER_MISPLACED, told)


def _fault(
    place: Place, source: Sequence[Place], first: str, known: frozenset[float]
) -> NumberFault | None:
    q = place.quantity
    shown = place.sentence[q.start : q.end]
    equal = [p for p in source if same_value(q, p.quantity)]
    if not equal:
        if _is_known(q, known) or follows(place, source):
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
    if is_bound_for_estimate(place, fitting):
        return NumberFault(Failure.NUMBER_MISPLACED, f"{shown} bounds an interval there")
    return _misplaced(place, fitting, source, first, shown)


def _is_known(q: Quantity, known: frozenset[float]) -> bool:
    return q.unit is NO_UNIT and not q.kind and q.value in known


def _missing(place: Place, source: Sequence[Place], shown: str) -> NumberFault:
    """A small number in words may count what the source lists, unless it counts otherwise there."""
    q = place.quantity
    rivals = [p for p in source if _same_dimension(q, p.quantity) and (alike(place, p) > 0.3)]
    small = (q.spelled and q.value <= _SMALL_WORD and q.unit is NO_UNIT) or q.kind in _LABELS
    weak = small and not rivals
    return NumberFault(Failure.NUMBER_MISSING, f"{shown} is not in the text", weak)


def _told(place: Place) -> str:
    q = place.quantity
    return place.sentence[q.start : q.end + 12].split("  ")[0].strip(" ,;.()")


def _same_unit(place: Place, other: Place) -> bool:
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
    if {q.unit.dimension, p.unit.dimension} == {"", "%"} and q.value != p.value:
        return not ratio_of(place) and not ratio_of(other)
    return not p.unit.dimension and _unit_elsewhere(q, other)


def _unit_elsewhere(q: Quantity, other: Place) -> bool:
    """Whether the unit stands in the source's sentence once for all its numbers."""
    return _has_unit(q, other) or (q.unit.dimension == "%" and "%" in other.sentence)


def _has_unit(q: Quantity, other: Place) -> bool:
    """Whether another number of a sentence has the unit of this one."""
    return q.unit in _units(other.sentence)


@lru_cache(maxsize=8192)
def _units(sentence: str) -> frozenset[Unit]:
    return frozenset(q.unit for q in quantities(sentence))


def _same_ratio(place: Place, other: Place) -> bool:
    mine, theirs = ratio_of(place), ratio_of(other)
    return not (mine and theirs and mine != theirs)


def _same_dimension(one: Quantity, other: Quantity) -> bool:
    return (
        one.unit.dimension == other.unit.dimension
        and one.kind == other.kind
        and (one.noun == other.noun or not (one.noun and other.noun))
    )


def _turned(place: Place, other: Place) -> bool:
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
    place: Place, fitting: Sequence[Place], source: Sequence[Place], first: str, shown: str
) -> NumberFault | None:
    """A number whose surroundings are those of another number of its unit."""
    best = max(alike(place, p) for p in fitting)
    own = set(map(id, fitting))  # by identity: comparing places word by word takes minutes
    rivals = [
        (alike(place, p), p)
        for p in source
        if id(p) not in own
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
    place = next(p for p in places(said) if p.quantity is mine)
    own = [p for p in places(source) if same_value(mine, p.quantity)]
    rival = next(p for p in places(source) if p.quantity is other)
    return alike(place, rival) >= max((alike(place, p) for p in own), default=0.0)


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
