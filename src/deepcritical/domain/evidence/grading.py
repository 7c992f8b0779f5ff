"""Grades records: design, OCEBM 2011 level, GRADE certainty and quality, with reasons.

Levels follow the Oxford Centre for Evidence-Based Medicine 2011 table for treatment benefit:
1 systematic review of randomised trials; 2 randomised trial; 3 non-randomised controlled cohort;
4 case series, case-control, historical control; 5 mechanism-based reasoning. A review is graded as
the weakest design that it pools.

Quality, 0-1, is a weighted mean of five factors, each read from a table:

| factor | weight | 1.0 ... lowest |
|---|---|---|
| design | 0.35 | OCEBM level 1: 1.0, 2: 0.85, 3: 0.6, 4: 0.4, 5: 0.2, none: 0.1 |
| size | 0.20 | 1,000 participants: 1.0, 400: 0.8, 100: 0.5, 30: 0.3, fewer: 0.15, unknown: 0.2 |
| integrity | 0.15 | clean: 1.0, corrected: 0.8, not checked: 0.7, concern: 0.2 |
| peer review | 0.10 | journal: 1.0, registry: 0.8, preprint: 0.4, web: 0.1 |
| citations | 0.10 | 100: 1.0, 20: 0.7, 5: 0.5, 1: 0.3, none: 0.2, unknown: 0.3 |

A retracted record has 0. It ranks records for a reader; no verdict rests on it, for a sum of
scores hides what is wrong with a study (Cochrane Handbook, 8.2.1; Jüni et al., JAMA 1999).
"""

from functools import lru_cache

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.evidence.certainty import Certainty, rate_certainty
from deepcritical.domain.evidence.designs import LEVEL, Design, design_of
from deepcritical.domain.evidence.kinds import is_paper, is_preprint, is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.evidence.sizes import participants

_WEIGHTS = {"design": 0.35, "size": 0.20, "integrity": 0.15, "peer review": 0.10, "citations": 0.10}
_DESIGN = {1: 1.0, 2: 0.85, 3: 0.6, 4: 0.4, 5: 0.2, None: 0.1}
_SIZE = ((1000, 1.0), (400, 0.8), (100, 0.5), (30, 0.3), (0, 0.15))
_CITATIONS = ((100, 1.0), (20, 0.7), (5, 0.5), (1, 0.3), (0, 0.2))
_INTEGRITY = {"clean": 1.0, "corrected": 0.8, "not_checked": 0.7, "concern": 0.2, "retracted": 0.0}


class Grade(Model):
    """The strength of one record, with the source of the judgement."""

    design: Design
    level: int | None
    """OCEBM 2011 level 1-5, or None for a trial without a result."""
    reason: str
    from_text: bool = False
    """Whether the design was read from the text: a fallback, flagged.

    It is used when the index gives no publication type.
    """
    participants: int | None = None
    retracted: bool = False
    concern: bool = False
    """Whether an expression of concern stands against the record."""
    certainty: Certainty | None = None
    """GRADE certainty of this record alone; None where there is no result to be certain of."""
    certainty_reasons: tuple[str, ...] = ()
    """What lowered or raised the certainty from where its design starts, as GRADE names it."""
    quality: UnitInterval = 0.0
    """Quality 0-1, whatever its age; see `quality_score`."""


def grade(evidence: Evidence) -> Grade:
    """The grade of one record, from its index, its registry and, flagged, its text."""
    return _graded(evidence)


# A run asks for the grade of one record again and again.
@lru_cache(maxsize=1024)
def _graded(evidence: Evidence) -> Grade:
    judged = design_of(evidence)
    people = participants(evidence)
    rated = rate_certainty(evidence, judged.design, people)
    return Grade(
        design=judged.design,
        level=LEVEL[judged.design],
        reason=judged.reason,
        from_text=judged.from_text,
        participants=people,
        retracted=is_retracted(evidence),
        concern=evidence.metadata.integrity == "concern",
        certainty=rated.certainty,
        certainty_reasons=rated.reasons,
        quality=quality_score(evidence),
    )


def quality_score(record: Evidence) -> UnitInterval:
    """The weighted mean of the factors above, rounded to 2 digits.

    How old a record is does not count: the score must not change with the day.
    """
    if is_retracted(record):
        return 0.0
    points = {
        "design": _DESIGN[LEVEL[design_of(record).design]],
        "size": _step(_SIZE, participants(record), 0.2),
        "integrity": _INTEGRITY[record.metadata.integrity],
        "peer review": _review(record),
        "citations": _step(_CITATIONS, record.metadata.cited_by, 0.3),
    }
    total = sum(_WEIGHTS.values())
    return round(sum(_WEIGHTS[name] * value for name, value in points.items()) / total, 2)


def _step(table: tuple[tuple[int, float], ...], value: int | None, unknown: float) -> float:
    if value is None:
        return unknown
    return next((points for least, points in table if value >= least), table[-1][1])


def _review(record: Evidence) -> float:
    if record.citation.source == "web":
        return 0.1
    if not is_paper(record):
        return 0.8
    return 0.4 if is_preprint(record) else 1.0
