from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.appraisal.checklist import (
    Aspect,
    ChecklistItem,
    Coverage,
    ItemCoverage,
    ItemFact,
    cover,
    lower_of,
)
from deepcritical.domain.appraisal.findings import Stance
from deepcritical.domain.evidence.record import Fact, FactRole

STUDY_OF = {"E1": 0, "E2": 1, "E3": 1, "E4": 2}
"""E2 and E3 are records of one study."""


def fact(evidence_id: str = "E1", **fields: Any) -> ItemFact:
    text = "Examplol improved testitis."
    located = Fact(
        statement=text,
        evidence_id=evidence_id,
        quote=text,
        start=0,
        end=len(text),
        role=FactRole.RESULT,
    )
    told: dict[str, Any] = {"id": "F1", "items": ("C1",), "fact": located, "level": 2}
    return ItemFact(**(told | fields))


def item(**fields: Any) -> ChecklistItem:
    told: dict[str, Any] = {"id": "C1", "aspect": Aspect.ANSWER, "text": "What?", "studies": 2}
    return ChecklistItem(**(told | {"level": 3} | fields))


FOR, AGAINST = Stance.SUPPORTS, Stance.REFUTES


@pytest.mark.parametrize(
    ("facts", "changed", "coverage", "reason"),
    [
        ([], {}, Coverage.UNSATISFIED, "no sentence on it"),
        ([fact(items=("C2",))], {}, Coverage.UNSATISFIED, "no sentence on it"),
        ([fact(), fact("E2")], {}, Coverage.SATISFIED, "2 studies located"),
        ([fact()], {}, Coverage.PARTIAL, "1 study located; 2 are wanted"),
        ([fact()], {"studies": 1}, Coverage.SATISFIED, "OCEBM level 2"),
        # Two records of one study are one study.
        ([fact("E2"), fact("E3")], {}, Coverage.PARTIAL, "1 study located"),
        ([fact("E2"), fact("E3"), fact("E4")], {}, Coverage.SATISFIED, "2 studies"),
        # The level that one of them must reach.
        ([fact(level=4), fact("E2", level=4)], {}, Coverage.PARTIAL, "level 4; level 3"),
        ([fact(level=4), fact("E2", level=3)], {}, Coverage.SATISFIED, "level 3"),
        ([fact(level=None), fact("E2", level=None)], {}, Coverage.PARTIAL, "no study has"),
        (
            [fact(level=None), fact("E2", level=None)],
            {"level": None},
            Coverage.SATISFIED,
            "2 studies",
        ),
        # The strongest studies must not stand on both sides.
        ([fact(side=FOR), fact("E2", side=AGAINST)], {}, Coverage.PARTIAL, "both ways"),
        ([fact(side=FOR), fact("E2", side=AGAINST, level=4)], {}, Coverage.SATISFIED, "2 studies"),
        ([fact(side=FOR), fact("E2")], {}, Coverage.SATISFIED, "2 studies"),
        # What is only near the question covers nothing, and is not counted beside what is on it.
        (
            [fact(direct=False), fact("E2", direct=False)],
            {"studies": 1},
            Coverage.UNSATISFIED,
            "no sentence on it",
        ),
        ([fact(), fact("E2", direct=False)], {}, Coverage.PARTIAL, "1 study located"),
    ],
)
def test_coverage_is_a_rule_over_number_level_and_agreement(
    facts: list[ItemFact], changed: dict[str, Any], coverage: Coverage, reason: str
) -> None:
    covered = cover(item(**changed), facts, STUDY_OF)
    assert covered.coverage is coverage
    assert reason in covered.reason
    assert bool(covered.fact_ids) is (coverage is not Coverage.UNSATISFIED)


facts = st.builds(
    lambda key, level, side, direct, of: fact(
        key, level=level, side=side, direct=direct, items=(of,)
    ),
    st.sampled_from(list(STUDY_OF)),
    st.sampled_from([None, 1, 2, 3, 4, 5]),
    st.sampled_from(Stance),
    st.booleans(),
    st.sampled_from(["C1", "C2"]),
)


@given(st.lists(facts, max_size=6), st.integers(1, 3), st.sampled_from([None, 1, 3, 5]))
def test_nothing_is_satisfied_without_a_direct_sentence_of_its_own(
    found: list[ItemFact], studies: int, level: int | None
) -> None:
    covered = cover(item(studies=studies, level=level), found, STUDY_OF)
    if covered.coverage is Coverage.SATISFIED:
        own = [one for one in found if "C1" in one.items and one.direct]
        assert len({STUDY_OF[one.fact.evidence_id] for one in own}) >= studies


ORDER = [Coverage.UNSATISFIED, Coverage.PARTIAL, Coverage.SATISFIED]


def coverage_of(value: Coverage) -> ItemCoverage:
    return ItemCoverage(item="C1", coverage=value, reason="Because.")


@pytest.mark.parametrize("said", ORDER)
@pytest.mark.parametrize("ruled", ORDER)
def test_the_lower_coverage_stands(said: Coverage, ruled: Coverage) -> None:
    (lower,) = lower_of((coverage_of(said),), (coverage_of(ruled),))
    assert lower.coverage is min(said, ruled, key=ORDER.index)


def test_what_nobody_doubts_stays_as_the_rule_has_it() -> None:
    ruled = (coverage_of(Coverage.SATISFIED),)
    assert lower_of((), ruled) == ruled
