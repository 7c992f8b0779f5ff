"""The judge's assessment: scores, gaps and searches for the next round.

Whether the run goes on is decided by code.
"""

from typing import Literal

from deepcritical.domain.base import Model, Score10, UnitInterval
from deepcritical.domain.question.question import SearchQuery


class RoundChoice(Model):
    """The judge's wishes for the next round. Code decides if there is one."""

    wants_more: bool
    """Whether another round is wanted."""
    gaps: tuple[str, ...] = ()
    """The gaps to close, the first one first; each is one of the assessment's."""
    made_by: Literal["model", "rules"] = "rules"


class JudgeAssessment(Model):
    """The judge's assessment of the evidence after one round."""

    mechanism_score: Score10
    """Strength of the mechanism, 0 none to 10 every edge shown without contradiction."""
    clinical_score: Score10
    """Strength of the clinical evidence for benefit, 0 none to 10."""
    confidence: UnitInterval
    """How far the scores can be relied on."""
    sufficient: bool
    """Whether the evidence answers the question, whichever way."""
    recommendation: Literal["continue", "synthesize"]
    drug_candidates: tuple[str, ...] = ()
    key_findings: tuple[str, ...] = ()
    """Short findings, each with evidence ids such as [E12]."""
    gaps: tuple[str, ...] = ()
    next_queries: tuple[SearchQuery, ...] = ()
    """What the next round searches, the most wanted first."""
    postponed: tuple[SearchQuery, ...] = ()
    """Open queries that the choice leaves for a later round."""
    choice: RoundChoice | None = None
    settled: bool = False
    """Whether a large model wants no more, after what could speak against the drug was searched."""
    reasoning: str
