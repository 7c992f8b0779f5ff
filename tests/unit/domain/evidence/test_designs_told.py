from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.grading import grade, quality_score
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
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


BEST: dict[str, Any] = {
    "publication_types": ("Meta-Analysis",),
    "integrity": "clean",
    "cited_by": 100,
}
CONTENT = "We pooled 9 randomised trials with 1,000 patients."


def record(
    content: str = CONTENT, date: str = "2998", source: Any = "pubmed", **meta: Any
) -> Evidence:
    return Evidence(
        content=content,
        citation=Citation(source=source, title="Examplol in testitis", date=date),
        metadata=EvidenceMetadata(**(BEST | meta)),
    )


def test_the_best_record_there_can_be_has_one() -> None:
    assert quality_score(record()) == 1.0


@pytest.mark.parametrize(
    "worse",
    [
        pytest.param(record(publication_types=("Randomized Controlled Trial",)), id="design"),
        pytest.param(record("We pooled 9 randomised trials with 50 patients."), id="size"),
        pytest.param(record("We pooled 9 randomised trials."), id="size unknown"),
        pytest.param(record(publication_types=("Meta-Analysis", "Preprint")), id="peer review"),
        pytest.param(record(source="web"), id="the open web"),
        pytest.param(record(integrity="not_checked"), id="integrity not checked"),
        pytest.param(record(integrity="concern"), id="expression of concern"),
        pytest.param(record(cited_by=3), id="citations"),
        pytest.param(record(cited_by=None), id="citations unknown"),
    ],
)
def test_each_factor_counts(worse: Evidence) -> None:
    assert 0 < quality_score(worse) < 1


def test_age_counts_for_nothing() -> None:
    assert quality_score(record(date="1950")) == quality_score(record(date="2998"))


@pytest.mark.parametrize(
    "retracted", [{"integrity": "retracted"}, {"publication_types": ("Retracted Publication",)}]
)
def test_a_retracted_record_has_none(retracted: dict[str, Any]) -> None:
    assert quality_score(record(**retracted)) == 0.0


@given(
    st.integers(0, 10**6),
    st.integers(1900, 2999),
    st.sampled_from(["clean", "corrected", "not_checked", "concern"]),
    st.none() | st.integers(0, 10**6),
)
def test_it_is_a_share_whatever_the_record(
    people: int, year: int, integrity: str, cited_by: int | None
) -> None:
    made = record(f"{people} patients.", str(year), integrity=integrity, cited_by=cited_by)
    assert 0 < quality_score(made) <= 1


@given(st.integers(0, 200), st.integers(0, 200))
def test_more_citations_never_lower_it(fewer: int, added: int) -> None:
    more = quality_score(record(cited_by=fewer + added))
    assert more >= quality_score(record(cited_by=fewer))
