"""Sentences of a model about records: what its record bears out stands, the rest is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.chat import ChatSentence
from deepcritical.domain.claim_checks import LocatedQuote
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import grade
from deepcritical.reasoning.answers import SaidSentence
from deepcritical.reasoning.asked import read_asked
from deepcritical.reasoning.verifying import verify_claim
from deepcritical.services.lexical import terms

__all__ = ["Borne", "as_sentences", "borne_out"]

_LONGEST = 600
"""Characters of a sentence; more is no sentence."""
_NO_PROSE = re.compile(r"://|\bwww\.|[<>\[\]{}`]|\n")
"""Addresses, markup and citations, none of which a model may add."""
_ORDER = re.compile(
    r"^\W*(?:please|ignore|disregard|treat|classify|report|cite|call|system|note (?:for|to))\b|"
    r"\b(?:all|every|each|these|previous|above) (?:\w+ )?(?:records?|sentences?|instructions?)\b|"
    r"\b(?:AI|automated) (?:reviewers?|readers?|systems?|models?) (?:must|should|are to)\b",
    re.IGNORECASE,
)
"""What tells its reader what to do states no finding, even where a record says so."""
_GENERAL = frozenset("disease disorder syndrome condition patient people treatment drug".split())


class Borne(NamedTuple):
    """A sentence that its record bears out."""

    evidence_id: str
    text: str
    place: LocatedQuote
    overstated: bool
    """Whether the record says it less firmly."""


def borne_out(
    said: Sequence[SaidSentence], records: Mapping[str, Evidence], question: str
) -> tuple[Borne, ...]:
    """The sentences that stand, each once.

    A sentence stands if its record is among those shown, if it speaks of what the question names,
    and if every check of `verify_claim` lets it pass. What else a model writes is nobody's finding.

    Args:
        said: What a model said.
        records: The records that it was shown, by evidence id.
        question: What was asked.
    """
    named = _named(question)
    found = (_borne(one, records, named) for one in said)
    return tuple({one.text: one for one in found if one}.values())


def _borne(
    one: SaidSentence, records: Mapping[str, Evidence], named: frozenset[str]
) -> Borne | None:
    text, record = one.text.strip(), records.get(one.evidence_id)
    if record is None or not 0 < len(text) <= _LONGEST:
        return None
    if _NO_PROSE.search(text) or _ORDER.search(text):
        return None
    if named and not named & set(terms(text)):
        return None
    check = verify_claim(text, record)
    if not check.supported or check.quote is None:
        return None
    return Borne(one.evidence_id, text, check.quote, check.overstated)


def _named(question: str) -> frozenset[str]:
    """The terms of all names that a question asks about; none where it names nothing."""
    asked = read_asked(question)
    conditions = (*asked.conditions, *asked.population)
    names = (
        *(name for drug in asked.drugs for name in drug.names),
        *(name for condition in conditions for name in (condition.name, *condition.names)),
        *asked.looked_for,
    )
    return frozenset(terms(" ".join(names))) - _GENERAL


def as_sentences(
    borne: Iterable[Borne], records: Mapping[str, Evidence], numbers: Mapping[str, int]
) -> tuple[ChatSentence, ...]:
    """The sentences as an answer has them, with the strength of their studies."""
    return tuple(
        ChatSentence(
            text=one.text,
            number=numbers[one.evidence_id],
            wording="model",
            quote=one.place.text,
            start=one.place.start,
            end=one.place.end,
            remark=_remark(one, records[one.evidence_id]),
        )
        for one in borne
    )


def _remark(one: Borne, record: Evidence) -> str:
    graded = grade(record)
    level = f"OCEBM level {graded.level}" if graded.level else "no OCEBM level"
    firm = ", said less firmly in the source" if one.overstated else ""
    return f"{level}, {graded.design.value}{firm}"
