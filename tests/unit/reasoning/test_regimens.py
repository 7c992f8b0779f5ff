"""What every arm gets, in texts of any shape."""

from __future__ import annotations

import pytest

from deepcritical.domain.question import Drug
from deepcritical.reasoning.regimens import partners

DRUG = Drug(name="examplol", known=False)


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
