"""Comparisons and harms that the registry posted, as results of the arms."""

from __future__ import annotations

import pytest

from deepcritical.domain.study.reading import Effect
from tests.unit.reading.registry_entries import (
    Part,
    made_analysis,
    made_difference,
    made_flow,
    made_measure,
    made_only,
    made_read,
    made_study,
)


class TestComparisons:
    @pytest.mark.parametrize(
        ("values", "analysis", "sides"),
        [
            ((12.1, 13.6), made_difference("-1.5", "-2.4", "-0.6"), ("A", "B")),
            ((12.1, 13.6), made_difference("1.5", "0.6", "2.4"), ("B", "A")),
            ((13.6, 12.1), made_difference("1.5", "0.6", "2.4"), ("A", "B")),
            ((13.6, 12.1), made_difference("-1.5", "-2.4", "-0.6"), ("B", "A")),
        ],
    )
    def test_an_estimate_is_of_the_group_whose_value_agrees(
        self, values: tuple[float, float], analysis: Part, sides: tuple[str, str]
    ) -> None:
        result = made_only(made_measure(values, analysis))
        assert (result.a, result.b, result.contrast) == (*sides, "between")
        assert result.effect is not None
        assert result.effect.value == float(analysis["paramValue"])

    @pytest.mark.parametrize(("value", "sides"), [("0.1", ("A", "B")), ("9.9", ("B", "A"))])
    def test_a_ratio_is_of_the_group_whose_share_agrees(
        self, value: str, sides: tuple[str, str]
    ) -> None:
        odds = made_analysis(paramType="Odds Ratio (OR)", paramValue=value)
        result = made_only(made_measure((3, 20), odds, paramType="COUNT_OF_PARTICIPANTS"))
        assert (result.a, result.b) == sides
        assert result.effect is not None
        assert result.effect.measure == "OR"

    def test_a_hazard_ratio_is_not_turned_by_times_to_an_event(self) -> None:
        hazard = made_analysis(paramType="Hazard Ratio (HR)", paramValue="0.7", pValue="0.01")
        measure = made_measure((20.5, 15.2), hazard, paramType="MEDIAN", unitOfMeasure="months")
        result = made_only({**measure, "title": "Overall Survival"})
        assert (result.a, result.effect and result.effect.value) in (("A", 0.7), ("A", None))

    def test_an_estimate_without_values_has_no_side(self) -> None:
        measure = made_measure((12.1, 13.6), made_difference("-1.5", "-2.4", "-0.6", pValue="0.01"))
        effect = made_only({**measure, "classes": []}).effect
        assert effect == Effect(p=0.01)

    def test_an_estimate_of_equal_values_has_no_side(self) -> None:
        result = made_only(made_measure((12.1, 12.1), made_difference("-1.5", "-2.4", "-0.6")))
        assert result.effect is not None
        assert result.effect.value is None

    def test_without_p_the_interval_keeps_telling_significance(self) -> None:
        measure = made_measure((12.1, 13.6), made_difference("-1.5", "-2.4", "-0.6"))
        effect = made_only({**measure, "classes": []}).effect
        assert effect == Effect(p=0.05, p_operator="<")

    @pytest.mark.parametrize(
        ("told", "p", "operator"),
        [
            ("0.43", 0.43, "="),
            ("<0.001", 0.001, "<"),
            ("< .0001", 0.0001, "<"),
            (">0.05", 0.05, ">"),
            ("p=0.02", 0.02, "="),
            ("0.02 ", 0.02, "="),
        ],
    )
    def test_a_p_value(self, told: str, p: float, operator: str) -> None:
        effect = made_only(made_measure((12.1, 13.6), made_analysis(pValue=told))).effect
        assert effect is not None
        assert (effect.p, effect.p_operator) == (p, operator)

    @pytest.mark.parametrize(
        ("told", "better"),
        [("0.43", "no_difference"), (">0.05", "no_difference"), ("0.01", "unclear")],
    )
    def test_the_registry_names_no_direction(self, told: str, better: str) -> None:
        assert made_only(made_measure((12.1, 13.6), made_analysis(pValue=told))).better == better

    def test_the_level_of_an_interval_is_kept(self) -> None:
        analysis = {**made_difference("-1.5", "-2.9", "-0.1"), "ciPctValue": "90"}
        effect = made_only(made_measure((12.1, 13.6), analysis)).effect
        assert effect is not None
        assert (effect.ci_level, effect.ci_low, effect.ci_high) == (90, -2.9, -0.1)

    def test_a_one_sided_interval_is_no_interval(self) -> None:
        analysis = {**made_difference("-1.5", "-2.4", "-0.6"), "ciNumSides": "ONE_SIDED"}
        effect = made_only(made_measure((12.1, 13.6), analysis)).effect
        assert effect is not None
        assert (effect.value, effect.ci_low, effect.ci_high) == (-1.5, None, None)

    @pytest.mark.parametrize("tested", ["NON_INFERIORITY", "EQUIVALENCE"])
    def test_a_test_for_non_inferiority_shows_no_difference_and_no_lack_of_one(
        self, tested: str
    ) -> None:
        analysis = {**made_difference("-0.2", "-1.0", "0.6"), "nonInferiorityType": tested}
        reading = made_read(made_study(made_measure((12.1, 12.3), analysis)))
        assert reading.results[0].better == "unclear"
        assert ("non_inferiority" in reading.design) is (tested == "NON_INFERIORITY")

    def test_the_p_of_a_test_for_non_inferiority_is_not_that_of_a_difference(self) -> None:
        analysis = made_analysis(pValue="<0.001", nonInferiorityType="NON_INFERIORITY")
        effect = made_only(made_measure((12.1, 12.3), analysis)).effect
        assert effect is None or effect.p is None

    @pytest.mark.parametrize(
        ("name", "measure"),
        [
            ("Hazard Ratio (HR)", None),
            ("Odds Ratio (OR)", "OR"),
            ("Risk Ratio (RR)", "RR"),
            ("Risk Difference (RD)", "RD"),
            ("Rate Ratio", "IRR"),
            ("Mean Difference (Net)", "MD"),
            ("Median Difference (Final Values)", "MD"),
            ("LS Mean Difference", "MD"),
            ("Geometric Mean Ratio", "ratio"),
            ("Slope", None),
            pytest.param(
                "Ratio of LS Means",
                "ratio",
            ),
            pytest.param(
                "Hazard Ratio, log",
                None,
            ),
        ],
    )
    def test_the_measure_of_an_estimate(self, name: str, measure: str | None) -> None:
        analysis = made_analysis(paramType=name, paramValue="1.2")
        effect = made_only(made_measure((13.6, 12.1), analysis)).effect
        assert effect is not None
        assert effect.measure == measure

    def test_each_comparison_of_three_groups_is_a_result(self) -> None:
        measure = made_measure(
            (12.1, 12.9, 13.6),
            made_analysis((0, 2), pValue="0.01"),
            made_analysis((1, 2), pValue="0.2"),
            made_analysis((0, 1, 2), pValue="0.03"),
            titles=("Examplol 10 mg", "Examplol 5 mg", "Placebo"),
            sizes=(40, 40, 41),
        )
        results = made_read(made_study(measure)).results
        assert [(r.contrast, r.a, r.b) for r in results] == [
            ("between", "A", "C"),
            ("between", "B", "C"),
            ("omnibus", "", ""),
        ]
        assert [[f.arm for f in r.figures] for r in results] == [
            ["A", "C"],
            ["B", "C"],
            ["A", "B", "C"],
        ]
        assert [r.effect and r.effect.p for r in results] == [0.01, 0.2, 0.03]

    def test_three_groups_without_a_comparison_are_one_result(self) -> None:
        titles = ("Examplol 10 mg", "Examplol 5 mg", "Placebo")
        result = made_only(made_measure((1, 2, 3), titles=titles, sizes=(40, 40, 41)))
        assert (result.contrast, len(result.figures)) == ("omnibus", 3)

    def test_swapping_the_groups_swaps_the_sides(self) -> None:
        analysis = made_difference("-1.5", "-2.4", "-0.6")
        one = made_only(made_measure((12.1, 13.6), analysis))
        other = made_only(made_measure((13.6, 12.1), analysis, titles=("Placebo", "Examplol")))
        assert (one.a, one.b, one.effect) == (other.b, other.a, other.effect)


class TestHarms:
    HARMS: tuple[Part, ...] = (
        {
            "id": "EG000",
            "title": "Examplol",
            "deathsNumAffected": 0,
            "deathsNumAtRisk": 41,
            "seriousNumAffected": 3,
            "seriousNumAtRisk": 41,
        },
        {
            "id": "EG001",
            "title": "Placebo",
            "deathsNumAffected": 2,
            "deathsNumAtRisk": 42,
            "seriousNumAffected": 5,
            "seriousNumAtRisk": 42,
        },
    )

    def test_deaths_and_serious_events_are_counted_in_each_arm(self) -> None:
        results = made_read(
            made_study(made_measure(), flow=made_flow(), harms=list(self.HARMS))
        ).results[1:]
        assert [(r.outcome, r.kind, r.a, r.b, r.higher_is_better) for r in results] == [
            ("Deaths", "safety", "A", "B", False),
            ("Serious adverse events", "safety", "A", "B", False),
        ]
        assert [[(f.arm, f.events, f.n) for f in r.figures] for r in results] == [
            [("A", 0, 41), ("B", 2, 42)],
            [("A", 3, 41), ("B", 5, 42)],
        ]
        assert {r.better for r in results} == {"unclear"}

    def test_what_is_not_counted_is_no_result(self) -> None:
        harms = [{"id": "EG000", "title": "Examplol"}, {"id": "EG001", "title": "Placebo"}]
        assert len(made_read(made_study(made_measure(), harms=harms)).results) == 1

    def test_a_group_of_no_arm_is_left_out(self) -> None:
        harms = [*self.HARMS, {**self.HARMS[0], "id": "EG002", "title": "Everybody"}]
        deaths = made_read(made_study(made_measure(), harms=harms)).results[1]
        assert [figure.arm for figure in deaths.figures] == ["A", "B"]
