"""Turns the figures of a result to what its row counts, and percentages of arms into people."""

from __future__ import annotations

import math

from deepcritical.appraisal.pico.outcomes import is_of_disorder
from deepcritical.appraisal.votes.pooling import risk_ratio
from deepcritical.domain.appraisal.votes import ArmRates, Vote
from deepcritical.domain.study.effects import is_of_its_loss
from deepcritical.domain.study.reading import Effect, Result, StudyReading
from deepcritical.vocabulary.outcomes import construct_of

_SMALLEST_P = 0.001
_OF_EVENTS = frozenset(
    (
        "adverse events",
        "cancer",
        "cardiovascular events",
        "healthcare use",
        "infection",
        "mortality",
        "progression",
        "relapse",
        "response and remission",
    )
)
"""Families of outcomes of which a percentage is that of people who had it."""


def turned(vote: Vote) -> Vote:
    """The vote with figures of what its row is named after: of deaths, where it tells survival.

    An estimate without a counterpart, such as a mean, is left out.
    """
    if vote.polarity not in ("more", "less") or vote.higher_is_better is None:
        return vote
    more_is_better = vote.polarity == "more"
    if vote.higher_is_better is more_is_better:
        return vote
    rates = _rates(vote.rates) if vote.rates else None
    effect = _effect(vote, rates) if vote.effect else None
    changes = {"rates": rates, "effect": effect, **_source(vote, effect)}
    changes["higher_is_better"] = more_is_better
    return vote.model_copy(update=changes)


def _source(vote: Vote, effect: Effect | None) -> dict[str, object]:
    """Return the source of the other outcome's estimate: that of the record, or both arms."""
    if effect == vote.effect:
        return {}
    has_value = effect is not None and effect.value is not None
    from_arms = has_value and (vote.from_arms or (effect and effect.measure == "RR"))
    told = (vote.turned_from or vote.effect) if has_value and not from_arms else None
    # Turned twice, an estimate is that of the record again.
    return {
        "from_arms": bool(from_arms),
        "turned_from": None if _is_same(effect, told) else told,
    }


def _rates(rates: ArmRates) -> ArmRates | None:
    wholes = rates.of or (100, 100)
    drug, other = wholes[0] - rates.drug, wholes[1] - rates.other
    if drug < 0 or other < 0:
        return None
    return rates.model_copy(update={"drug": drug, "other": other, "is_rest": not rates.is_rest})


def _is_same(effect: Effect | None, told: Effect | None) -> bool:
    """Return whether two estimates are one, but for what calculating rounds."""
    values = [e.value for e in (effect, told) if e and e.value is not None]
    return len(values) == 2 and math.isclose(*values, rel_tol=1e-9)


def _effect(vote: Vote, rates: ArmRates | None) -> Effect | None:
    effect = vote.effect or Effect()
    told = Result(outcome=vote.outcome, effect=effect)
    if effect.value is None or is_of_its_loss(told):
        return effect
    values = effect.value, effect.ci_high, effect.ci_low
    if effect.measure == "OR" and all(values):
        found = tuple(1 / value for value in values if value)
    elif effect.measure == "RD":
        found = tuple(-value for value in values if value is not None)
    elif effect.measure == "RR" and rates and rates.of:
        ratio = risk_ratio(int(rates.drug), rates.of[0], int(rates.other), rates.of[1])
        found = ratio[:3] if ratio else ()
    else:
        found = ()
    if len(found) == 3:
        return effect.model_copy(
            update=dict(zip(("value", "ci_low", "ci_high"), found, strict=True))
        )
    bare = Effect(p=effect.p, p_operator=effect.p_operator)
    return bare if effect.p is not None or effect.p_operator == "ns" else None


def with_bound(result: Result) -> Result:
    """The result with the bound that a p of 0 is: programs print no more than three decimals."""
    effect = result.effect
    if effect is None or effect.p != 0 or effect.p_operator != "=":
        return result
    bound = effect.model_copy(update={"p": _SMALLEST_P, "p_operator": "<"})
    return result.model_copy(update={"effect": bound})


def counted(result: Result, study: StudyReading) -> Result:
    """The result with the people who had the outcome, of an untested one told in percentages."""
    construct = construct_of(result.concept, result.outcome)
    of_events = construct is not None and construct.family in _OF_EVENTS
    if result.effect or result.unit != "%" or not (of_events or is_of_disorder(result.outcome)):
        return result
    figures = []
    for figure in result.figures:
        arm = study.arm(figure.arm)
        n = figure.n or (arm.n if arm else None)
        share = figure.value
        if figure.events is None and n and share is not None and 0 <= share <= 100:
            figure = figure.model_copy(update={"events": round(share * n / 100), "n": n})
        figures.append(figure)
    return result.model_copy(update={"figures": tuple(figures)})
