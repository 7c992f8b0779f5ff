"""Calculates from an effect whether it is significant and whom it favours, and puts it into words.

Significance and direction are computed from interval, p and estimate wherever those are given, and
never taken from a reader's word alone.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import Effect, Result
from deepcritical.domain.votes import Importance, OutcomeRow, RowEffect, Tier, Vote, Way, as_stopped

RATIOS = frozenset({"RR", "OR", "HR", "IRR", "ratio"})
"""Measures whose value of no effect is 1."""
_OF_SHARES = frozenset({"RR", "OR", "RD", "RRR"})
_OF_VALUES = frozenset({"MD", "SMD"})
_ALPHA = 0.05
_LEVEL = 95.0
_TIME = re.compile(r"(?i)\b(?:time to|time until|days|hours|weeks|months)\b")
_LASTING = bounded(
    r"(?i:\bsurvival\b|\w-free (?:interval|time|period)\b|\bfreedom from\b|"
    r"\bduration of (?:\w+ )?(?:response|remission)\b|\b(?:local|locoregional) control\b|"
    r"\btime to (?:\w+ ){0,2}(?:progression|relapse|recurrence|death|failure|exacerbation)\b)|"
    r"\b(?:\w{1,8}FS|OS|TTP)\b"
)
"""What a hazard ratio is of the loss of."""


def no_effect_value(effect: Effect) -> float:
    """The value of an effect that is none: 1 for ratios, 0 for differences."""
    return 1.0 if effect.measure in RATIOS else 0.0


def significant(effect: Effect | None) -> bool | None:
    """Whether an effect is significant at 5 %, two-sided; None where that cannot be told.

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
    """Whether the estimate lies within its interval, and interval and p tell the same.

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
    """Whether a ratio tells how soon something came, so that more of it is less time.

    Which of both a reader means by "more is better" cannot be told.
    """
    by_speed = result.effect is not None and result.effect.measure in ("HR", "IRR")
    told = f"{result.outcome} {result.concept} {result.unit}"
    return by_speed and bool(_TIME.search(told)) and not _LASTING.search(told)


def is_of_its_loss(result: Result) -> bool:
    """Whether a hazard ratio is of what ends the outcome: death for survival."""
    effect = result.effect
    hazard = effect is not None and effect.measure == "HR" and effect.value is not None
    return hazard and _LASTING.search(f"{result.outcome} {result.concept}") is not None


def _estimate(effect: Effect) -> float | None:
    """The estimate, or a value that lies on the same side of no effect."""
    if effect.value is not None or effect.ci_low is None or effect.ci_high is None:
        return effect.value
    return effect.ci_low if _excludes_no_effect(effect) else None


def contradicts_figures(result: Result) -> bool:
    """Whether the estimate and the figures of the arms point to different sides.

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


_WAYS = {
    Way.BENEFIT: "better with the drug",
    Way.NO_DIFFERENCE: "no difference shown",
    Way.HARM: "worse with the drug",
    Way.CONFLICT: "studies disagree",
}
_OF_HARM = {
    Way.BENEFIT: "less frequent with the drug",
    Way.NO_DIFFERENCE: "no excess shown",
    Way.HARM: "more frequent with the drug",
    Way.CONFLICT: "studies disagree",
}
_BEFORE = {
    Way.BENEFIT: "better than before treatment",
    Way.HARM: "worse than before treatment",
    Way.NO_DIFFERENCE: "no change from before treatment",
}
MEASURES = {
    "RR": "risk ratio",
    "OR": "odds ratio",
    "HR": "hazard ratio",
    "IRR": "rate ratio",
    "RD": "risk difference",
    "MD": "mean difference",
    "SMD": "standardised mean difference",
    "RRR": "relative reduction",
}


def kind_words(tier: Tier) -> tuple[str, str]:
    """Return what the studies of a row are called: one of them, and several."""
    if tier == "reported":
        return "narrative review", "narrative reviews"
    return ("trial", "trials") if tier == "randomised" else ("study", "studies")


def gravest_first(rows: Iterable[OutcomeRow]) -> list[OutcomeRow]:
    """Return rows on harms: deaths, then grave outcomes, and first what was found to be more."""
    found = (Way.HARM, Way.CONFLICT, Way.BENEFIT, Way.NO_DIFFERENCE)
    return sorted(rows, key=lambda r: (not r.is_fatal, not r.is_grave, found.index(r.way)))


_AMOUNT = bounded(
    r"\b(?:burden|levels?|scores?|concentrations?|titres?|weight|pressure|duration|volume|severity|"
    r"markers?)\b",
    re.IGNORECASE,
)
MORE_BESIDE = "but results that stand beside point to harm"


def is_amount(outcome: str) -> bool:
    """Whether an outcome is named after what is measured and not counted."""
    return _AMOUNT.search(outcome) is not None


def is_of_fears_beside(row: OutcomeRow) -> bool:
    """Whether the results of a row on a harm agree, and only what stands beside found more of it.

    Results that agree make a conflict in no other way.
    """
    ways = {effect.way for effect in row.effects}
    agree = len(ways) == 1 and Way.CONFLICT not in ways
    return row.way is Way.CONFLICT and bool(row.beside) and agree


def shows_more_harm(row: OutcomeRow) -> bool:
    """Whether any result of a row is of more harm with the drug, or may be."""
    ways = {effect.way for effect in row.effects} & {Way.HARM, Way.CONFLICT}
    return row.way is Way.HARM or (
        row.way is Way.CONFLICT and (bool(ways) or not row.effects or is_of_fears_beside(row))
    )


def sides_words(row: OutcomeRow) -> str:
    """Return in how many results each direction was found; '' where all found the same."""
    ways = Counter(effect.way for effect in row.effects)
    if len(ways) < 2 or row.pooled:
        return ""
    of = "" if row.studies == len(row.effects) else f" of {len(row.effects)} results"
    ordered = sorted(ways, key=lambda way: (-ways[way], way is not row.way))
    return ", ".join(f"{_one_way(row, way)} in {ways[way]}{of}" for way in ordered)


def _one_way(row: OutcomeRow, way: Way) -> str:
    told = direction_words(row.importance, way, row.tier, row.control)
    return "both ways" if way is Way.CONFLICT else told


def row_direction(row: OutcomeRow) -> str:
    """Return the direction of a row; of an effect too small to matter, that it is so.

    Of studies that differ, how many found what.
    """
    if row.way is Way.CONFLICT:
        if is_of_fears_beside(row):
            return f"{_one_way(row, row.effects[0].way)}, {MORE_BESIDE}"
        sides = sides_words(row)
        differ = "studies differ" if row.studies > 1 else "results differ"
        return f"{differ}: {sides}" if sides else differ
    if row.importance == "harm" and is_amount(row.outcome) and row.tier != "uncontrolled":
        way = {Way.HARM: "higher with the drug", Way.BENEFIT: "lower with the drug"}
        told = way.get(row.way, direction_words(row.importance, row.way, row.tier))
        return as_stopped(told, row.control)
    told = direction_words(row.importance, row.way, row.tier, row.control)
    trivial = row.trivial and row.way in (Way.BENEFIT, Way.HARM)
    return f"{told}, too little to matter" if trivial else told


def direction_words(
    importance: Importance, way: Way, tier: Tier = "randomised", control: str = ""
) -> str:
    """Return the direction of a row or result, such as "better with the drug"."""
    if tier == "uncontrolled" and way in _BEFORE:
        return _BEFORE[way]
    return as_stopped((_OF_HARM if importance == "harm" else _WAYS)[way], control)


def effect_size(row: OutcomeRow, *, former: bool = False, both: bool = False) -> str:
    """Return the effect of a row: pooled, of its largest study, or both; '' without an estimate.

    An estimate that points another way than the row is none of the row; where studies disagree,
    none is. A figure of the drug goes before one of its class.

    Args:
        row: What was found.
        former: Whether as the first reports, which took a study of untold size for small.
        both: Whether as former reports, which told a study of any size beside a pooled estimate.
    """
    pooled = ""
    if row.pooled:
        pooled = f"pooled {effect_words(row.pooled.as_effect(), row.pooled.unit)}"
        if row.pooled.studies == len(row.effects):
            return pooled
        of_all = "" if both else f" of the {len(row.effects)}"
        pooled = f"; {pooled} of {row.pooled.studies}{of_all} studies"
    own = [e for e in row.effects if not e.tested_as]
    of_class = [e for e in row.effects if e.tested_as]
    if own and of_class and not (pooled or both):
        by_itself, alike = (_largest(row, effects) for effects in (own, of_class))
        if by_itself and alike:
            return f"{by_itself[1]} of the drug by itself, {alike[1]} of its class"
    first = _largest(row, own or row.effects)
    if not first:
        return pooled.removeprefix("; ")
    people, largest = first
    most = max((e.people or 0 for e in row.effects), default=0)
    is_largest = people == most and (former or all(e.people for e in row.effects))
    if pooled and not (is_largest or both):
        return pooled.removeprefix("; ")
    of_several = "the largest study" if is_largest else "one of the studies"
    which = f" in {of_several}" if len(row.effects) > 1 else ""
    return f"{largest}{which}{pooled}"


def _largest(row: OutcomeRow, effects: Iterable[RowEffect]) -> tuple[int, str] | None:
    """The people and the figures of the largest study that found what the row tells."""
    told = [(e.people or 0, size_words(e)) for e in effects if e.way is row.way is not Way.CONFLICT]
    return max((found for found in told if found[1]), default=None)


def size_words(found: RowEffect | Vote) -> str:
    """Return the rates of both arms with the effect, as far as a study gives them.

    An effect that stands in no record by this figure is told with what it was calculated from.
    """
    rates, effect = found.rates, found.effect
    told = effect_words(effect, found.unit) if effect else ""
    if told and found.turned_from and found.turned_from.value is not None:
        told = f"{told}, turned round from {_figure(found.turned_from.value)}"
    elif told and found.from_arms:
        told = f"{told}, calculated from both arms"
    if rates is None:
        return told
    drug, other = _figure(rates.drug), _figure(rates.other)
    if rates.of:
        counts = f"{drug} of {rates.of[0]:,} against {other} of {rates.of[1]:,}"
        return ", ".join(filter(None, (counts, told)))
    return ", ".join(filter(None, (f"{drug} % against {other} %", told)))


def effect_words(effect: Effect, unit: str = "") -> str:
    """Return an effect as "hazard ratio 0.74, 95 % CI 0.65 to 0.85"; '' without an estimate."""
    parts = []
    if effect.value is not None and effect.measure:
        name = MEASURES.get(effect.measure, effect.measure)
        in_unit = f" {unit}" if unit and effect.measure not in RATIOS else ""
        parts.append(f"{name} {_figure(effect.value)}{in_unit}")
        if effect.ci_low is not None and effect.ci_high is not None:
            level = f"{effect.ci_level:g} % CI"
            parts.append(f"{level} {_figure(effect.ci_low)} to {_figure(effect.ci_high)}")
    if effect.p is not None and effect.p_operator != "ns" and effect.ci_low is None:
        parts.append(f"p {effect.p_operator} {effect.p:g}")
    return ", ".join(parts)


def _figure(value: float) -> str:
    """Return a figure as its record gives it; a longer one was calculated, and is rounded."""
    written = f"{value:g}"
    if len(written.partition(".")[2]) <= 3:
        return written
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"
