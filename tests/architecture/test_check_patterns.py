"""The check of patterns finds those that it is there for."""

import re

import pytest

from scripts.check_patterns import Found, check_pattern, count_slow, growth


@pytest.mark.slow
@pytest.mark.parametrize(
    "slow",
    [
        r"(a+)+$",
        r"randomi[sz]ed(?:[ ,-]+[\w-]+){0,4}[ -](?:trial|study|pilot)\b",
        r"\bpatients\b[^.;]*\bcured\b",
        r"\s+or\s+$",
    ],
)
def test_a_pattern_that_is_slower_than_linear_is_found(slow: str) -> None:
    # Whatever else the machine does can hide what grows, and never makes it grow.
    assert any(check_pattern(re.compile(slow)) for _ in range(3))


def test_a_pattern_whose_repeats_do_not_meet_is_not_found() -> None:
    assert check_pattern(re.compile(r"\b\d{1,9}(?:\.\d{1,9})?%")) is None


def test_growth_is_judged_by_the_long_times_alone() -> None:
    assert growth((0.0001, 0.0009, 0.1, 0.2, 0.4)) == pytest.approx(2)
    assert growth((0.1, 0.4, 1.6)) == pytest.approx(4)
    assert growth((0.0001, 0.0015)) == 1


@pytest.mark.slow
def test_the_gate_counts_a_planted_pattern_and_names_its_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    planted = Found("made.up:7", re.compile(r"(?:[\w-]+[ ,-]*){1,9}trial"))
    sound = Found("made.up:8", re.compile(r"\btrial\b"))
    assert any(count_slow([planted, sound]) == 1 for _ in range(3))
    assert "SLOW made.up:7" in capsys.readouterr().out
