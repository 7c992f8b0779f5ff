"""Figures are told of the arm and of the result that their source gives them to."""

from __future__ import annotations

import pytest

from deepcritical.domain.sentences import Finding
from deepcritical.verification.sides import result_faults, side_faults


def quoting(*quotes: str) -> Finding:
    return Finding(
        id="1.1",
        evidence_ids=("E1",),
        drug="metformin",
        comparator="placebo",
        quotes=quotes,
        sentence="x",
    )


STOPPED = "Treatment was stopped by 14 of 59 with metformin and 5 of 53 with placebo."
RATIOS = (
    "Survival did not differ (HR 1.06; 95% CI 0.95 to 1.18), and time to relapse was the same (HR "
    "1.20; 95% CI 0.99 to 1.40)."
)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Of those on metformin 14 of 59 stopped, and 5 of 53 with placebo.", 0),
        ("With placebo 5 of 53 stopped.", 0),
        ("Treatment was stopped by 5 of 53 with metformin.", 2),
        ("Treatment was stopped by 14 of 59 with placebo, 5 of 53 with metformin.", 4),
    ],
)
def test_a_figure_is_of_the_arm_behind_it(text: str, faults: int) -> None:
    assert len([*side_faults(text, [quoting(STOPPED)])]) == faults


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Survival did not differ (HR 1.06).", []),
        ("Survival did not differ (HR 1.20).", ["1.2 is of another result"]),
        ("Time to relapse did not differ (HR 1.20).", []),
        ("Nothing else differed (HR 3.00).", []),  # a strange figure is found elsewhere
    ],
)
def test_a_ratio_is_of_the_result_that_most_words_name(text: str, faults: list[str]) -> None:
    assert [*result_faults(text, [quoting(RATIOS)])] == faults
