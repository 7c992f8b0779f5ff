"""Artificial records, studies and reports; every name, id and number in here is made up."""

from __future__ import annotations

from typing import Any

from deepcritical.domain.appraisal.findings import Appraisal, Direction, Reading, StudyFinding
from deepcritical.domain.appraisal.verdict import NO_RECORD
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata, Fact, FactRole
from deepcritical.domain.report.citation_validator import build_reference_from_evidence
from deepcritical.domain.report.parts import Claim, Reference, ReportSection
from deepcritical.domain.report.report import ResearchReport

TITLE = "A study of examplol in testitis"
QUOTE = "Pain fell by 12.5% (p = 0.02)."
CONTENT = f"Examplol was given to 120 adults with testitis. {QUOTE}"


def paper(title: str = TITLE, content: str = CONTENT, url: str = "", **metadata: Any) -> Evidence:
    """A publication; keywords are fields of its metadata."""
    return Evidence(
        content=content,
        citation=Citation(source="pubmed", title=title, url=url),
        metadata=EvidenceMetadata.model_validate(metadata),
    )


def trial(nct_id: str = "NCT11111111", content: str = "", **metadata: Any) -> Evidence:
    """A registry entry; keywords are fields of its metadata."""
    return paper(f"Trial {nct_id}", content, kind="trial", nct_id=nct_id, **metadata)


def fact(quote: str = QUOTE, evidence_id: str = "E1", content: str = CONTENT) -> Fact:
    """A fact with the offsets of its quote in the content, or beyond its end when it is absent."""
    at = content.find(quote)
    start = at if at >= 0 else len(content)
    return Fact(
        statement=quote,
        evidence_id=evidence_id,
        quote=quote,
        start=start,
        end=start + len(quote),
        role=FactRole.RESULT,
    )


def claim(sentence: str = QUOTE, quote: str = QUOTE, evidence_id: str = "E1") -> Claim:
    """A sentence of a report with the quote behind it, at its place in the content."""
    start = max(0, CONTENT.find(quote))
    return Claim(
        sentence=sentence, evidence_id=evidence_id, quote=quote, start=start, end=start + len(quote)
    )


def appraisal(record: Evidence, evidence_id: str = "E1", **reading: Any) -> Appraisal:
    """A record as read about examplol; keywords are fields of the reading."""
    fields = {"evidence_id": evidence_id, "drug": "examplol", **reading}
    return Appraisal(reading=Reading.model_validate(fields), grade=grade(record))


_WAYS = {
    Direction.SUPPORTS: Way.BENEFIT,
    Direction.REFUTES: Way.NO_DIFFERENCE,
    Direction.MIXED: Way.CONFLICT,
}


def vote(direction: Direction, level: int, people: int | None, key: str, *, direct: bool) -> Vote:
    """Build a study's vote on pain, by its OCEBM level."""
    return Vote(
        evidence_id=key,
        row="pain",
        outcome="pain",
        importance="critical",
        way=_WAYS[direction],
        level="primary",
        tier="randomised" if level <= 2 else "controlled",
        directness="direct" if direct else "related",
        review=level == 1,
        people=people,
    )


def study(
    direction: Direction = Direction.SUPPORTS,
    level: int | None = 2,
    participants: int | None = None,
    *,
    direct: bool = True,
    key: str = "E1",
) -> StudyFinding:
    """Build the findings of one study."""
    speaks = direction is not Direction.NONE and level is not None and level < 5
    found = (vote(direction, level or 2, participants, key, direct=direct),) if speaks else ()
    return StudyFinding(
        votes=found,
        evidence_ids=(key,),
        deciding_ids=(key,) if direction is not Direction.NONE else (),
        direction=direction,
        level=level,
        direct=direct,
        participants=participants,
    )


def reference(record: Evidence, **changes: Any) -> Reference:
    """The reference of a record, with some of its fields changed."""
    return build_reference_from_evidence(record).model_copy(update=changes)


def section(content: str = "", title: str = "A part") -> ReportSection:
    return ReportSection(title=title, content=content)


def report(text: str = "", *references: Reference, **changes: Any) -> ResearchReport:
    """A report whose clinical findings are `text`; keywords are other fields."""
    fields: dict[str, Any] = {
        "title": "Examplol for testitis",
        "research_question": "Does examplol help in testitis?",
        "executive_summary": "A summary.",
        "verdict": NO_RECORD,
        "methodology": section(title="Methodology"),
        "mechanistic_findings": section(),
        "clinical_findings": section(text),
        "contradictions": section(),
        "safety": section(),
        "conclusion": "A conclusion.",
        "references": references,
        "confidence_score": 0.2,
        "written_by": "a test",
    }
    return ResearchReport.model_validate({**fields, **changes})
