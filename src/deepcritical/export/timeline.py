"""Draws the evidence timeline: year across, OCEBM level down, direction by shape."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.appraisal.evidence_table import EvidenceRow
from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.base import Model
from deepcritical.domain.report.parts import Reference
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.text.patterns import bounded
from deepcritical.export.svg import Drawing, Tone, label, nothing_drawn, opener, path

_YEAR = bounded(r"[12]\d{3}\b")
_TITLE = "Evidence timeline"
_WIDTH, _LEFT, _RIGHT, _TOP = 820, 186, 752, 14
_UNDATED = 774
"""Where references without a year stand."""
_ROW = 34
_LEVELS: dict[int | None, tuple[str, str]] = {
    1: ("Level 1", "reviews of randomised trials"),
    2: ("Level 2", "randomised trials"),
    3: ("Level 3", "controlled, not randomised"),
    4: ("Level 4", "case series, case-control"),
    5: ("Level 5", "mechanism, opinion"),
    None: ("No level", "no result, or no design"),
}
_TONES: dict[Direction, Tone] = {
    Direction.SUPPORTS: "good",
    Direction.REFUTES: "bad",
    Direction.MIXED: "mixed",
    Direction.NONE: "soft",
}
_MEANING = {
    Direction.SUPPORTS: "benefit",
    Direction.REFUTES: "no effect, or harm",
    Direction.MIXED: "both ways",
    Direction.NONE: "no direction",
}
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_TICKS = 10


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


class _Mark(NamedTuple):
    """A point in its place: `row` counts from the top of its level."""

    point: TimelinePoint
    x: float
    row: int


def draw_timeline(report: ResearchReport) -> Drawing:
    """A mark for each reference with its number; the size of a mark grows with the participants."""
    points = timeline(report)
    if not points:
        return nothing_drawn("timeline", _TITLE, "No reference has been graded.", _WIDTH)
    scale = _Scale(points)
    levels = [
        level for level in _LEVELS if level is not None or any(p.level is None for p in points)
    ]
    parts, top = [], float(_TOP)
    for level in levels:
        marks = _packed([p for p in points if p.level == level], scale)
        height = _ROW * max(1, 1 + max((mark.row for mark in marks), default=0)) + 12
        parts.append(_lane(level, top, height, marks))
        top += height
    parts += [_axis(scale, top), _legend(top + 58)]
    said = f"{'; '.join(map(point_words, points))}."
    return Drawing("timeline", _TITLE, said, _WIDTH, int(top + 104), "".join(parts))


class _Scale:
    def __init__(self, points: Sequence[TimelinePoint]) -> None:
        years = [point.year for point in points if point.year is not None]
        self.first, self.last = (min(years), max(years)) if years else (0, 0)
        self.undated = len(years) < len(points)
        self.dated = bool(years)

    def x(self, year: int | None) -> float:
        if year is None:
            return _UNDATED
        span = self.last - self.first
        # The mark of the first year must not stand on the edge.
        share = (year - self.first) / span if span else 0.5
        return _LEFT + 24 + share * (_RIGHT - _LEFT - 72)

    def ticks(self) -> list[int]:
        if not self.dated:
            return []
        span = self.last - self.first
        step = next((s for s in _STEPS if span / s < _MOST_TICKS), span)
        start = -(-self.first // step) * step
        return list(range(start, self.last + 1, step)) or [self.first]


def _packed(points: Sequence[TimelinePoint], scale: _Scale) -> list[_Mark]:
    """Each mark in the first row in which it touches none before it."""
    ends: list[float] = []
    marks = []
    for point in sorted(points, key=lambda p: (p.year is None, p.year or 0, p.number)):
        x, half = scale.x(point.year), _radius(point)
        row = next((n for n, end in enumerate(ends) if end < x - half - 4), len(ends))
        ends[row : row + 1] = [x + half + 6 + 8 * len(str(point.number))]
        marks.append(_Mark(point, x, row))
    return marks


def _radius(point: TimelinePoint) -> float:
    """6 without a number of participants, 7 for ten and 14 for a hundred thousand or more."""
    people = point.participants or 0
    return 6.0 if people < 10 else min(14.0, 5.25 + 1.75 * math.log10(people))


def _lane(level: int | None, top: float, height: float, marks: Sequence[_Mark]) -> str:
    name, meaning = _LEVELS[level]
    bottom = top + height
    words = label(12, top + 20, [name], bold=True) + label(
        12, top + 36, [meaning], tone="soft", size=11.5
    )
    rule = path(f"M{_LEFT} {bottom:g}H{_WIDTH - 10}", stroke="line", width=0.8)
    return words + rule + "".join(_mark(mark, top + 6 + _ROW * (mark.row + 0.5)) for mark in marks)


def _mark(mark: _Mark, y: float) -> str:
    point, half = mark.point, _radius(mark.point)
    tone = _TONES[point.direction]
    hollow = not point.direct or point.direction is Direction.NONE
    shape = path(
        _shape(point.direction, mark.x, y, half),
        fill="card" if hollow else tone,
        stroke=tone,
        width=2,
        hint=point_words(point),
    )
    number = label(mark.x + half + 4, y + 4.5, [str(point.number)], size=12.5)
    crossed = _cross(mark.x, y, half + 4) if point.retracted else ""
    return opener(f"src-{point.number}", shape + crossed + number)


def _cross(x: float, y: float, half: float) -> str:
    side = 2 * half
    data = f"M{x - half:.1f} {y - half:.1f}l{side:g} {side:g}m0 {-side:g}l{-side:g} {side:g}"
    return path(data, stroke="ink", width=1.8)


def _shape(direction: Direction, x: float, y: float, half: float) -> str:
    if direction is Direction.SUPPORTS:
        return f"M{x:.1f} {y - half:.1f}l{half:.1f} {1.8 * half:.1f}h{-2 * half:.1f}z"
    if direction is Direction.REFUTES:
        return f"M{x:.1f} {y + half:.1f}l{half:.1f} {-1.8 * half:.1f}h{-2 * half:.1f}z"
    if direction is Direction.MIXED:
        return (
            f"M{x:.1f} {y - half:.1f}l{half:.1f} {half:.1f}l{-half:.1f} {half:.1f}"
            f"l{-half:.1f} {-half:.1f}z"
        )
    arc = f"a{half:.1f} {half:.1f} 0 1 1"
    return f"M{x - half:.1f} {y:.1f}{arc} {2 * half:.1f} 0{arc} {-2 * half:.1f} 0z"


def _axis(scale: _Scale, top: float) -> str:
    named = [(scale.x(year), str(year)) for year in scale.ticks()]
    rules = "".join(path(f"M{x:.1f} {top:g}v6", stroke="line") for x, _ in named)
    named += [(_UNDATED, "no date")] if scale.undated else []
    return rules + "".join(
        label(x, top + 22, [name], tone="soft", size=13, anchor="middle") for x, name in named
    )


def _legend(y: float) -> str:
    parts, x = [], 20.0
    for direction, meaning in _MEANING.items():
        hollow = direction is Direction.NONE
        tone = _TONES[direction]
        shape = _shape(direction, x, y - 5, 7)
        parts.append(path(shape, fill="card" if hollow else tone, stroke=tone, width=2))
        parts.append(label(x + 14, y, [meaning], tone="soft", size=13))
        x += 52 + 7 * len(meaning)
    rest = "hollow: a related condition or outcome · crossed out: retracted · larger: more people"
    return "".join(parts) + label(12, y + 26, [rest], tone="soft", size=13)


def point_words(point: TimelinePoint) -> str:
    """A point in words."""
    about: Mapping[bool, str] = {True: "", False: ", about a related condition or outcome"}
    direction = point.direction is not Direction.NONE
    level = f"level {point.level}" if point.level else "no level"
    people = f", {point.participants:,} participants" if point.participants else ""
    return (
        f"[{point.number}] {point.name}: {level}, {_MEANING[point.direction]}"
        f"{about[point.direct] if direction else ''}{people}"
        f"{', retracted' if point.retracted else ''}"
    )
