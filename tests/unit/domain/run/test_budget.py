from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.errors import BudgetExceeded
from deepcritical.domain.run.budget import (
    SHARES,
    Judgement,
    OwnLimits,
    Price,
    Purse,
    RunLimits,
    Spent,
)

JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)
CALL = Spent(calls=1, input_tokens=80, output_tokens=20)


def unpriced(_input: int, _output: int) -> float | None:
    return None


def cents(read: int, written: int) -> float:
    return (read + written) / 100


def purse(price: Price = unpriced, **caps: float) -> Purse:
    return Purse(RunLimits.model_validate(caps), price)


def test_every_judgement_has_a_share_and_the_last_fifth_is_the_reports() -> None:
    last = ("report", "verify")
    assert set(SHARES) == set(JUDGEMENTS)
    assert max(share for name, share in SHARES.items() if name not in last) == 0.8
    assert (
        SHARES["reading"]
        < SHARES["manager"]
        < SHARES["hypotheses"]
        < SHARES["assessment"]
        < SHARES["report"]
    )


@pytest.mark.parametrize(
    ("caps", "name"), [({"max_calls": 1}, "MAX_CALLS"), ({"max_tokens": 100}, "MAX_TOKENS")]
)
def test_calls_at_once_cannot_overspend_together(caps: dict[str, float], name: str) -> None:
    one = purse(unpriced, **caps)
    one.reserve("report", CALL)
    with pytest.raises(BudgetExceeded, match=name):
        one.reserve("report", CALL)


def test_what_was_reserved_and_not_spent_can_be_spent_again() -> None:
    one = purse(max_tokens=100)
    one.reserve("report", CALL)
    one.settle(CALL, Spent(calls=1))
    one.reserve("report", CALL)
    assert one.spent.calls == 1


def test_a_request_without_an_answer_releases_its_reservation_and_costs_nothing() -> None:
    one = purse(cents, max_calls=1, max_tokens=100, max_cost_usd=1.0)
    for _ in range(3):
        one.reserve("report", one.priced(80, 20))
        one.settle(one.priced(80, 20), Spent(unanswered=1))
    assert one.spent == Spent(cost_usd=0.0, unanswered=3)
    assert (one.spent.requests, one.under_way) == (3, False)


def test_spending_that_was_kept_without_unanswered_requests_is_read() -> None:
    assert Spent.model_validate_json('{"calls": 2, "cost_usd": 0.5}').unanswered == 0


def test_dollars_are_kept_where_the_price_is_known_and_only_there() -> None:
    known, unknown = purse(cents, max_cost_usd=1.0), purse(max_cost_usd=0.0)
    known.reserve("report", known.priced(80, 20))
    with pytest.raises(BudgetExceeded, match="MAX_COST_USD"):
        known.reserve("report", known.priced(1, 0))
    unknown.reserve("report", unknown.priced(80, 20))
    assert unknown.spent.cost_usd is None


def test_time_for_research_ends_before_the_reports() -> None:
    now = [0.0]
    one = Purse(RunLimits(deadline_s=100), unpriced, lambda: now[0])
    assert (one.seconds_left("reading"), one.seconds_left("report")) == (80, 98)
    now[0] = 90
    assert (one.seconds_left("reading"), one.seconds_left("report")) == (0, 8)


@pytest.mark.parametrize(("deadline_s", "left_s"), [(8, 7.2), (60, 58), (180, 176.4)])
def test_a_short_run_leaves_code_the_time_to_write_its_report(
    deadline_s: float, left_s: float
) -> None:
    one = Purse(RunLimits(deadline_s=deadline_s), unpriced)
    assert one.seconds_left("report") == pytest.approx(left_s)


@given(
    st.integers(0, 30),
    st.integers(0, 3000),
    st.lists(
        st.tuples(st.sampled_from(JUDGEMENTS), st.integers(0, 300), st.integers(0, 300)),
        max_size=40,
    ),
)
def test_no_order_of_calls_exceeds_a_cap(
    max_calls: int, max_tokens: int, wanted: list[tuple[Judgement, int, int]]
) -> None:
    one = purse(cents, max_calls=max_calls, max_tokens=max_tokens, max_cost_usd=20.0)
    for judgement, read, written in wanted:
        most = one.priced(read, written)
        try:
            one.reserve(judgement, most)
        except BudgetExceeded:
            continue
        one.settle(most, one.priced(read, written // 2))
    assert one.spent.calls <= max_calls
    assert one.spent.tokens <= max_tokens
    assert (one.spent.cost_usd or 0) <= 20.0 + 1e-9


def test_requests_without_an_answer_end_too() -> None:
    purse = Purse(RunLimits(max_calls=2), lambda _read, _written: None)
    for _ in range(6):
        most = purse.priced(10, 10)
        purse.reserve("report", most)
        purse.settle(most, Spent(unanswered=1))
    with pytest.raises(BudgetExceeded, match="6 requests to the model had no answer"):
        purse.reserve("report", purse.priced(10, 10))


@pytest.mark.parametrize(
    ("rounds", "answer_s", "deadline_s"),
    [(3, 1.0, 180), (3, 12.0, 180), (3, 20.0, 300), (1, 20.0, 180), (3, 60.0, 720)],
)
def test_a_default_deadline_holds_the_requests_in_a_row_of_a_slow_model(
    rounds: int, answer_s: float, deadline_s: int
) -> None:
    limits = RunLimits(max_iterations=rounds, deadline_s=180, paced=True).at_pace(answer_s)
    assert (limits.deadline_s, limits.paced) == (deadline_s, False)


def test_a_deadline_that_somebody_sets_follows_no_speed() -> None:
    default, most = RunLimits(paced=True), RunLimits(deadline_s=600, paced=True)
    assert OwnLimits(max_iterations=1).over(default, most).paced
    assert not OwnLimits(deadline_s=60).over(default, most).paced
    assert RunLimits(paced=True).beyond(RunLimits()) is None
