"""The termination authority: whether research goes on.

Ordered rules; the first that applies decides.
"""

from __future__ import annotations

from deepcritical.domain.base import Model
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.events import StopReason

__all__ = ["RoundResult", "stop_reason"]


SATURATION = 0.1
"""Share of new records in a round up to which a search counts as saturated.

Until then, contrary evidence may be unseen.
"""


class RoundResult(Model):
    """What is known after a judgement."""

    iteration: int
    """Rounds done, from 1."""
    records: int
    """Records in the store."""
    new_records: int
    """Those that this round added."""
    sufficient: bool
    """Whether the judge finds that the evidence answers the question."""
    open_queries: int
    """Queries that the judge asks for and that have not been run."""
    unread: bool = False
    """Whether every source that was asked in this round could not be read."""
    elapsed_s: float


def stop_reason(result: RoundResult, limits: RunLimits) -> StopReason | None:
    """Why to stop and write the report, or None to search on."""
    if result.elapsed_s >= limits.research_deadline_s:
        return StopReason.DEADLINE
    # That nobody could be asked does not mean that there is nothing new.
    if not result.unread:
        saturated = result.new_records <= SATURATION * result.records or result.open_queries == 0
        if result.sufficient and saturated and result.records:
            return StopReason.SUFFICIENT_EVIDENCE
        if result.open_queries == 0 or (result.new_records == 0 and result.iteration > 1):
            return StopReason.NO_NEW_EVIDENCE if result.records else StopReason.NO_EVIDENCE
    if result.iteration >= limits.max_iterations:
        return StopReason.MAX_ITERATIONS if result.records else StopReason.NO_EVIDENCE
    return None
