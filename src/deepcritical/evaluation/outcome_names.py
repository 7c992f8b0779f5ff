"""Measures whether outcomes under different names come into one row, and others into two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deepcritical.appraisal.outcomes import construct_of
from deepcritical.evaluation.files import json_lines
from deepcritical.evaluation.scores import Half, Outcome

__all__ = ["judge_outcomes"]

_HALVES: tuple[Half, Half] = ("development", "kept aside")


def judge_outcomes(path: Path) -> Iterator[Outcome]:
    """Yield for each pair of outcomes whether it is joined, or kept apart, as labelled.

    A line has `a` and `b`, each with `concept` and `outcome`, and `same`; every other line may be
    looked at.
    """
    for n, pair in enumerate(json_lines(path)):
        joined = _row_of(pair["a"]) == _row_of(pair["b"])
        measure = "same outcomes joined" if pair["same"] else "different outcomes kept apart"
        shown = f"{pair['a']['outcome']} | {pair['b']['outcome']}"
        yield Outcome(measure, _HALVES[n % 2], True, joined == pair["same"], shown)


def _row_of(outcome: dict[str, str]) -> str:
    """The name of the row that an outcome comes into."""
    found = construct_of(outcome["concept"], outcome["outcome"])
    return found.name if found else " ".join(outcome["concept"].casefold().split())
