from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.domain.study.reading import Effect, Result
from deepcritical.reading.building import canonical_drug, effect_p, record_id, registry_ids
from tests.unit.reading.study_answers import ARMS, READ_AT, READER, record, unchecked


def _only(arms: list[dict[str, Any]] | None = None, **result: Any) -> Result:
    answer = {"results": [{"outcome": "Itching", "s": [1], **result}]}
    reading = unchecked(record("Text."), arms=ARMS if arms is None else arms, **answer)
    return reading.results[0]


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("0.03", (0.03, "=")),
        (".03", (0.03, "=")),
        ("0·03", (0.03, "=")),
        ("p = 0.03", (0.03, "=")),
        ("P=0.03 ", (0.03, "=")),
        ("P-value = 0.03", (0.03, "=")),
        ("p value < 0.001", (0.001, "<")),
        ("<0.001", (0.001, "<")),
        ("P<.001", (0.001, "<")),
        ("≤0.05", (0.05, "<")),
        ("<= 0.05", (0.05, "<")),
        (">0.99", (0.99, ">")),
        ("≥ 0.05", (0.05, ">")),
        ("p >= 0.05", (0.05, ">")),
        ("1", (1.0, "=")),
        ("1.00", (1.0, "=")),
        ("0", (0.0, "=")),
        ("ns", (1.0, "ns")),
        ("N.S.", (1.0, "ns")),
        ("p = ns", (1.0, "ns")),
        ("not significant", (1.0, "ns")),
        ("non-significant", (1.0, "ns")),
        ("", None),
        ("1.2", None),
        ("-0.03", None),
        ("significant", None),
        ("0.03 to 0.05", None),
        ("p", None),
        ("p=.", None),
        ("5%", None),
    ],
)
def test_a_p_value_as_records_write_it(told: str, expected: tuple[float, str] | None) -> None:
    assert effect_p(told) == expected


@given(st.text(alphabet="pP=<>≤≥0.·15ns ", max_size=12) | st.text(max_size=20))
def test_a_p_value_lies_between_none_and_one(told: str) -> None:
    found = effect_p(told)
    assert found is None or (0 <= found[0] <= 1 and found[1] in ("=", "<", ">", "ns"))


@pytest.mark.parametrize(
    ("name", "drug"),
    [
        ("metformin", "metformin"),
        ("Metformin", "metformin"),
        ("Glucophage", "metformin"),
        ("oral metformin", "metformin"),
        ("metformin plus aspirin", ""),
        ("examplol", ""),
        ("placebo", ""),
        pytest.param(
            "",
            "",
        ),
        ("-", ""),
    ],
)
def test_a_drug_has_its_name_of_the_vocabulary(name: str, drug: str) -> None:
    assert canonical_drug(name) == drug


def test_a_class_has_its_name_of_the_vocabulary() -> None:
    assert canonical_drug("statins") == canonical_drug("statin") != ""


class TestEffects:
    def test_the_effect_has_interval_and_p(self) -> None:
        result = _only(measure="HR", value=0.7, low=0.5, high=0.9, ci=97.5, p="<0.001")
        assert result.effect == Effect(
            measure="HR",
            value=0.7,
            ci_low=0.5,
            ci_high=0.9,
            ci_level=97.5,
            p=0.001,
            p_operator="<",
        )

    @pytest.mark.parametrize("ci", [0, -5, 100, 950, None])
    def test_an_impossible_level_is_taken_for_95_percent(self, ci: float | None) -> None:
        effect = _only(measure="HR", value=0.7, ci=ci).effect
        assert effect is not None
        assert effect.ci_level == 95

    def test_not_significant_has_no_number(self) -> None:
        assert _only(p="ns").effect == Effect(p=None, p_operator="ns")

    @pytest.mark.parametrize("result", [{}, {"measure": "HR"}, {"p": "significant"}, {"ci": 90}])
    def test_without_a_number_there_is_no_effect(self, result: dict[str, Any]) -> None:
        assert _only(**result).effect is None

    @pytest.mark.parametrize(
        ("better", "expected"),
        [("a", "b"), ("b", "a"), ("no_difference", "no_difference"), ("unclear", "unclear")],
    )
    def test_an_effect_of_the_second_arm_turns_the_result(self, better: str, expected: str) -> None:
        result = _only(of="b", a="A", b="B", better=better, measure="HR", value=1.4)
        assert (result.a, result.b, result.better) == ("B", "A", expected)
        assert result.effect == Effect(measure="HR", value=1.4)

    def test_an_effect_of_the_first_arm_stays(self) -> None:
        result = _only(of="a", a="A", b="B", better="b")
        assert (result.a, result.b, result.better) == ("A", "B", "b")

    def test_turning_leaves_the_figures_with_their_arms(self) -> None:
        figures = [{"arm": "A", "value": 1.0}, {"arm": "B", "value": 2.0}]
        result = _only(of="b", figures=figures)
        assert [(f.arm, f.value) for f in result.figures] == [("A", 1.0), ("B", 2.0)]


class TestArms:
    @pytest.mark.parametrize(
        ("sides", "expected"),
        [
            ({}, ("A", "B")),
            ({"a": "A"}, ("A", "B")),
            ({"b": "B"}, ("A", "B")),
            ({"a": "B"}, ("B", "A")),
            ({"b": "A"}, ("B", "A")),
            ({"a": " A ", "b": " B "}, ("A", "B")),
            ({"contrast": "within"}, ("A", "")),
            ({"contrast": "single"}, ("A", "")),
            ({"contrast": "within", "a": "B"}, ("B", "")),
            ({"contrast": "association"}, ("", "")),
            ({"contrast": "omnibus"}, ("", "")),
            ({"of": "b"}, ("B", "A")),
        ],
    )
    def test_arms_that_are_left_out_are_the_only_two(
        self, sides: dict[str, Any], expected: tuple[str, str]
    ) -> None:
        result = _only(**sides)
        assert (result.a, result.b) == expected

    def test_arms_that_are_left_out_of_three_stay_unknown(self) -> None:
        result = _only(arms=[*ARMS, {"id": "C", "gets": ["testamine"]}])
        assert (result.a, result.b) == ("", "")

    @pytest.mark.parametrize("contrast", ["between", "within", "single"])
    def test_the_comparator_that_no_record_names_is_nobody(self, contrast: str) -> None:
        result = _only(arms=ARMS[:1], contrast=contrast)
        assert (result.a, result.b) == ("A", "")

    def test_an_effect_of_nobody_is_not_turned(self) -> None:
        result = _only(arms=ARMS[:1], of="b", better="a")
        assert (result.a, result.b, result.better) == ("A", "", "a")

    @pytest.mark.parametrize("contrast", ["between", "within", "single"])
    def test_the_only_arm_may_be_named_as_the_second(self, contrast: str) -> None:
        result = _only(arms=ARMS[:1], b="A", contrast=contrast)
        assert (result.a, result.b) == ("", "A")

    def test_without_arms_no_side_is_known(self) -> None:
        result = _only(arms=[])
        assert (result.a, result.b) == ("", "")

    def test_a_long_id_is_the_same_in_arms_and_results(self) -> None:
        arms = [{"id": "examplol 10 mg"}, {"id": "placebo once a day"}]
        evidence = record("Text.")
        figures = [{"arm": "examplol 10 mg", "value": 1}]
        told = {"outcome": "x", "a": "examplol 10 mg", "b": "placebo once a day"}
        reading = unchecked(evidence, arms=arms, results=[{**told, "figures": figures}])
        ids = [arm.id for arm in reading.arms]
        assert ids == [reading.results[0].a, reading.results[0].b]
        assert reading.results[0].figures[0].arm == ids[0]

    def test_arms_have_canonical_drugs(self) -> None:
        arms = [{"id": " A ", "gets": ["Glucophage", "examplol", " ", "examplol"], "n": -3}]
        arm = unchecked(record("Text."), arms=arms).arms[0]
        assert (arm.id, arm.n) == ("A", None)
        assert [(i.name, i.drug) for i in arm.interventions] == [
            ("Glucophage", "metformin"),
            ("examplol", ""),
        ]

    def test_an_arm_without_an_id_is_left_out(self) -> None:
        assert unchecked(record("Text."), arms=[{"id": " "}]).arms == ()


class TestParts:
    def test_the_concept_is_the_outcome_where_there_is_none(self) -> None:
        assert _only().concept == "itching"
        assert _only(concept="Skin Symptoms").concept == "skin symptoms"

    @pytest.mark.parametrize(("up", "expected"), [("good", True), ("bad", False), (None, None)])
    def test_what_more_of_an_outcome_is(self, up: str | None, expected: bool | None) -> None:
        assert _only(up=up).higher_is_better is expected

    def test_impossible_counts_are_none(self) -> None:
        reading = unchecked(
            record("Text."),
            randomised=-1,
            analysed=0,
            results=[{"outcome": "x", "n": -2, "figures": [{"arm": "A", "n": -1, "spread": -0.5}]}],
        )
        assert (reading.population.n_randomised, reading.population.n_analysed) == (None, 0)
        assert reading.results[0].n is None
        figure = reading.results[0].figures[0]
        assert (figure.n, figure.spread) == (None, None)

    def test_names_are_short_lines_and_stand_once(self) -> None:
        reading = unchecked(
            record("Text."),
            people=" Adults \n with  testitis ",
            conditions=["testitis", " testitis", ""],
            groups=["x" * 1000],
            kinds=["trial", "trial"],
        )
        assert reading.population.description == "Adults with testitis"
        assert reading.population.conditions == ("testitis",)
        assert len(reading.groups[0].label) == 300
        assert reading.kinds == ("trial",)

    def test_what_has_no_name_is_left_out(self) -> None:
        step = {"subject": " ", "relation": "binds", "object": "x", "system": "cell"}
        reading = unchecked(record("Text."), results=[{"outcome": "  "}], mechanism=[step])
        assert (reading.results, reading.mechanism) == ((), ())

    def test_reader_and_time_are_kept(self) -> None:
        reading = unchecked(record("Text."))
        assert (reading.reader, reading.read_at, reading.faults) == (READER, READ_AT, ())


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({"pmid": "99000001", "doi": "10.9999/made.up"}, "pmid:99000001"),
        ({"pmid": None, "nct_id": "NCT99000001"}, "nct:NCT99000001"),
        ({"pmid": None, "doi": "10.9999/made.up"}, "doi:10.9999/made.up"),
    ],
)
def test_a_record_is_named_by_its_best_id(ids: dict[str, Any], expected: str) -> None:
    assert record_id(record("Text.", **ids)) == expected


def test_the_trials_of_a_record_stand_once() -> None:
    linked = ["nct:NCT99000001", "pmid:99000002", "nct:NCT99000002"]
    evidence = record("Text.", nct_id="NCT99000001", linked_ids=linked)
    assert registry_ids(evidence) == ("nct:NCT99000001", "nct:NCT99000002")
