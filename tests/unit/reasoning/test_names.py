from __future__ import annotations

import pytest

from deepcritical.domain.question import Condition, Drug
from deepcritical.reasoning.names import ConditionNames, DrugNames


class TestTheDrug:
    @pytest.mark.parametrize(
        ("text", "is_named"),
        [
            ("Examplol was given.", True),
            ("EXAMPLOL was given.", True),
            ("The examplols were given.", True),
            ("Examplolate was given.", False),
            ("Examplol resistance was seen.", False),
            ("Examplol receptors were seen.", False),
            ("An examplol-like effect was seen.", False),
        ],
        ids=["plain", "capitals", "plural", "longer word", "resistance", "receptors", "like"],
    )
    def test_is_named_where_the_substance_is_meant(self, text: str, is_named: bool) -> None:
        assert DrugNames(Drug(name="examplol"), text).named(text) is is_named

    def test_is_found_by_an_abbreviation_that_the_text_defines(self) -> None:
        text = "Examplol (EXL) was given. Later EXL was stopped."
        assert len(DrugNames(Drug(name="examplol"), text).find(text)) == 3


class TestTheCondition:
    @pytest.mark.parametrize(
        ("asked", "written"),
        [
            ("infantile haemangioma", "infantile hemangioma"),
            ("infantile hemangioma", "infantile haemangiomas"),
            ("made-up oedema", "made up edema"),
            ("Madeup's disease", "Madeup disease"),
            ("Madeup's disease", "Madeup’s disease"),
            ("testitis", "Testitis"),
        ],
        ids=["American", "British plural", "oedema and hyphen", "bare", "typographic", "capital"],
    )
    def test_is_found_in_another_spelling(self, asked: str, written: str) -> None:
        names = ConditionNames(Condition(name=asked, names=(asked,)), written)
        assert names.named(f"Adults with {written} were seen.")

    def test_an_institution_named_after_it_is_no_patient(self) -> None:
        text = "Data came from the Madeup Coordinating Center."
        names = ConditionNames(Condition(name="Madeup's disease"), text)
        assert not names.named(text)

    def test_is_found_by_an_abbreviation_that_the_text_defines(self) -> None:
        text = "Acute testitis (AT) is rare."
        names = ConditionNames(Condition(name="acute testitis"), text)
        assert names.named("AT was seen.")


class TestOtherNamesOfACondition:
    def test_multiple_is_a_number_and_no_kind(self) -> None:
        known = Condition(name="Multiple myeloma", names=("Multiple myeloma",))
        assert ConditionNames(known, "").named("Newly diagnosed myeloma was treated.")

    def test_a_head_that_other_conditions_share_stands_for_none(self) -> None:
        known = Condition(name="Multiple sclerosis", names=("Multiple sclerosis",))
        assert not ConditionNames(known, "").named("Amyotrophic lateral sclerosis was treated.")

    def test_the_long_form_of_a_name_that_is_an_abbreviation(self) -> None:
        known = Condition(name="TSD", names=("TSD",), known=False)
        names = ConditionNames(known, "Testing strain disease (TSD) is made up.")
        assert names.named("Adults with testing strain disease were treated.")

    def test_a_virus_stands_for_its_infection(self) -> None:
        known = Condition(name="COVID-19", names=("COVID-19", "SARS-CoV-2"))
        assert ConditionNames(known, "").named("SARS\u2010CoV\u20102 infected adults")
