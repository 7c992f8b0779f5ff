"""Whether two questions ask the same thing of the same things, by rule; wording is compared later.

Questions on two drugs, or for and against one, lie close together for any measure of wording. So
what they name and claim is compared first, and where that differs they are never similar.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.checklist import InquiryKind
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import fold
from deepcritical.reasoning.asked import Asked
from deepcritical.reasoning.inquiries import focus_of
from deepcritical.reasoning.phrases import words_of
from deepcritical.reasoning.propositions import PropositionKind, proposition, stems

__all__ = ["Meant", "may_be_same", "meaning_of"]

_NEGATION = bounded(r"\b(?:not|no|never|without|fail\w*|lack\w*|cannot)\b|n['’]t\b", re.IGNORECASE)
_NUMBER = bounded(r"\b\d+(?:[.,]\d+)?\b")
_QUALIFIERS = bounded(
    r"\b(?:wom[ae]n|females?|m[ae]n|males?|child(?:ren)?|p(?:a)?ediatric|infants?|newborns?|neonat\w+|"
    r"adolescents?|adults?|elderly|older|pregnan\w+|lactat\w+|breast-?feeding|mice|mouse|rats?|"
    r"animals?|humans?|people|cells?|vaccin\w+|combin\w+|low|high|early|late|severe|mild|acute|"
    r"chronic|oral\w*|topical\w*|intravenous\w*|inhaled|nasal|short|long|more|less|better|worse|"
    r"safer?|than|versus|vs)\b",
    re.IGNORECASE,
)
"""Whom, how much, in which form, compared with what: one such word more makes another question."""
_SIDES: dict[PropositionKind, str] = {
    PropositionKind.RAISING: "more or worse",
    PropositionKind.DETRIMENT: "more or worse",
    PropositionKind.SAMENESS: "the same",
    PropositionKind.OMISSION: "left out",
}
_CAUSED = bounded(
    r"\b(?:caus(?:e[sd]?|ing)|lead(?:s|ing)? to|induc\w+|trigger\w*)\b", re.IGNORECASE
)
_BETTERED = bounded(
    r"\b(?:prevent\w*|protect\w*|improv\w*|reliev\w*|benefi\w+|help\w*|cur(?:e[sd]?|ing))\b",
    re.IGNORECASE,
)
_FRAMING = stems(
    "cause lead treat treatment therapy use useful effective work help evidence repurpose "
    "reposition reduce lower decrease increase raise prevent slow act action mechanism dose "
    "effects drug existing death rate mortality give given common incidence risk diagnose option"
)
"""Words that say what is asked, and not of what."""
_REPURPOSING = bounded(r"\b(?:repurpos|reposition)\w*", re.IGNORECASE)
_EFFECT = frozenset({InquiryKind.EFFECT, InquiryKind.OTHER})


class Meant(NamedTuple):
    """What a question names and claims, as far as rules read it."""

    drugs: frozenset[str]
    conditions: frozenset[str]
    kind: str
    side: str
    """Which way it asks: up or down, cause or cure."""
    negated: bool
    outcomes: frozenset[str]
    numbers: frozenset[str]
    qualifiers: frozenset[str]
    topics: frozenset[str]
    """Stems of what else it names."""


def meaning_of(question: str) -> Meant:
    """What a question names and claims."""
    focus = focus_of(question)
    asked = focus.asked
    plain = focus.kind in _EFFECT or bool(_REPURPOSING.search(question))
    kind = "effect" if plain else focus.kind.value
    conditions = (*asked.conditions, *asked.population)
    return Meant(
        drugs=frozenset(fold(drug.name) for drug in asked.drugs),
        conditions=frozenset(fold(condition.name) for condition in conditions),
        kind=kind,
        side=_side(question, asked) if kind == "effect" else "",
        negated=bool(_NEGATION.search(question)),
        outcomes=frozenset(want.name for want in asked.wanted if want.name),
        numbers=frozenset(_NUMBER.findall(_without(question, asked))),
        qualifiers=frozenset(fold(w) for w in _QUALIFIERS.findall(question)),
        topics=_topics(question, asked),
    )


def may_be_same(one: Meant, other: Meant) -> bool:
    """Whether nothing that they name or claim tells them apart."""
    return one == other


def _side(question: str, asked: Asked) -> str:
    if _CAUSED.search(question) and asked.drugs:
        return "caused"
    if _BETTERED.search(question):
        return "for the better"
    return _SIDES.get(proposition(asked.claim).kind, "for the better")


def _without(question: str, asked: Asked) -> str:
    """The question without the names of its drugs and conditions: the 19 of COVID-19 counts not."""
    conditions = (*asked.conditions, *asked.population)
    names = [n for d in asked.drugs for n in d.names]
    names += [n for c in conditions for n in (c.name, *c.names)]
    left = question
    for name in sorted(names, key=len, reverse=True):
        left = re.sub(rf"\b{re.escape(name)}(?:['’]s)?\b", " ", left, flags=re.IGNORECASE)
    return left


def _topics(question: str, asked: Asked) -> frozenset[str]:
    groups = (*asked.phrases, *asked.studied)
    words = (word for group in groups for phrase in group for word in words_of(phrase, question))
    return stems(" ".join(words)) - _FRAMING
