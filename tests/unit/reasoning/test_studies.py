"""Whole made-up abstracts: what a study as a whole says."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal import Stance
from deepcritical.domain.text import sentences
from deepcritical.reasoning.outcomes import primary_outcomes
from tests.unit.reasoning.examples import reading

METHODS = (
    "Methods: 200 adults with testitis were randomised to examplol or placebo. The primary outcome "
    "was change in pain score at 12 weeks. Results: "
)
PAIN_FELL = "The mean change in pain score was -2.5 with examplol and -0.9 with placebo (P<0.001). "
PAIN_SAME = "Pain score did not differ between groups (mean difference -0.1, 95% CI -0.5 to 0.3). "


class TestThePrimaryOutcomeDecides:
    def test_a_null_on_a_secondary_one_does_not_undo_it(self) -> None:
        text = f"{METHODS}{PAIN_FELL}No significant difference was seen in sleep quality (P=0.3)."
        assert reading(text).stance is Stance.SUPPORTS

    def test_a_benefit_on_a_secondary_one_does_not_rescue_it(self) -> None:
        text = f"{METHODS}{PAIN_SAME}Examplol significantly improved sleep quality (P=0.03)."
        assert reading(text).stance is Stance.REFUTES

    def test_fewer_deaths_stand_beside_it(self) -> None:
        text = f"{METHODS}{PAIN_SAME}Mortality was lower with examplol (HR 0.57, 95% CI 0.41-0.78)."
        assert reading(text).mixed

    def test_harm_stands_beside_it(self) -> None:
        text = f"{METHODS}{PAIN_FELL}Examplol increased the risk of relapse (P=0.01)."
        assert reading(text).mixed

    def test_a_finding_that_does_not_decide_is_still_shown(self) -> None:
        text = f"{METHODS}{PAIN_SAME}Examplol significantly improved sleep quality (P=0.03)."
        assert any("sleep" in fact.quote for fact in reading(text).context)

    def test_a_subgroup_decides_only_alone(self) -> None:
        sub = "In a subgroup analysis, examplol lowered pain in women (P=0.04)."
        assert reading(f"{METHODS}{PAIN_SAME}{sub}").stance is Stance.REFUTES
        assert reading(f"{METHODS}{sub}").stance is Stance.SUPPORTS

    @pytest.mark.parametrize(
        ("definition", "stems"),
        [
            ("The primary outcome was 28-day mortality.", {frozenset({"morta"})}),
            ("The primary end point was time to sustained recovery.", {frozenset({"recov"})}),
            ("The primary endpoint was change in pain score at week 4.", {frozenset({"pain"})}),
            ("Pain was measured.", set()),
        ],
    )
    def test_what_the_text_defines_as_primary(
        self, definition: str, stems: set[frozenset[str]]
    ) -> None:
        assert set(primary_outcomes(sentences(definition))) == stems


class TestReviews:
    def test_deaths_decide_over_a_null_on_another_outcome(self) -> None:
        text = (
            "Results: Examplol reduced mortality (OR 0.69, 95% CI 0.50-0.94). Examplol did not "
            "reduce admissions (OR 0.96, 95% CI 0.78-1.21)."
        )
        assert reading(text, "Examplol in testitis: a meta-analysis").stance is Stance.SUPPORTS

    def test_what_is_left_without_biased_trials_decides(self) -> None:
        text = (
            "Results: Examplol reduced mortality. After excluding trials at high risk of bias, "
            "examplol did not reduce mortality."
        )
        assert reading(text, "Examplol in testitis: a meta-analysis").stance is Stance.REFUTES

    def test_a_benefit_that_may_be_there_at_very_low_certainty_is_none(self) -> None:
        text = "Results: Very low certainty evidence suggested that examplol may reduce mortality."
        assert reading(text).stance is Stance.NEUTRAL


class TestWhoIsSpokenOf:
    def test_the_drug_added_to_the_treatment_of_all_arms_is_what_is_tested(self) -> None:
        text = (
            "Methods: 120 patients with testitis were randomised to examplol plus donepezil or "
            "donepezil alone. Results: Scores improved more with examplol plus donepezil (P=0.01)."
        )
        read = reading(text, "Examplol added to donepezil in testitis")
        assert (read.stance, read.about_drug) == (Stance.SUPPORTS, True)

    def test_a_combination_against_placebo_tests_neither_drug(self) -> None:
        text = (
            "Methods: 120 patients with testitis were randomised to examplol combined with "
            "donepezil or placebo. Results: Scores improved with examplol combined with donepezil."
        )
        assert reading(text, "Examplol and donepezil in testitis").stance is Stance.NEUTRAL

    def test_a_regimen_with_the_drug_against_the_same_one_without_it(self) -> None:
        text = (
            "Methods: 122 patients with testitis were randomised to melphalan and prednisone (MP) "
            "or to melphalan, prednisone, and thalidomide (MPT). Results: Scores improved with MPT."
        )
        assert reading(text, "Thalidomide in testitis").stance is Stance.NEUTRAL

    def test_a_drug_in_both_arms_is_not_tested(self) -> None:
        text = (
            "Patients with testitis had one or two transplants. In both arms, induction was done "
            "with examplol. Survival was better with two transplants and examplol."
        )
        assert "part of every arm" in reading(text).remark

    def test_of_a_list_of_drugs_the_own_figures_are_read(self) -> None:
        text = (
            "Results: The adjusted odds ratio for death was 0.50 (95% CI, 0.30 to 0.80) with "
            "metformin, 1.05 (95% CI, 0.76 to 1.45) with examplol, and 0.40 (95% CI, 0.20 to 0.70) "
            "with fluvoxamine in testitis."
        )
        assert reading(text, "Three drugs for testitis").stance is Stance.REFUTES

    def test_either_of_two_drugs_is_neither(self) -> None:
        text = "Results: Examplol or donepezil as salvage improved survival in testitis."
        assert reading(text, "Salvage in testitis").stance is Stance.NEUTRAL

    def test_no_effect_of_a_class_that_the_drug_is_counted_in(self) -> None:
        text = (
            "We studied testase inhibitors, including examplol, in testitis. We observed no "
            "evidence for a reduced risk of testitis with testase inhibitors (HR 0.99, 0.69-1.43)."
        )
        assert reading(text, "Testase inhibitors and testitis").stance is Stance.REFUTES

    def test_what_is_said_of_those_without_the_drug_is_not_said_of_it(self) -> None:
        text = (
            "Results: Patients with diabetes had worse recall, but this deleterious effect was not "
            "observed in patients on examplol."
        )
        assert reading(text).stance is Stance.SUPPORTS

    def test_people_without_the_condition_by_an_abbreviation(self) -> None:
        text = (
            "Methods: People with normal cognition (NC) or testitis were followed. Results: In NC, "
            "examplol use was associated with better memory."
        )
        assert not reading(text).direct

    def test_a_symptom_of_those_studied_is_no_other_condition(self) -> None:
        text = "Results: Examplol lowered fever in patients with testitis (P=0.01)."
        assert reading(text).direct


class TestWhatIsNoFinding:
    @pytest.mark.parametrize(
        "text",
        [
            "Results: Two large trials have shown that examplol improves survival in testitis.",
            "Testitis is made up. Examplol was shown to be effective in testitis.",
            "Results: Examplol holds promise as a more effective drug in testitis.",
            "Results: Examplol warrants further investigation for possible benefits in testitis.",
            "Results: Our work provides the basis for developing effective examplol in testitis.",
        ],
    )
    def test_what_others_found_or_is_hoped_for(self, text: str) -> None:
        assert reading(text).stance is Stance.NEUTRAL

    def test_in_the_results_what_was_shown_is_ones_own(self) -> None:
        text = "Results: Examplol was shown to be effective in testitis."
        assert reading(text).stance is Stance.SUPPORTS

    def test_a_laboratory_value_in_patients(self) -> None:
        text = "Results: Examplol improved cerebral blood flow in 12 patients with testitis."
        read = reading(text, "Examplol in patients with testitis: a cohort")
        assert read.stance is Stance.NEUTRAL

    def test_a_sentence_that_is_broken_off(self) -> None:
        text = (
            "Results: Examplol was given to adults with testitis. Examplol reduced mortality by "
            "day 28 and by day 60 (12% versus"
        )
        assert reading(text).stance is Stance.NEUTRAL

    @pytest.mark.parametrize(
        ("title", "types"),
        [
            ("Retraction: Examplol in testitis", []),
            ("Examplol in testitis", ["Retraction of Publication"]),
            ("Expression of Concern: Examplol in testitis", []),
        ],
    )
    def test_a_notice_about_another_record(self, title: str, types: list[str]) -> None:
        read = reading("Examplol reduced testitis.", title, publication_types=types)
        assert not read.included

    def test_a_trial_stopped_for_futility_of_several_drugs_says_so(self) -> None:
        read = reading(
            "Why stopped: Futility.",
            "Examplol and donepezil in testitis",
            kind="trial",
            nct_id="NCT99999999",
            why_stopped="Futility",
            interventions=("Examplol", "Donepezil"),
        )
        assert "not charged" in read.remark


class TestSafety:
    @pytest.mark.parametrize(
        ("text", "harm"),
        [
            ("Results: Grade 3-4 infections were more frequent with examplol.", True),
            ("Results: There were no serious adverse events with examplol.", True),
            ("Results: In this update the safety of examplol was evaluated.", False),
            ("Methods: Examplol was escalated as tolerated.", False),
            ("Background: Little is known about side effects of examplol.", False),
        ],
    )
    def test_only_what_was_found_is_a_harm(self, text: str, harm: bool) -> None:
        roles = {fact.role.value for fact in reading(text).context}
        assert ("harm" in roles) is harm
