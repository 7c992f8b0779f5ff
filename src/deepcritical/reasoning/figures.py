"""What the figures of a clause say: intervals, P values, pairs of arms, posterior probabilities.

Rules of reading, not of medicine: an interval that holds the value of no effect, or a P value of
0.05 and more, shows no effect (ICH E9); one that leaves it out points up or down, and whether up is
good depends on the outcome that the figures are of. A Bayesian trial writes the posterior
probability of benefit, which is no P value.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from deepcritical.domain.patterns import bounded

__all__ = ["CONTROL", "Cue", "Way", "figures_cue", "has_result_figures", "p_values"]

_NUMBER = r"[-−–]?\d+(?:[.·]\d+)?"
_INTERVAL = bounded(
    r"(?:\bCI\b|confidence interval|credible interval|\bCrI\b|\b(?-i:[a-z]?[RHO]R)\b|\bratio\b"
    r"[^;()\[\]\d]{0,30})"
    r"[^;\d\[−–-]{0,12}"
    rf"(?:{_NUMBER}\s*[\[(]\s*)?[\[(]?\s*"
    rf"(?P<low>(?<![\d.·]){_NUMBER})%?\s*(?:to|,|;|–|-|−)\s*(?P<high>{_NUMBER})"
    r"(?![\d.·]*\d)(?!%\s*(?:CI|conf|cred))",
    re.IGNORECASE,
)
_RATIO = bounded(
    r"\bratio\b|\b(?-i:[a-z]?(?:OR|HR|RR)s?)\b|relative risk|hazard|odds", re.IGNORECASE
)
_HAZARD = bounded(r"\b[Hh]azard|\ba?HRs?\b")
_P_VALUE = bounded(
    r"(?<![\w.])[Pp](?:[- ]?values?)?(?: for (?:trend|difference))?\s*(?:of\s*)?"
    r"(?P<sign>[=<>≤≥]|&lt;|&gt;)\s*(?P<value>0?[.·]\d+|[01](?:[.·]0+)?(?![\d.·]))"
)
_NOT_SIGNIFICANT = bounded(r"(?<![\w.])[Pp]\s*=\s*(?:NS|n\.?s\.?)\b")
_NOT_OF_THE_EFFECT = bounded(
    r"heterogen\w*|\bI2\b|interaction|\b(?:at|between-group) baseline\b|\bbaseline (?:char|diff)|"
    r"\b(?:were|was) (?:younger|older)\b",
    re.IGNORECASE,
)
_BAYESIAN = bounded(r"posterior|bayesian|credible|\bCrI\b", re.IGNORECASE)
_PROBABILITY = bounded(
    r"\bprobability (?:of|for|that)\b(?P<what>[^;]{0,120}?)"
    r"(?<![\d.·])(?P<value>0?[.·]\d+|\d{1,2}(?:\.\d+)?\s?%)",
    re.IGNORECASE,
)
_OF_BENEFIT = bounded(
    r"benefit|improv|effect|efficacy|superior|reduc|recover|better|lower", re.IGNORECASE
)
_CERTAIN_ENOUGH = 0.95
_SIGNIFICANT = 0.05

_BAD = (
    r"mortality|deaths?|died|dead|dying|hospitali[sz]\w*|admissions?|admitted|progress(?:ion|ed)|"
    r"deteriorat\w+|worsening|intubat\w+|ventilat\w+|relapses?d?|recurrences?|decline|dementia|"
    r"incidence|events?|failure|severe (?:disease|outcomes?|state)|exacerbations?|attacks?|"
    r"complications?|symptoms?|severity|pain|infections?|"
    r"length of (?:hospital )?stay|duration of (?:hospital\w*|symptoms?|stay|illness)|"
    r"viral load|risk(?! ratio)"
)
_GOOD = (
    r"recover(?:y|ed|ing)|improv\w+|respon(?:se|ses|ded|ders?)|survival|survived|remissions?|"
    r"resol(?:ution|ved)|clearance|cleared|discharged?|cure[sd]?|regress\w+|involution|(?-i:PFS|OS|EFS|DFS)|"
    r"success\w*|ventilator-free|healing|healed"
)
_OUTCOME = bounded(rf"\b(?:(?P<bad>{_BAD})|(?P<good>{_GOOD}))\b", re.IGNORECASE)
_FREE = bounded(r"[-\s]free[-\s](?:days|survival)?|\b(?:PFS|EFS|DFS)\b", re.IGNORECASE)
_SUBGROUP = bounded(
    r"\s+(?:at|on|before) (?:the )?"
    r"(?:baseline|enrol\w*|randomi[sz]ation|study entry|entry|admission)",
    re.IGNORECASE,
)
"""Behind a word: it says who was studied, not what came of it."""
_TIME_TO = bounded(r"\b(?:time (?:to|until)|days? (?:to|until))\s+(?:\S+\s+){0,3}$", re.I)
_TOOK = bounded(r"\s+(?:\S+\s+){0,3}took\b", re.I)
"""Behind an outcome whose time is given: "recovery took 7 days"."""
_FELL_ILL = bounded(r"\b(?:developed|occurred|arose|was diagnosed|were diagnosed)\b", re.I)
_SURVIVAL = bounded(r"[Ss]urviv|PFS|EFS|DFS|\bOS\b")
_UNIT = r"(?:%|\s?(?:days?|weeks?|months?|years?|hours?|points?))?"
_ASIDE = r"(?:\s*[\[(][^()\[\]]*[\])])?"
_VALUE = r"(?<![\d.·/])[-−–]?\d+(?:[.·]\d+)?"
_PAIR = bounded(
    rf"(?P<first>{_VALUE})(?:/\d+)?{_UNIT}{_ASIDE}"
    r"(?P<between>(?:[^.;\d]|\.(?!\s)){0,80}?)"
    r"\b(?:vs\.?|versus|(?:as )?compared (?:with|to)|than|and|against)\s"
    r"(?:(?:[^.;\d]){0,40}?)"
    rf"(?P<second>{_VALUE})(?:/\d+)?{_UNIT}",
    re.IGNORECASE,
)
_CHANGE = bounded(r"\bchanges? (?:from baseline )?(?:in|of)\b", re.IGNORECASE)
CONTROL = bounded(
    r"\b(?:placebo|controls?|usual care|standard (?:of )?care|no treatment|untreated|"
    r"non-?users?|alone)\b",
    re.IGNORECASE,
)


class Way(IntEnum):
    """What a clause reports for the drug."""

    HARM = -2
    NO_EFFECT = -1
    BENEFIT = 1

    @property
    def against(self) -> bool:
        """Whether it speaks against the drug."""
        return self < 0


class Cue(NamedTuple):
    """The way of a clause and the offset of the word or figure that says so."""

    way: Way
    at: int


class _Interval(NamedTuple):
    at: int
    low: float
    high: float
    null: float

    @property
    def crosses(self) -> bool:
        return self.low <= self.null <= self.high


def _value(text: str) -> float:
    plain = re.sub(r"^[−–]", "-", text).replace("·", ".")
    return float(plain.rstrip("% ")) / (100 if plain.endswith("%") else 1)


def _intervals(clause: str) -> list[_Interval]:
    """The intervals of a clause with their null: 1 for ratios, else 0."""
    found = [(m.start("low"), _value(m["low"]), _value(m["high"])) for m in _intervals_at(clause)]
    is_ratio = _RATIO.search(clause) and not any(low < 0 for _, low, _ in found)
    null = 1.0 if is_ratio else 0.0
    return [_Interval(at, low, high, null) for at, low, high in found if low <= high]


def _intervals_at(clause: str) -> list[re.Match[str]]:
    return list(_INTERVAL.finditer(clause))


def p_values(clause: str) -> list[bool]:
    """For each P value of the clause whether it is below 0.05; Bayesian ones are none."""
    if _BAYESIAN.search(clause) or _NOT_OF_THE_EFFECT.search(clause):
        return []
    told = [_is_significant(m["sign"], _value(m["value"])) for m in _P_VALUE.finditer(clause)]
    return told + [False] * len(_NOT_SIGNIFICANT.findall(clause))


def _is_significant(sign: str, value: float) -> bool:
    if sign in (">", "≥", "&gt;"):
        return False
    return value < _SIGNIFICANT or (sign in ("<", "≤", "&lt;") and value <= _SIGNIFICANT)


def has_result_figures(clause: str) -> bool:
    """Whether the clause holds an interval, a P value or a posterior probability."""
    return bool(
        _intervals_at(clause)
        or _P_VALUE.search(clause)
        or (_BAYESIAN.search(clause) and _PROBABILITY.search(clause))
    )


def figures_cue(
    clause: str, drug_at: int | None = None, *, of_condition: bool = False
) -> Cue | None:
    """Which way the figures of a clause point; None when they do not tell.

    Args:
        clause: The clause.
        drug_at: Where the drug stands in it, to tell the arms apart; None when it is not named.
        of_condition: Whether the clause names the condition: a ratio without another outcome is
            then of having it.
    """
    if (improbable := _improbable(clause)) is not None:
        return Cue(Way.NO_EFFECT, improbable)
    intervals, tests = _intervals(clause), p_values(clause)
    crossing = bool(intervals) and all(i.crosses for i in intervals)
    if crossing and not any(tests):
        return Cue(Way.NO_EFFECT, intervals[0].at)
    if intervals and not crossing:
        return _of_intervals(clause, intervals, of_condition)
    if not tests:
        return None
    if not any(tests):
        return Cue(Way.NO_EFFECT, _first_p(clause))
    return _of_pair(clause, drug_at, of_condition) if all(tests) else None


def _first_p(clause: str) -> int:
    match = _P_VALUE.search(clause) or _NOT_SIGNIFICANT.search(clause)
    return match.start() if match else len(clause)


def _improbable(clause: str) -> int | None:
    """Where a posterior probability of benefit stands that is not high enough.

    Below 0.95, the usual threshold of Bayesian trials.
    """
    for match in _PROBABILITY.finditer(clause):
        if _OF_BENEFIT.search(match["what"]) and _value(match["value"]) < _CERTAIN_ENOUGH:
            return match.start()
    return None


def _of_intervals(clause: str, intervals: list[_Interval], of_condition: bool) -> Cue | None:
    """The way of ratios that all lie on one side of 1, by the outcome that they are of."""
    clear = [i for i in intervals if not i.crosses]
    if any(i.null != 1.0 for i in clear):
        return None
    ways = {_of_ratio(clause, i, of_condition) for i in clear}
    way = ways.pop() if len(ways) == 1 else None
    return Cue(way, clear[0].at) if way else None


def _of_ratio(clause: str, interval: _Interval, of_condition: bool) -> Way | None:
    outcome = _outcome_before(clause, interval.at)
    if outcome is None and not of_condition:
        return None
    is_bad = outcome is None or bool(outcome["bad"]) or _is_hazard_of_survival(clause, outcome)
    below = interval.high < 1
    return Way.BENEFIT if below is is_bad else Way.HARM


def _is_hazard_of_survival(clause: str, outcome: re.Match[str]) -> bool:
    """Whether a ratio "for survival" is one of hazards, and so of dying."""
    return bool(_SURVIVAL.search(outcome.group()) and _HAZARD.search(clause))


def _outcome_before(clause: str, at: int) -> re.Match[str] | None:
    """The outcome named last before a place, else the first one in the clause.

    "Hospitalisation-free days" and "progression-free survival" are good outcomes.
    """
    found = [
        m
        for m in _OUTCOME.finditer(clause)
        if not _FREE.match(clause, m.end()) and not _SUBGROUP.match(clause, m.end())
    ]
    before = [m for m in found if m.start() < at]
    return before[-1] if before else found[0] if found else None


def _of_pair(clause: str, drug_at: int | None, of_condition: bool) -> Cue | None:
    """The way of two arms' values that differ significantly.

    Without another outcome, that the condition "developed in 5% and 12%" is the outcome.
    """
    pair = next(
        (m for m in _PAIR.finditer(clause) if not _is_p(clause, m)),
        None,
    )
    outcome = _outcome_before(clause, pair.start()) if pair else None
    falls_ill = of_condition and outcome is None and bool(_FELL_ILL.search(clause))
    if pair is None or not (outcome or falls_ill):
        return None
    first, second = _value(pair["first"]), _value(pair["second"])
    if first == second or (min(first, second) < 0 and not _CHANGE.search(clause)):
        return None  # of a fall that is written as a negative number the words must tell the way
    more = first > second if _drug_first(clause, drug_at) else second > first
    bad = outcome is None or _is_bad_value(clause, outcome)
    return Cue(Way.BENEFIT if more is not bad else Way.HARM, pair.start())


def _is_p(clause: str, pair: re.Match[str]) -> bool:
    return any(
        m.start("value") in (pair.start("first"), pair.start("second"))
        for m in _P_VALUE.finditer(clause)
    )


def _is_bad_value(clause: str, outcome: re.Match[str]) -> bool:
    """Whether a higher value is worse; a longer time to something turns it round."""
    bad = bool(outcome["bad"])
    timed = _TIME_TO.search(clause[: outcome.start()]) or _TOOK.match(clause, outcome.end())
    return bad is not bool(timed)


def _drug_first(clause: str, drug_at: int | None) -> bool:
    """Whether the first of two values is the drug's: unless the control is named before it."""
    control = CONTROL.search(clause)
    return drug_at is None or control is None or drug_at < control.start()
