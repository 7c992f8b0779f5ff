"""What a further question asks: of which drug, what about it, and in whom."""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Condition, Drug
from deepcritical.questions.reading import read_frame
from deepcritical.reasoning.condition_kinds import kinds_of
from deepcritical.reasoning.phrases import Phrase, read_phrases, words_of
from deepcritical.reasoning.propositions import PropositionKind, proposition
from deepcritical.reasoning.wanted import WANTED, Wanted
from deepcritical.vocabulary.drugs import DrugKind, find_drugs
from deepcritical.vocabulary.nodes import CONDITION_LABELS, vocabulary

__all__ = ["Asked", "neutral_nouns", "read_asked"]

_YES_NO = bounded(
    r"(?:^|[:.?!,;]\s+)(?:is|are|was|were|do|does|did|can|could|will|would|should|must|may|might|"
    r"has|have|had)\b",
    re.IGNORECASE,
)
_OF_GROUP = bounded(
    r"\b(?:impairments?|diseases?|disorders?|syndromes?|injur(?:y|ies)|infections?|cancers?|failure|"
    r"mice|mouse|rats?|animals?|cells|children|women|men|elderly|older|diabetics?|outpatients?|"
    r"inpatients?)\b",
    re.IGNORECASE,
)
"""In a phrase behind "in": it says who was studied."""
_POPULATION = bounded(
    r"\b(?:in|among|with|for|having|who have)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE
)
_BAD_STATE = bounded(
    r"\b(?:impairments?|barriers?|(?<=\w )declines?|deficits?|dysfunction|"
    r"(?<!weight )(?<!of )loss(?:es)?)\b",
    re.IGNORECASE,
)
_AMONG = bounded(r"\b(?:in|among)\s+((?:[\w'’-]++\s*+){1,5})\W*$", re.IGNORECASE)
_FINDS = frozenset(PropositionKind) - {
    PropositionKind.STATE,
    PropositionKind.NEED,
    PropositionKind.OMISSION,
}
"""Kinds of questions that only a finding answers, not a plan or a method."""


class Asked(NamedTuple):
    """A question as what a sentence must name."""

    text: str
    drugs: tuple[Drug, ...]
    conditions: tuple[Condition, ...]
    """Those that a sentence must name itself."""
    population: tuple[Condition, ...]
    """Those that the record must name somewhere: "in dementia"."""
    phrases: tuple[tuple[Phrase, ...], ...]
    """Of each group one phrase at least must be named."""
    studied: tuple[tuple[Phrase, ...], ...]
    """The same, of which the record must name each somewhere: "in mild cognitive impairment"."""
    wanted: tuple[Wanted, ...]
    claim: str
    """The question as far as it says what is claimed, without those studied."""
    yes_no: bool
    finding: bool
    """Whether only a finding answers it."""

    @property
    def has_topic(self) -> bool:
        """Whether it asks for something beside a drug and a condition."""
        return bool(self.phrases) or any(w.is_topic for w in self.wanted)

    @property
    def wants_single_outcome(self) -> bool:
        """Whether it asks for an outcome that trials also report as part of a composite."""
        return any(want.is_part for want in self.wanted)

    @property
    def names_something(self) -> bool:
        """Whether there is anything to look for."""
        return bool(self.drugs or self.conditions or self.population or self.has_topic)

    @property
    def subjects(self) -> tuple[str, ...]:
        """The drugs and conditions that it names."""
        conditions = (*self.conditions, *self.population)
        return (*(drug.name for drug in self.drugs), *(c.name for c in conditions))

    @property
    def looked_for(self) -> tuple[str, ...]:
        """What a sentence must name, in words for the reader."""
        words = (
            " or ".join(" ".join(words_of(phrase, self.text)) for phrase in group)
            for group in (*self.phrases, *self.studied)
        )
        return (*self.subjects, *words, *(want.name for want in self.wanted))


def read_asked(question: str) -> Asked:
    """What a question asks for, by rules over its words."""
    drugs, rest = _drugs(question)
    conditions, population, rest = _conditions(rest)
    wanted = tuple(w for w in WANTED if w.asked.search(question))
    for want in wanted:
        rest = want.asked.sub(_blank, rest)
    studied, rest = _group_studied(rest, others=any(want.is_topic for want in wanted))
    phrases = read_phrases(rest)
    if not phrases and not conditions and not any(w.is_topic for w in wanted):
        conditions, population = population, ()
    claim = _claim(question, studied)
    kind = proposition(claim).kind
    yes_no = bool(_YES_NO.search(question))
    finding = yes_no and (kind in _FINDS or any(w.is_finding for w in wanted))
    return Asked(
        text=question,
        drugs=drugs,
        conditions=conditions,
        population=population,
        phrases=phrases,
        studied=read_phrases(studied),
        wanted=wanted,
        claim=claim,
        yes_no=yes_no,
        finding=finding,
    )


def neutral_nouns(text: str) -> str:
    """A text in which no noun for a bad state reads like what is claimed or found of it.

    "Does it improve cognitive decline?" claims no decline, and an impairment is no harm done.
    """
    return _BAD_STATE.sub("state", text)


def _claim(question: str, studied: str) -> str:
    told = question.replace(studied, " ") if studied else question
    return re.sub(r"\bdelay(?=s?\b|ed\b)", "slow", neutral_nouns(told), flags=re.IGNORECASE)


def _blank(match: re.Match[str]) -> str:
    return f" ; {' ' * max(0, len(match[0]) - 3)}"


def _drugs(question: str) -> tuple[tuple[Drug, ...], str]:
    kinds = (DrugKind.DRUG, DrugKind.DRUG_CLASS)
    named = [m for m in find_drugs(question) if m.drug.kind in kinds]
    found = {m.drug.name: Drug(name=m.drug.name, synonyms=m.drug.synonyms) for m in named}
    rest = question
    for m in named:
        rest = f"{rest[: m.start]}{';':{m.end - m.start}}{rest[m.end :]}"
    if not found and (unknown := _unknown_drug(question)):
        found[unknown.name] = unknown
        rest = re.sub(rf"\b{re.escape(unknown.name)}\b", _blank, rest, flags=re.IGNORECASE)
    return tuple(found.values()), rest


def _unknown_drug(question: str) -> Drug | None:
    """What stands in a drug's place but in no vocabulary."""
    drug = next((name.drug for name in read_frame(question).missing if name.drug), None)
    if (
        drug is None
        or vocabulary().find(drug.name)
        or any(w.asked.search(drug.name) for w in WANTED)
    ):
        return None
    return drug


def _conditions(rest: str) -> tuple[tuple[Condition, ...], tuple[Condition, ...], str]:
    asked: dict[str, Condition] = {}
    among: dict[str, Condition] = {}
    left = rest
    for m in vocabulary().find(rest, CONDITION_LABELS):
        to = among if _POPULATION.search(rest[: m.start]) else asked
        names = (*m.node.names, *kinds_of(m.node.name))
        to[m.node.name] = Condition(name=m.node.name, names=names)
        left = f"{left[: m.start]}{';':{m.end - m.start}}{left[m.end :]}"
    return tuple(asked.values()), tuple(among.values()), left


def _group_studied(rest: str, others: bool) -> tuple[str, str]:
    """The phrase behind "in" that says who was studied, if anything else is asked; and the rest."""
    found = _AMONG.search(rest)
    if not found or (not others and not read_phrases(rest[: found.start()])):
        return "", rest
    studied = found[1] if _OF_GROUP.search(found[1]) else ""
    return studied, rest[: found.start()] if studied else rest
