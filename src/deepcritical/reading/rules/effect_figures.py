"""The figures of a clause: an estimate with its interval and p-value, and values of two arms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.study.reading import ArmFigure, Effect, EffectMeasure
from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.rules.clauses import PEOPLE, Clause
from deepcritical.reading.rules.marking import BOTH, MARK, Marked

_NUMBER = r"[-−–]?\d{1,9}(?:[.·]\d{1,9})?|[-−–]?[.·]\d{1,9}"
_P = bounded(
    r"(?<![\w.])(?<!sided )[Pp](?:[- ]?values?)?(?: for (?:trend|difference))?\s?"
    r"(?P<op><=|>=|[=<>≤≥]|&lt;|"
    r"&gt;|was|of)\s?(?P<p>0?[.·]\s?\d+|[01](?:[.·]0+)?(?![\d.·]))"
)
_OF_OTHER_TESTS = bounded(r"interaction|heterogeneity|non-?inferiority|\btrend\b", re.IGNORECASE)
_CI = bounded(
    rf"(?P<level>\d\d(?:\.\d)?)\s?%\s?(?:CIs?\b|confidence (?:interval|limits?)s?|CrI)"
    rf"(?:\s?\[CI\])?[\s,:=;(\[]*(?P<low>{_NUMBER})\s?%?\s?(?:to|–|-|−|,|;|and)\s?(?P<high>{_NUMBER})"
    r"(?![.·]?\d)",
    re.IGNORECASE,
)
_MEASURE_WORDS: tuple[tuple[EffectMeasure, str], ...] = (
    ("HR", r"(?-i:a?HRs?)|hazards? ratio"),
    ("OR", r"(?-i:a?ORs?)|odds ratio"),
    ("IRR", r"(?-i:IRRs?)|(?:incidence )?rate ratio"),
    ("RR", r"(?-i:a?RRs?)|relative risk|risk ratio"),
    ("SMD", r"(?-i:SMD)|standardi[sz]ed mean difference"),
    ("RD", r"(?:absolute )?risk (?:difference|reduction)"),
    ("MD", r"mean (?:between-group |group )?difference|difference in means?"),
    ("difference", r"(?:treatment|between-group|absolute) difference"),
)
_MEASURES = tuple(
    (
        measure,
        bounded(
            rf"\b(?:{words})(?:\s?\[\w+\])?(?:\sfor(?:\s(?!placebo|control)[a-z]{{1,20}}){{1,4}}?"
            r"(?=,\s\d|\s(?:was|of|is|=)\s))?[^\d\w−–-]*(?:was|of|is)?[\s=:,]*",
            re.IGNORECASE,
        ),
    )
    for measure, words in _MEASURE_WORDS
)


_VALUE = (
    r"(?:(?P<e{0}>\d{{1,6}})\s?(?:/|(?:of|out of)(?:\sthe)?)\s?(?P<n{0}>\d{{1,6}})(?![\d/])"
    r"(?:[,\s]\s?(?P<q{0}>\d{{1,3}}(?:[.·]\d{{1,3}})?)\s?%)?|"
    r"(?P<v{0}>[-−–]?\d{{1,6}}(?:[.·]\d{{1,4}})?)(?![\d,]\d)(?P<pct{0}>\s?(?:%|per ?cent))?"
    r"(?:\s?(?:±|\+/-)\s?(?P<sd{0}>\d{{1,5}}(?:[.·]\d{{1,4}})?)\s?%?)?)"
)
_UNIT = r"(?:\s(?P<unit>(?!vs|versus|and|compared|in|for|to|with)[a-zA-Zµμ][\w/µμ²^]{0,9}))?"
_ONE, _TWO = _VALUE.format(1), _VALUE.format(2)
_FROM = r"(?<![\w.,/=<>≤≥±−–-])"
_FILL = r"[^⟦⟧\d;]{0,40}?"
_IN_TURN = bounded(
    rf"{_FROM}{_ONE}{_UNIT}{_FILL}(?:in|for|with|on|among|of|by)\s(?P<a>{MARK}){_FILL}\b(?:and|vs?\.?|"
    rf"versus|(?:as )?compared (?:with|to)|than|,){_FILL}\s{_TWO}{_FILL}(?:in|for|with|on|among|of|"
    rf"by)\s(?P<b>{MARK})",
    re.IGNORECASE,
)
_LISTED = bounded(
    rf"{_FROM}{_ONE}{_UNIT}\s(?:vs?\.?|versus|and)\s{_TWO}{_FILL}(?:in|for|with|on|among|of|by)\s"
    rf"(?P<a>{MARK})\s?(?:and|vs?\.?|versus|or)\s(?P<b>{MARK})",
    re.IGNORECASE,
)
_OF_SOME = bounded(
    rf"\b(?:{PEOPLE}|those)\s(?:with|without|who|aged|older|younger|over|under|above|below)\b",
    re.IGNORECASE,
)
"""A part of the people of an arm."""


class Figures(NamedTuple):
    """Values of two arms with the unit of both."""

    one: ArmFigure
    other: ArmFigure
    unit: str


def _float(text: str) -> float:
    return float(re.sub(r"^[−–-]", "-", text.strip()).replace("·", ".").replace(" ", ""))


def is_mixed(clause: Clause) -> bool:
    """Return whether some p-values of a clause are significant and some are not."""
    tests = {_is_significant(m["op"], _float(m["p"])) for m in _P.finditer(clause.whole)}
    return len(tests) > 1


def _is_significant(operator: str, p: float) -> bool:
    return operator not in (">", ">=", "≥", "&gt;") and (
        p < 0.05 or (p == 0.05 and operator in ("<", "≤", "<=", "&lt;"))
    )


def effect_of(clause: Clause) -> Effect | None:
    """Return the effect of a clause that tells one; None for a clause with none or several."""
    text = clause.whole
    if _OF_OTHER_TESTS.search(text):
        return None
    tests, intervals = list(_P.finditer(text)), list(_CI.finditer(text))
    told: dict[str, object] = {}
    if len(tests) == 1:
        operator = {"was": "=", "of": "=", "≤": "<", "<=": "<", "≥": ">", ">=": ">"}.get(
            tests[0]["op"], {"&lt;": "<", "&gt;": ">"}.get(tests[0]["op"], tests[0]["op"])
        )
        told = {"p": _float(tests[0]["p"]), "p_operator": operator}
    elif len({_is_significant(t["op"], _float(t["p"])) for t in tests}) > 1:
        return None
    estimates = list(_estimates(text))
    if len(estimates) == 1:
        measure, value, end = estimates[0]
        own = [i for i in intervals if _RIGHT_BEHIND.match(text[end : i.start()])]
        if own or len(intervals) <= 1:
            told |= _estimated(measure, value, own or intervals)
    return Effect.model_validate(told) if told else None


_RIGHT_BEHIND = bounded(r"[\s,;:(\[]{0,4}$")
"""Characters between an estimate and its own interval."""


def _estimates(text: str) -> Iterator[tuple[EffectMeasure, float, int]]:
    """Yield the estimates of a text: measure, value and where it ends."""
    number = re.compile(_NUMBER)
    seen: set[int] = set()
    for measure, pattern in _MEASURES:
        for match in pattern.finditer(text):
            value = number.match(text, match.end())
            if (
                value
                and value.start() not in seen
                and "%" not in text[value.end() : value.end() + 2]
            ):
                seen.add(value.start())
                yield measure, _float(value.group()), value.end()


def _estimated(
    measure: EffectMeasure, value: float, intervals: Sequence[re.Match[str]]
) -> dict[str, object]:
    told: dict[str, object] = {"measure": measure, "value": value}
    if not intervals:
        return told
    interval = intervals[0]
    low, high = _float(interval["low"]), _float(interval["high"])
    if low > high and interval["low"][0] in "-−–" and interval["high"][0] not in "-−–":
        high = -high
    if low <= value <= high:
        told |= {"ci_low": low, "ci_high": high, "ci_level": float(interval["level"])}
    return told


def values_told(marked: Marked) -> tuple[tuple[str, str], Figures] | None:
    """Return two arms and their values, told as "10% in A and 20% in B"; None where not."""
    found = list(_IN_TURN.finditer(marked.text)) or list(_LISTED.finditer(marked.text))
    if len(found) != 1:
        return None
    one, other = marked.arm(found[0]["a"]), marked.arm(found[0]["b"])
    if BOTH in (one, other) or one == other or _OF_SOME.search(found[0].group()):
        return None
    return (one, other), _figures(found[0], one, other)


def _figures(match: re.Match[str], one: str, other: str) -> Figures:
    percent = bool(match["pct1"] or match["pct2"])
    unit = "%" if percent else (match["unit"] or "")
    return Figures(_figure(match, "1", one), _figure(match, "2", other), unit)


def _figure(match: re.Match[str], number: str, arm: str) -> ArmFigure:
    if match[f"e{number}"]:
        return ArmFigure(arm=arm, events=int(match[f"e{number}"]), n=int(match[f"n{number}"]))
    spread = match[f"sd{number}"]
    return ArmFigure(
        arm=arm, value=_float(match[f"v{number}"]), spread=_float(spread) if spread else None
    )
