"""So many within a time, and no more, for each key."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deepcritical.tools.rate_limiter import Quota


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_what_is_refused_fits_after_the_wait_that_was_told() -> None:
    clock = Clock()
    quota = Quota(2, 60, clock)
    assert [quota.wait_s("ada"), quota.wait_s("ada")] == [0.0, 0.0]
    clock.now += 20
    wait = quota.wait_s("ada")
    assert 40 <= wait < 40.1
    clock.now += wait
    assert quota.wait_s("ada") == 0.0


def test_keys_are_counted_apart() -> None:
    quota = Quota(1, 60, Clock())
    assert quota.wait_s("ada") == quota.wait_s("ben") == 0.0
    assert quota.wait_s("ada") > 0


def test_memory_is_bounded() -> None:
    quota = Quota(1, 60, Clock())
    for number in range(quota.MAX_KEYS + 5):
        quota.wait_s(str(number))
    assert len(quota._buckets) == quota.MAX_KEYS


@given(st.lists(st.floats(0, 30), max_size=40), st.integers(1, 4))
def test_no_window_holds_more_than_the_quota(pauses: list[float], most: int) -> None:
    clock = Clock()
    quota = Quota(most, 10, clock)
    admitted: list[float] = []
    for pause in pauses:
        clock.now += pause
        if quota.wait_s("ada") == 0.0:
            admitted.append(clock.now)
    for first, later in zip(admitted, admitted[most:], strict=False):
        assert later - first > 10 - 0.002
