"""Makes the facts of a checklist from located sentences, and joins those of one sentence."""

from __future__ import annotations

from deepcritical.answering.cues import FINDINGS, sectioned
from deepcritical.domain.appraisal.checklist import ChecklistItem, ItemFact
from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.grading import Grade
from deepcritical.domain.evidence.record import Evidence, Fact
from deepcritical.domain.text.spans import Span, body_sentences, whole_sentences


def fact_of(
    item: ChecklistItem,
    fact: Fact,
    graded: Grade,
    *,
    direct: bool,
    relevance: float,
) -> ItemFact:
    """Return what a record says to a need, without a side."""
    return ItemFact(
        id="",
        items=(item.id,),
        fact=fact,
        side=Stance.NEUTRAL,
        level=graded.level,
        direct=direct,
        relevance=round(relevance, 3),
    )


def joined(one: ItemFact, other: ItemFact) -> ItemFact:
    """Two facts that are one sentence, with the needs of both."""
    sided = one if one.side is not Stance.NEUTRAL else other
    return one.model_copy(
        update={
            "items": tuple(dict.fromkeys((*one.items, *other.items))),
            "side": sided.side,
            "direct": one.direct or other.direct,
            "relevance": max(one.relevance, other.relevance),
            "by_reading": one.by_reading or other.by_reading,
        }
    )


def body_of(record: Evidence) -> list[Span]:
    """The whole sentences of a record with the sections in which they stand."""
    whole = {span.start for span in whole_sentences(record.content)}
    body = body_sentences(record.content, record.citation.title)
    return sectioned([span for span in body if span.start in whole])


def is_entry_without_results(record: Evidence) -> bool:
    """Return whether a registry entry tells only what is planned."""
    spans = whole_sentences(record.content)
    return record.metadata.kind == "trial" and not any(s.label.startswith(FINDINGS) for s in spans)
