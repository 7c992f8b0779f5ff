"""What every arm gets, in texts of any shape."""

from __future__ import annotations

import time

import pytest

from deepcritical.domain.question import Drug
from deepcritical.reasoning.regimens import partners

DRUG = Drug(name="examplol", known=False)
CHARACTERS = 20_000
WITHIN_S = 5.0
"""Far above linear time, far below what a quadratic pattern takes."""


@pytest.mark.parametrize("unit", ["a", "1", "-", "a-", "ACGT", "TSTA-1/", "a and ", "a + "])
def test_a_text_without_words_is_read_in_linear_time(unit: str) -> None:
    started = time.perf_counter()
    assert partners(DRUG, unit * (CHARACTERS // len(unit))) == frozenset()
    assert time.perf_counter() - started < WITHIN_S


@pytest.mark.parametrize(
    "text",
    [
        "Examplol plus metformin versus metformin alone.",
        "Examplol or placebo plus metformin was given.",
        "The addition of examplol to metformin was studied.",
        "Examplol with metformin was compared with metformin.",
    ],
)
def test_the_treatment_of_every_arm_is_found(text: str) -> None:
    assert partners(DRUG, text) == {"metformin"}
