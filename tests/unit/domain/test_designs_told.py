from __future__ import annotations

import pytest

from deepcritical.domain.designs import Design
from deepcritical.domain.grading import grade
from tests.unit.domain.records import paper


@pytest.mark.parametrize(
    ("title", "content", "design"),
    [
        pytest.param(
            "Examplol in testitis: a literature review",
            "Trials were double-blind.",
            Design.NARRATIVE_REVIEW,
            id="the title is a review's",
        ),
        pytest.param(
            "A meta-analysis of randomised trials of examplol",
            "Results differ from those of cohort studies.",
            Design.REVIEW_OF_RCTS,
            id="the title says what is pooled",
        ),
        pytest.param(
            "Examplol in testitis",
            "Rabbits were randomized to examplol or saline.",
            Design.PRECLINICAL,
            id="animals are randomised, too",
        ),
        pytest.param(
            "Examplol and testitis",
            "It is known from mice. A cohort of 7,230 adults was followed.",
            Design.COHORT,
            id="people are counted, mice are mentioned",
        ),
        pytest.param(
            "Examplol in testitis",
            "This trial randomly assigned 916 women to examplol or placebo.",
            Design.RCT,
            id="a trial assigns randomly",
        ),
        pytest.param(
            "Examplol in testitis",
            "Patients were randomly divided into two groups.",
            Design.RCT,
            id="divided randomly",
        ),
        pytest.param(
            "Examplol in testitis",
            "A cohort of 300 patients was randomly divided into a training set and a test set.",
            Design.COHORT,
            id="the data are divided",
        ),
    ],
)
def test_what_a_record_says_it_is_goes_before_what_it_mentions(
    title: str, content: str, design: Design
) -> None:
    assert grade(paper(title, content)).design is design
