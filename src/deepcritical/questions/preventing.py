"""Tells whether a question asks if a drug keeps people from getting a condition."""

from __future__ import annotations

import re

from deepcritical.domain.question.names import Condition
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.questions.naming import Names

NEW_CASES = (
    r"(?:risks?|chances?|odds|likelihood|probability|hazard|incidence|rates?|onset|development|"
    r"occurrence|new cases)"
)
_PREVENTED = bounded(
    rf"(?:\b(?:prevent\w*|chemoprevent\w*|avert\w*|(?:ward|stav|fend)\w* off|"
    r"prophyla\w+ (?:of|for|against)|prevention of|protect\w* (?:\w+ ){0,3}(?:against|from)|"
    rf"immuni\w+ against|(?:delay|postpon)\w*(?: the)? (?:onset|development|start))"
    rf"(?: the)?(?: {NEW_CASES})?(?: of)?|\b(?P<if_fewer>{NEW_CASES} (?:of|for)|"
    r"(?:get|develop)(?:s|ting|ing)?))"
    r"(?: (?!(?:in|among|with|for|after|during|on|by)\b)[\w'’-]+){0,3} $",
    re.IGNORECASE,
)
_PREVENTED_BEHIND = bounded(
    rf"[ -](?:(?:chemo)?prevention|prophylaxis|risk reduction)\b|(?P<if_fewer>[ -]{NEW_CASES}\b)|"
    r" (?:from|in) (?:developing|occurring|the first place)\b",
    re.IGNORECASE,
)
OF_PATIENTS = bounded(
    r"\b(?:recurr|relaps|progress|exacerbat|flare|(?<!heart )attack|death|mortalit|complicat|"
    r"worsen|hospital(?!-acquired)|symptom|episode|readmi)",
    re.IGNORECASE,
)
"""Changes that only people who have a condition can have more or less of."""


def prevents(names: Names, condition: Condition | None) -> bool:
    """Return whether a question asks if a drug keeps people from getting the condition."""
    if condition is None or OF_PATIENTS.search(names.text):
        return False
    asked = {name.casefold() for one in condition.each for name in (one.name, *one.names)}
    is_less = bool(names.compared or cues.LOWERS.search(names.text))
    for mention in names.conditions:
        known = mention.condition
        if not {mention.text.casefold(), known.name.casefold()} & asked or known.is_symptom:
            continue
        told = _PREVENTED.search(names.text, max(0, mention.start - 120), mention.start)
        told = told or _PREVENTED_BEHIND.match(names.text, mention.end)
        if told and (not told["if_fewer"] or is_less):
            return True
    return False
