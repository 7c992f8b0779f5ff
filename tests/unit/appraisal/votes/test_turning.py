"""Figures of survival in a row of deaths, percentages without a test, and readings in part."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.study.reading import (
    MAIN_RESULT_NOT_READ,
    ArmFigure,
    Effect,
    Reader,
    Result,
)
from tests.unit.appraisal.builders import asked, ballot, people, result, study
from tests.unit.appraisal.cases import eff, judged

LOW = Effect(p=0.004)


def shares(outcome: str, a: float, b: float, effect: Effect | None, **own: Any) -> Result:
    figures = (ArmFigure(arm="A", value=a), ArmFigure(arm="B", value=b))
    told = {"better": "unclear", "unit": "%", "figures": figures, "effect": effect, **own}
    return result(outcome, **told)


@pytest.mark.parametrize(
    ("told", "row", "rates", "value"),
    [
        (shares("overall survival", 73, 88, LOW), "death from any cause", (27, 12), None),
        (shares("mortality", 27, 12, LOW), "death from any cause", (27, 12), None),
        (shares("graft survival", 73, 88, LOW), "graft loss", (27, 12), None),
        (
            shares("survival", 73, 88, eff("OR", 0.5, 0.25, 0.8)),
            "death from any cause",
            (27, 12),
            2.0,
        ),
        (
            shares("overall survival", 73, 88, eff("HR", 1.6, 1.2, 2.1)),
            "death from any cause",
            (27, 12),
            1.6,
        ),
        (
            shares("survival", 73, 88, eff("RR", 0.83, 0.7, 0.95)),
            "death from any cause",
            (27, 12),
            None,
        ),
    ],
)
def test_survival_is_counted_as_deaths(
    told: Result, row: str, rates: tuple[float, float], value: float | None
) -> None:
    first = judged(study(told)).rows[0]
    found = first.effects[0]
    assert (first.outcome, first.way) == (row, Way.HARM)
    assert found.rates is not None
    assert (found.rates.drug, found.rates.other) == rates
    assert (found.effect.value if found.effect else None) == value


@pytest.mark.parametrize(
    ("told", "ways"),
    [
        (shares("neutropenia", 54, 1, None), [Way.HARM]),
        (shares("neutropenia", 3, 2, None), [Way.NO_DIFFERENCE]),
        (shares("deaths", 13, 2, None), [Way.HARM]),
        (shares("ejection fraction", 54, 40, None), []),
        (shares("neutropenia", 54, 1, Effect(p_operator="ns")), [Way.NO_DIFFERENCE]),
    ],
)
def test_percentages_of_arms_are_tested_where_the_record_does_not(
    told: Result, ways: list[Way]
) -> None:
    assert [vote.way for vote in ballot(study(told)).votes] == ways


def test_a_reading_without_the_main_result_tells_only_harms() -> None:
    pain = result("pain", level="unstated", effect=Effect(p=0.01), higher_is_better=False)
    bled = result("bleeding", kind="safety", better="b", effect=Effect(p=0.01), level="unstated")
    own: dict[str, Any] = {"reader": Reader(kind="rules"), "population": people()}
    whole = judged(study(pain, bled, **own), question=asked())
    part = judged(study(pain, bled, unread=(MAIN_RESULT_NOT_READ,), **own), question=asked())
    assert whole.label is VerdictLabel.PROMISING
    assert part.label is VerdictLabel.NOT_ASSESSED
    assert [(row.outcome, row.way) for row in part.rows] == [("bleeding", Way.HARM)]
