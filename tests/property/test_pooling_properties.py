"""Properties of pooled estimates, whatever the trials."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.appraisal.votes.pooling import (
    Estimate,
    mean_difference,
    pool,
    risk_ratio,
    variance,
)

LEVELS = st.sampled_from([80.0, 90.0, 95.0, 97.5, 99.0])


@st.composite
def ratios(draw: st.DrawFn) -> Estimate:
    effect = draw(st.floats(-4, 4))
    margin = draw(st.floats(0.01, 3))
    values = (math.exp(effect), math.exp(effect - margin), math.exp(effect + margin))
    return Estimate(*values, level=draw(LEVELS))


@st.composite
def differences(draw: st.DrawFn) -> Estimate:
    effect = draw(st.floats(-100, 100))
    margin = draw(st.floats(0.1, 50))
    return Estimate(effect, effect - margin, effect + margin, level=draw(LEVELS))


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int, int]:
    n_a, n_b = draw(st.integers(1, 5000)), draw(st.integers(1, 5000))
    return draw(st.integers(0, n_a)), n_a, draw(st.integers(0, n_b)), n_b


@st.composite
def shuffled(
    draw: st.DrawFn, estimates: st.SearchStrategy[Estimate]
) -> tuple[list[Estimate], list[Estimate]]:
    drawn = draw(st.lists(estimates, min_size=2, max_size=12))
    return drawn, draw(st.permutations(drawn))


def assert_reciprocal(one: Estimate, other: Estimate) -> None:
    expected = (1 / other.value, 1 / other.high, 1 / other.low)
    assert one[:3] == pytest.approx(expected, rel=1e-9)


def assert_negated(one: Estimate, other: Estimate) -> None:
    expected = (-other.value, -other.high, -other.low)
    assert one[:3] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(orders=shuffled(ratios()))
def test_the_order_of_ratios_does_not_matter(orders: tuple[list[Estimate], list[Estimate]]) -> None:
    assert pool(orders[0], ratio=True) == pool(orders[1], ratio=True)


@given(orders=shuffled(differences()))
def test_the_order_of_differences_does_not_matter(
    orders: tuple[list[Estimate], list[Estimate]],
) -> None:
    assert pool(orders[0], ratio=False) == pool(orders[1], ratio=False)


@given(counts=tables())
def test_swapped_arms_give_the_reciprocal_risk_ratio(counts: tuple[int, int, int, int]) -> None:
    one, other = risk_ratio(*counts), risk_ratio(*counts[2:], *counts[:2])
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert_reciprocal(one, other)
        assert variance(one, ratio=True) is not None


MEANS = st.floats(-1000, 1000)
DEVIATIONS = st.floats(0.1, 500)
SIZES = st.integers(2, 5000)


@given(arm_a=st.tuples(MEANS, DEVIATIONS, SIZES), arm_b=st.tuples(MEANS, DEVIATIONS, SIZES))
def test_swapped_arms_give_the_negated_difference(
    arm_a: tuple[float, float, int], arm_b: tuple[float, float, int]
) -> None:
    one, other = mean_difference(*arm_a, *arm_b), mean_difference(*arm_b, *arm_a)
    assert one is not None
    assert other is not None
    assert_negated(one, other)
    sampling = arm_a[1] ** 2 / arm_a[2] + arm_b[1] ** 2 / arm_b[2]
    assert variance(one, ratio=False) == pytest.approx(sampling, rel=1e-6)


@given(drawn=st.lists(ratios(), min_size=2, max_size=12))
def test_reciprocal_ratios_pool_to_the_reciprocal(drawn: list[Estimate]) -> None:
    turned = [Estimate(1 / e.value, 1 / e.high, 1 / e.low, e.level) for e in drawn]
    one, other = pool(drawn, ratio=True), pool(turned, ratio=True)
    assert one is not None
    assert other is not None
    assert one.fixed.value == pytest.approx(1 / other.fixed.value, rel=1e-6)
    assert one.random.value == pytest.approx(1 / other.random.value, rel=1e-6)
    assert one.i2 == pytest.approx(other.i2, abs=1e-4)


@given(estimate=ratios(), copies=st.integers(2, 20))
def test_identical_ratios_keep_their_value_and_narrow(estimate: Estimate, copies: int) -> None:
    pooled = pool([estimate] * copies, ratio=True)
    single = variance(estimate, ratio=True)
    assert pooled is not None
    assert single is not None
    assert pooled.studies == copies
    assert pooled.fixed == pytest.approx(pooled.random)
    assert pooled.fixed.value == pytest.approx(estimate.value)
    assert variance(pooled.fixed, ratio=True) == pytest.approx(single / copies)
    assert (pooled.tau2, pooled.i2) == (0, 0)
    assert pooled.q == pytest.approx(0, abs=1e-6)


@given(estimate=differences(), copies=st.integers(2, 20))
def test_identical_differences_keep_their_value_and_narrow(estimate: Estimate, copies: int) -> None:
    pooled = pool([estimate] * copies, ratio=False)
    single = variance(estimate, ratio=False)
    assert pooled is not None
    assert single is not None
    assert pooled.fixed == pytest.approx(pooled.random)
    assert pooled.fixed.value == pytest.approx(estimate.value, abs=1e-9)
    assert variance(pooled.fixed, ratio=False) == pytest.approx(single / copies)
    assert (pooled.tau2, pooled.i2) == (0, 0)


@given(drawn=st.lists(ratios(), min_size=2, max_size=12))
def test_pooled_figures_keep_their_bounds(drawn: list[Estimate]) -> None:
    pooled = pool(drawn, ratio=True)
    assert pooled is not None
    values = [estimate.value for estimate in drawn]
    for found in (pooled.fixed, pooled.random):
        assert min(values) * (1 - 1e-9) <= found.value <= max(values) * (1 + 1e-9)
        assert found.low < found.value < found.high
    # Random effects are never surer than a fixed effect.
    fixed, random = pooled.fixed, pooled.random
    assert random.high / random.low >= fixed.high / fixed.low * (1 - 1e-9)
    assert pooled.q >= 0
    assert pooled.tau2 >= 0
    assert 0 <= pooled.i2 <= 100


@given(low=st.floats(allow_nan=False), high=st.floats(allow_nan=False), ratio=st.booleans())
def test_limits_in_the_wrong_order_have_no_variance(low: float, high: float, ratio: bool) -> None:
    low, high = max(low, high), min(low, high)
    for value in (low, high):
        assert variance(Estimate(value, low, high), ratio=ratio) is None


@given(low=st.floats(max_value=0), high=st.floats(), value=st.floats())
def test_ratio_limits_that_are_not_positive_have_no_variance(
    low: float, high: float, value: float
) -> None:
    assert variance(Estimate(value, low, high), ratio=True) is None


ANYTHING = st.builds(Estimate, st.floats(), st.floats(), st.floats(), st.floats())
ORDERED = st.lists(st.floats(), min_size=3, max_size=3, unique=True).map(
    lambda numbers: Estimate(sorted(numbers)[1], min(numbers), max(numbers))
)


@given(drawn=st.lists(ANYTHING | ORDERED, max_size=6), ratio=st.booleans())
def test_no_figures_at_all_break_pooling(drawn: list[Estimate], ratio: bool) -> None:
    pooled = pool(drawn, ratio=ratio)
    if pooled is not None:
        assert all(math.isfinite(number) for number in (*pooled.fixed, *pooled.random))
        assert 0 <= pooled.i2 <= 100
