"""Prints located sentences of records, and what leads them in."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.kinds import told_status
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.report.sentences import Finding
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.spans import Span
from deepcritical.writing.sentences.studies import kind_of
from deepcritical.writing.sentences.words import listed

LEADS = {
    "strongest": "What the records say on it, the strongest and most fitting first:",
    "newest": "What the records say on it, the newest first:",
    "unweighed": "What the records say on it, though their results could not be weighed:",
    "alike": "What comes nearest to the question in meaning:",
    "nothing": "No sentence in the records found was recognised as an answer to this question.",
    "near": "Records on something near it are quoted below.",
}
"""Sentences before passages, or in their place."""


def passage_finding(
    key: str, evidence_id: str, span: Span, record: Evidence, reading: StudyReading | None = None
) -> Finding:
    """Return a located sentence as a finding.

    Args:
        key: Its id.
        evidence_id: That of its record.
        span: The sentence, with its place in the record's text.
        record: Its record.
        reading: What the record says of its study.
    """
    graded = grade(record)
    kind = kind_of(reading, graded.design)
    strength = [kind.partition(" (")[0].partition(", no ")[0]]
    if status := told_status(record):
        strength.append(status)
    if people := _people(reading) if reading else graded.participants:
        strength.append(f"{people:,} people")
    if place := record.place_of(span.start):
        strength.append(place)
    if graded.concern:
        strength.append("under an expression of concern")
    finding = Finding(
        id=key,
        evidence_ids=(evidence_id,),
        study=build_reference_from_evidence(record).short_name,
        design=", ".join(strength),
        population=_population(record, reading),
        quotes=(span.text,),
    )
    sentence = passage_sentence(finding, quotable=record.quotable)
    return finding.model_copy(update={"sentence": sentence})


def _people(reading: StudyReading) -> int | None:
    """Return who was studied; of a review the number is of its studies' people, which few tell."""
    population = reading.population
    human = population.species == "human"
    return (population.n_randomised or population.n_analysed) if human else None


def _population(record: Evidence, reading: StudyReading | None) -> str:
    """Return who or what was studied, also by the title: a sentence alone seldom names it."""
    told = reading.population.description if reading else ""
    return "; ".join(part for part in (told, " ".join(record.citation.title.split())) if part)


def pointer_sentence(names: Sequence[str]) -> str:
    """Return where passages stand that were told before."""
    return f"See {listed(list(dict.fromkeys(names)))} above."


def missing_sentence(names: Sequence[str]) -> str:
    """Return that no record has a name of the question."""
    return f"No record found names {listed(list(names), 'or')}."


def passage_sentence(finding: Finding, *, quotable: bool) -> str:
    """Return what tells a passage; in quotation marks where the words are the source's own."""
    quote = " ".join(finding.quotes[0].split())
    head = f"{finding.study} ({finding.design})"
    return f"{head}: “{quote.rstrip('.')}”." if quotable else f"{head}, in summary: {quote}"
