"""Pools effect estimates by inverse variance and makes estimates from the raw numbers of two arms.

The variance of each estimate comes from the width of its confidence interval. The fixed effect
model takes all studies to measure one effect; the random effects model is that of DerSimonian and
Laird (Controlled Clinical Trials 1986;7:177-188). Ratios are pooled as logarithms and given as
ratios.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from deepcritical.domain.study.effects import RATIOS, no_effect_value, significant
from deepcritical.domain.study.reading import Effect, EffectMeasure, Result

POOLED_LEVEL: Final = 95.0
_LEAST_P, _MOST_P = 1e-12, 0.99
"""Beyond them a p value tells nothing of how wide an interval is."""
CONTINUITY_CORRECTION: Final = 0.5


class Estimate(NamedTuple):
    """Holds an effect and its confidence interval in the measure's own units: ratios as ratios."""

    value: float
    low: float
    high: float
    level: float = POOLED_LEVEL


class Pooled(NamedTuple):
    """Holds what several estimates come to, and how far they differ from each other.

    `tau2` is on the scale of the analysis (of logarithms for ratios), `i2` is in percent.
    """

    studies: int
    fixed: Estimate
    random: Estimate
    q: float
    tau2: float
    i2: float


class _Study(NamedTuple):
    """Holds one study on the scale of the analysis."""

    effect: float
    variance: float


def variance(estimate: Estimate, *, ratio: bool) -> float | None:
    """Calculate the variance on the scale of the analysis from the width of the interval.

    Args:
        estimate: The effect with its interval and the interval's level in percent.
        ratio: Whether the effect is a ratio, which is analysed as its logarithm.

    Returns:
        The variance; None where the interval is impossible: limits in the wrong order or equal,
        an effect outside them, a ratio that is not positive, a level not between 0 and 100 %.
    """
    study = _study(estimate, ratio=ratio)
    return None if study is None else study.variance


def interval_by_p(effect: Effect) -> tuple[float, float] | None:
    """Calculate the interval at the effect's level from its estimate and its exact p value.

    By the normal distribution (Altman and Bland, BMJ 2011;343:d2090).

    Returns:
        The limits; None without an estimate, without such a p, or where the estimate is none.
    """
    none = no_effect_value(effect)
    ratio = effect.measure in RATIOS
    told = effect.measure is not None and effect.p_operator == "="
    if not told or effect.value is None or effect.p is None:
        return None
    if not _LEAST_P <= effect.p <= _MOST_P:
        return None
    if effect.value == none or (ratio and effect.value <= 0):
        return None
    size = math.log(effect.value) if ratio else effect.value
    normal = NormalDist()
    error = abs(size) / normal.inv_cdf(1 - effect.p / 2)
    reach = normal.inv_cdf(0.5 + effect.ci_level / 200) * error
    low, high = size - reach, size + reach
    return (math.exp(low), math.exp(high)) if ratio else (low, high)


def pool(estimates: Sequence[Estimate], *, ratio: bool) -> Pooled | None:
    """Pool estimates by inverse variance, with fixed and with random effects.

    Args:
        estimates: One estimate a study. Those whose interval is impossible are left out, and
            `studies` of the answer does not count them.
        ratio: Whether the effects are ratios, which are pooled as logarithms.

    Returns:
        The pooled effects with 95 % intervals and the measures of heterogeneity; None when fewer
        than two estimates have a variance, or when the figures are too large to calculate with.
    """
    found = (_study(estimate, ratio=ratio) for estimate in estimates)
    studies = [study for study in found if study is not None]
    if len(studies) < 2:
        return None
    try:
        pooled = _pooled(studies, ratio=ratio)
    except (ArithmeticError, ValueError):  # what sums and powers of extreme figures raise
        return None
    figures = (*pooled.fixed, *pooled.random, pooled.q, pooled.tau2, pooled.i2)
    return pooled if all(map(math.isfinite, figures)) else None


def risk_ratio(events_a: int, n_a: int, events_b: int, n_b: int) -> Estimate | None:
    """Calculate the risk ratio of arm A to arm B with its 95 % interval.

    Where one arm has no events, 0.5 is added to each of the four cells of the table.

    Args:
        events_a: The people with the event in arm A.
        n_a: All people in arm A.
        events_b: The people with the event in arm B.
        n_b: All people in arm B.

    Returns:
        The ratio; None when nobody or everybody in both arms had the event, when an arm is empty,
        and when the numbers are impossible.
    """
    if not (0 <= events_a <= n_a and 0 <= events_b <= n_b and n_a and n_b):
        return None
    if events_a == events_b == 0 or (events_a == n_a and events_b == n_b):
        return None
    extra = 0.0 if events_a and events_b else CONTINUITY_CORRECTION
    cases_a, total_a = events_a + extra, n_a + 2 * extra
    cases_b, total_b = events_b + extra, n_b + 2 * extra
    effect = math.log(cases_a / total_a) - math.log(cases_b / total_b)
    spread = (1 / cases_a - 1 / total_a) + (1 / cases_b - 1 / total_b)
    return _estimate(effect, spread, ratio=True)


def mean_difference(
    mean_a: float, sd_a: float, n_a: int, mean_b: float, sd_b: float, n_b: int
) -> Estimate | None:
    """Calculate the mean of arm A less the mean of arm B with its 95 % interval.

    Args:
        mean_a: The mean of arm A.
        sd_a: The standard deviation of arm A.
        n_a: The people in arm A.
        mean_b: The mean of arm B.
        sd_b: The standard deviation of arm B.
        n_b: The people in arm B.

    Returns:
        The difference; None when an arm has fewer than two people, when a standard deviation is
        negative or both are zero, and when a number is not finite.
    """
    if n_a < 2 or n_b < 2 or min(sd_a, sd_b) < 0:
        return None
    spread = sd_a * sd_a / n_a + sd_b * sd_b / n_b
    effect = mean_a - mean_b
    if not (math.isfinite(effect) and math.isfinite(spread) and spread > 0):
        return None
    return _estimate(effect, spread, ratio=False)


def _study(estimate: Estimate, *, ratio: bool) -> _Study | None:
    """Bring an estimate to the scale of the analysis; None where its interval is impossible."""
    value, low, high, level = estimate
    if not all(map(math.isfinite, estimate)) or not low <= value <= high:
        return None
    if ratio:
        if low <= 0:
            return None
        value, low, high = math.log(value), math.log(low), math.log(high)
    deviate = _quantile(level) if 0 < level < 100 else 0.0
    if deviate <= 0:  # also where the level is so close to 0 % that nothing is left of it
        return None
    error = (high - low) / (2 * deviate)
    squared = error * error
    # A weight is one over the variance: both have to be numbers.
    if not (0 < squared < math.inf and 1 / squared < math.inf):
        return None
    return _Study(value, squared)


def _pooled(studies: Sequence[_Study], *, ratio: bool) -> Pooled:
    """Pool studies that are on the scale of the analysis."""
    weights = [1 / study.variance for study in studies]
    total = math.fsum(weights)
    mean = _weighted_mean(studies, weights)
    q = math.fsum(
        weight * (study.effect - mean) ** 2 for study, weight in zip(studies, weights, strict=True)
    )
    excess = max(0.0, q - (len(studies) - 1))
    # The sum of weights less (sum of squared weights / sum of weights), without the cancellation.
    scale = math.fsum(weight * ((total - weight) / total) for weight in weights)
    tau2 = excess / scale
    loose = [1 / (study.variance + tau2) for study in studies]
    return Pooled(
        studies=len(studies),
        fixed=_estimate(mean, 1 / total, ratio=ratio),
        random=_estimate(_weighted_mean(studies, loose), 1 / math.fsum(loose), ratio=ratio),
        q=q,
        tau2=tau2,
        i2=100 * excess / q if excess else 0.0,
    )


def _weighted_mean(studies: Sequence[_Study], weights: Sequence[float]) -> float:
    """Average the effects of studies by weight, the same in whatever order they come."""
    products = (study.effect * weight for study, weight in zip(studies, weights, strict=True))
    return math.fsum(products) / math.fsum(weights)


def _estimate(effect: float, spread: float, *, ratio: bool) -> Estimate:
    """Give an effect and its variance as an estimate with its 95 % interval."""
    margin = _quantile(POOLED_LEVEL) * math.sqrt(spread)
    value, low, high = effect, effect - margin, effect + margin
    if ratio:
        value, low, high = math.exp(value), math.exp(low), math.exp(high)
    return Estimate(value, low, high)


def _quantile(level: float) -> float:
    """Find the standard normal deviate that bounds a central interval of that many percent."""
    # From the lower tail, where levels close to 100 % keep their digits.
    return -NormalDist().inv_cdf((100 - level) / 200)


def estimated(result: Result, *, paired: bool = False) -> Effect | None:
    """The effect with an estimate: as told, else calculated from the figures of both arms.

    Args:
        result: What was found.
        paired: Whether people, or groups of them, were in both arms or allocated together, so that
            counts do not give the interval.
    """
    if paired or (result.effect and result.effect.measure):
        return result.effect
    by_arm = {figure.arm: figure for figure in result.figures}
    a, b = by_arm.get(result.a), by_arm.get(result.b)
    if a is None or b is None or not a.n or not b.n:
        return result.effect
    told = result.effect or Effect()
    if a.events is not None and b.events is not None:
        return _with(told, "RR", risk_ratio(a.events, a.n, b.events, b.n)) or result.effect
    if None not in (a.value, a.spread, b.value, b.spread):
        means = (a.value or 0.0, a.spread or 0.0, a.n, b.value or 0.0, b.spread or 0.0, b.n)
        return _with(told, "MD", mean_difference(*means)) or result.effect
    return result.effect


def _with(effect: Effect, measure: EffectMeasure, found: Estimate | None) -> Effect | None:
    """The effect with an estimate; None where the record's own p tells of another one."""
    if found is None:
        return None
    estimate = {"value": found.value, "ci_low": found.low, "ci_high": found.high}
    calculated = effect.model_copy(update={"measure": measure, **estimate})
    told, shown = significant(effect), significant(calculated)
    return None if told is not None and told is not shown else calculated
