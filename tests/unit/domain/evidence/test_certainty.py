"""GRADE certainty of one record is lowered and raised, domain by domain."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from tests.unit.domain.records import TITLE, paper

POOLED = "We pooled 9 randomised trials."
MEASURED = "Pain was measured in 500 patients with testitis."


def rct(content: str = MEASURED, **fields: Any) -> Evidence:
    return paper(TITLE, content, publication_types=("Randomized Controlled Trial",), **fields)


def review(content: str, kind: str = "Systematic Review") -> Evidence:
    return paper(TITLE, content, publication_types=(kind,))


@pytest.mark.parametrize(
    ("record", "certainty", "reasons"),
    [
        pytest.param(rct(), Certainty.HIGH, [], id="nothing lowers it"),
        pytest.param(
            rct("An open-label trial in 500 patients."),
            Certainty.MODERATE,
            ["risk of bias"],
            id="open label",
        ),
        pytest.param(
            rct("We treated 399 patients."), Certainty.MODERATE, ["imprecision"], id="below 400"
        ),
        pytest.param(rct("We treated 400 patients."), Certainty.HIGH, [], id="400"),
        pytest.param(
            rct("We treated 99 patients."), Certainty.LOW, ["very serious imprecision"], id="few"
        ),
        pytest.param(
            rct("An open-label trial in 20 patients with a surrogate outcome."),
            Certainty.VERY_LOW,
            ["risk of bias", "indirectness", "very serious imprecision"],
            id="never below very low",
        ),
        pytest.param(
            rct(integrity="concern"),
            Certainty.MODERATE,
            ["risk of bias"],
            id="expression of concern",
        ),
        pytest.param(
            review(f"{POOLED} Heterogeneity was high (I2 = 75%)."),
            Certainty.MODERATE,
            ["inconsistency"],
            id="I2",
        ),
        pytest.param(review(f"{POOLED} I2 = 30%."), Certainty.HIGH, [], id="low I2"),
        pytest.param(
            review(f"{POOLED} Most trials were at high risk of bias."),
            Certainty.MODERATE,
            ["risk of bias"],
            id="trials at risk",
        ),
        pytest.param(
            review(f"{POOLED} Publication bias was suspected."),
            Certainty.MODERATE,
            ["publication bias"],
            id="unpublished trials",
        ),
        pytest.param(
            paper(
                TITLE, "A cohort. HR 0.35 for testitis.", publication_types=("Observational Study",)
            ),
            Certainty.MODERATE,
            ["large effect"],
            id="a large effect raises a cohort",
        ),
        pytest.param(
            paper(
                TITLE,
                "A cohort of 50 patients. HR 0.35 for testitis.",
                publication_types=("Observational Study",),
            ),
            Certainty.VERY_LOW,
            ["very serious imprecision"],
            id="but not one that something lowers",
        ),
        pytest.param(
            rct("We treated 500 patients. HR 0.35 for testitis."),
            Certainty.HIGH,
            [],
            id="nor a trial",
        ),
    ],
)
def test_what_lowers_and_raises_certainty_is_named(
    record: Evidence, certainty: Certainty, reasons: list[str]
) -> None:
    graded = grade(record)
    assert graded.certainty is certainty
    assert [reason.split(":")[0].split(" (")[0] for reason in graded.certainty_reasons] == reasons


def test_a_retracted_record_has_neither_certainty_nor_quality() -> None:
    retracted = grade(
        paper(f"RETRACTED: {TITLE}", publication_types=("Randomized Controlled Trial",))
    )
    assert grade(rct()).quality > 0
    assert (retracted.certainty, retracted.quality) == (None, 0.0)
