"""Finds what a question says is measured."""

from __future__ import annotations

import re

from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.vocabulary.conditions import find_conditions
from deepcritical.vocabulary.outcomes import term_in

_CHANGED = bounded(
    r"\b(?:reduc|lower|decreas|lessen|cut|improv|increas|enhanc|prevent|avoid|shorten|prolong|slow|"
    r"preserv|restor|protect)\w* (?:the |an? |any |their )?(?P<what>"
    r"(?:(?:need|use|rate|risk|number|level)s? (?:for|of) )?[a-z][\w -]{2,60}?)"
    r"(?= (?:in|for|of|among|during|after|with|when|by|on|to|than|compared|versus|vs|over|at)\b|"
    r"[?.!,;:]|$)",
    re.IGNORECASE,
)
"""Words for a change that a drug is to bring: "reduce the need for ventilation in"."""


def measures_in(text: str, taken: str = "") -> tuple[str, ...]:
    """Return what is measured; of "progression-free survival" not survival and progression, too.

    Args:
        text: Where it is said.
        taken: Words of it that mean something else.
    """
    found = [
        (name, match.start(), match.end())
        for name, pattern in cues.OUTCOMES
        for match in pattern.finditer(text)
        if match[0].casefold() not in taken
    ]
    whole = [
        name
        for name, start, end in found
        if not any(s <= start and end <= e and (s, e) != (start, end) for _, s, e in found)
    ]
    return tuple(dict.fromkeys(whole))


def changed_in(text: str) -> tuple[str, ...]:
    """Return what a drug is to change, in the question's own words; () for a condition.

    Only what the table of outcomes knows counts: other words may mean anything.
    """
    found = []
    for match in _CHANGED.finditer(text):
        what = " ".join(match["what"].split())
        term = term_in(what)
        if term and not term.construct.generic and not find_conditions(what, any_case=True):
            found.append(what)
    return tuple(dict.fromkeys(found))
