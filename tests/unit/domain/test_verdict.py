from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal import Direction, StudyFinding, study_findings
from deepcritical.domain.verdict import Certainty, Verdict, VerdictLabel, clinical_score, decide
from tests.unit.domain.records import appraisal, fact, paper, study

SUPPORTS, REFUTES, MIXED, NONE = (
    Direction.SUPPORTS,
    Direction.REFUTES,
    Direction.MIXED,
    Direction.NONE,
)


@pytest.mark.parametrize(
    ("studies", "label", "rule"),
    [
        pytest.param(
            [study(SUPPORTS, 2, 900), study(SUPPORTS, 2, 900), study(REFUTES, 3)],
            VerdictLabel.MIXED,
            "non-randomised studies of the condition disagree",
            id="01 trials for, cohorts against",
        ),
        pytest.param(
            [study(SUPPORTS, 2), study(MIXED, 3)],
            VerdictLabel.MIXED,
            "non-randomised studies of the condition disagree",
            id="01 trials for, cohorts mixed",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 200), study(SUPPORTS, 2, 200), study(SUPPORTS, 3)],
            VerdictLabel.SUPPORTED,
            "At least 2 randomised studies",
            id="02 two trials of 400 people",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 200), study(SUPPORTS, 2, 199)],
            VerdictLabel.PROMISING,
            "a single study or a small one",
            id="03 two trials of 399 people",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 9000)],
            VerdictLabel.PROMISING,
            "a single study or a small one",
            id="03 a single trial",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 300), study(SUPPORTS, 1, 300)],
            VerdictLabel.PROMISING,
            "a single study or a small one",
            id="03 a trial and a review, which counts it again",
        ),
        pytest.param(
            [study(REFUTES, 2, 200), study(REFUTES, 2, 200), study(SUPPORTS, 3, 9000)],
            VerdictLabel.REFUTED,
            "found no benefit and none disagrees",
            id="04 trials against, 400 people",
        ),
        pytest.param(
            [study(REFUTES, 1, 400)],
            VerdictLabel.REFUTED,
            "found no benefit and none disagrees",
            id="04 a review of trials against, 400 people",
        ),
        pytest.param(
            [study(REFUTES, 2, 200), study(REFUTES, 2, 199)],
            VerdictLabel.UNSUPPORTED,
            "a single trial or a small body",
            id="05 trials against, 399 people",
        ),
        pytest.param(
            [study(REFUTES, 2, 9000)],
            VerdictLabel.UNSUPPORTED,
            "a single trial or a small body",
            id="05 a single trial against",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 900), study(REFUTES, 2, 900)],
            VerdictLabel.MIXED,
            "points both ways",
            id="06 trials disagree",
        ),
        pytest.param(
            [study(MIXED, 2)], VerdictLabel.MIXED, "points both ways", id="06 a mixed trial"
        ),
        pytest.param(
            [study(SUPPORTS, 3), study(SUPPORTS, 4)],
            VerdictLabel.PROMISING,
            "Non-randomised studies of the condition favour",
            id="07 cohorts for",
        ),
        pytest.param(
            [study(REFUTES, 3, 9000)],
            VerdictLabel.UNSUPPORTED,
            "Non-randomised studies of the condition found no benefit",
            id="08 cohorts against",
        ),
        pytest.param(
            [study(SUPPORTS, 3), study(REFUTES, 4)],
            VerdictLabel.MIXED,
            "Non-randomised studies of the condition disagree",
            id="09 cohorts disagree",
        ),
        pytest.param(
            [study(SUPPORTS, 1, 900, direct=False), study(SUPPORTS, 5)],
            VerdictLabel.INSUFFICIENT,
            "other outcomes or populations",
            id="10 indirect only",
        ),
        pytest.param(
            [study(SUPPORTS, 5), study(NONE, 2)],
            VerdictLabel.INSUFFICIENT,
            "Mechanism only",
            id="11 mechanism only",
        ),
        pytest.param(
            [study(NONE, 2), study(NONE, None)],
            VerdictLabel.INSUFFICIENT,
            "none of them reports a result",
            id="12 studies without a direction",
        ),
        pytest.param([], VerdictLabel.INSUFFICIENT, "No record bears", id="13 nothing"),
    ],
)
def test_the_first_rule_that_applies_decides(
    studies: list[StudyFinding], label: VerdictLabel, rule: str
) -> None:
    verdict = decide(studies)
    assert verdict.label is label
    assert rule in verdict.rule


def test_a_verdict_names_the_studies_of_its_rule_only() -> None:
    verdict = decide([study(REFUTES, 3, key="E1"), study(SUPPORTS, 5, key="E2")])
    assert verdict.deciding_ids == ("E1",)


@pytest.mark.parametrize(
    ("studies", "certainty", "downgrades"),
    [
        pytest.param(
            [study(SUPPORTS, 2, 200), study(SUPPORTS, 2, 200)], Certainty.HIGH, [], id="large"
        ),
        pytest.param([study(SUPPORTS, 1, 400)], Certainty.HIGH, [], id="a review of trials"),
        pytest.param([study(REFUTES, 2, 9000)], Certainty.MODERATE, ["inconsistency"], id="one"),
        pytest.param(
            [study(SUPPORTS, 2, 9000), study(REFUTES, 3)],
            Certainty.MODERATE,
            ["inconsistency"],
            id="one, and a cohort that disagrees",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 50), study(SUPPORTS, 2, 50)],
            Certainty.MODERATE,
            ["imprecision"],
            id="small",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 50), study(SUPPORTS, 2, 49)],
            Certainty.LOW,
            ["imprecision", "very serious imprecision"],
            id="very small",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 100)],
            Certainty.LOW,
            ["inconsistency", "imprecision"],
            id="one, and small",
        ),
        pytest.param(
            [study(SUPPORTS, 2, 60), study(REFUTES, 2, 60)],
            Certainty.LOW,
            ["inconsistency", "imprecision"],
            id="small and at odds",
        ),
        pytest.param([study(SUPPORTS, 3)], Certainty.LOW, ["risk of bias"], id="cohort"),
        pytest.param(
            [study(MIXED, 3)], Certainty.VERY_LOW, ["risk of bias", "inconsistency"], id="mixed"
        ),
        pytest.param(
            [study(SUPPORTS, 5)],
            Certainty.VERY_LOW,
            ["risk of bias", "indirectness"],
            id="mechanism",
        ),
        pytest.param(
            [study(SUPPORTS, 1, None).model_copy(update={"about_drug": False})],
            Certainty.LOW,
            ["indirectness", "imprecision"],
            id="a review of several drugs",
        ),
        pytest.param([], Certainty.VERY_LOW, [], id="nothing"),
    ],
)
def test_certainty_falls_with_every_reason(
    studies: list[StudyFinding], certainty: Certainty, downgrades: list[str]
) -> None:
    verdict = decide(studies)
    assert verdict.certainty is certainty
    assert [reason.split(":")[0] for reason in verdict.downgrades] == downgrades


@pytest.mark.parametrize(
    ("studies", "cap"),
    [
        pytest.param([study(SUPPORTS, 5)], "mechanism is OCEBM level 5", id="mechanism"),
        pytest.param([study(SUPPORTS, 3)], "non-randomised evidence alone", id="cohorts"),
    ],
)
def test_what_keeps_a_verdict_low_is_said(studies: list[StudyFinding], cap: str) -> None:
    (said,) = decide(studies).caps
    assert said.startswith(cap)


def test_nothing_caps_a_verdict_on_trials() -> None:
    assert decide([study(SUPPORTS, 2), study(SUPPORTS, 3)]).caps == ()


@pytest.mark.parametrize(
    ("certainty", "confidence"),
    [
        (Certainty.HIGH, 0.8),
        (Certainty.MODERATE, 0.6),
        (Certainty.LOW, 0.4),
        (Certainty.VERY_LOW, 0.2),
    ],
)
def test_confidence_follows_certainty(certainty: Certainty, confidence: float) -> None:
    verdict = Verdict(label=VerdictLabel.MIXED, certainty=certainty, rule="A rule.")
    assert verdict.confidence == confidence


@pytest.mark.parametrize(
    ("studies", "label", "most"),
    [
        ([study(REFUTES, 2, 900), study(REFUTES, 2, 800), study(SUPPORTS, 1, 600)], "refuted", 0),
        ([study(REFUTES, 2, 50), study(SUPPORTS, 3, direct=False)], "unsupported", 1),
        ([study(SUPPORTS, 2, direct=False)], "insufficient evidence", 2),
    ],
)
def test_the_clinical_score_never_contradicts_the_verdict(
    studies: list[StudyFinding], label: str, most: int
) -> None:
    assert decide(studies).label.value == label
    assert clinical_score(studies) <= most


@pytest.mark.parametrize(
    ("studies", "score"),
    [
        pytest.param([study(SUPPORTS, 1)], 8, id="level 1"),
        pytest.param([study(SUPPORTS, 2)], 7, id="level 2"),
        pytest.param([study(SUPPORTS, 3)], 5, id="level 3"),
        pytest.param([study(SUPPORTS, 4)], 3, id="level 4"),
        pytest.param([study(SUPPORTS, 5)], 0, id="mechanism"),
        pytest.param([study(SUPPORTS, None)], 0, id="no level"),
        pytest.param([study(SUPPORTS, 2, direct=False)], 0, id="indirect"),
        pytest.param([study(REFUTES, 2)], 0, id="against"),
        pytest.param([study(MIXED, 2)], 2, id="mixed"),
        pytest.param([study(SUPPORTS, 2), study(REFUTES, 4)], 5, id="one against"),
        pytest.param([study(SUPPORTS, 2), study(REFUTES, 4), study(MIXED, 4)], 4, id="all three"),
        pytest.param([study(SUPPORTS, 4), study(SUPPORTS, 2)], 7, id="best level counts"),
        pytest.param([], 0, id="nothing"),
    ],
)
def test_the_clinical_score_is_that_of_the_best_study(
    studies: list[StudyFinding], score: int
) -> None:
    assert clinical_score(studies) == score


@pytest.mark.parametrize(
    "retraction",
    [
        pytest.param({"publication_types": ("Retracted Publication",)}, id="type"),
        pytest.param({"title": "RETRACTED: Examplol"}, id="title"),
    ],
)
def test_a_retracted_record_never_reaches_the_verdict(retraction: dict[str, Any]) -> None:
    record = paper(**{"content": "We randomised adults. 900 adults left.", **retraction})
    read = {"E1": appraisal(record, direct=True, supporting=(fact(),))}
    assert decide(study_findings(read, [("E1",)])) == decide(())


class TestTrialsThatDisagreeInPart:
    def test_large_ones_that_favour_are_not_undone_by_one_of_mixed_outcome(self) -> None:
        found = decide([study(SUPPORTS, 2, 900), study(SUPPORTS, 2, 900), study(MIXED, 2, 500)])
        assert (found.label, found.certainty) == (VerdictLabel.SUPPORTED, Certainty.MODERATE)
        assert any(reason.startswith("inconsistency") for reason in found.downgrades)

    @pytest.mark.parametrize(
        "studies",
        [
            pytest.param([study(SUPPORTS, 2, 900), study(MIXED, 2, 100)], id="one favours"),
            pytest.param(
                [study(SUPPORTS, 2, 300), study(SUPPORTS, 2, 200), study(MIXED, 2, 600)],
                id="the mixed one is larger",
            ),
            pytest.param(
                [study(SUPPORTS, 2, 900), study(SUPPORTS, 1, 5000), study(MIXED, 2, 500)],
                id="a trial and a review of it",
            ),
        ],
    )
    def test_else_it_is_promising(self, studies: list[StudyFinding]) -> None:
        assert decide(studies).label is VerdictLabel.PROMISING

    def test_a_trial_without_benefit_makes_it_mixed(self) -> None:
        found = decide([study(SUPPORTS, 2, 900), study(MIXED, 2, 500), study(REFUTES, 2, 50)])
        assert found.label is VerdictLabel.MIXED

    def test_cohorts_that_disagree_make_it_mixed(self) -> None:
        found = decide([study(SUPPORTS, 2, 900), study(MIXED, 2, 500), study(REFUTES, 3, 50)])
        assert found.label is VerdictLabel.MIXED


class TestReviewsBesideTheTrials:
    TRIALS = (study(REFUTES, 2, 900), study(REFUTES, 2, 800))

    def test_a_smaller_review_that_favours_does_not_outweigh_larger_trials(self) -> None:
        found = decide([*self.TRIALS, study(SUPPORTS, 1, 600)])
        assert (found.label, found.certainty) == (VerdictLabel.REFUTED, Certainty.MODERATE)

    @pytest.mark.parametrize("size", [None, 1700, 5000])
    def test_one_of_as_many_people_or_of_unknown_size_does(self, size: int | None) -> None:
        assert decide([*self.TRIALS, study(SUPPORTS, 1, size)]).label is VerdictLabel.MIXED

    def test_a_single_trial_does_not_decide_against_a_review(self) -> None:
        found = decide([study(REFUTES, 2, 900), study(SUPPORTS, 1, 600)])
        assert found.label is VerdictLabel.MIXED

    def test_not_so_the_other_way_round(self) -> None:
        trials = [study(SUPPORTS, 2, 900), study(SUPPORTS, 2, 800)]
        assert decide([*trials, study(REFUTES, 1, 600)]).label is VerdictLabel.MIXED


def test_case_series_alone_are_of_very_low_certainty() -> None:
    series = decide([study(SUPPORTS, 4, 50)])
    assert (series.label, series.certainty) == (VerdictLabel.PROMISING, Certainty.VERY_LOW)
    assert decide([study(SUPPORTS, 4, 50), study(SUPPORTS, 3, 50)]).certainty is Certainty.LOW
