"""Pools the estimates of trials that measured the same thing in the same way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from statistics import median
from typing import Final, NamedTuple

from deepcritical.appraisal.body.certainty import estimate_of
from deepcritical.appraisal.votes.pooling import pool
from deepcritical.domain.appraisal.votes import PooledEffect, Vote, Way
from deepcritical.domain.study.effects import RATIOS
from deepcritical.domain.study.reading import EffectMeasure
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.outcomes import instrument_of

MOST: Final = Fraction(2, 3)
"""Share of the participants from which one finding stands against others of the same row."""
_OF_SCALES = ("", "point", "points", "score", "scores", "units")
"""Units that say nothing without the instrument."""
_TIME = bounded(
    r"(?P<number>\d+(?:\.\d+)?)[\s-]*(?P<unit>h|day|week|wk|month|mo|year|yr)|"
    r"\b(?P<named>day|week|month|year)\s(?P<after>\d+)",
    re.IGNORECASE,
)
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.4, "y": 365.0}
_BANDS = (100, 400)
"""Days up to which a time is short, and medium."""


def _more_is_better(vote: Vote) -> bool | None:
    """Return whether more of what was estimated is better, as the vote's own estimate shows."""
    value = vote.effect.value if vote.effect else None
    none = 1.0 if vote.effect and vote.effect.measure in RATIOS else 0.0
    leans = vote.leans or (vote.way if vote.way in (Way.BENEFIT, Way.HARM) else None)
    if value is None or value == none or leans is None:
        return None
    return (value > none) == (leans is Way.BENEFIT)


class _Scale(NamedTuple):
    """The properties that estimates must share to be pooled."""

    measure: EffectMeasure
    unit: str
    more_is_better: bool | None
    days: int | None
    """Band of the time after which it was measured."""


def _scale(vote: Vote) -> _Scale | None:
    effect = vote.effect
    if vote.review or effect is None or effect.measure in (None, "RRR", "SMD"):
        return None
    if estimate_of(effect) is None:
        return None
    unit = "" if effect.measure in RATIOS else vote.unit.strip().casefold()
    if effect.measure not in RATIOS and unit in _OF_SCALES:
        unit = f"{unit} {instrument_of(vote.outcome)}".strip()
    return _Scale(effect.measure, unit, _more_is_better(vote), _band(vote.timepoint))


def pooled_of(votes: Sequence[Vote]) -> tuple[PooledEffect | None, bool | None]:
    """One estimate over trials with two thirds of the people, and whether more of it is better.

    Trials are pooled that share measure, unit or instrument, polarity and time; one that does not
    tell the polarity or the time goes with any.
    """
    scaled = [(scale, vote) for vote in votes if (scale := _scale(vote))]
    groups = {scale: [vote for other, vote in scaled if _fits(other, scale)] for scale, _ in scaled}
    if not groups:
        return None, None
    scale, held = max(groups.items(), key=lambda item: (people_of(item[1], votes), _key(item[0])))
    if people_of(held, votes) < MOST * people_of(votes, votes):
        return None, None
    estimates = [e for v in held if v.effect and (e := estimate_of(v.effect))]
    found = pool(estimates, ratio=scale.measure in RATIOS)
    if found is None:
        return None, None
    unit = "" if scale.measure in RATIOS else f"{held[0].unit} {held[0].timepoint}".strip()
    pooled = PooledEffect(
        measure=scale.measure,
        unit=unit.casefold(),
        studies=found.studies,
        value=found.random.value,
        ci_low=found.random.low,
        ci_high=found.random.high,
        fixed=(found.fixed.value, found.fixed.low, found.fixed.high),
        i2=found.i2,
    )
    return pooled, scale.more_is_better


def _fits(one: _Scale, other: _Scale) -> bool:
    pairs = ((one.more_is_better, other.more_is_better), (one.days, other.days))
    same = all(None in pair or pair[0] == pair[1] for pair in pairs)
    return same and one[:2] == other[:2]


def _key(scale: _Scale) -> tuple[bool, str]:
    """An order that does not depend on that of the studies; scales that tell more go last."""
    return scale.more_is_better is not None and scale.days is not None, repr(scale)


def _band(timepoint: str) -> int | None:
    """Short, medium or long; None where no time is told."""
    found = _TIME.search(timepoint)
    if found is None:
        return None
    unit = found["unit"] or found["named"]
    days = float(found["number"] or found["after"]) * _DAYS[unit[0].lower()]
    return sum(days > limit for limit in _BANDS)


def people_of(some: Sequence[Vote], votes: Sequence[Vote]) -> Fraction:
    """Participants; a study that does not say how many counts as the median one."""
    known = [vote.people for vote in votes if vote.people]
    usual = Fraction(median(known)) if known else Fraction(1)
    return sum((Fraction(vote.people or usual) for vote in some), Fraction(0))
