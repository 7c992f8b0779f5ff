"""Whether words are those of the record that they are said to be from.

A claim that is its quote, at its place in a record that is not retracted, needs no other check.
What is told in other words is for the claim ledger.
"""

from __future__ import annotations

from collections.abc import Mapping

from deepcritical.domain.claim_appendix import is_quote
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.report_parts import Claim
from deepcritical.domain.text import fold, locate_quote

__all__ = ["claim_holds", "located"]


def located(fact: Fact, evidence: Mapping[str, Evidence]) -> Fact | None:
    """The fact with its offsets set to where its quote really stands; None if it stands nowhere."""
    record = evidence.get(fact.evidence_id)
    place = locate_quote(fact.quote, record.content) if record else None
    if record is None or place is None:
        return None
    if record.content[fact.start : fact.end] == fact.quote:
        return fact
    start, end = place
    return fact.model_copy(update={"quote": record.content[start:end], "start": start, "end": end})


def claim_holds(claim: Claim, evidence: Mapping[str, Evidence]) -> bool:
    """Whether the quote stands at its offsets, the sentence is it, and its record counts."""
    record = evidence.get(claim.evidence_id)
    if record is None or is_retracted(record):
        return False
    if fold(record.content[claim.start : claim.end]) != fold(claim.quote):
        return False
    return is_quote(claim)
