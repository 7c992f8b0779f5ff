"""The targets or processes by which a question says that a drug acts: "through AMPK and tau"."""

from __future__ import annotations

import re

from deepcritical.domain.text.patterns import bounded

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


def split_through(text: str) -> tuple[str, tuple[str, ...]]:
    """The question without such a clause, and the terms of the clause as they are written."""
    match = _CLAUSE.search(text)
    if match is None:
        return text, ()
    terms = (term.strip(" ?.!") for term in _BREAK.split(match["terms"]))
    rest = f"{text[: match.start()]}{text[match.end('terms') :]}"
    return rest, tuple(dict.fromkeys(term for term in terms if term))
