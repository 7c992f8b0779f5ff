from __future__ import annotations

import pytest

from deepcritical.reasoning.figures import Way, has_result_figures
from tests.unit.reasoning.examples import ways

HELPS, NOTHING, HARMS = Way.BENEFIT, Way.NO_EFFECT, Way.HARM
ARMS = "in the examplol group and 12% in the placebo group"


class TestFiguresAlone:
    @pytest.mark.parametrize(
        ("sentence", "way"),
        [
            (f"Death occurred in 9% {ARMS} (rate ratio, 0.83; 95% CI, 0.75 to 0.93).", HELPS),
            (f"Death occurred in 9% {ARMS} (rate ratio, 0.90; 95% CI, 0.77 to 1.23).", NOTHING),
            (f"Death occurred in 9% {ARMS} (rate ratio, 1.30; 95% CI, 1.10 to 1.60).", HARMS),
            ("The hazard ratio for recovery with examplol was 1.32 (95% CI 1.12-1.55).", HELPS),
            ("The hazard ratio for recovery with examplol was 0.80 (95% CI 0.70-0.95).", HARMS),
            ("Median survival was 9 months with examplol (HR 0.63, 95% CI 0.52 to 0.75).", HELPS),
            ("Use of examplol was associated with testitis (OR 1.40; 95% CI 1.20-1.60).", HARMS),
            ("The odds of relapse on examplol were 0·60 [0·41 to 0·78].", None),
        ],
    )
    def test_an_interval_tells_by_the_outcome_that_it_is_of(
        self, sentence: str, way: Way | None
    ) -> None:
        assert ways(sentence) == ([way] if way else [])

    @pytest.mark.parametrize(
        ("sentence", "way"),
        [
            ("Response was seen in 63% on examplol and 41% on placebo (p = 0.002).", HELPS),
            ("Response was seen in 43% on examplol and 41% on placebo (p = 0.72).", NOTHING),
            ("Mortality was 12% with examplol and 6% with placebo (P = 0.01).", HARMS),
            ("Mortality was 6% with placebo and 12% with examplol (P = 0.01).", HARMS),
            (
                "Remission was 63% vs 41% for examplol and placebo, respectively (P=.002).",
                HELPS,
            ),
            ("Relapses were equally frequent with examplol (P = NS).", NOTHING),
            ("Deterioration occurred in 2 of 26 patients on examplol (P >0.99).", NOTHING),
        ],
    )
    def test_two_arms_with_a_p_value(self, sentence: str, way: Way) -> None:
        assert ways(sentence) == [way]

    def test_a_shorter_time_to_something_good_is_a_benefit(self) -> None:
        text = "Time to {} was 7 days with examplol and 9 days with placebo (P=0.003)."
        assert ways(text.format("recovery")) == [HELPS]
        assert ways(text.format("relapse")) == [HARMS]

    def test_a_p_value_without_significance_outweighs_a_word_of_benefit(self) -> None:
        assert ways("Mortality was lower with examplol (5% vs 7%; p=0.34).") == [NOTHING]

    def test_the_interval_within_one_arm_does_not_undo_a_difference_between_arms(self) -> None:
        text = (
            "Scores improved by 1.0 points (95% CI -2.6 to 0.7) in the examplol group and worsened "
            "by 2.1 points in the placebo group (p=0.03)."
        )
        assert ways(text) == [HELPS]

    def test_the_word_or_is_no_odds_ratio(self) -> None:
        text = "One patient had a remission or a response (12.5%; 95% CI, 2.6-32.4%) on examplol."
        assert HARMS not in ways(text)

    def test_a_word_on_who_was_studied_is_no_outcome(self) -> None:
        text = "Ventilation at enrolment: 10 vs 18 days, rate ratio 1.51 (1.10-2.08) on examplol."
        assert ways(text) == []

    def test_p_of_a_difference_at_the_start_says_nothing(self) -> None:
        text = "Patients on examplol were younger (P=0.02) with a higher incidence of relapse."
        assert ways(text) == []


class TestBayesianFigures:
    @pytest.mark.parametrize("probability", [".91", "0.19", "68%"])
    def test_a_low_posterior_probability_of_benefit_is_no_effect(self, probability: str) -> None:
        text = f"The posterior probability of benefit of examplol was {probability}."
        assert ways(text) == [NOTHING]

    def test_a_high_one_is_no_null(self) -> None:
        text = "Examplol improved recovery (posterior probability of benefit 0.99)."
        assert ways(text) == [HELPS]

    def test_its_p_is_no_p_value(self) -> None:
        text = "Recovery was faster with examplol (95% credible interval 1.1-1.5; P = .99)."
        assert ways(text) != [NOTHING]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OR 0.8 (0.6-1.1)", True),
        ("(p = 0.02)", True),
        ("The primary outcome was death.", False),
        ("Adults were randomised 1:1.", False),
    ],
)
def test_figures_that_only_results_have(text: str, expected: bool) -> None:
    assert has_result_figures(text) is expected


class TestWordsOfAPrimaryOutcome:
    @pytest.mark.parametrize(
        ("sentence", "way"),
        [
            ("Examplol met its primary endpoint.", HELPS),
            ("Examplol did not meet the primary endpoint.", NOTHING),
            ("The primary endpoint was not met.", NOTHING),
            ("Examplol is unlikely to provide clinically meaningful improvement.", NOTHING),
            ("Examplol has little or no effect on mortality.", NOTHING),
        ],
    )
    def test_met_or_not(self, sentence: str, way: Way) -> None:
        assert ways(sentence) == [way]

    def test_that_events_of_it_occurred_is_no_success(self) -> None:
        text = "The primary outcome was met in 14 (5.6%) on examplol (OR 0.65; 95% CI 0.32-1.31)."
        assert ways(text) == [NOTHING]
