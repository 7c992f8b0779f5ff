"""Calculates from an effect whether it is significant and whom it favours.

Significance and direction are computed from interval, p and estimate wherever those are given, and
never taken from a reader's word alone.
"""

import re
from typing import Literal

from deepcritical.domain.study.reading import Effect, Result
from deepcritical.domain.text.patterns import bounded

RATIOS = frozenset({"RR", "OR", "HR", "IRR", "ratio"})
"""Measures whose value of no effect is 1."""
_OF_SHARES = frozenset({"RR", "OR", "RD", "RRR"})
_OF_VALUES = frozenset({"MD", "SMD"})
_ALPHA = 0.05
_LEVEL = 95.0
_MOST_DECIMALS = 9
"""A figure that is nearer to no effect differs from it by what calculating rounds."""
_TIME = re.compile(r"(?i)\b(?:time to|time until|days|hours|weeks|months)\b")
_LASTING = bounded(
    r"(?i:\bsurvival\b|\w-free (?:interval|time|period)\b|\bfreedom from\b|"
    r"\bduration of (?:\w+ )?(?:response|remission)\b|\b(?:local|locoregional) control\b|"
    r"\btime to (?:\w+ ){0,2}(?:progression|relapse|recurrence|death|failure|exacerbation)\b)|"
    r"\b(?:\w{1,8}FS|OS|TTP)\b"
)
"""Good outcomes that last for a time, such as survival: a hazard ratio is on their loss."""


def no_effect_value(effect: Effect) -> float:
    """The value of an effect that is none: 1 for ratios, 0 for differences."""
    return 1.0 if effect.measure in RATIOS else 0.0


def decimals_of(value: float, none: float, least: int = 2) -> int:
    """Return how many decimals keep a figure off the value of no effect, if it is off it."""
    places = (n for n in range(least, _MOST_DECIMALS) if round(value, n) != none)
    return least if value == none else next(places, least)


def significant(effect: Effect | None) -> bool | None:
    """Return whether an effect is significant at 5 %, two-sided; None where that cannot be told.

    The interval decides as far as its level tells of 95 %, unless it ends at no effect, as rounded
    ones do; else p.
    """
    if effect is None:
        return None
    excludes, by_p = _excludes_no_effect(effect), _by_p(effect)
    rounded = no_effect_value(effect) in (effect.ci_low, effect.ci_high) and by_p is not None
    if excludes is None or rounded:
        return by_p
    # A narrower interval that holds no effect, or a wider one that does not, tells of 95 %, too.
    telling = effect.ci_level == _LEVEL or (effect.ci_level > _LEVEL) == excludes
    return excludes if telling else by_p


def _excludes_no_effect(effect: Effect) -> bool | None:
    if effect.measure is None or effect.ci_low is None or effect.ci_high is None:
        return None
    none = no_effect_value(effect)
    return not effect.ci_low <= none <= effect.ci_high


def _by_p(effect: Effect) -> bool | None:
    if effect.p_operator == "ns":
        return False
    if effect.p is None:
        return None
    if effect.p_operator == ">":
        return False if effect.p >= _ALPHA else None
    # A record that could print a smaller bound than 0.1 would; 0.05 itself is not below 0.05.
    return effect.p <= _ALPHA if effect.p_operator == "<" else effect.p < _ALPHA


def oriented(effect: Effect | None, *, flipped: bool) -> Effect | None:
    """The estimate of the other arm against this one, where it is flipped.

    A relative reduction has no plain counterpart, and is left without figures.
    """
    if effect is None or not flipped:
        return effect
    told = (effect.value, effect.ci_high, effect.ci_low)
    if effect.measure in RATIOS:
        value, low, high = (1 / x if x else None for x in told)
    elif effect.measure == "RRR":
        value = low = high = None
    else:
        value, low, high = (-x if x is not None else None for x in told)
    return effect.model_copy(update={"value": value, "ci_low": low, "ci_high": high})


def is_consistent(effect: Effect) -> bool:
    """Return whether the estimate lies within its interval, and interval and p tell the same.

    An interval that touches the value of no effect agrees with either: both are rounded.
    """
    low, high, value = effect.ci_low, effect.ci_high, effect.value
    if low is not None and high is not None:
        if low > high or (value is not None and not low <= value <= high):
            return False
        none = no_effect_value(effect)
        by_p = _by_p(effect)
        excluded = _excludes_no_effect(effect)
        touched = none in (low, high)
        if effect.ci_level == 95 and None not in (by_p, excluded) and not touched:
            # A bound above 0.05 is no figure that an interval could contradict.
            loose = effect.p_operator == "<" and not by_p
            borderline = effect.p is not None and 0.04 <= effect.p <= 0.06
            return by_p == excluded or loose or (borderline and effect.p_operator == "=")
    return True


def favoured(result: Result) -> Literal["a", "b", "no_difference"] | None:
    """The arm that the figures favour; None where they do not tell.

    An effect that is not significant favours none. Which way a significant one points follows from
    its estimate, else from the arms' figures, and from whether more of the outcome is good.
    """
    tells = significant(result.effect)
    if tells is False:
        return "no_difference"
    return leaning(result) if tells else None


def leaning(result: Result) -> Literal["a", "b"] | None:
    """The arm that did better by its figures, significantly or not; None where they do not tell."""
    more = has_more(result)
    if more is None or result.higher_is_better is None or _is_of_speed(result):
        return None
    good = result.higher_is_better and not is_of_its_loss(result)
    return more if good else ("b" if more == "a" else "a")


def _is_of_speed(result: Result) -> bool:
    """Return whether a ratio tells how soon something came, so that more of it is less time.

    Which of both a reader means by "more is better" cannot be told.
    """
    by_speed = result.effect is not None and result.effect.measure in ("HR", "IRR")
    told = f"{result.outcome} {result.concept} {result.unit}"
    return by_speed and bool(_TIME.search(told)) and not _LASTING.search(told)


def is_of_its_loss(result: Result) -> bool:
    """Return whether a hazard ratio is of what ends the outcome: death for survival."""
    effect = result.effect
    hazard = effect is not None and effect.measure == "HR" and effect.value is not None
    return hazard and _LASTING.search(f"{result.outcome} {result.concept}") is not None


def _estimate(effect: Effect) -> float | None:
    """The estimate, or a value that lies on the same side of no effect."""
    if effect.value is not None or effect.ci_low is None or effect.ci_high is None:
        return effect.value
    return effect.ci_low if _excludes_no_effect(effect) else None


def contradicts_figures(result: Result) -> bool:
    """Return whether the estimate and the figures of the arms point to different sides.

    Only where both are of one kind: a ratio of rates may stand beside times.
    """
    if result.effect is None:
        return False
    shares = "%" in result.unit or any(figure.events is not None for figure in result.figures)
    if result.effect.measure not in (_OF_SHARES if shares else _OF_VALUES):
        return False
    by_estimate, by_figures = _more_by_estimate(result.effect), _more_by_figures(result)
    return None not in (by_estimate, by_figures) and by_estimate != by_figures


def has_more(result: Result) -> Literal["a", "b"] | None:
    """The arm with more of the outcome, by its estimate, the arms' figures or the words."""
    by_estimate = _more_by_estimate(result.effect) if result.effect else None
    return by_estimate or _more_by_figures(result) or result.more


def _more_by_estimate(effect: Effect) -> Literal["a", "b"] | None:
    value = _estimate(effect) if effect.measure else None
    if value is None or value == no_effect_value(effect):
        return None
    return "a" if (value > no_effect_value(effect)) != (effect.measure == "RRR") else "b"


def _more_by_figures(result: Result) -> Literal["a", "b"] | None:
    by_arm = {figure.arm: figure for figure in result.figures}
    a, b = by_arm.get(result.a), by_arm.get(result.b)
    if a is None or b is None:
        return None
    sizes = [(f.value, f.events / f.n if f.n and f.events is not None else None) for f in (a, b)]
    for one, other in zip(*sizes, strict=True):
        if one is not None and other is not None and one != other:
            return "a" if one > other else "b"
    return None
