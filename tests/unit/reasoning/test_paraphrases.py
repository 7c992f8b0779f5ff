"""Results told in other people's words: summaries and reviews rather than abstracts."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.evidence import FactRole
from deepcritical.reasoning.figures import Way
from tests.unit.reasoning.examples import findings, reading, ways

B, N, H = Way.BENEFIT, Way.NO_EFFECT, Way.HARM
RANDOMISED = "Design: Randomised trial of examplol against placebo in 90 adults with testitis. "


def read_as(text: str) -> set[Way]:
    return set(ways(text))


class TestABenefitThatIsTakenBack:
    @pytest.mark.parametrize(
        "text",
        [
            "Recovery from testitis was faster with examplol (HR 1.15, 95% CI 1.07 to 1.23), but "
            "the probability of a meaningful effect was only 0.19.",
            "Mortality was lower with examplol, but the difference was not statistically "
            "significant.",
            "Pain fell more with examplol than with placebo (P=0.01), although the difference was "
            "below the minimal clinically important difference.",
            "Examplol shortened time to recovery, but the effect did not reach the prespecified "
            "threshold.",
            "Numerically fewer patients died with examplol, without statistical significance.",
            "The benefit seen with examplol was lost after adjustment.",
        ],
    )
    def test_is_no_effect(self, text: str) -> None:
        assert read_as(text) == {N}

    def test_is_not_by_a_null_on_another_outcome(self) -> None:
        text = "Examplol reduced relapses, but it did not significantly reduce hospital stay."
        assert read_as(text) == {B, N}

    def test_is_not_by_a_null_in_a_part_of_those_studied(self) -> None:
        text = "Examplol improved symptoms, but the effect was not significant in women."
        assert B in read_as(text)

    def test_stands_where_the_benefit_is_as_probable_as_required(self) -> None:
        text = (
            "Recovery was faster with examplol, and the posterior probability of benefit was 0.99."
        )
        assert read_as(text) == {B}


class TestTiming:
    @pytest.mark.parametrize(
        ("text", "way"),
        [
            ("Intubation was required earlier with examplol than with placebo.", H),
            ("Mechanical ventilation, where needed, began sooner with examplol than placebo.", H),
            ("Relapses occurred later with examplol than with placebo.", B),
            ("Recovery occurred earlier with examplol than with placebo.", B),
            ("Relief of pain began earlier with examplol than with placebo.", B),
            ("Recovery took 7 days with examplol and 10 days with placebo (P=0.01).", B),
            ("Function declined faster with examplol than with placebo.", H),
            ("Function was lost more slowly with examplol.", B),
            ("Survival was prolonged by examplol.", B),
        ],
    )
    def test_points_by_what_came_when(self, text: str, way: Way) -> None:
        assert read_as(text) == {way}


class TestCounts:
    @pytest.mark.parametrize(
        ("text", "way"),
        [
            ("Fewer patients on examplol died (5% versus 9%).", B),
            ("More patients died with examplol than with placebo (9% versus 5%).", H),
            ("More patients recovered with examplol than with placebo.", B),
            ("Fewer patients responded to examplol than to placebo.", H),
            ("Relapse was more common with examplol than with placebo.", H),
            ("Remission was more common with examplol than with placebo.", B),
            ("Remission was less common with examplol than with placebo.", H),
            ("People on examplol were less likely to develop testitis.", B),
            ("People on examplol were more likely to die.", H),
            ("People on examplol were no less likely to die than those on placebo.", N),
            ("People on examplol were as likely to die as those on placebo.", N),
            ("All infants responded to examplol.", B),
            ("The size of the lesions decreased significantly in all patients on examplol.", B),
            ("Testitis developed in 5% with examplol and 12% with placebo (P=0.003).", B),
            ("Those who took examplol had half the risk of relapse.", B),
            ("Examplol cut the risk of death by a third.", B),
        ],
    )
    def test_point_by_who_had_more_of_what(self, text: str, way: Way) -> None:
        assert read_as(text) == {way}

    def test_of_both_arms_alike_point_nowhere(self) -> None:
        text = "The size of the lesions decreased in both groups given examplol or placebo."
        assert read_as(text) == set()


class TestNoEffect:
    @pytest.mark.parametrize(
        "text",
        [
            "Examplol was no more effective than placebo.",
            "Outcomes were no better with examplol than with placebo.",
            "Patients given examplol fared no better than those given placebo.",
            "Examplol offered no advantage over placebo.",
            "Examplol did nothing for pain in testitis.",
            "Examplol brought no relief of pain.",
            "Examplol had no bearing on survival.",
            "Examplol was not found to help in testitis.",
            "Examplol was without effect on pain.",
            "Examplol proved useless in testitis.",
            "The trial of examplol was negative.",
            "The authors judged examplol to be of no use in testitis.",
            "The authors saw no place for examplol in the treatment of testitis.",
            "The authors advise against examplol in testitis.",
            "The authors do not recommend examplol for testitis.",
            "Examplol and placebo gave similar results.",
            "The proportions cured were described as similar with examplol and placebo (74% and "
            "71%; risk ratio 1.05 [1.02 to 1.08]).",
        ],
    )
    def test_is_read_in_many_words(self, text: str) -> None:
        assert read_as(text) == {N}


class TestBenefit:
    @pytest.mark.parametrize(
        "text",
        [
            "The authors concluded that examplol was effective and well tolerated.",
            "The authors recommend examplol as first choice in testitis.",
            "Examplol should now be the first-line treatment of testitis.",
            "Examplol eased pain and shortened illness.",
            "Patients given examplol did better than those given placebo.",
            "Hospitalisation was halved with examplol (P=0.002).",
            "Cognitive scores were higher with examplol than with placebo (P=0.02).",
        ],
    )
    def test_is_read_in_many_words(self, text: str) -> None:
        assert read_as(text) == {B}


class TestWhatOthersFound:
    @pytest.mark.parametrize(
        "text",
        [
            "In two earlier trials, examplol was superior to placebo.",
            "Examplol was described as superior to placebo in previous studies.",
            "The authors described initial trials of examplol as promising.",
        ],
    )
    def test_is_no_result_of_the_study(self, text: str) -> None:
        assert [f.before for f in findings(text)] == [True]
        assert reading(f"{RANDOMISED}Results: {text}").stance is Stance.NEUTRAL

    @pytest.mark.parametrize(
        "text",
        [
            "Unlike in earlier trials, examplol did not improve survival.",
            "As in earlier trials, examplol improved survival.",
            "Examplol lowered mortality by less than in previous trials.",
        ],
    )
    def test_is_not_what_the_study_is_set_against(self, text: str) -> None:
        assert [f.before for f in findings(text)] == [False]


class TestAgainstAnotherDrug:
    @pytest.mark.parametrize(
        "text",
        [
            "The response rate was lower with examplol than with metformin (32% versus 53%; "
            "P < 0.001).",
            "Examplol did not improve survival compared with metformin.",
            "Survival did not differ significantly between examplol and metformin.",
        ],
    )
    def test_no_better_is_no_lack_of_effect(self, text: str) -> None:
        read = reading(f"{RANDOMISED}Results: {text}")
        assert read.stance is Stance.NEUTRAL
        assert "another active drug" in read.remark or "comparator" in read.remark

    def test_better_is_a_benefit(self) -> None:
        assert read_as("Examplol improved survival compared with metformin.") == {B}

    def test_a_control_beside_it_counts(self) -> None:
        text = "Examplol did not improve survival compared with placebo or metformin."
        assert read_as(text) == {N}

    def test_an_add_on_is_none(self) -> None:
        text = "Examplol plus metformin did not improve survival compared with metformin."
        assert read_as(text) == {N} or reading(text).stance is Stance.REFUTES

    def test_a_lower_rate_of_response_is_no_benefit(self) -> None:
        assert read_as("The response rate was lower with examplol than with placebo.") == {H}


class TestACombination:
    TITLE = "Combination of metformin, examplol and sildenafil in testitis"

    def test_is_not_the_drugs_alone(self) -> None:
        text = "Results: Metformin, examplol and sildenafil improved survival of testitis (p=0.04)."
        read = reading(text, title=self.TITLE)
        assert read.stance is Stance.NEUTRAL
        assert "combination" in read.remark

    def test_against_the_others_alone_tests_the_drug(self) -> None:
        text = (
            "Results: The combination of metformin and examplol improved survival of testitis "
            "compared with metformin alone (p=0.04)."
        )
        assert reading(text).stance is Stance.SUPPORTS


class TestHarms:
    @pytest.mark.parametrize(
        "text",
        [
            "Examplol was interrupted in 1 child because a pre-existing asthma worsened.",
            "Treatment with examplol had to be stopped in 3 patients because of worsening rash.",
        ],
    )
    def test_an_interruption_is_tolerability(self, text: str) -> None:
        assert read_as(text) == set()

    def test_in_their_section_say_nothing_of_efficacy(self) -> None:
        text = f"{RANDOMISED}Harms: Infections were less frequent with examplol than with placebo."
        read = reading(text)
        assert read.stance is Stance.NEUTRAL
        assert [f.role for f in read.context if "Infections" in f.quote] == [FactRole.HARM]

    def test_in_their_section_more_deaths_count(self) -> None:
        text = f"{RANDOMISED}Harms: Mortality was higher with examplol than with placebo (P=0.01)."
        assert reading(text).harmful

    @pytest.mark.parametrize(
        "text",
        [
            "The authors discussed anaemia as a potential adverse effect of examplol.",
            "The abstract gives no harms data for examplol.",
            "The early close of the trial of examplol was not for a safety issue.",
        ],
    )
    def test_are_not_what_is_only_spoken_of(self, text: str) -> None:
        read = reading(f"{RANDOMISED}Results: {text}")
        assert FactRole.HARM not in {f.role for f in read.context}


class TestAnalysesWithoutBiasedStudies:
    ALL = "Over all trials, examplol may bring benefits in testitis, but most effects changed "

    @pytest.mark.parametrize(
        "sound",
        [
            "Without the trials with a high risk of bias, examplol did not reduce mortality.",
            "Once trials at high risk of bias were left out, examplol did not reduce mortality.",
            "In the studies that handled most of the biases, examplol did not reduce mortality.",
        ],
    )
    def test_decide_in_other_words(self, sound: str) -> None:
        text = f"Results: {self.ALL}once trials with a high risk of bias were left out. {sound}"
        assert reading(text, title="Examplol in testitis: a meta-analysis").stance is Stance.REFUTES


class TestThePrimaryOutcomeOfANamedTrial:
    def test_is_found_behind_the_name(self) -> None:
        text = (
            f"{RANDOMISED}The primary endpoints of the examplol trial were response to treatment "
            "and toxicity. Results: Response was more frequent with examplol than with placebo "
            "(P=0.03). Overall survival did not differ between examplol and placebo."
        )
        assert reading(text).stance is Stance.SUPPORTS
