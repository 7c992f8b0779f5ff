"""Whether a statement rests on what it cites.

The quote must be in the record, and the statement's numbers in the quote.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from deepcritical.domain.citation_validator import UNSUPPORTED
from deepcritical.domain.evidence import Evidence, Fact
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim, ReportSection
from deepcritical.domain.text import fold, locate_quote

__all__ = ["check_claims", "claim_holds", "located"]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


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
    """Whether the cited record has the quote at its offsets, with every number of the sentence."""
    record = evidence.get(claim.evidence_id)
    if record is None or fold(record.content[claim.start : claim.end]) != fold(claim.quote):
        return False
    return set(_NUMBER.findall(claim.sentence)) <= set(_NUMBER.findall(claim.quote))


def check_claims(
    report: ResearchReport, evidence: Mapping[str, Evidence]
) -> tuple[ResearchReport, tuple[Claim, ...]]:
    """The report with every sentence marked whose claim does not hold, and those claims.

    A marked sentence ends in ``[unsupported]`` instead of its citation.
    """
    failed = tuple(claim for claim in report.claims if not claim_holds(claim, evidence))
    if not failed:
        return report, ()
    sections = {
        name: _marked(value, failed)
        for name, value in report
        if isinstance(value, ReportSection | str)
    }
    kept = tuple(claim for claim in report.claims if claim not in failed)
    return report.model_copy(update={**sections, "claims": kept}), failed


def _marked(value: ReportSection | str, failed: tuple[Claim, ...]) -> ReportSection | str:
    text = value.content if isinstance(value, ReportSection) else value
    for claim in failed:
        stem = re.escape(claim.sentence.rstrip(".!?"))
        text = re.sub(rf"({stem}[.!?]?[”\"]?)\s*(?:\[\d+\])+", rf"\1 {UNSUPPORTED}", text)
    return value.model_copy(update={"content": text}) if isinstance(value, ReportSection) else text
