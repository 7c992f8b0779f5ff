"""How strong a record is: design, OCEBM 2011 level, GRADE certainty and quality, with reasons.

Levels follow the Oxford Centre for Evidence-Based Medicine 2011 table for treatment benefit:
1 systematic review of randomised trials; 2 randomised trial; 3 non-randomised controlled cohort;
4 case series, case-control, historical control; 5 mechanism-based reasoning. A review is graded as
the weakest design that it pools.
"""

from __future__ import annotations

from functools import lru_cache

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.certainty import Certainty, rate_certainty
from deepcritical.domain.designs import LEVEL, Design, design_of
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.quality import quality_score
from deepcritical.domain.record_kinds import is_notice, is_paper, is_retracted
from deepcritical.domain.sizes import participants
from deepcritical.domain.stop_reasons import is_harm_stop, is_negative_reason, is_negative_stop

__all__ = [
    "LEVEL",
    "Certainty",
    "Design",
    "Grade",
    "grade",
    "is_harm_stop",
    "is_negative_reason",
    "is_negative_stop",
    "is_notice",
    "is_paper",
    "is_retracted",
    "participants",
    "quality_score",
]


class Grade(Model):
    """How strong one record is, with where the judgement comes from."""

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
    """The grade of one record, from its index, its registry and, flagged, its text.

    Args:
        evidence: Any record; one without a result has no level and no certainty.
    """
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
