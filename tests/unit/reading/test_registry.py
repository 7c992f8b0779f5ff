from __future__ import annotations

import pytest

from deepcritical.domain.study.reading import Arm, ArmFigure, Intervention
from deepcritical.reading.registry import read_registry
from deepcritical.reading.sentences import numbered, text_hash
from tests.unit.reading.registry_entries import (
    SCORE,
    made_analysis,
    made_evidence,
    made_flow,
    made_measure,
    made_only,
    made_read,
    made_study,
)
from tests.unit.reading.study_answers import READ_AT, record


class TestStudy:
    def test_design_people_and_arms(self) -> None:
        evidence = made_evidence(made_study(made_measure(), flow=made_flow()))
        reading = read_registry(evidence, READ_AT)
        assert reading is not None
        assert reading.record_id == "nct:NCT99000001"
        assert reading.registry_ids == ("nct:NCT99000001",)
        assert (reading.reader.kind, reading.read_at) == ("registry", READ_AT)
        assert reading.text_sha256 == text_hash(evidence)
        assert reading.kinds == ("trial",)
        assert reading.design == ("randomised", "double_blind", "placebo_controlled")
        assert reading.population.n_randomised == 83
        assert reading.population.conditions == ("Testitis",)
        assert reading.arms == (
            Arm(id="A", label="Examplol", interventions=(Intervention(name="Examplol"),), n=41),
            Arm(id="B", label="Placebo", control="placebo", n=42),
        )

    def test_without_a_flow_the_enrolment_tells_the_people(self) -> None:
        assert made_read(made_study(made_measure())).population.n_randomised == 84

    @pytest.mark.parametrize(
        ("study_type", "kind"), [("INTERVENTIONAL", "trial"), ("OBSERVATIONAL", "observational")]
    )
    def test_the_kind_of_study(self, study_type: str, kind: str) -> None:
        study = made_study(made_measure())
        study["protocolSection"]["designModule"]["studyType"] = study_type
        assert made_read(study).kinds == (kind,)

    def test_without_results_the_planned_arms_stand(self) -> None:
        reading = made_read(made_study())
        assert [(arm.label, arm.n) for arm in reading.arms] == [
            ("Examplol", None),
            ("Placebo", None),
        ]
        assert (reading.results, reading.unread) == ((), ("results_not_given",))

    def test_a_group_of_a_dose_is_part_of_its_planned_arm(self) -> None:
        titles = ("Examplol 10 mg", "Placebo Once a Day")
        arms = made_read(made_study(made_measure(titles=titles))).arms
        assert [[i.name for i in arm.interventions] for arm in arms] == [["Examplol"], []]
        assert [arm.control for arm in arms] == [None, "placebo"]

    def test_the_same_group_of_flow_and_measure_is_one_arm(self) -> None:
        flow = made_flow(titles=("EXAMPLOL", "placebo "))
        assert len(made_read(made_study(made_measure(), flow=flow)).arms) == 2

    def test_a_group_that_no_planned_arm_names_is_read_by_its_title(self) -> None:
        titles = ("Metformin", "Aspirin")
        arms = made_read(made_study(made_measure(titles=titles))).arms
        names = [[i.drug for i in arm.interventions] for arm in arms]
        assert names == [["metformin"], ["aspirin"]]

    def test_a_drug_alone_is_not_its_combination(self) -> None:
        study = made_study(made_measure(titles=("Metformin", "Placebo")))
        arms = study["protocolSection"]["armsInterventionsModule"]["armGroups"]
        arms[0]["label"] = "Metformin and Aspirin"
        arms[0]["interventionNames"] = ["Drug: Metformin", "Drug: Aspirin"]
        drugs = [[i.drug for i in arm.interventions] for arm in made_read(study).arms]
        assert drugs[0] == ["metformin"]


class TestNoReading:
    def test_a_publication_has_no_entry(self) -> None:
        assert read_registry(record("Text."), READ_AT) is None

    def test_a_trial_without_an_entry(self) -> None:
        assert read_registry(record("Text.", kind="trial"), READ_AT) is None

    @pytest.mark.parametrize(
        "entry",
        [
            "{",
            "[]",
            "{}",
            "null",
            '{"protocolSection": {}}',
            '{"protocolSection": {"identificationModule": {"nctId": "none"}}}',
            "[" * 10_000,
        ],
    )
    def test_an_entry_that_cannot_be_parsed(self, entry: str) -> None:
        evidence = record("Text.", kind="trial", registry_entry=entry)
        assert read_registry(evidence, READ_AT) is None


class TestMeasures:
    def test_outcome_figures_and_sentences(self) -> None:
        evidence = made_evidence(made_study(made_measure()))
        reading = read_registry(evidence, READ_AT)
        assert reading is not None
        result = reading.results[0]
        assert (result.outcome, result.level, result.unit) == (SCORE, "primary", "points")
        assert (result.timepoint, result.contrast) == ("Week 12", "between")
        assert result.figures == (
            ArmFigure(arm="A", n=40, value=12.1),
            ArmFigure(arm="B", n=41, value=13.6),
        )
        told = numbered(evidence)
        assert result.sentences
        assert all(SCORE in told[n].text for n in result.sentences)
        assert (result.effect, result.better) == (None, "unclear")

    @pytest.mark.parametrize(
        ("kind", "level"),
        [
            ("PRIMARY", "primary"),
            ("SECONDARY", "secondary"),
            ("OTHER_PRE_SPECIFIED", "secondary"),
            ("POST_HOC", "post_hoc"),
            (None, "unstated"),
        ],
    )
    def test_the_rank_of_an_outcome(self, kind: str | None, level: str) -> None:
        assert made_only(made_measure(type=kind)).level == level

    def test_a_count_of_participants_is_a_number_of_events(self) -> None:
        result = made_only(made_measure((3, 20), paramType="COUNT_OF_PARTICIPANTS"))
        assert result.figures == (
            ArmFigure(arm="A", n=40, events=3),
            ArmFigure(arm="B", n=41, events=20),
        )

    @pytest.mark.parametrize(
        ("kind", "spread"), [("Standard Deviation", 2.5), ("Standard Error", None)]
    )
    def test_only_a_standard_deviation_is_a_spread(self, kind: str, spread: float | None) -> None:
        measure = made_measure(dispersionType=kind)
        for number in measure["classes"][0]["categories"][0]["measurements"]:
            number["spread"] = "2.5"
        assert [figure.spread for figure in made_only(measure).figures] == [spread, spread]

    def test_a_value_that_is_no_number_is_left_out(self) -> None:
        result = made_only(made_measure(("NA", 13.6), made_analysis(pValue="0.3")))
        assert [figure.arm for figure in result.figures] == ["B"]

    def test_a_table_of_several_rows_has_no_figures(self) -> None:
        measure = made_measure((12.1, 13.6), made_analysis(pValue="0.03"))
        measure["classes"].append(measure["classes"][0])
        assert made_only(measure).figures == ()

    def test_sizes_that_count_no_people_are_left_out(self) -> None:
        measure = made_measure()
        measure["denoms"][0]["units"] = "eyes"
        assert [figure.n for figure in made_only(measure).figures] == [None, None]

    def test_a_figure_of_one_group_alone_is_single(self) -> None:
        result = made_only(made_measure((12.1,), titles=("Examplol",), sizes=(40,)))
        assert (result.contrast, result.a) == ("single", "A")

    def test_groups_of_one_title_are_not_compared_with_themselves(self) -> None:
        result = made_only(made_measure(titles=("Cohort", "Cohort")))
        assert result.contrast != "between" or result.a != result.b
