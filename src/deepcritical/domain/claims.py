"""Whether a statement rests on what it cites.

The quote must stand in the record, and the statement must be the quote: a sentence in other words
is not accepted, so that a changed number, name or direction cannot pass. A retracted record
supports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from deepcritical.domain.base import map_texts
from deepcritical.domain.citation_validator import NOT_PROSE, UNSUPPORTED
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.markdown import visible
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim
from deepcritical.domain.text import fold, locate_quote

__all__ = ["check_claims", "claim_holds", "located"]

_ESCAPE = re.compile(r"\\(?=[^\w\s])")
_MARKERS = r"(?:\s*(?<!\\)\[[\d\s,;–-]+\])+"


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
    return fold(_ESCAPE.sub("", claim.sentence)) == fold(visible(claim.quote))


def check_claims(
    report: ResearchReport, evidence: Mapping[str, Evidence]
) -> tuple[ResearchReport, tuple[Claim, ...]]:
    """The report with every sentence marked whose claim does not hold, and those claims.

    A marked sentence ends in ``[unsupported]`` instead of its citation.
    """
    failed = tuple(claim for claim in report.claims if not claim_holds(claim, evidence))
    if not failed:
        return report, ()
    marks = [_after(claim) for claim in failed]

    def mark(text: str) -> str:
        for pattern in marks:
            text = pattern.sub(rf"\1 {UNSUPPORTED}", text)
        return text

    marked = {name: map_texts(value, mark) for name, value in report if name not in NOT_PROSE}
    kept = tuple(claim for claim in report.claims if claim not in failed)
    return report.model_copy(update={**marked, "claims": kept}), failed


def _after(claim: Claim) -> re.Pattern[str]:
    """A claim's sentence as printed, with or without its last stop, and the markers behind it."""
    stem = re.escape(claim.sentence.rstrip(".!?"))
    return re.compile(rf"({stem}[.!?]?[”\"]?){_MARKERS}")
