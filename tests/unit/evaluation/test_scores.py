"""Intervals are Wilson's, and halves and measures stand apart."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.evaluation.scores import (
    Cost,
    Evaluation,
    Half,
    Outcome,
    figures_of,
    markdown,
    wilson,
)

SHARES = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(SHARES)
def test_the_ends_of_an_interval_are_where_the_score_test_just_holds(told: tuple[int, int]) -> None:
    """So the score interval is defined: |p - x| is 1.96 standard errors, those at x."""
    hits, n = told
    share = wilson(hits, n)
    for end in (share.low, share.high):
        assert abs(hits / n - end) == pytest.approx(1.959964 * sqrt(end * (1 - end) / n), abs=1e-6)


@given(SHARES)
def test_an_interval_holds_the_share_and_narrows_with_more_labels(told: tuple[int, int]) -> None:
    hits, n = told
    share, more = wilson(hits, n), wilson(10 * hits, 10 * n)
    assert 0 <= share.low <= share.value <= share.high <= 1
    assert more.high - more.low < share.high - share.low


def test_of_nothing_nothing_is_known() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)


def test_what_was_not_told_is_not_right_but_costs_no_precision() -> None:
    outcomes = [
        Outcome("directions", "kept aside", told=True, right=True),
        Outcome("directions", "development", told=False, right=False),
        Outcome("directions", "development", told=True, right=True),
    ]
    figures = figures_of("a set", outcomes)
    assert [f.half for f in figures] == ["development", "kept aside"]
    assert (figures[0].right.hits, figures[0].right.n) == (1, 2)
    assert (figures[0].precise.hits, figures[0].precise.n) == (1, 1)


def test_the_table_has_a_line_for_each_figure_with_its_interval() -> None:
    halves = [Outcome("names", half, True, half == "development") for half in get_args(Half)]
    told = Evaluation(
        version="1", commit="abc", measured_on="2026-01-02", model="", python="Python 3.12.1",
        figures=figures_of("drugs", halves), costs={"drugs": Cost(seconds=1.25)},
    )  # fmt: skip
    lines = markdown(told).splitlines()
    assert "| drugs | names | development | 1 of 1: 100.0 % [21–100] | 1 of 1" in lines[2]
    assert "0 of 1: 0.0 % [0–79]" in lines[3]
    assert all(a.count("|") == b.count("|") for a, b in pairwise(lines[:4]))
    assert "no model, Python 3.12.1, 2026-01-02." in lines[-1]
