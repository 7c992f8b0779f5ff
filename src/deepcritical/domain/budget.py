"""The limits of one run."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from deepcritical.domain.base import Model, UnitInterval

__all__ = ["Depth", "RunLimits"]

Depth = Literal["quick", "standard", "deep"]


class RunLimits(Model):
    """How far a run may go before it must write its report."""

    max_iterations: int = Field(default=3, ge=1, le=10)
    """Rounds of search and judgement."""
    deadline_s: float = Field(default=180.0, gt=0)
    """Seconds from the first step."""
    results_per_query: int = Field(default=10, ge=1, le=100)
    report_share: UnitInterval = 0.2
    """The share of the time that is kept back for writing the report."""

    @classmethod
    def for_depth(cls, depth: Depth) -> RunLimits:
        """The limits of a depth: quick 1 round / 60 s, standard 3 / 180 s, deep 10 / 600 s."""
        rounds, seconds = {"quick": (1, 60.0), "standard": (3, 180.0), "deep": (10, 600.0)}[depth]
        return cls(max_iterations=rounds, deadline_s=seconds)

    @property
    def research_deadline_s(self) -> float:
        """Seconds after which no further round begins."""
        return self.deadline_s * (1 - self.report_share)
