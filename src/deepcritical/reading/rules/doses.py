"""Parts the arms of a trial by dose, where results are of one dose of a drug and not of all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import UNIT, Quantity, quantities
from deepcritical.domain.study import Arm, Result
from deepcritical.domain.text import Span

_OF_DOSES = frozenset({"mass", "activity"})
_BETWEEN = bounded(
    r"(?: ?[a-zµμ]+(?:/[a-z\d]+)?)?(?: (?:once|twice|three times))?(?: (?:daily|a day|per day))?"
    r"(?:,? (?:or|and|versus|vs\.?) (?:to )?|, )",
    re.IGNORECASE,
)
"""Between the doses of one list; another drug's name, a range or a titration is none."""
_ALLOCATED = bounded(
    r"\b(?:random\w*|assigned|allocated|received?|receiving|given)\b", re.IGNORECASE
)
_IDS = "ABCDEFGH"


def parted_by_dose(
    arms: tuple[Arm, ...], results: Sequence[Result], told: Sequence[Span]
) -> tuple[tuple[Arm, ...], tuple[Result, ...]]:
    """Return arms and results, those of one dose with an arm of their own of untold people.

    Args:
        arms: Of the study; the arm of a drug that was given in several doses holds all of them.
        results: Between the arms.
        told: The sentences, the title first.
    """
    tested = [arm for arm in arms if arm.interventions and arm.control is None]
    given = _given(told)
    if not given or len(tested) != 1 or len(tested[0].interventions) > 1:
        return arms, tuple(results)
    own: dict[str, Arm] = {}
    parted = []
    for result in results:
        if dose := _dose_of(told[result.sentences[0]].text, given):
            label = f"{tested[0].interventions[0].drug or tested[0].label} {dose}"
            letter = _IDS[(len(arms) + len(own)) % len(_IDS)]
            new = tested[0].model_copy(update={"id": letter, "label": label, "n": None})
            arm = own.setdefault(label, new)
            sides = {"a": result.a, "b": result.b}
            moved = {side: arm.id for side, one in sides.items() if one == tested[0].id}
            result = result.model_copy(update=moved)
        parted.append(result)
    return (*arms, *own.values()), tuple(parted)


def _given(told: Sequence[Span]) -> frozenset[float]:
    """The doses of the first sentence that lists several to which people were allocated."""
    lists = (list(_listed(span.text)) for span in told[1:] if _ALLOCATED.search(span.text))
    return next((frozenset(doses) for doses in lists if len(set(doses)) > 1), frozenset())


def _listed(text: str) -> Iterator[float]:
    """Yield the doses that stand in a list."""
    for one, other in pairwise(_doses_in(text)):
        if _BETWEEN.fullmatch(text[one.end : other.start]):
            yield from (one.base, other.base)


def _doses_in(text: str) -> list[Quantity]:
    return [one for one in quantities(text) if one.unit.dimension in _OF_DOSES]


def _dose_of(text: str, given: frozenset[float]) -> str:
    """Return the doses that a result is of, as written; '' where it is of all, or names none."""
    named = [one for one in _doses_in(text) if one.base in given]
    if not named or {one.base for one in named} == given:
        return ""
    unit = UNIT.match(text, named[-1].end)
    values = dict.fromkeys(f"{one.value:g}" for one in named)
    return f"{' and '.join(values)} {unit['unit'] if unit else ''}".strip()
