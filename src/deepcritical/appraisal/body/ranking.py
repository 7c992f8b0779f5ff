"""Ranks the drugs of a question that asks which ones could help."""

from __future__ import annotations

from collections.abc import Sequence

from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel

_CANDIDATES = (
    VerdictLabel.SUPPORTED,
    VerdictLabel.PROMISING,
    VerdictLabel.MIXED,
    VerdictLabel.UNSUPPORTED,
    VerdictLabel.REFUTED,
    VerdictLabel.HARMFUL,
    VerdictLabel.NOT_ASSESSED,
    VerdictLabel.INSUFFICIENT,
)
"""Labels in order; what was tested stands first: a reader must see that a drug failed.

Not assessed goes before insufficient with a randomised study, which nobody could read, else last.
"""


def candidate_rank(
    verdict: Verdict, studies: Sequence[StudyFinding]
) -> tuple[int, float, int, int, int]:
    """The place of a drug among candidates: the lower, the nearer to the top.

    By verdict, certainty, people in randomised studies, number of these and of all studies.
    """
    tried = [s for s in studies if s.randomised]
    read = [r.people or 0 for r in verdict.rows if r.tier == "randomised"]
    people = max((*read, sum(s.participants or 0 for s in tried)))
    is_last = verdict.label is VerdictLabel.NOT_ASSESSED and not tried
    place = len(_CANDIDATES) if is_last else _CANDIDATES.index(verdict.label)
    return place, -verdict.confidence, -people, -len(tried), -len(studies)
