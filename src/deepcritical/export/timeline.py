"""The references of a report by year, level and direction, as data."""

from __future__ import annotations

from deepcritical.domain.appraisal import Direction
from deepcritical.domain.base import Model
from deepcritical.domain.evidence_table import EvidenceRow
from deepcritical.domain.patterns import bounded
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Reference

__all__ = ["TimelinePoint", "timeline", "year_of"]

_YEAR = bounded(r"[12]\d{3}\b")


class TimelinePoint(Model):
    """One reference on the timeline."""

    number: int
    """That of the reference."""
    name: str
    year: int | None
    """None when the source shows no date."""
    level: int | None
    """OCEBM 2011 level; None without a result to grade."""
    direction: Direction
    direct: bool
    """Whether the finding is about the condition itself."""
    participants: int | None
    retracted: bool


def timeline(report: ResearchReport) -> tuple[TimelinePoint, ...]:
    """A point for each reference with a row in the evidence table."""
    rows = {row.evidence_id: row for row in report.evidence_table}
    return tuple(
        _point(number, reference, rows[reference.evidence_id])
        for number, reference in enumerate(report.references, 1)
        if reference.evidence_id in rows
    )


def _point(number: int, reference: Reference, row: EvidenceRow) -> TimelinePoint:
    speaking = (s for s in row.stances if s.direction is row.direction)
    return TimelinePoint(
        number=number,
        name=reference.short_name,
        year=year_of(reference),
        level=row.level,
        direction=row.direction,
        direct=any(stance.direct for stance in speaking),
        participants=row.participants,
        retracted=reference.retracted,
    )


def year_of(reference: Reference) -> int | None:
    """The year of publication, or of the registry entry; None when the source shows no date."""
    year = _YEAR.match(reference.date)
    return int(year.group()) if year else None
