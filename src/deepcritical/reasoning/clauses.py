"""Cuts sentences into clauses, and out of an enumeration the figures that belong to one drug."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepcritical.domain.patterns import bounded
from deepcritical.reasoning import lexicon
from deepcritical.reasoning.figures import has_result_figures
from deepcritical.reasoning.names import DrugNames, other_drug_places

__all__ = ["bracketed", "clauses", "own_part"]

_BRACKETS = bounded(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\]")
_COMMA = bounded(r"[,;]\s+(?:and\s+)?")
_FIRST_FIGURE = bounded(
    r"^.*?\b(?:was|were|is|are|of|by)\b\s+(?=[-−–]?\d)|^.*?[=:]\s*(?=[-−–]?\d)|^\D+(?=\s\d)"
)


def bracketed(text: str) -> list[tuple[int, int]]:
    """Where the brackets of a text are; one pair within another counts as one."""
    return [m.span() for m in _BRACKETS.finditer(text)]


def _open_breaks(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    inside = bracketed(text)
    return (m for m in pattern.finditer(text) if not any(a < m.start() < b for a, b in inside))


def _pieces(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    start = 0
    for match in _open_breaks(pattern, text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]


def clauses(sentence: str) -> Iterator[str]:
    """The clauses of a sentence; a bracket is kept whole, for it holds its clause's figures."""
    return _pieces(lexicon.CLAUSE_BREAK, sentence)


def own_part(clause: str, names: DrugNames, drug: str) -> str:
    """The part of a clause that speaks of one drug, when it lists the figures of several.

    "The odds ratio for death was 0.8 (0.5 to 1.2) with A, 1.1 (0.7 to 1.6) with B, and 0.6 (0.4 to
    0.9) with C": for B, the beginning up to the first figure and B's own item.
    """
    items = [piece for piece in _pieces(_COMMA, clause) if has_result_figures(piece)]
    own = [item for item in items if names.named(item)]
    others = [item for item in items if other_drug_places(item, drug) and item not in own]
    if not own or not others or any(other_drug_places(item, drug) for item in own):
        return clause
    head = _FIRST_FIGURE.match(items[0])
    lead = head.group() if head and own[0] is not items[0] else ""
    return lead + own[0]
