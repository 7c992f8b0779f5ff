"""A record as read by rules, with the direction that a model reads in it beside theirs.

Only what the rules read counts. A model that reads another direction disputes it; the table of
records shows that, and no verdict changes.
"""

from __future__ import annotations

from deepcritical.domain.appraisal import Direction, Reading
from deepcritical.domain.evidence import Evidence, Fact, FactRole
from deepcritical.domain.text import Span
from deepcritical.models.answers import ReadRecord
from deepcritical.reasoning.quoting import is_own_finding, quoted_sentence, sentence_fact

__all__ = ["combined"]

_MOST_FINDINGS = 60
"""Of one record; a model that repeats itself is not followed for ever."""


def combined(rules: Reading, read: ReadRecord, evidence: Evidence) -> tuple[Reading, int]:
    """Return the rules' reading with the model's direction, and how many quotes were dropped.

    Where the rules read no direction, the sentences in which the model reads one are added to what
    the record says, without a direction.

    Args:
        rules: What the rules read; its facts are located.
        read: The model's answer on the same record.
        evidence: The record.
    """
    told = read.findings[:_MOST_FINDINGS]
    places = [(quoted_sentence(finding.quote, evidence), finding.direction) for finding in told]
    dropped = sum(span is None for span, _ in places)
    found = {
        span.start: (span, direction)
        for span, direction in places
        if span and direction != "none" and is_own_finding(span)
    }
    update: dict[str, object] = {
        "model_direction": _direction({direction for _, direction in found.values()})
    }
    if rules.direction is Direction.NONE:
        update["context"] = (*rules.context, *_added(rules, [span for span, _ in found.values()]))
    return rules.model_copy(update=update), dropped


def _direction(said: set[str]) -> Direction:
    helps, fails = "benefit" in said, bool(said - {"benefit"})
    if helps and fails:
        return Direction.MIXED
    return Direction.SUPPORTS if helps else Direction.REFUTES if fails else Direction.NONE


def _added(rules: Reading, spans: list[Span]) -> list[Fact]:
    known = {fact.start for fact in rules.facts}
    return [
        sentence_fact(span, rules.evidence_id, FactRole.RESULT)
        for span in sorted(spans, key=lambda span: span.start)
        if span.start not in known
    ]
