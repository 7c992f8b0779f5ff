"""A way that the reader states is never inverted by the names of outcomes or the figures."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.study.reading import Effect
from tests.unit.appraisal.builders import asked, ballot, people, result, study
from tests.unit.appraisal.cases import eff

STATED = {
    ("anorexia nervosa", "weight gain"): eff("RR", 1.8, 1.3, 2.5),
    ("cachexia", "body weight"): eff("MD", 2.1, 1.2, 3.0),
    ("asthma", "oral corticosteroid dose reduction"): eff("OR", 2.4, 1.6, 3.5),
    ("contraception", "pregnancy rate"): eff("RR", 0.1, 0.05, 0.2),
    ("narcolepsy", "sleep latency"): eff("MD", 8, 6, 10),
    ("type 2 diabetes", "reduction in HbA1c"): eff("MD", 0.8, 0.6, 1.0),
    ("hypertension", "decrease in systolic blood pressure"): eff("MD", 6, 4, 8),
    ("osteoarthritis", "improvement in WOMAC pain"): eff("MD", 6, 4, 8),
    ("depression", "improvement in HAM-D"): eff("MD", 3, 2, 4),
    ("septic shock", "mean arterial pressure"): eff("MD", 7, 3, 11),
    ("testitis", "lowering of the flurb score"): eff("MD", 7, 3, 11),
}


def votes_on(
    condition: str, outcome: str, effect: Effect, better: str, higher: bool | None = None
) -> tuple[Vote, ...]:
    told = result(outcome, better=better, effect=effect, higher_is_better=higher)
    return ballot(study(told, population=people(condition)), asked(condition)).votes


@pytest.mark.parametrize("case", STATED, ids=" ".join)
def test_a_stated_benefit_is_no_harm(case: tuple[str, str]) -> None:
    ways = {vote.way for vote in votes_on(*case, STATED[case], "a")}
    assert ways <= {Way.BENEFIT}


LASTING = (
    "iDFS",
    "MFS",
    "TTP",
    "duration of response",
    "local control",
    "freedom from relapse",
    "relapse-free interval",
    "overall survival",
    "time to progression",
)


@pytest.mark.parametrize("outcome", LASTING)
@pytest.mark.parametrize("better", ["a", "unclear"])
def test_a_lower_hazard_of_losing_what_lasts_is_a_benefit(outcome: str, better: str) -> None:
    (told,) = votes_on("testitis", outcome, eff("HR", 0.7, 0.6, 0.82), better, higher=True)
    assert told.way is Way.BENEFIT
