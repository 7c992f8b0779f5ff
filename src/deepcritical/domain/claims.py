"""Whether a statement rests on what it cites.

The quote must stand in the record, and the claim's sentence must be the quote: other words are not
accepted, so that a claim with a changed number, name or direction fails. The sentence must be
printed with the number of its record. A retracted record supports nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

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
    """The report with every claim's sentence marked where it does not hold, and those claims.

    A claim fails when its record does not bear it, when its sentence is not in the report, or when
    the sentence cites another record. A marked sentence ends in ``[unsupported]`` instead of its
    citation. Prose that no claim stands for is not seen here.
    """
    checks = _Marking(report, evidence)
    prose = {name: value for name, value in report if name not in NOT_PROSE}
    marked = {name: map_texts(value, checks.mark) for name, value in prose.items()}
    failed = tuple(claim for claim in report.claims if claim not in checks.sound)
    if not failed:
        return report, ()
    return report.model_copy(update={**marked, "claims": tuple(checks.sound)}), failed


class _Marking:
    """Marks the sentences of claims and collects the claims that hold where they are printed."""

    def __init__(self, report: ResearchReport, evidence: Mapping[str, Evidence]) -> None:
        numbers = {r.evidence_id: n for n, r in enumerate(report.references, 1)}
        self.sound: dict[Claim, None] = {}
        self._claims: dict[str, list[tuple[Claim, int | None]]] = {}
        for claim in report.claims:
            number = numbers.get(claim.evidence_id) if claim_holds(claim, evidence) else None
            self._claims.setdefault(claim.sentence.rstrip(".!?"), []).append((claim, number))
        self._patterns = [(_printed(stem), found) for stem, found in self._claims.items()]

    def mark(self, text: str) -> str:
        """The text with each claimed sentence marked that does not cite a record that bears it."""
        for pattern, found in self._patterns:
            if pattern is not None:
                text = pattern.sub(partial(self._judged, found), text)
        return text

    def _judged(self, found: list[tuple[Claim, int | None]], match: re.Match[str]) -> str:
        cited = {int(n) for n in re.findall(r"\d+", match["markers"])}
        sound = [claim for claim, number in found if number in cited]
        self.sound.update(dict.fromkeys(sound))
        return match.group() if sound else f"{match['sentence']} {UNSUPPORTED}"


def _printed(stem: str) -> re.Pattern[str] | None:
    """A claim's sentence as printed, with the markers behind it; None for a stem of no word."""
    if len(re.findall(r"\w+", stem)) < 2:
        return None
    return re.compile(
        rf"(?P<sentence>(?<![\w-]){re.escape(stem)}[.!?]?[”\"]?)(?P<markers>{_MARKERS})"
    )
