"""The termination authority: whether research goes on.

Ordered rules; the first that applies decides.
"""

from __future__ import annotations

from deepcritical.domain.base import Model
from deepcritical.domain.run.budget import SHARES, RunLimits, Spent
from deepcritical.domain.run.events import StopReason

SATURATION = 0.1
"""Share of new records in a round up to which a search counts as saturated.

Until then, contrary evidence may be unseen.
"""


class _Round(Model):
    """The state that is known after any round."""

    iteration: int
    """Rounds done, from 1."""
    new_records: int
    """Records that this round added."""
    open_queries: int
    """Queries that are wanted and have not been run."""
    unread: bool = False
    """True where every source that was asked in this round could not be read."""
    elapsed_s: float
    stop_wanted: bool = False
    """True where the user wants the report, or the answer, from what there is."""


class RoundResult(_Round):
    """The state that is known after a judgement."""

    records: int
    """Records in the store."""
    sufficient: bool
    """True where the judge finds that the evidence answers the question."""
    settled: bool = False
    """True where a large model finds so, and contrary evidence was searched for."""


def stop_reason(result: RoundResult, limits: RunLimits) -> StopReason | None:
    """Return why to stop and write the report, or None to search on."""
    if outside := _from_outside(result, limits):
        return outside
    # That nobody could be asked does not mean that there is nothing new.
    if not result.unread:
        few_new = result.new_records <= SATURATION * result.records
        seen = result.settled or few_new or result.open_queries == 0
        if result.sufficient and seen and result.records:
            return StopReason.SUFFICIENT_EVIDENCE
    return _exhausted(result, result.records, limits)


GOOD_COVERAGE = 0.6
"""Share of satisfied items from which a checklist without an unsatisfied one is good enough."""


class CoverageResult(_Round):
    """The state that is known after a check of completeness."""

    facts: int
    """Facts located so far."""
    new_facts: int
    """Those that this round added."""
    items: int
    satisfied: int
    partial: int
    spent: Spent = Spent()


def answer_stop_reason(result: CoverageResult, limits: RunLimits) -> StopReason | None:
    """Return why to stop and write the answer, or None to search on."""
    if outside := _from_outside(result, limits):
        return outside
    if _is_spent(result.spent, limits):
        return StopReason.BUDGET
    # That nobody could be asked does not mean that there is nothing new.
    if not result.unread:
        if result.satisfied == result.items:
            return StopReason.CHECKLIST_SATISFIED
        saturated = result.new_facts <= SATURATION * result.facts
        if saturated and _is_well_covered(result):
            return StopReason.SUFFICIENT_EVIDENCE
    return _exhausted(result, result.facts, limits)


def _from_outside(result: _Round, limits: RunLimits) -> StopReason | None:
    """The end that no finding decides."""
    if result.stop_wanted:
        return StopReason.USER_STOP
    if result.elapsed_s >= limits.research_deadline_s:
        return StopReason.DEADLINE
    return None


def _exhausted(result: _Round, found: int, limits: RunLimits) -> StopReason | None:
    """The end of a search that brings nothing new, or has had its rounds; `found` is so far."""
    if not result.unread and (
        result.open_queries == 0 or (result.new_records == 0 and result.iteration > 1)
    ):
        return StopReason.NO_NEW_EVIDENCE if found else StopReason.NO_EVIDENCE
    if result.iteration >= limits.max_iterations:
        return StopReason.MAX_ITERATIONS if found else StopReason.NO_EVIDENCE
    return None


def _is_well_covered(result: CoverageResult) -> bool:
    complete = result.satisfied + result.partial == result.items
    return complete and result.satisfied >= GOOD_COVERAGE * result.items


def _is_spent(spent: Spent, limits: RunLimits) -> bool:
    """Return whether a model was asked, and what is left of a cap is kept for the answer."""
    share = SHARES["assessment"]
    used = (
        (spent.calls, limits.max_calls),
        (spent.tokens, limits.max_tokens),
        (spent.cost_usd or 0.0, limits.max_cost_usd),
    )
    return spent.calls > 0 and any(
        cap is not None and amount >= share * cap for amount, cap in used
    )
