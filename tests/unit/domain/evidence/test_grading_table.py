"""Publication type x species x registry field -> design, level and GRADE start, row by row.

Each row names the rule that it follows from: OCEBM 2011 ("The Oxford Levels of Evidence 2", on
"Does this intervention help?"), the GRADE guidelines (J Clin Epidemiol 2011) or MeSH (scope notes
of publication types and check tags).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.designs import Design
from deepcritical.domain.evidence.grading import grade
from tests.unit.domain.records import TITLE, paper, trial

HUMANS, ANIMALS, BOTH, NONE = ("Humans",), ("Animals", "Mice*"), ("Animals", "Humans"), ()


class Row(NamedTuple):
    types: tuple[str, ...]
    species: tuple[str, ...]
    content: str
    design: Design
    level: int | None
    certainty: Certainty | None
    rule: str


POOLED = "We pooled 9 randomised trials."
MEASURED = "Pain was measured in 500 patients with testitis."

PAPERS = (
    Row(
        ("Meta-Analysis",),
        HUMANS,
        POOLED,
        Design.REVIEW_OF_RCTS,
        1,
        Certainty.HIGH,
        "OCEBM 2011 level 1: systematic review of randomised trials; GRADE 3: starts high",
    ),
    Row(
        ("Meta-Analysis",),
        ANIMALS,
        POOLED,
        Design.REVIEW_WITH_ANIMALS,
        5,
        Certainty.VERY_LOW,
        "OCEBM 2011: a review is of the level of what it pools; MeSH check tags: only animals",
    ),
    Row(
        ("Network Meta-Analysis", "Systematic Review"),
        HUMANS,
        POOLED,
        Design.REVIEW_OF_RCTS,
        1,
        Certainty.HIGH,
        "MeSH: a kind of meta-analysis",
    ),
    Row(
        ("Systematic Review",),
        HUMANS,
        "We included cohort studies.",
        Design.REVIEW_OF_COHORTS,
        3,
        Certainty.LOW,
        "OCEBM 2011: a review is of the level of what it pools; GRADE 3: starts low",
    ),
    Row(
        ("Systematic Review",),
        HUMANS,
        "We included case-control studies.",
        Design.REVIEW_WITH_CASE_CONTROL,
        4,
        Certainty.LOW,
        "OCEBM 2011 level 4: case-control studies",
    ),
    Row(
        ("Systematic Review",),
        ANIMALS,
        "We included studies in mice.",
        Design.REVIEW_WITH_ANIMALS,
        5,
        Certainty.VERY_LOW,
        "OCEBM 2011 level 5: mechanism; GRADE 8: indirect",
    ),
    Row(
        ("Randomized Controlled Trial",),
        HUMANS,
        MEASURED,
        Design.RCT,
        2,
        Certainty.HIGH,
        "OCEBM 2011 level 2: randomised trial; GRADE 3: starts high",
    ),
    Row(
        ("Randomized Controlled Trial",),
        BOTH,
        MEASURED,
        Design.RCT,
        2,
        Certainty.HIGH,
        "MeSH: Humans beside Animals is a study of people",
    ),
    Row(
        ("Randomized Controlled Trial",),
        ANIMALS,
        "Pain was measured.",
        Design.PRECLINICAL,
        5,
        Certainty.VERY_LOW,
        "MeSH check tags: Animals without Humans; OCEBM 2011 level 5",
    ),
    Row(
        ("Randomized Controlled Trial, Veterinary",),
        NONE,
        "Pain was measured.",
        Design.PRECLINICAL,
        5,
        Certainty.VERY_LOW,
        "MeSH: trials in animals; OCEBM 2011 level 5",
    ),
    Row(
        ("Clinical Trial, Phase III",),
        HUMANS,
        f"{MEASURED} Patients were randomly assigned.",
        Design.RCT,
        2,
        Certainty.HIGH,
        "MeSH: phases do not say how people were allocated; the text does",
    ),
    *(
        Row(
            (f"Clinical Trial, Phase {phase}",),
            HUMANS,
            MEASURED,
            Design.NON_RANDOMISED_TRIAL,
            3,
            Certainty.LOW,
            "OCEBM 2011 level 3: non-randomised controlled study; GRADE 3: starts low",
        )
        for phase in ("I", "II", "III", "IV")
    ),
    Row(
        ("Controlled Clinical Trial",),
        HUMANS,
        MEASURED,
        Design.NON_RANDOMISED_TRIAL,
        3,
        Certainty.LOW,
        "MeSH: controlled, not necessarily randomised; OCEBM 2011 level 3",
    ),
    Row(
        ("Observational Study",),
        HUMANS,
        MEASURED,
        Design.COHORT,
        3,
        Certainty.LOW,
        "OCEBM 2011 level 3: cohort; GRADE 3: starts low",
    ),
    Row(
        ("Observational Study",),
        ANIMALS,
        "Pain was measured.",
        Design.PRECLINICAL,
        5,
        Certainty.VERY_LOW,
        "MeSH check tags: Animals without Humans",
    ),
    Row(
        ("Journal Article",),
        HUMANS,
        f"A case-control study. {MEASURED}",
        Design.CASE_CONTROL,
        4,
        Certainty.LOW,
        "OCEBM 2011 level 4: case-control; no type says so, so the text does, flagged",
    ),
    Row(
        ("Case Reports",),
        HUMANS,
        "One patient got well.",
        Design.CASE_SERIES,
        4,
        Certainty.VERY_LOW,
        "OCEBM 2011 level 4: case series; GRADE 3: starts very low without a comparison",
    ),
    *(
        Row(
            (kind,),
            HUMANS,
            "Examplol may help.",
            Design.NARRATIVE_REVIEW,
            5,
            Certainty.VERY_LOW,
            "OCEBM 2011 level 5: no study of its own; MeSH scope note of the type",
        )
        for kind in ("Review", "Editorial", "Letter", "Comment", "Practice Guideline", "News")
    ),
    Row(
        ("Scoping Review",),
        HUMANS,
        POOLED,
        Design.NARRATIVE_REVIEW,
        5,
        Certainty.VERY_LOW,
        "MeSH: maps what exists and pools nothing",
    ),
    Row(
        ("Preprint",),
        HUMANS,
        f"Patients were randomised. {MEASURED}",
        Design.RCT,
        2,
        Certainty.HIGH,
        "MeSH: a preprint is a form of publication, not a design",
    ),
    Row(
        ("Clinical Trial Protocol",),
        HUMANS,
        "Patients will be randomised.",
        Design.PROTOCOL,
        None,
        None,
        "MeSH: a plan; nothing to grade yet",
    ),
    Row(
        ("Journal Article",),
        HUMANS,
        "Pain fell.",
        Design.UNCLEAR,
        None,
        None,
        "no rule: what nothing tells is not guessed",
    ),
)


@pytest.mark.parametrize("row", PAPERS, ids=lambda row: f"{row.types[0]}, {'+'.join(row.species)}")
def test_a_paper_is_graded_by_type_and_species(row: Row) -> None:
    graded = grade(paper(TITLE, row.content, publication_types=row.types, mesh_terms=row.species))
    assert (graded.design, graded.level, graded.certainty) == (row.design, row.level, row.certainty)


POSTED = "Posted result: Pain (12 weeks): Examplol 2; Placebo 3; Examplol vs Placebo, p = 0.01."


@pytest.mark.parametrize(
    ("fields", "content", "design", "level"),
    [
        pytest.param({"status": s}, "", Design.REGISTERED_TRIAL, None, id=f"{s}: no result yet")
        for s in ("RECRUITING", "ACTIVE_NOT_RECRUITING", "COMPLETED", "WITHDRAWN", "SUSPENDED")
    ]
    + [
        pytest.param(
            {"has_results": True},
            "",
            Design.REGISTERED_TRIAL,
            None,
            id="says it has results, but holds none",
        ),
        pytest.param(
            {"posted_results": ("Pain",), "allocation": "RANDOMIZED"},
            POSTED,
            Design.RCT,
            2,
            id="OCEBM 2011 level 2: posted results of a randomised trial",
        ),
        pytest.param(
            {"posted_results": ("Pain",), "allocation": "NON_RANDOMIZED"},
            f"{POSTED} Randomised.",
            Design.NON_RANDOMISED_TRIAL,
            3,
            id="the registry's field before its text",
        ),
        pytest.param(
            {"posted_results": ("Pain",), "allocation": "NA"},
            POSTED,
            Design.NON_RANDOMISED_TRIAL,
            3,
            id="one arm: allocation NA",
        ),
        pytest.param(
            {"has_results": True},
            "Randomised.\n\nResults: pain fell.",
            Design.RCT,
            2,
            id="results in the text of the entry",
        ),
        pytest.param(
            {"posted_results": ("Pain",), "study_type": "OBSERVATIONAL"},
            POSTED,
            Design.COHORT,
            3,
            id="OCEBM 2011 level 3: an observational study in the registry",
        ),
        pytest.param(
            {"status": "TERMINATED", "why_stopped": "Futility", "allocation": "RANDOMIZED"},
            "",
            Design.RCT,
            2,
            id="stopped for futility: a result",
        ),
        pytest.param(
            {"status": "TERMINATED", "why_stopped": "Slow enrolment", "allocation": "RANDOMIZED"},
            "",
            Design.REGISTERED_TRIAL,
            None,
            id="stopped for enrolment: no result",
        ),
        pytest.param(
            {"status": "WITHDRAWN", "why_stopped": "Futility"},
            "",
            Design.REGISTERED_TRIAL,
            None,
            id="withdrawn: nobody was treated",
        ),
    ],
)
def test_a_registry_entry_is_graded_by_its_fields(
    fields: dict[str, Any], content: str, design: Design, level: int | None
) -> None:
    graded = grade(trial(content=content, **fields))
    assert (graded.design, graded.level) == (design, level)
