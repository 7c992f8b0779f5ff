"""Puts effects and directions of outcomes into words, alike in sentences and in tables."""

from __future__ import annotations

from deepcritical.domain.effects import RATIOS
from deepcritical.domain.study import Effect
from deepcritical.domain.votes import ArmRates, Importance, OutcomeRow, Tier, Way

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
_NAMES = {
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


def row_direction(row: OutcomeRow) -> str:
    """Return the direction of a row; of an effect too small to matter, that it is so."""
    if row.way is Way.CONFLICT and row.studies == 1:
        return "results differ"
    if row.trivial and row.way in (Way.BENEFIT, Way.HARM):
        return f"{direction_words(row.importance, row.way, row.tier)}, too little to matter"
    return direction_words(row.importance, row.way, row.tier)


def direction_words(importance: Importance, way: Way, tier: Tier = "randomised") -> str:
    """Return the direction of a row or result, such as "better with the drug"."""
    if tier == "uncontrolled" and way in _BEFORE:
        return _BEFORE[way]
    return (_OF_HARM if importance == "harm" else _WAYS)[way]


def effect_size(row: OutcomeRow) -> str:
    """Return the effect of a row: pooled, of its largest study, or both; '' without an estimate.

    An estimate that points another way than the row is none of the row; where studies disagree,
    none is.
    """
    pooled = ""
    if row.pooled:
        pooled = f"pooled {effect_words(row.pooled.as_effect(), row.pooled.unit)}"
        if row.pooled.studies == len(row.effects):
            return pooled
        pooled = f"; {pooled} of {row.pooled.studies} studies"
    told = [
        (e.people or 0, size_words(e.rates, e.effect, e.unit))
        for e in row.effects
        if e.way is row.way is not Way.CONFLICT
    ]
    people, largest = max((found for found in told if found[1]), default=(0, ""))
    most = max((e.people or 0 for e in row.effects), default=0)
    of_several = "the largest study" if people == most else "one of the studies"
    which = f" in {of_several}" if largest and len(row.effects) > 1 else ""
    return f"{largest}{which}{pooled}".removeprefix("; ")


def size_words(rates: ArmRates | None, effect: Effect | None, unit: str) -> str:
    """Return the rates of both arms with the effect, as far as a study gives them."""
    told = effect_words(effect, unit) if effect else ""
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
        name = _NAMES.get(effect.measure, effect.measure)
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
