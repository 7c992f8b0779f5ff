"""Puts effects, and the directions of rows and results, into words."""

import re
from collections import Counter
from collections.abc import Iterable

from deepcritical.domain.appraisal.votes import (
    STOPPED_EARLY,
    ArmRates,
    Importance,
    OutcomeRow,
    RowEffect,
    Tier,
    Vote,
    Way,
    as_stopped,
)
from deepcritical.domain.study.effects import RATIOS, decimals_of, no_effect_value
from deepcritical.domain.study.reading import Effect
from deepcritical.domain.text.patterns import bounded

_WAYS = {
    Way.BENEFIT: "better with the drug",
    Way.NO_DIFFERENCE: "no difference shown",
    Way.HARM: "worse with the drug",
    Way.CONFLICT: "studies disagree",
}
_OF_HARM = {
    **_WAYS,
    Way.BENEFIT: "less frequent with the drug",
    Way.HARM: "more frequent with the drug",
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
_FOUND = {
    Way.BENEFIT: "a benefit",
    Way.NO_DIFFERENCE: "no difference",
    Way.HARM: "harm",
    Way.CONFLICT: "mixed results",
}
_FOUND_OF_HARM = {**_FOUND, Way.BENEFIT: "less", Way.HARM: "more"}


def is_amount(outcome: str) -> bool:
    """Return whether an outcome is named after what is measured and not counted."""
    return _AMOUNT.search(outcome) is not None


_SHARES = r"(?:incidences?|prevalence|rates?|risks?|odds|probability|likelihood|frequency)"
_SHARE = bounded(rf"^(?:[\w-]+ ){{0,2}}{_SHARES} of\b|\b{_SHARES}$", re.IGNORECASE)


def of_share(words: str, outcome: str) -> str:
    """Return words on how frequent an outcome was; one named as a rate or risk is high or low."""
    if not _SHARE.search(outcome):
        return words
    return words.replace("more frequent", "higher").replace("less frequent", "lower")


_EVENTS = bounded(r"\b(?:events?|episodes?|attacks?|cases?)$", re.IGNORECASE)
_LASTING = bounded(r"survival|free\b|\btimes?\b|\bintervals?\b", re.IGNORECASE)
_STOPPED_FOR = {Way.HARM: "for harm", Way.NO_DIFFERENCE: "for futility"}
_OF_COUNTS = frozenset({"RR", "OR", "HR", "IRR", "RD"})


def is_counted(found: OutcomeRow | Vote) -> bool:
    """Return whether a result gives the people or the events of each side, or their ratio."""
    told = found.effects if isinstance(found, OutcomeRow) else (found,)
    return any(e.rates or (e.effect and e.effect.measure in _OF_COUNTS) for e in told)


def counts_events(found: OutcomeRow | Vote) -> bool:
    """Return whether an outcome counts events, or people with one, and fewer are better."""
    if found.polarity == "more" or _LASTING.search(found.outcome) or is_amount(found.outcome):
        return False
    less = isinstance(found, OutcomeRow) or found.higher_is_better is False
    is_less = found.polarity == "less" and less and is_counted(found)
    named = _EVENTS.search(found.outcome) is not None
    return is_less or (named and (found.polarity == "less" or _are_feared(found)))


def _are_feared(found: OutcomeRow | Vote) -> bool:
    """Return whether every ratio says that a benefit is fewer of them, and a harm more."""
    told = found.effects if isinstance(found, OutcomeRow) else (found,)
    sided = [(e.effect, e.way) for e in told if e.effect and e.way in (Way.BENEFIT, Way.HARM)]
    ratios = [(e.value, way) for e, way in sided if e.measure in RATIOS and e.value]
    return bool(ratios) and all((value < 1) is (way is Way.BENEFIT) for value, way in ratios)


def as_given(words: str, found: OutcomeRow | Vote) -> str:
    """Return words on those with the drug, by its name where that or its class's is known.

    Of a row the drugs of a class are named elsewhere, where they are several.
    """
    several = isinstance(found, OutcomeRow) and " or " in found.members
    given = ("" if several else found.members) or found.tested_as
    return words.replace(" with the drug", f" with {given}") if given else words


def is_of_fears_beside(row: OutcomeRow) -> bool:
    """Return whether a harm's results agree, and only secondary results found more of it.

    Results that agree make a conflict in no other way.
    """
    ways = {effect.way for effect in row.effects}
    agree = len(ways) == 1 and Way.CONFLICT not in ways
    return row.way is Way.CONFLICT and bool(row.fears or row.beside) and agree


def shows_more_harm(row: OutcomeRow) -> bool:
    """Return whether any result of a row is of more harm with the drug, or may be."""
    ways = {effect.way for effect in row.effects} & {Way.HARM, Way.CONFLICT}
    return row.way is Way.HARM or (
        row.way is Way.CONFLICT and (bool(ways) or not row.effects or is_of_fears_beside(row))
    )


def fears_words(row: OutcomeRow) -> str:
    """Return what those found that stand beside a row; more of some outcomes is no harm."""
    if row.importance == "harm":
        return "but other results found more of it"
    return "but results that stand beside point to harm"


def sides_words(row: OutcomeRow) -> str:
    """Return in how many results each direction was found; '' where all found the same."""
    ways = Counter(effect.way for effect in row.effects)
    if len(ways) < 2 or row.pooled:
        return ""
    of = "" if row.studies == len(row.effects) else f" of {len(row.effects)} results"
    ordered = sorted(ways, key=lambda way: (-ways[way], way is not row.way))
    found = _FOUND_OF_HARM if row.importance == "harm" else _FOUND
    return ", ".join(f"{ways[way]}{of} found {found[way]}" for way in ordered)


def row_direction(row: OutcomeRow) -> str:
    """Return the direction of a row; of an effect too small to matter, that it is so.

    Of studies that differ, how many found what; of trials that were stopped early, for what.
    """
    if row.outcome == STOPPED_EARLY:
        ways = {effect.way for effect in row.effects} or {row.way}
        return " or ".join(sorted(_STOPPED_FOR[way] for way in ways if way in _STOPPED_FOR))
    if row.way is Way.CONFLICT:
        if is_of_fears_beside(row):
            told = direction_words(row.importance, row.effects[0].way, row.tier, row.control)
            return f"{told}, {fears_words(row)}"
        sides = sides_words(row)
        differ = "studies differ" if row.studies > 1 else "results differ"
        return f"{differ}: {sides}" if sides else differ
    if row.importance == "harm" and is_amount(row.outcome) and row.tier != "uncontrolled":
        way = {Way.HARM: "higher with the drug", Way.BENEFIT: "lower with the drug"}
        told = way.get(row.way, direction_words(row.importance, row.way, row.tier))
        return as_given(as_stopped(told, row.control), row)
    importance = importance_told(row)
    told = of_share(direction_words(importance, row.way, row.tier, row.control), row.outcome)
    told = as_given(told, row)
    trivial = row.trivial and row.way in (Way.BENEFIT, Way.HARM)
    return f"{told}, too little to matter" if trivial else told


def importance_told(found: OutcomeRow | Vote) -> Importance:
    """Return the importance by whose words a direction is told: harms and events are counted."""
    if found.polarity == "more":
        return "important"
    return "harm" if counts_events(found) else found.importance


def direction_words(
    importance: Importance, way: Way, tier: Tier = "randomised", control: str = ""
) -> str:
    """Return the direction of a row or result, such as "better with the drug"."""
    if tier == "uncontrolled" and way in _BEFORE:
        return _BEFORE[way]
    return as_stopped((_OF_HARM if importance == "harm" else _WAYS)[way], control)


def effect_size(row: OutcomeRow) -> str:
    """Return the effect of a row: pooled, of its largest study, or both; '' without an estimate.

    An estimate that points another way than the row is none of the row; where studies disagree,
    none is. A figure of the drug goes before one of its class.
    """
    pooled = ""
    if row.pooled:
        pooled = f"pooled {effect_words(row.pooled.as_effect(), row.pooled.unit)}"
        if row.pooled.studies == len(row.effects):
            return pooled
        pooled = f"{pooled} of {row.pooled.studies} of the {len(row.effects)} studies"
    own = [e for e in row.effects if not e.tested_as]
    of_class = [e for e in row.effects if e.tested_as]
    if own and of_class and not pooled:
        by_itself, alike = (_largest(row, e) for e in (own, of_class))
        if by_itself and alike:
            return f"{by_itself[1]} of the drug by itself, {alike[1]} of its class"
    first = _largest(row, own or row.effects)
    if not first:
        return pooled
    people, largest = first
    most = max((e.people or 0 for e in row.effects), default=0)
    is_largest = people == most and all(e.people for e in row.effects)
    if pooled and not is_largest:
        return pooled
    of_several = "the largest study" if is_largest else "one of the studies"
    which = f" in {of_several}" if len(row.effects) > 1 else ""
    return f"{largest}{which}{f'; {pooled}' if pooled else ''}"


def _largest(row: OutcomeRow, effects: Iterable[RowEffect]) -> tuple[int, str] | None:
    """The people and the figures of the largest study that found what the row tells."""
    telling = [e for e in effects if e.way is row.way is not Way.CONFLICT]
    told = [(e.people or 0, size_words(e)) for e in telling]
    return max((found for found in told if found[1]), default=None)


def size_words(found: RowEffect | Vote) -> str:
    """Return the rates of both arms with the effect, as far as a study gives them.

    An effect that stands in no record by this figure is told with what it was calculated from.
    """
    rates, effect = found.rates, found.effect
    told = effect_words(effect, found.unit) if effect else ""
    if effect and told and found.turned_from and found.turned_from.value is not None:
        source = _figure(found.turned_from.value, no_effect_value(effect))
        told = f"{told}, reported the other way round as {source}"
    elif told and found.from_arms:
        told = f"{told}, calculated from both arms"
    return ", ".join(filter(None, (_rate_words(rates) if rates else "", told)))


def _rate_words(rates: ArmRates) -> str:
    """Return the rates of both arms; of those that no record tells, with what it tells."""
    drug, other = _figure(rates.drug), _figure(rates.other)
    if rates.of:
        told = f"{drug} of {rates.of[0]:,} against {other} of {rates.of[1]:,}"
    else:
        told = f"{drug} % against {other} %"
    if not rates.is_rest:
        return told
    of = rates.of or (100, 100)
    rest = [_figure(n - x) for n, x in zip(of, (rates.drug, rates.other), strict=True)]
    return f"{told}, the rest of {rest[0]} and {rest[1]}"


def effect_words(effect: Effect, unit: str = "") -> str:
    """Return an effect as "hazard ratio 0.74, 95 % CI 0.65 to 0.85"; '' without an estimate."""
    none = no_effect_value(effect)
    parts = []
    if effect.value is not None and effect.measure:
        name = MEASURES.get(effect.measure, effect.measure)
        in_unit = f" {unit}" if unit and effect.measure not in RATIOS else ""
        parts.append(f"{name} {_figure(effect.value, none)}{in_unit}")
        if effect.ci_low is not None and effect.ci_high is not None:
            level = f"{effect.ci_level:g} % CI"
            parts.append(
                f"{level} {_figure(effect.ci_low, none)} to {_figure(effect.ci_high, none)}"
            )
    if effect.p is not None and effect.p_operator != "ns" and effect.ci_low is None:
        parts.append(f"p {effect.p_operator} {effect.p:g}")
    return ", ".join(parts)


def _figure(value: float, none: float | None = None) -> str:
    """Return a figure as its record gives it; a longer one was calculated, and is rounded.

    One on one side of no effect is never rounded on to it.
    """
    written = f"{value:g}"
    if len(written.partition(".")[2]) > 3:
        written = f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"
    on_it = none is not None and float(written) == none != value
    return f"{value:.{decimals_of(value, none)}f}" if on_it and none is not None else written
