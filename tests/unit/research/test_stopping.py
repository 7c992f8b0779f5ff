from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.run.budget import RunLimits, Spent
from deepcritical.domain.run.events import StopReason
from deepcritical.research.stopping import (
    CoverageResult,
    RoundResult,
    answer_stop_reason,
    stop_reason,
)

LIMITS = RunLimits(max_iterations=3, deadline_s=100, report_share=0.2)
GOING_ON: dict[str, Any] = {
    "iteration": 1,
    "records": 20,
    "new_records": 20,
    "sufficient": False,
    "open_queries": 4,
    "elapsed_s": 1.0,
}
SUFFICIENT = StopReason.SUFFICIENT_EVIDENCE
NOTHING_NEW = StopReason.NO_NEW_EVIDENCE
NOTHING = StopReason.NO_EVIDENCE
LIMIT = StopReason.MAX_ITERATIONS
DEADLINE = StopReason.DEADLINE


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, None),
        # Whoever waits decides first.
        ({"stop_wanted": True}, StopReason.USER_STOP),
        ({"stop_wanted": True, "elapsed_s": 80.0, "records": 0}, StopReason.USER_STOP),
        # The deadline outranks all else; 20 % of the time is kept back for the report.
        ({"elapsed_s": 79.9}, None),
        ({"elapsed_s": 80.0}, DEADLINE),
        ({"elapsed_s": 80.0, "sufficient": True, "new_records": 0}, DEADLINE),
        ({"elapsed_s": 80.0, "iteration": 3}, DEADLINE),
        # Sufficient, and the search is saturated: at most a tenth of the records is new.
        ({"sufficient": True, "new_records": 3}, None),
        ({"sufficient": True, "new_records": 2}, SUFFICIENT),
        ({"sufficient": True, "new_records": 0, "iteration": 2}, SUFFICIENT),
        # A large model finds it enough, and contrary evidence was searched for.
        ({"sufficient": True, "settled": True}, SUFFICIENT),
        ({"sufficient": True, "settled": True, "unread": True}, None),
        ({"sufficient": True, "settled": True, "records": 0}, None),
        # Sufficient, and there is nothing left to ask.
        ({"sufficient": True, "open_queries": 0}, SUFFICIENT),
        # No record can be no answer.
        ({"sufficient": True, "records": 0, "new_records": 0}, None),
        ({"sufficient": True, "records": 0, "new_records": 0, "open_queries": 0}, NOTHING),
        # Nothing new to be had.
        ({"open_queries": 0}, NOTHING_NEW),
        ({"new_records": 0}, None),
        ({"new_records": 0, "iteration": 2}, NOTHING_NEW),
        ({"new_records": 1, "iteration": 2}, None),
        ({"records": 0, "new_records": 0, "iteration": 2}, NOTHING),
        # A round in which no source could be read says nothing about what there is.
        ({"unread": True, "new_records": 0, "iteration": 2}, None),
        ({"unread": True, "new_records": 0, "iteration": 2, "sufficient": True}, None),
        ({"unread": True, "new_records": 0, "iteration": 3, "sufficient": True}, LIMIT),
        ({"unread": True, "records": 0, "new_records": 0, "iteration": 3}, NOTHING),
        ({"unread": True, "elapsed_s": 80.0}, DEADLINE),
        # The limit of rounds.
        ({"iteration": 3}, LIMIT),
        ({"iteration": 4}, LIMIT),
        ({"iteration": 3, "sufficient": True}, LIMIT),
        ({"iteration": 3, "sufficient": True, "new_records": 1}, SUFFICIENT),
        ({"iteration": 3, "new_records": 0}, NOTHING_NEW),
    ],
)
def test_the_first_rule_that_applies_decides(
    changed: dict[str, Any], reason: StopReason | None
) -> None:
    assert stop_reason(RoundResult(**(GOING_ON | changed)), LIMITS) is reason


results = st.builds(
    RoundResult,
    iteration=st.integers(1, 12),
    records=st.integers(0, 500),
    new_records=st.integers(0, 500),
    sufficient=st.booleans(),
    open_queries=st.integers(0, 20),
    unread=st.booleans(),
    elapsed_s=st.floats(0, 1000),
)


@given(results)
def test_research_always_ends_at_the_limits(result: RoundResult) -> None:
    if result.iteration >= LIMITS.max_iterations or result.elapsed_s >= 80:
        assert stop_reason(result, LIMITS) is not None


@given(results)
def test_without_a_record_nothing_is_called_sufficient(result: RoundResult) -> None:
    bare = result.model_copy(update={"records": 0, "new_records": 0})
    assert stop_reason(bare, LIMITS) in (None, NOTHING, DEADLINE)


@given(results)
def test_more_time_spent_never_makes_research_go_on(result: RoundResult) -> None:
    later = result.model_copy(update={"elapsed_s": result.elapsed_s + 1})
    assert stop_reason(result, LIMITS) is None or stop_reason(later, LIMITS) is not None


ASKED: dict[str, Any] = {
    "iteration": 1,
    "facts": 20,
    "new_facts": 20,
    "new_records": 20,
    "items": 5,
    "satisfied": 2,
    "partial": 1,
    "open_queries": 4,
    "elapsed_s": 1.0,
}
CAPPED = LIMITS.model_copy(update={"max_calls": 10, "max_tokens": 1_000, "max_cost_usd": 1.0})
USER = StopReason.USER_STOP
BUDGET = StopReason.BUDGET
COVERED = StopReason.CHECKLIST_SATISFIED
NOT_NEW = {"new_facts": 0}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, None),
        # The user outranks the clock, the clock outranks the purse, the purse what was found.
        ({"stop_wanted": True, "elapsed_s": 80.0}, USER),
        ({"elapsed_s": 79.9}, None),
        ({"elapsed_s": 80.0, "satisfied": 5, "partial": 0}, DEADLINE),
        ({"elapsed_s": 80.0, "spent": Spent(calls=10)}, DEADLINE),
        ({"spent": Spent(calls=7)}, None),
        ({"spent": Spent(calls=8)}, BUDGET),
        ({"spent": Spent(calls=1, input_tokens=800)}, BUDGET),
        ({"spent": Spent(calls=1, cost_usd=0.8)}, BUDGET),
        ({"spent": Spent(calls=8), "satisfied": 5, "partial": 0}, BUDGET),
        # Every item is satisfied.
        ({"satisfied": 5, "partial": 0}, COVERED),
        ({"satisfied": 5, "partial": 0, "iteration": 3}, COVERED),
        ({"satisfied": 4, "partial": 1}, None),
        # Good coverage: none open, 60 % satisfied, and the round hardly brought a fact.
        ({"satisfied": 3, "partial": 2, **NOT_NEW}, SUFFICIENT),
        ({"satisfied": 3, "partial": 2, "new_facts": 2}, SUFFICIENT),
        ({"satisfied": 3, "partial": 2, "new_facts": 3}, None),
        ({"satisfied": 2, "partial": 3, **NOT_NEW}, None),
        ({"satisfied": 4, "partial": 0, **NOT_NEW}, None),
        # Nothing new to be had.
        ({"open_queries": 0}, NOTHING_NEW),
        ({"new_records": 0}, None),
        ({"new_records": 0, "iteration": 2}, NOTHING_NEW),
        ({"facts": 0, "new_facts": 0, "open_queries": 0}, NOTHING),
        ({"facts": 0, "new_facts": 0, "iteration": 3}, NOTHING),
        # A round in which no source could be read says nothing about what there is.
        ({"unread": True, "open_queries": 0}, None),
        ({"unread": True, "new_records": 0, "iteration": 3}, LIMIT),
        # The limit of rounds.
        ({"iteration": 3}, LIMIT),
    ],
)
def test_the_first_rule_that_applies_ends_a_free_question(
    changed: dict[str, Any], reason: StopReason | None
) -> None:
    assert answer_stop_reason(CoverageResult(**(ASKED | changed)), CAPPED) is reason


def test_a_run_without_a_model_has_no_budget_to_spend() -> None:
    free = CAPPED.model_copy(update={"max_calls": 0, "max_tokens": 0, "max_cost_usd": 0.0})
    assert answer_stop_reason(CoverageResult(**ASKED), free) is None
