"""Joins a model's answers on a free question with what code made of it.

A model adds needs, sentences, doubts and searches. Every sentence is located in its record, and
none makes an item better covered than the rule over studies allows. What the reading of a study
says of its side is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from deepcritical.answering.cues import METHODS_TELL, is_own_finding
from deepcritical.answering.facts import fact_of, joined
from deepcritical.answering.passages import PassageReader
from deepcritical.answering.quoting import plain_words
from deepcritical.domain.appraisal.checklist import (
    Aspect,
    Checklist,
    ChecklistItem,
    Coverage,
    Inquiry,
    InquiryKind,
    ItemCoverage,
    ItemFact,
    lower_of,
)
from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import is_notice, is_retracted
from deepcritical.domain.evidence.record import Evidence, Fact, FactRole
from deepcritical.domain.question.frame import QuestionKind
from deepcritical.domain.text.spans import Span, addresses_a_model, whole_sentences
from deepcritical.models.answers import Completeness, InquiryPlan, MappedNeed

_MOST_SEARCHES = 6
_MOST_OF_NEED = 12
"""Sentences for one need that an answer may hold."""
_BY_MODEL, _STEP = 2.0, 0.08
"""Relevance of the sentence that a model puts first, above all by rule; what a place costs."""


class JoinedFacts(NamedTuple):
    """The facts of code and model, and how many quotes and ids of the model were dropped."""

    facts: tuple[ItemFact, ...]
    dropped: int


_KINDS = {
    Aspect.RATE: InquiryKind.FREQUENCY,
    Aspect.RECOMMENDED: InquiryKind.GUIDANCE,
    Aspect.REGISTERED: InquiryKind.TRIALS,
    Aspect.BACKGROUND: InquiryKind.DEFINITION,
}
_OPEN = (QuestionKind.OPEN, QuestionKind.LOOK_UP, QuestionKind.SAFETY)


def planned(inquiry: Inquiry, plan: InquiryPlan, *, sure: bool) -> Inquiry:
    """The question with what a model wants known and searched beside it.

    Of a question on harm, or of no fixed kind, its first need says what kind it is, if the model
    is `sure`.
    """
    aspects = (*inquiry.aspects, *(Aspect(need) for need in plan.needs))
    kind = inquiry.kind
    is_open = sure and inquiry.frame and inquiry.frame.kind in _OPEN
    if is_open and plan.needs and kind is not InquiryKind.UNKNOWN:
        first = Aspect(plan.needs[0])
        kind = _KINDS.get(first) or InquiryKind(first.value)
    return inquiry.model_copy(
        update={
            "kind": kind,
            "aspects": tuple(dict.fromkeys(aspects)),
            "searches": searches_of((plan.test, *plan.searches)),
        }
    )


def searches_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The searches of a model that are a few plain words."""
    words = (plain_words(text) for text in texts)
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_SEARCHES]


def asked_itself(inquiry: Inquiry, checklist: Checklist) -> Checklist:
    """The checklist with the question in its own words in the place of its first item's."""
    first, *others = checklist.items
    return Checklist(items=(first.model_copy(update={"text": inquiry.text}), *others))


def for_a_model(records: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """The records that a model may be shown: with text, not retracted, without orders to it."""
    return {key: record for key, record in records.items() if _is_for_a_model(record)}


def _is_for_a_model(record: Evidence) -> bool:
    if not record.content.strip() or is_retracted(record) or is_notice(record):
        return False
    return not addresses_a_model(f"{record.citation.title}\n{record.content}")


def on_the_question(
    inquiry: Inquiry,
    checklist: Checklist,
    records: Mapping[str, Evidence],
    found: Sequence[Evidence],
) -> dict[str, Evidence]:
    """Of records those on the question or near it, among all that were found."""
    reader = PassageReader(inquiry, checklist, found)
    return {key: record for key, record in records.items() if reader.bearing(record)}


def numbered(record: Evidence) -> str:
    """The text of a record, a sentence a line behind its number, from 1, and its section."""
    spans = enumerate(whole_sentences(record.content), 1)
    return "\n".join(f"{n}. {f'[{s.label}] ' if s.label else ''}{s.text}" for n, s in spans)


def joined_facts(
    checklist: Checklist,
    records: Mapping[str, Evidence],
    by_code: Sequence[ItemFact],
    answer: Iterable[MappedNeed],
    *,
    only: bool = False,
) -> JoinedFacts:
    """The facts of code with the sentences that a model matched to needs.

    A number that no sentence has is dropped. What a reading says of the side of a result stays.

    Args:
        checklist: The items.
        records: The records that the model was shown, by evidence id.
        by_code: The facts that code found.
        answer: What the model matched.
        only: Whether what it did not match is left out: of code then only the sides stay.
    """
    known = {(f.fact.evidence_id, f.fact.start): f for f in by_code}
    found = {} if only else dict(known)
    items = {item.id: item for item in checklist.items}
    dropped = 0
    for need in answer:
        for side, numbers in (
            (Stance.SUPPORTS if need.contradicts else Stance.NEUTRAL, need.meets),
            (Stance.REFUTES, need.contradicts),
            (None, need.near),
        ):
            for place, number in enumerate(numbers[:_MOST_OF_NEED]):
                key, span = _sentence(number, records)
                item = items.get(need.item)
                if span is None or item is None:
                    dropped += 1
                elif only or _tells(item, span):
                    fact = _matched(item, records[key], key, span, side, place)
                    at = (key, span.start)
                    had = found.get(at) or (_side_of(known[at], fact) if at in known else None)
                    found[at] = joined(had, fact) if had else fact
    return JoinedFacts(tuple(found.values()), dropped)


def _sentence(number: str, records: Mapping[str, Evidence]) -> tuple[str, Span | None]:
    """The sentence of a number such as E12.3, by the id of its record."""
    key, _, place = number.strip().strip("[]").partition(".")
    spans = whole_sentences(records[key].content) if key in records else []
    at = int(place) if place.isdecimal() else 0
    span = spans[at - 1] if 1 <= at <= len(spans) else None
    return key, None if span is None or addresses_a_model(span.text) else span


def _tells(item: ChecklistItem, span: Span) -> bool:
    return item.aspect in METHODS_TELL or is_own_finding(span.label, span.text)


def _side_of(known: ItemFact, fact: ItemFact) -> ItemFact | None:
    """The matched sentence with the side that its reading gives it; None where it gives none."""
    if not known.by_reading:
        return None
    return fact.model_copy(update={"side": known.side, "by_reading": True})


def _matched(
    item: ChecklistItem, record: Evidence, key: str, span: Span, side: Stance | None, place: int
) -> ItemFact:
    """A sentence for a need, the more telling the higher it stands; without a side it is near."""
    fact, relevance = Fact.of(span, key, FactRole.RESULT), _BY_MODEL - _STEP * place
    made = fact_of(item, fact, grade(record), direct=side is not None, relevance=relevance)
    return made.model_copy(update={"side": side or Stance.NEUTRAL})


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
