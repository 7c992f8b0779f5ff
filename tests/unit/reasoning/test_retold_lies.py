"""Lies told in words of one's own: groups exchanged, people put in, a "not" left out."""

from __future__ import annotations

import pytest

from deepcritical.reasoning.verifying import verify_claim
from tests.unit.domain.records import paper

ARMS = "The response rate was 53% for patients receiving examplol vs. 32% for otherol."
BEHIND = "Relapse was met in 14/250 (5.6%) in the examplol group and 21/251 (8.4%) on placebo."
NULL = (
    "The length of hospital stay and rates of severe adverse events were not significantly "
    "different between the 2 groups."
)
OBSERVED = (
    "No significant changes in renal blood flow were observed, though analyses suggested an "
    "increase in cortical flow with examplol."
)
SEVERAL = (
    "Stress is thought to play a role in joint damage. We found that examplol suppressed the "
    "progression of testitis, ameliorated joint impairment and decreased oxidative stress in bone."
)
ADULTS = "We randomised 300 hospitalised adults with relapsed testitis. Pain fell with examplol."


@pytest.mark.parametrize(
    ("source", "lie", "truth"),
    [
        (
            ARMS,
            "The response rate was 32% with examplol and 53% with otherol.",
            "The response rate was 53% with examplol and 32% with otherol.",
        ),
        (
            BEHIND,
            "Relapse was met in 5.6% with placebo and 8.4% with examplol.",
            "Relapse was met in 5.6% with examplol and 8.4% with placebo.",
        ),
        (
            NULL,
            "Length of hospital stay was significantly different between the groups.",
            "Length of hospital stay did not differ between the groups.",
        ),
        (
            OBSERVED,
            "Renal blood flow changed significantly.",
            "Renal blood flow did not change significantly.",
        ),
        (
            SEVERAL,
            "Examplol increased oxidative stress in bone.",
            "Examplol decreased oxidative stress in bone.",
        ),
        (
            ADULTS,
            "Children with testitis were randomised.",
            "Adults with testitis were randomised.",
        ),
        (
            ADULTS,
            "Outpatients with testitis were randomised.",
            "Hospitalised adults with testitis were randomised.",
        ),
        (
            ADULTS,
            "Adults with newly diagnosed testitis were randomised.",
            "Adults with relapsed testitis were randomised.",
        ),
    ],
)
def test_a_lie_is_refused_where_the_truth_is_not(source: str, lie: str, truth: str) -> None:
    record = paper("Examplol", source)
    assert verify_claim(truth, record).supported
    assert not verify_claim(lie, record).supported


def test_people_that_the_record_names_elsewhere_are_not_put_in() -> None:
    record = paper("Examplol in adults", "Pain fell in the children who were given examplol.")
    assert verify_claim("Pain fell in adults who were given examplol.", record).supported
