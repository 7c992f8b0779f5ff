"""Joins a model's answers on a free question with what code made of it.

A model adds needs, sentences, doubts and searches. Every sentence is located in its record, and
none makes an item better covered than the rule over studies allows. What the reading of a study
says of its side is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from deepcritical.answering.cues import METHODS_TELL, is_own_finding
from deepcritical.answering.passages import PassageReader
from deepcritical.answering.quoting import (
    plain_words,
    quoted_sentence,
    sentence_fact,
)
from deepcritical.domain.appraisal import Stance
from deepcritical.domain.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Coverage,
    Inquiry,
    ItemCoverage,
    ItemFact,
    lower_of,
)
from deepcritical.domain.evidence import Evidence, FactRole
from deepcritical.domain.grading import grade
from deepcritical.domain.record_kinds import is_notice, is_retracted
from deepcritical.domain.text import Span, addresses_a_model
from deepcritical.models.answers import Completeness, InquiryPlan, MappedSentence

_MOST_SEARCHES = 6
_SIDES = {"for": Stance.SUPPORTS, "against": Stance.REFUTES, "neither": Stance.NEUTRAL}


class JoinedFacts(NamedTuple):
    """The facts of code and model, and how many quotes and ids of the model were dropped."""

    facts: tuple[ItemFact, ...]
    dropped: int


def planned(inquiry: Inquiry, plan: InquiryPlan) -> Inquiry:
    """The question with what a model wants known and searched beside it."""
    aspects = (*inquiry.aspects, *(Aspect(need) for need in plan.needs))
    return inquiry.model_copy(
        update={
            "aspects": tuple(dict.fromkeys(aspects)),
            "searches": searches_of(plan.searches),
        }
    )


def searches_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The searches of a model that are a few plain words."""
    words = (plain_words(text) for text in texts)
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_SEARCHES]


def for_a_model(
    inquiry: Inquiry,
    checklist: Checklist,
    records: Mapping[str, Evidence],
    found: Sequence[Evidence],
) -> dict[str, Evidence]:
    """The records to which a model can add: with text, on the question or near it, without orders.

    Args:
        inquiry: The question.
        checklist: Its items.
        records: Those that are to be read, by evidence id.
        found: All records that were found.
    """
    reader = PassageReader(inquiry, checklist, found)
    return {key: record for key, record in records.items() if _is_for(reader, record)}


def _is_for(reader: PassageReader, record: Evidence) -> bool:
    if not record.content.strip() or is_retracted(record) or is_notice(record):
        return False
    told = f"{record.citation.title}\n{record.content}"
    return reader.bearing(record) is not None and not addresses_a_model(told)


def joined_facts(
    checklist: Checklist,
    records: Mapping[str, Evidence],
    by_code: Sequence[ItemFact],
    answers: Iterable[MappedSentence],
) -> JoinedFacts:
    """The facts of code with what a model found in the same records.

    Args:
        checklist: The items.
        records: The records that the model was shown, by evidence id.
        by_code: The facts that code found.
        answers: The model's sentences.
    """
    found = {(f.fact.evidence_id, f.fact.start): f for f in by_code}
    dropped = 0
    for answer in answers:
        record = records.get(answer.evidence_id)
        span = quoted_sentence(answer.quote, record) if record else None
        if record is None or span is None:
            dropped += 1
            continue
        key = (answer.evidence_id, span.start)
        fact = _fact(checklist.items, record, span, answer, found.get(key))
        if fact.items:
            found[key] = fact
    return JoinedFacts(tuple(found.values()), dropped)


def _fact(
    items: Sequence[ChecklistItem],
    record: Evidence,
    span: Span,
    answer: MappedSentence,
    had: ItemFact | None,
) -> ItemFact:
    wanted = [item for item in items if item.id in answer.items]
    if not is_own_finding(span.label, span.text):
        wanted = [item for item in wanted if item.aspect in METHODS_TELL]
    ids = (*(had.items if had else ()), *(item.id for item in wanted))
    return ItemFact(
        id="",
        items=tuple(dict.fromkeys(ids)),
        fact=had.fact if had else sentence_fact(span, answer.evidence_id, FactRole.RESULT),
        side=had.side if had and had.by_reading else _SIDES[answer.side],
        level=grade(record).level,
        # A model that understands the question says which sentence is on it.
        direct=bool(wanted) or bool(had and had.direct),
        relevance=1.0,
        by_reading=bool(had and had.by_reading),
    )


def doubted(by_rule: Sequence[ItemCoverage], answer: Completeness) -> tuple[ItemCoverage, ...]:
    """The rule's coverage, where a model doubts it in part; a located fact is never unsaid."""
    doubts = {one.item for one in answer.items if one.coverage != Coverage.SATISFIED.value}
    said = tuple(
        one.model_copy(
            update={
                "coverage": Coverage.PARTIAL,
                "reason": f"{one.reason}; the model finds it covered in part only",
            }
        )
        for one in by_rule
        if one.item in doubts and one.coverage is Coverage.SATISFIED
    )
    return lower_of(said, by_rule)
