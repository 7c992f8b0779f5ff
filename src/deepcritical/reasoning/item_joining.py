"""Joins a model's answers on a free question with what the rules made of it.

A model adds sentences, doubts and searches. It cannot make an item better covered than the rule
over located facts allows. The side of a sentence is the one that the rules read; a sentence that
only the model found has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.checklist import (
    Aspect,
    Checklist,
    Coverage,
    Inquiry,
    ItemCoverage,
    ItemFact,
    lower_of,
)
from deepcritical.domain.evidence import Evidence, FactRole
from deepcritical.domain.grading import grade, is_notice, is_retracted
from deepcritical.domain.orders import addresses_a_model
from deepcritical.domain.text import Span, fold
from deepcritical.models.answers import (
    AspectKind,
    Completeness,
    InquiryPlan,
    KeyFacts,
    MappedSentence,
)
from deepcritical.reasoning.item_facts import may_answer
from deepcritical.reasoning.quoting import (
    is_own_finding,
    plain_words,
    quoted_sentence,
    sentence_fact,
)

__all__ = [
    "JoinedFacts",
    "chosen_facts",
    "doubted",
    "for_a_model",
    "joined_facts",
    "planned",
    "searches_of",
]

_MOST_SEARCHES = 6
_ASPECTS: dict[AspectKind, Aspect] = {
    "randomised_trials": Aspect.TRIALS,
    "size_of_effect": Aspect.SIZE,
    "safety": Aspect.SAFETY,
    "serious_harm": Aspect.SERIOUS,
    "recommended": Aspect.RECOMMENDED,
    "dose": Aspect.DOSE,
    "mechanism": Aspect.MECHANISM,
    "people": Aspect.PEOPLE,
    "animals_and_cells": Aspect.MODELS,
}


class JoinedFacts(NamedTuple):
    """The facts of rules and model, and how many quotes and ids of the model were dropped."""

    facts: tuple[ItemFact, ...]
    dropped: int


def planned(inquiry: Inquiry, plan: InquiryPlan) -> Inquiry:
    """The question with what a model wants known and searched beside it."""
    aspects = (*inquiry.aspects, *(_ASPECTS[kind] for kind in plan.aspects))
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


def for_a_model(inquiry: Inquiry, records: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """The records to which a model can add: with text, naming the drugs, giving no orders."""
    return {key: record for key, record in records.items() if _is_for(inquiry, record)}


def _is_for(inquiry: Inquiry, record: Evidence) -> bool:
    told = f"{record.citation.title}\n{record.content}"
    if not record.content.strip() or is_retracted(record) or is_notice(record):
        return False
    folded = fold(told)
    named = all(any(fold(name) in folded for name in drug.names) for drug in inquiry.drugs)
    return named and not addresses_a_model(told)


def joined_facts(
    inquiry: Inquiry,
    checklist: Checklist,
    records: Mapping[str, Evidence],
    by_rule: Sequence[ItemFact],
    answers: Iterable[MappedSentence],
) -> JoinedFacts:
    """The facts of the rules with what a model found in the same records.

    Args:
        inquiry: The question.
        checklist: Its items.
        records: The records that the model was shown, by evidence id.
        by_rule: The facts that rules found.
        answers: The model's sentences.
    """
    found = {(f.fact.evidence_id, f.fact.start): f for f in by_rule}
    dropped = 0
    for answer in answers:
        record = records.get(answer.evidence_id)
        span = quoted_sentence(answer.quote, record) if record else None
        if record is None or span is None:
            dropped += 1
        elif is_own_finding(span):
            key = (answer.evidence_id, span.start)
            fact = _fact(inquiry, checklist, record, span, answer, found.get(key))
            if fact.items:
                found[key] = fact
    return JoinedFacts(tuple(found.values()), dropped)


def _fact(
    inquiry: Inquiry,
    checklist: Checklist,
    record: Evidence,
    span: Span,
    answer: MappedSentence,
    had: ItemFact | None,
) -> ItemFact:
    graded = grade(record)
    wanted = (
        item.id
        for item in checklist.items
        if item.id in answer.items
        and may_answer(item, graded)
        and item.aspect is not Aspect.AGAINST
    )
    return ItemFact(
        id="",
        items=tuple(dict.fromkeys((*(had.items if had else ()), *wanted))),
        fact=had.fact if had else sentence_fact(span, answer.evidence_id, FactRole.RESULT),
        side=had.side if had else Stance.NEUTRAL,
        level=graded.level,
        direct=had.direct if had else _names_all(inquiry, span),
    )


def _names_all(inquiry: Inquiry, span: Span) -> bool:
    """Whether a sentence names a drug of the question, or, where it has none, a key term."""
    told = fold(span.text)
    names = [name for drug in inquiry.drugs for name in drug.names] or list(inquiry.key_terms)
    return any(fold(name) in told for name in names)


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


def chosen_facts(
    facts: Sequence[ItemFact], answer: KeyFacts, most: int = 6
) -> tuple[tuple[ItemFact, ...], int]:
    """The facts that a model chose, in its order, and how many ids are of no fact."""
    by_id = {fact.id: fact for fact in facts}
    wanted = list(dict.fromkeys(answer.facts))
    chosen = [by_id[one] for one in wanted if one in by_id]
    return tuple(chosen[:most]), len(wanted) - len(chosen)
