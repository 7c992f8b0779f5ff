"""Finds which way a result points for the people with the drug."""

from __future__ import annotations

from typing import Literal

from deepcritical.appraisal.pico.outcomes import Placed
from deepcritical.domain.appraisal.votes import Polarity, Way
from deepcritical.domain.study.effects import leaning, significant
from deepcritical.domain.study.reading import Effect, Result
from deepcritical.vocabulary.outcomes import construct_of

Side = Literal["a", "b"]


def way_of(result: Result, side: Side, place: Placed, estimate: Effect | None) -> Way | None:
    """Return which way a result points for those with the drug; None where it is not told.

    Figures decide whether there is a difference: as told, else as calculated from what was counted
    in both arms. Which arm is better is as the reader states it, unless figures with the reader's
    own polarity say otherwise: then it is not told. The table of outcomes gives the polarity only
    where the reader states no arm.

    Args:
        result: What was found.
        side: The arm with the drug.
        place: The row of the outcome.
        estimate: The effect as told or calculated, of arm `a` against arm `b`.
    """
    tells = _is_shown(result, estimate)
    if tells is False or (tells is None and result.better == "no_difference"):
        return Way.NO_DIFFERENCE
    if result.contrast == "within":
        return Way.BENEFIT if result.better == "a" else None
    better: str | None = result.better
    if better in ("a", "b"):
        if leaning(result) not in (None, better):
            return None
    else:
        better = leaning(with_polarity(result, place)) if tells else None
    return None if better is None else Way.BENEFIT if better == side else Way.HARM


def _is_shown(result: Result, estimate: Effect | None) -> bool | None:
    """Return whether figures show a difference; None where they do not tell.

    What is calculated never shows what the record says was not found.
    """
    told = result.effect
    if result.non_inferiority and told and None in (told.ci_low, told.ci_high):
        return None  # p is that of not being worse
    tells = significant(told)
    if tells is None and result.contrast == "between" and not result.non_inferiority:
        tells = significant(estimate)
        return None if tells and result.better == "no_difference" else tells
    return tells


def with_polarity(result: Result, place: Placed) -> Result:
    """The result with which way is better: as its reader says, else as the table does."""
    if result.higher_is_better is not None:
        return result
    return result.model_copy(update={"higher_is_better": place.higher_is_better})


def polarity_of(result: Result, place: Placed) -> Polarity:
    """Return which way is better of what the row is named after.

    Of an outcome that the table does not know it is that of the record's words.
    """
    own, known = result.higher_is_better, construct_of(place.row, place.row)
    if place.more_is_better is None:
        return "" if own is None or known else "more" if own else "less"
    if None not in (own, place.higher_is_better) and own is not place.higher_is_better:
        return "unclear"
    return "more" if place.more_is_better else "less"


def leans_of(result: Result, side: Side, place: Placed) -> Way | None:
    """Return which way an estimate points, significantly or not; None where that is not told."""
    stated = result.better if result.better in ("a", "b") else None
    arm = stated or leaning(with_polarity(result, place))
    return None if arm is None else Way.BENEFIT if arm == side else Way.HARM
