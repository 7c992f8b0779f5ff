"""Of whom a clause speaks: of examplol, or of what stands beside it."""

from __future__ import annotations

import pytest

from deepcritical.reasoning.figures import Way
from tests.unit.reasoning.examples import ways

HELPS, NOTHING, HARMS = Way.BENEFIT, Way.NO_EFFECT, Way.HARM


def say(text: str) -> str:
    return text


class TestTheComparator:
    @pytest.mark.parametrize(
        "sentence",
        [
            "Aspirin improved symptoms compared with examplol.",
            "Symptoms improved with aspirin in comparison with examplol.",
            "Recovery was faster with aspirin than with examplol.",
            "Aspirin reduced symptoms versus examplol.",
            "Aspirin was superior to examplol in testitis.",
            "Aspirin reduced symptoms relative to examplol.",
            "There was no difference in symptoms between aspirin and examplol.",
            "Aspirin was ranked above examplol for symptoms.",
            "Aspirin, a derivative of examplol, improved symptoms.",
            "Compared with examplol, aspirin improved symptoms.",
            "Celecoxib improved symptoms compared with aspirin, ibuprofen and examplol.",
        ],
        ids=say,
    )
    def test_gives_no_direction(self, sentence: str) -> None:
        assert ways(sentence) == []

    @pytest.mark.parametrize(
        "sentence",
        [
            "There was no difference in symptoms between placebo and examplol.",
            "There was no difference in symptoms between examplol and placebo.",
            "Symptoms did not differ between usual care and examplol.",
        ],
        ids=say,
    )
    def test_beside_an_inactive_arm_it_is_what_is_tested(self, sentence: str) -> None:
        assert ways(sentence) == [NOTHING]

    @pytest.mark.parametrize(
        "sentence",
        [
            "Examplol reduced symptoms compared with placebo.",
            "Examplol reduced symptoms compared with aspirin.",
            pytest.param("Compared with placebo, examplol reduced symptoms."),
            pytest.param("Over 12 weeks, examplol reduced symptoms."),
            pytest.param("Examplol reduced symptoms more than no examplol."),
            pytest.param("In more than 100 adults, examplol reduced symptoms."),
        ],
        ids=say,
    )
    def test_what_is_compared_keeps_its_benefit(self, sentence: str) -> None:
        assert ways(sentence) == [HELPS]


class TestTheCombination:
    @pytest.mark.parametrize(
        "sentence",
        [
            "Aspirin plus examplol improved symptoms compared with examplol alone.",
            "Examplol plus aspirin improved symptoms compared with examplol alone.",
            "Examplol plus aspirin improved symptoms.",
            "Examplol combined with aspirin improved symptoms.",
            "Examplol + aspirin improved symptoms.",
            pytest.param("Aspirin plus examplol improved symptoms."),
            pytest.param("Aspirin combined with examplol improved symptoms."),
        ],
        ids=say,
    )
    def test_credits_no_single_drug(self, sentence: str) -> None:
        assert ways(sentence) == []

    def test_against_the_other_drug_alone_it_tests_the_drug(self) -> None:
        text = "Examplol plus aspirin improved symptoms compared with aspirin alone."
        assert ways(text) == [HELPS]


class TestAnotherDrug:
    @pytest.mark.parametrize(
        "sentence",
        [
            "Aspirin improved symptoms, and examplol was given as rescue.",
            "Other drugs (aspirin, examplol) reduced symptoms.",
            "Aspirin (unlike examplol) reduced symptoms.",
            "Aspirin, not examplol, reduced symptoms.",
            "Aspirin but not examplol reduced symptoms.",
            "Aspirin reduced symptoms.",
        ],
        ids=["before the cue", "brackets", "bracketed", "denied", "but not", "alone"],
    )
    def test_as_the_subject_leaves_nothing_for_the_drug(self, sentence: str) -> None:
        assert ways(sentence) == []

    def test_behind_the_cue_it_is_not_the_subject(self) -> None:
        assert ways("Examplol reduced symptoms in users of aspirin.") == [HELPS]

    def test_in_a_list_with_the_drug_shares_the_finding(self) -> None:
        text = "Aspirin, ibuprofen and examplol were associated with a lower risk of testitis."
        assert ways(text) == [HELPS]


class TestTheWholeClass:
    @pytest.mark.parametrize(
        "sentence",
        [
            "There was no difference in symptoms between the drugs.",
            "No significant effect on survival was seen among the agents.",
            "No drug had an effect on symptoms.",
        ],
        ids=say,
    )
    def test_a_null_on_all_drugs_is_one_on_this_drug(self, sentence: str) -> None:
        assert ways(sentence, about_drug=False) == [NOTHING]

    def test_a_null_on_all_drugs_that_names_another_one_is_not(self) -> None:
        assert ways("No drug but aspirin had no effect on symptoms.", about_drug=False) == []

    def test_a_benefit_of_all_drugs_is_not_the_drugs_own(self) -> None:
        assert ways("All drugs reduced symptoms.", about_drug=False) == []

    @pytest.mark.parametrize(
        "sentence",
        ["No treatment improved symptoms.", "None of the treatments improved survival."],
        ids=say,
    )
    def test_that_none_improved_is_never_a_benefit(self, sentence: str) -> None:
        assert HELPS not in ways(sentence)


class TestASentenceWithoutADrug:
    @pytest.mark.parametrize(
        ("sentence", "way"),
        [
            ("Treatment reduced symptoms.", HELPS),
            ("The groups did not differ in symptoms.", NOTHING),
            ("Patients in the intervention arm had worse symptoms.", HARMS),
        ],
        ids=["benefit", "no effect", "harm"],
    )
    def test_is_about_the_drug_of_the_title(self, sentence: str, way: Way) -> None:
        assert ways(sentence) == [way]

    def test_is_about_nobody_when_the_title_names_no_single_drug(self) -> None:
        assert ways("Treatment reduced symptoms.", about_drug=False) == []

    def test_is_about_nobody_without_a_word_of_treatment(self) -> None:
        assert ways("Symptoms were reduced.") == []
