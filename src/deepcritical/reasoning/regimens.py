"""Trials that add the drug to a treatment which every arm gets: there the drug is what is tested.

"A plus B against B alone" tests A (add-on design; ICH E10, section 2.1.5.2.2). The treatment of all
arms is a partner and no competitor, and an abbreviation of the whole regimen stands for the drug.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepcritical.domain.abbreviations import expand_abbreviations
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Drug
from deepcritical.vocabulary.drugs import DrugKind, find_drugs

__all__ = ["partners", "regimens", "together"]

_IN_ALL_ARMS = bounded(
    r"\b(?:all|both) (?:the |of the |randomi[sz]ed )?"
    r"(?:patients|participants|subjects|adults|children|groups|arms)(?: \S+){0,4}? "
    r"(?:received|were given|were treated with|took|got)(?P<given>[^.;]{3,90}?)"
    r"(?=\band either\b|\bplus either\b|\bwith either\b|[.;]|$)",
    re.IGNORECASE,
)
_ADDED = bounded(
    r"\b(?:addition of|adding|added)\s+(?P<added>[^.;,]{3,50}?)\s+to\s+(?P<given>[^.;]{3,80})",
    re.IGNORECASE,
)
_ALONE = bounded(
    r"(?<![\w/-])(?P<given>[\w-]++(?:(?:\s+and\s+|/|\s*\+\s*)[\w-]++){0,5}+)\s+alone\b", re.I
)
_WITH_PLACEBO = bounded(
    r"\bplacebo\s+(?:plus|with|\+|and|combined with)\s+(?P<given>[\w/-]+)|"
    r"(?<![\w/-])(?P<before>[\w/-]++)\s+(?:plus|with|\+|and|combined with)\s+placebo\b",
    re.IGNORECASE,
)


_ADD_ON = bounded(
    r"(?<![\w-])(?P<given>[A-Za-z][\w-]{4,40})\b[^.;]{0,80}?\b"
    r"(?:versus|vs\.?|compared (?:with|to)|than|against|over)\s+(?:with\s+)?(?P=given)\b"
    r"(?!\s*(?:plus|and|\+|with|combined|users))",
    re.IGNORECASE,
)
"""The same treatment on both sides: "A plus B against A"."""
_TOGETHER = bounded(
    r"\b(?:combinations?|regimens?|triplets?|doublets?)(?: therapy)? (?:of|with|consisting of)\s+"
    r"(?P<given>[^.;]{3,120}?)(?=\s(?:versus|vs\.?|compared|against|than|in|for|as|on|over)\s|[.;]|$)",
    re.IGNORECASE,
)


def _drugs(text: str) -> set[str]:
    return {m.drug.name for m in find_drugs(text) if m.drug.kind is DrugKind.DRUG}


def _backbones(text: str) -> Iterator[str]:
    for match in _ADDED.finditer(text):
        yield match["given"]
    for pattern in (_IN_ALL_ARMS, _ALONE, _ADD_ON):
        yield from (match["given"] for match in pattern.finditer(text))
    for match in _WITH_PLACEBO.finditer(text):
        yield match["given"] or match["before"]


def partners(drug: Drug, text: str) -> frozenset[str]:
    """The drugs that every arm gets beside the one that is tested."""
    given = {name for part in _backbones(text) for name in _drugs(part)}
    given |= {name for _, long in _add_ons(drug, text) for name in _drugs(long)}
    return frozenset(given - {drug.name})


def together(drug: Drug, text: str) -> frozenset[str]:
    """The drugs that a text gives in one combination with this one, and not to every arm.

    What comes of "a combination of A, B and C" is not A's alone (GRADE guidelines 8, indirectness
    of the intervention).
    """
    given = (match["given"] for match in _TOGETHER.finditer(text))
    own = [part for part in given if any(n.casefold() in part.casefold() for n in drug.names)]
    joined = {name for part in own for name in _drugs(part)}
    return frozenset(joined - partners(drug, text) - {drug.name})


def regimens(drug: Drug, text: str) -> tuple[str, ...]:
    """Abbreviations of regimens that differ from another one of the text by the drug alone."""
    return tuple(short for short, _ in _add_ons(drug, text))


def _add_ons(drug: Drug, text: str) -> Iterator[tuple[str, str]]:
    known = expand_abbreviations(text)
    for short, long in known.items():
        if drug.name in _drugs(long) and len(_drugs(long)) > 1:
            base = _without(short, drug.name)
            if base in known and drug.name not in _drugs(known[base]):
                yield short, long


def _without(short: str, drug: str) -> str:
    """A regimen's abbreviation without the drug's initial; '' when it does not hold it."""
    letter = drug[:1].upper()
    at = short.upper().rfind(letter)
    return (short[:at] + short[at + 1 :]).strip("-/ ") if at >= 0 else ""
