"""Parts that a near-verbatim sentence may leave out or move, and parts that it may not."""

from __future__ import annotations

import pytest

from deepcritical.verification.aligning import follows
from deepcritical.verification.words import words

TWO = "Users had a higher risk of falls (HR 1.4) and of fractures of the hip (HR 1.2) than others."
WHILE = "Pain fell with examplol, while sleep got worse."
WHICH = "Levels rose after renewing blood glucose tests (P = 0.01), which was seen in a ratio."


def verbatim(said: str, source: str) -> bool:
    return follows(said, source, frozenset(word.key for word in words(source)))


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("Users had a higher risk of falls (HR 1.4) than others.", TWO),
        ("Pain fell with examplol.", WHILE),
        ("Levels rose after renewing blood glucose tests.", WHICH),
        ("Levels rose after blood glucose tests were renewed.", WHICH),
    ],
)
def test_what_is_told_beside_may_go(said: str, source: str) -> None:
    assert verbatim(said, source)


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("Users had a higher risk of falls (HR 1.2) than others.", TWO),
        ("Users had a higher risk of fractures of the hip (HR 1.4) than others.", TWO),
        ("Sleep fell with examplol.", WHILE),
        ("Pain fell with examplol.", "Pain fell with examplol, while this was not significant."),
        ("Pain fell with examplol.", "Pain fell with examplol, which was seen only in women."),
        ("Pain fell with examplol.", "Pain fell with examplol, which did not reach significance."),
    ],
)
def test_what_limits_or_belongs_elsewhere_stays(said: str, source: str) -> None:
    assert not verbatim(said, source)
