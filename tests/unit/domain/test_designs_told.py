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
    ],
)
def test_what_a_record_says_it_is_goes_before_what_it_mentions(
    title: str, content: str, design: Design
) -> None:
    assert grade(paper(title, content)).design is design


USERS = "Users of examplol were compared with non-users."
RANDOM = "Two hundred adults were randomly assigned to examplol or placebo."
TREATED = "All patients were given examplol for a year."
DISCUSSED = "Cohorts and trials of examplol are discussed."


@pytest.mark.parametrize(
    ("title", "content", "design"),
    [
        ("Review of 312 patients given examplol: a retrospective cohort", USERS, Design.COHORT),
        ("Overview of a multicentre cohort of 2,300 people on examplol", USERS, Design.COHORT),
        ("Testitis with examplol: retrospective database review", USERS, Design.COHORT),
        ("Drug utilisation review of examplol in a registry", USERS, Design.COHORT),
        ("Chart review of examplol in 64 patients with testitis", TREATED, Design.CASE_SERIES),
        (
            "Examplol at one hospital: a review",
            f"We reviewed the charts of 90 people. {TREATED}",
            (Design.CASE_SERIES),
        ),
        ("Examplol poisoning: case series and review", TREATED, Design.CASE_SERIES),
        ("Examplol in testitis: an overview of a randomised trial", RANDOM, Design.RCT),
        ("An overview of the SNERK trial of examplol", RANDOM, Design.RCT),
        (
            "Review of a phase II trial of examplol",
            "A single-arm trial.",
            (Design.NON_RANDOMISED_TRIAL),
        ),
        ("Review of observational studies of examplol", DISCUSSED, Design.NARRATIVE_REVIEW),
        ("Review of randomised trials of examplol", DISCUSSED, Design.NARRATIVE_REVIEW),
        ("Critical review of the SNERK cohort findings", DISCUSSED, Design.NARRATIVE_REVIEW),
        ("Examplol in testitis: a review", RANDOM, Design.NARRATIVE_REVIEW),
        ("Overview of a cohort: a systematic review", USERS, Design.REVIEW_OF_COHORTS),
    ],
)
def test_a_review_of_people_is_no_review_of_studies(
    title: str, content: str, design: Design
) -> None:
    assert grade(paper(title, content)).design is design
