from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal.findings import (
    Appraisal,
    Direction,
    Reading,
    Stance,
    StudyFinding,
    study_findings,
)
from tests.unit.domain.records import appraisal, fact, paper, trial

RCT = paper(pmid="1", content="120 adults", publication_types=("Randomized Controlled Trial",))
COHORT = paper(pmid="2", content="900 adults", publication_types=("Observational Study",))
RETRACTED = paper(pmid="3", publication_types=("Retracted Publication",))
HELPS: dict[str, Any] = {"direct": True, "supporting": (fact(),)}
FAILS: dict[str, Any] = {"direct": True, "refuting": (fact(),)}
SILENT: dict[str, Any] = {"direct": True, "context": (fact(),)}


@pytest.mark.parametrize(
    ("fields", "stance"),
    [
        pytest.param(HELPS, Stance.SUPPORTS, id="helps"),
        pytest.param(FAILS, Stance.REFUTES, id="fails"),
        pytest.param({**HELPS, **FAILS}, Stance.NEUTRAL, id="both"),
        pytest.param(SILENT, Stance.NEUTRAL, id="neither"),
        pytest.param({**HELPS, **SILENT}, Stance.SUPPORTS, id="context has no direction"),
    ],
)
def test_a_stance_follows_from_the_findings(fields: dict[str, Any], stance: Stance) -> None:
    reading = Reading(evidence_id="E1", drug="examplol", **fields)
    assert reading.stance == stance


def test_the_facts_of_a_reading_are_those_of_all_kinds() -> None:
    assert len(appraisal(RCT, **{**HELPS, **FAILS, **SILENT}).reading.facts) == 3


@pytest.mark.parametrize(
    ("read", "counts"),
    [
        pytest.param(appraisal(RCT, **HELPS), True, id="included"),
        pytest.param(appraisal(RCT, excluded_because="Off topic."), False, id="excluded"),
        pytest.param(appraisal(RETRACTED, **HELPS), False, id="retracted"),
    ],
)
def test_only_included_records_that_stand_count(read: Appraisal, counts: bool) -> None:
    assert read.counts is counts


def one_study(**read: Appraisal) -> StudyFinding:
    """The finding of a study that all these records belong to."""
    (finding,) = study_findings(read, [tuple(read)])
    return finding


@pytest.mark.parametrize(
    ("first", "second", "direction"),
    [
        pytest.param(HELPS, HELPS, Direction.SUPPORTS, id="both help"),
        pytest.param(HELPS, SILENT, Direction.SUPPORTS, id="one helps, one is silent"),
        pytest.param(HELPS, FAILS, Direction.MIXED, id="one helps, one fails"),
        pytest.param(FAILS, FAILS, Direction.REFUTES, id="both fail"),
        pytest.param(SILENT, SILENT, Direction.NONE, id="both silent"),
        pytest.param(
            HELPS, {"refuting": (fact(),)}, Direction.SUPPORTS, id="indirect findings give way"
        ),
    ],
)
def test_a_study_speaks_through_all_its_records(
    first: dict[str, Any], second: dict[str, Any], direction: Direction
) -> None:
    finding = one_study(E1=appraisal(RCT, "E1", **first), E2=appraisal(COHORT, "E2", **second))
    assert finding.direction is direction


def test_a_study_names_its_records_and_those_that_decide() -> None:
    finding = one_study(E1=appraisal(RCT, "E1", **SILENT), E2=appraisal(COHORT, "E2", **HELPS))
    assert (finding.evidence_ids, finding.deciding_ids) == (("E1", "E2"), ("E2",))


def test_a_study_has_the_level_of_the_records_that_state_the_direction() -> None:
    finding = one_study(E1=appraisal(RCT, "E1", **SILENT), E2=appraisal(COHORT, "E2", **HELPS))
    assert (finding.level, finding.clinical, finding.randomised) == (3, True, False)


def test_a_silent_study_has_the_best_level_of_its_records() -> None:
    finding = one_study(E1=appraisal(COHORT, "E1"), E2=appraisal(RCT, "E2"))
    assert (finding.level, finding.randomised) == (2, True)


def test_a_study_without_a_result_has_no_level() -> None:
    finding = one_study(E1=appraisal(trial()))
    assert (finding.level, finding.clinical, finding.randomised) == (None, False, False)


def test_the_people_of_a_study_are_those_of_its_largest_record() -> None:
    finding = one_study(E1=appraisal(RCT, "E1", **HELPS), E2=appraisal(COHORT, "E2", **HELPS))
    assert finding.participants == 900


def test_people_in_a_record_on_several_drugs_are_not_the_drug_s() -> None:
    shared = appraisal(COHORT, "E2", about_drug=False, **HELPS)
    assert one_study(E1=appraisal(RCT, "E1", **HELPS), E2=shared).participants == 120
    alone = one_study(E2=shared)
    assert (alone.participants, alone.about_drug) == (None, False)


def test_a_study_of_records_that_do_not_count_is_none() -> None:
    read = {
        "E1": appraisal(RCT, "E1", excluded_because="Off topic."),
        "E2": appraisal(RETRACTED, "E2", **HELPS),
    }
    assert study_findings(read, [("E1", "E2")]) == ()


def test_a_record_that_was_not_read_is_passed_over() -> None:
    finding = study_findings({"E1": appraisal(RCT, **HELPS)}, [("E0",), ("E1", "E2")])
    assert [f.evidence_ids for f in finding] == [("E1",)]
