"""The targets or processes by which a question says that a drug acts: "through AMPK and tau"."""

from __future__ import annotations

import re

from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.conditions import find_conditions
from deepcritical.vocabulary.drugs import find_drugs

_CLAUSE = bounded(
    r"(?:, ?| )(?:(?:acting |working |acts? )?"
    r"(?:through|via|by way of|thanks to|because of|mediated by|"
    r"by (?:\w+ly )?(?:inhibit|activat|block|target|modulat|reduc|increas|lower|rais|suppress|"
    r"stimulat|restor|improv|enhanc|act|promot|chang|regulat|clear|decreas|induc)"
    r"\w*(?: on)?)) (?P<terms>[^ ].*?)"
    r"(?= (?:in|for|among|according|that|does|do|did|can|is|are|helps?|works?) |[?!.;]|$)",
    re.IGNORECASE,
)
_BREAK = bounded(r"\s*(?:,|;|/|&|\band\b|\bor\b)\s*", re.IGNORECASE)
_NOISE = bounded(
    r"^(?:the|its|an?|effects? on|levels? of|inhibition of|activation of)\s+|"
    r"\s+(?:pathways?|signall?ing|axis|activity|activation|expression)$",
    re.IGNORECASE,
)


def split_through(text: str) -> tuple[str, tuple[str, ...]]:
    """The question without such a clause, and the terms of the clause as they are written."""
    match = _CLAUSE.search(text)
    if match is None:
        return text, ()
    rest = f"{text[: match.start()]}{text[match.end('terms') :]}"
    if _names_what_is_asked(match["terms"], rest, reason="because of" in match[0].casefold()):
        return text, ()
    terms = (
        _NOISE.sub("", _NOISE.sub("", term.strip(" ?.!"))) for term in _BREAK.split(match["terms"])
    )
    return rest, tuple(dict.fromkeys(term for term in terms if term))


def _names_what_is_asked(terms: str, rest: str, *, reason: bool) -> bool:
    """Say whether a clause names the only drug or condition, or a condition as reason to treat."""
    condition = find_conditions(terms, any_case=True)
    if condition and (reason or not find_conditions(rest, any_case=True)):
        return True
    return bool(find_drugs(terms, asked=True)) and not find_drugs(rest, asked=True)
