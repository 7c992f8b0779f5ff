"""Ranks the drugs of a question that asks which ones could help."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.appraisal import StudyFinding
from deepcritical.domain.verdict import Verdict, VerdictLabel

_CANDIDATES = (
    VerdictLabel.SUPPORTED,
    VerdictLabel.PROMISING,
    VerdictLabel.MIXED,
    VerdictLabel.UNSUPPORTED,
    VerdictLabel.REFUTED,
    VerdictLabel.HARMFUL,
    VerdictLabel.INSUFFICIENT,
    VerdictLabel.NOT_ASSESSED,
)
"""Labels in order; what was tested stands first: a reader must see that a drug failed."""


def candidate_rank(
    verdict: Verdict, studies: Sequence[StudyFinding]
) -> tuple[int, float, int, int]:
    """The place of a drug among candidates: the lower, the nearer to the top.

    By verdict, certainty, people in randomised studies and number of studies.
    """
    people = max((r.people or 0 for r in verdict.rows if r.tier == "randomised"), default=0)
    return _CANDIDATES.index(verdict.label), -verdict.confidence, -people, -len(studies)
