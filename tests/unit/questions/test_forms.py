from __future__ import annotations

import pytest

from deepcritical.domain.errors import QuestionDeclinedError, QuestionError
from deepcritical.domain.question.question import QuestionForm, ResearchQuestion
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame

ALZHEIMER = "Alzheimer's disease"


def read_question(text: str) -> ResearchQuestion:
    return research_question(literal_frame(text))


def drug_of(text: str) -> str | None:
    drug = read_question(text).drug
    return drug.name if drug else None


def condition_of(text: str) -> str:
    condition = read_question(text).condition
    assert condition
    return condition.name


DRUG_AND_CONDITION = {
    "can be repurposed for": "Can {drug} be repurposed for {condition}?",
    "could be used to treat": "Could {drug} be used to treat {condition}?",
    "should be given to patients with": "Should {drug} be given to patients with {condition}?",
    "is effective against": "Is {drug} effective against {condition}?",
    "is an effective treatment for": "Is {drug} an effective treatment for {condition}?",
    "is safe in": "Is {drug} safe in {condition}?",
    "does help in": "Does {drug} help in {condition}?",
    "does slow the progression of": "Does {drug} slow the progression of {condition}?",
    "does reduce the risk of": "Does {drug} reduce the risk of {condition}?",
    "may delay": "May {drug} delay {condition}?",
    "can prevent": "Can {drug} prevent {condition}?",
    "would work for": "Would {drug} work for {condition}?",
    "what is the evidence for": "What is the evidence for {drug} in {condition}?",
    "what is the effect on": "What is the effect of {drug} on {condition}?",
    "what is the role in treating": "What is the role of {drug} in treating {condition}?",
    "is there any evidence for": "Is there any evidence for {drug} in {condition}?",
    "is there evidence that it helps": "Is there evidence that {drug} helps in {condition}?",
    "bare with for": "{drug} for {condition}",
    "bare with in patients with": "{drug} in patients with {condition}",
    "bare with as a treatment for": "{drug} as a treatment for {condition}",
    "an order": "Repurpose {drug} for {condition}",
}


class TestADrugAndACondition:
    @pytest.mark.parametrize("text", DRUG_AND_CONDITION.values(), ids=list(DRUG_AND_CONDITION))
    @pytest.mark.parametrize(
        ("drug", "condition"),
        [("metformin", ALZHEIMER), ("aspirin", "asthma")],
        ids=["eponym", "plain"],
    )
    def test_both_slots_are_read_and_nothing_needs_a_notice(
        self, text: str, drug: str, condition: str
    ) -> None:
        question = read_question(text.format(drug=drug, condition=condition))
        assert question.form is QuestionForm.DRUG_CONDITION
        assert question.drug
        assert question.drug.name == drug
        assert question.condition
        assert question.condition.name.casefold() == condition.casefold()
        assert question.notices == ()

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("Can asthma be treated with metformin?", id="passive"),
            pytest.param("Can people with asthma benefit from metformin?", id="people"),
            pytest.param("treat asthma with metformin", id="an order"),
        ],
    )
    def test_a_known_drug_behind_a_known_condition_is_still_the_drug(self, text: str) -> None:
        assert (drug_of(text), condition_of(text).lower()) == ("metformin", "asthma")

    @pytest.mark.parametrize(
        "text",
        ["metformin asthma", "asthma metformin", "asthma and metformin", "metformin, asthma"],
    )
    def test_two_names_without_a_sentence_are_enough(self, text: str) -> None:
        assert (drug_of(text), condition_of(text).lower()) == ("metformin", "asthma")

    def test_a_known_drug_behind_a_question_word_is_not_lost(self) -> None:
        assert drug_of("What about metformin for asthma?") == "metformin"


CONDITION_ALONE = {
    "what could be repurposed": "What could be repurposed for {}?",
    "which drugs could be repurposed": "Which drugs could be repurposed for {}?",
    "which existing drugs might help": "Which existing drugs might help in {}?",
    "what helps against": "What helps against {}?",
    "drugs for": "Drugs for {}",
    "repurposing candidates for": "Repurposing candidates for {}",
    "condition before candidates": "{} repurposing candidates",
    "condition before repurposing": "{} drug repurposing",
}


class TestAConditionAlone:
    @pytest.mark.parametrize("text", CONDITION_ALONE.values(), ids=list(CONDITION_ALONE))
    def test_it_seeks_candidates(self, text: str) -> None:
        question = read_question(text.format(ALZHEIMER))
        assert question.form is QuestionForm.CONDITION
        assert question.drug is None
        assert question.condition
        assert question.condition.name == ALZHEIMER

    @pytest.mark.parametrize("text", ["asthma", "Alzheimer's disease"])
    def test_the_name_of_a_known_condition_is_enough(self, text: str) -> None:
        assert read_question(text).form is QuestionForm.CONDITION

    @pytest.mark.parametrize("text", ["Are there any drugs for asthma?", "Find drugs for asthma"])
    def test_a_wish_for_any_drug_names_none(self, text: str) -> None:
        assert read_question(text).drug is None

    def test_the_mechanism_is_left_out_for_no_drug_could_start_the_chain(self) -> None:
        assert read_question("What could help in asthma through AMPK?").mechanism_terms == ()


class TestAHypothesis:
    @pytest.mark.parametrize(
        ("clause", "terms"),
        [
            ("through AMPK and tau", ("AMPK", "tau")),
            ("through AMPK, mTOR and tau", ("AMPK", "mTOR", "tau")),
            ("by inhibiting BACE1", ("BACE1",)),
            ("by selectively inhibiting BACE1", ("BACE1",)),
            ("by activating AMPK", ("AMPK",)),
            ("by acting on BACE1", ("BACE1",)),
            ("acting through AMPK", ("AMPK",)),
            (", working via AMPK or BACE1", ("AMPK", "BACE1")),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_the_clause_names_the_terms(self, clause: str, terms: tuple[str, ...]) -> None:
        question = read_question(f"Does metformin slow Alzheimer's disease {clause}?")
        assert (question.form, question.mechanism_terms) == (QuestionForm.HYPOTHESIS, terms)

    def test_the_clause_is_no_part_of_the_condition(self) -> None:
        assert condition_of("Can examplol help in testitis by inhibiting BACE1?") == "testitis"


class TestHowADrugIsNamed:
    @pytest.mark.parametrize(
        ("written", "name"),
        [
            ("Glucophage", "metformin"),
            ("Viagra", "sildenafil"),
            ("acetylsalicylic acid", "aspirin"),
            ("paracetamol", "acetaminophen"),
        ],
        ids=["brand", "another brand", "chemical name", "British name"],
    )
    def test_another_name_is_read_as_the_substance_with_a_notice(
        self, written: str, name: str
    ) -> None:
        question = read_question(f"Can {written} be repurposed for asthma?")
        assert question.drug
        assert question.drug.name == name
        assert question.notices == (f'"{written}" was read as {name}.',)

    @pytest.mark.parametrize("written", ["statins", "GLP-1 receptor agonists"])
    def test_a_class_keeps_its_name_and_has_a_notice(self, written: str) -> None:
        question = read_question(f"Can {written} be repurposed for asthma?")
        assert question.drug
        assert question.drug.name.lower() == written.lower()
        assert "stands for several drugs" in question.notices[0]

    def test_of_several_drugs_the_first_is_asked_about_with_a_notice(self) -> None:
        question = read_question("What dose of metformin rather than aspirin helps in asthma?")
        assert question.drug
        assert question.drug.name == "metformin"
        assert "Several drugs are named" in question.notices[0]

    @pytest.mark.parametrize(
        "text",
        [
            "Do metformin and aspirin together help in asthma?",
            "Is metformin better than aspirin in asthma?",
        ],
    )
    def test_what_is_set_beside_the_drug_is_no_notice(self, text: str) -> None:
        assert read_question(text).notices == ()

    def test_an_unknown_drug_is_searched_literally_with_a_notice(self) -> None:
        question = read_question("Can examplol be repurposed for asthma?")
        assert question.drug
        assert (question.drug.name, question.drug.known) == ("examplol", False)
        assert question.notices == (
            'We do not recognise "examplol" as a drug; it is searched as typed.',
        )


class TestHowAConditionIsNamed:
    @pytest.mark.parametrize(
        "written",
        [
            "Alzheimer's disease",
            "Alzheimer’s disease",
            "Alzheimers",
            "Alzheimers disease",
            "Alzheimer's",
            "ALZHEIMER'S DISEASE",
            "mild to moderate Alzheimer's disease",
            "patients with Alzheimer's disease",
            "the progression of Alzheimer's disease",
        ],
    )
    def test_a_known_condition_is_recognised_however_it_is_written(self, written: str) -> None:
        condition = read_question(f"Can metformin be repurposed for {written}?").condition
        assert condition
        assert (condition.mesh_id, condition.known) == ("MESH:D000544", True)

    @pytest.mark.parametrize(
        "text",
        ["CAN METFORMIN BE REPURPOSED FOR ASTHMA?", "DOES METFORMIN HELP IN ASTHMA?"],
    )
    def test_a_question_in_capitals_reads_as_any_other(self, text: str) -> None:
        assert (drug_of(text), condition_of(text)) == ("metformin", "Asthma")

    @pytest.mark.parametrize(
        "written",
        [
            "iron deficiency anaemia",
            "iron deficiency anemia",
            "infantile haemangioma",
            "infantile hemangioma",
        ],
    )
    def test_british_and_american_spelling_name_one_known_condition(self, written: str) -> None:
        condition = read_question(f"Does metformin help in {written}?").condition
        assert condition
        assert condition.known

    def test_an_abbreviation_of_several_conditions_is_decided_with_a_notice(self) -> None:
        question = read_question("Can metformin be used for MS?")
        assert question.condition
        assert question.condition.name == "Multiple Sclerosis"
        assert "can also mean" in question.notices[0]

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("Can metformin be repurposed for testitis?", "testitis"),
            ("Does metformin reduce mortality in testitis?", "testitis"),
            ("Does metformin help in severe testitis?", "testitis"),
        ],
        ids=lambda value: value,
    )
    def test_an_unknown_condition_is_searched_literally_with_a_notice(
        self, text: str, name: str
    ) -> None:
        question = read_question(text)
        assert question.condition
        assert (question.condition.name, question.condition.known) == (name, False)
        assert question.notices == (
            f'We do not recognise "{name}" as a condition; it is searched as typed.',
        )


class TestPolarity:
    @pytest.mark.parametrize(
        "text",
        [
            "Does metformin worsen asthma?",
            "What is the risk of metformin in asthma?",
        ],
    )
    def test_a_question_about_harm_has_a_notice(self, text: str) -> None:
        assert any("asks about harm" in n for n in read_question(text).notices)

    def test_a_question_about_a_named_harm_is_answered_and_has_none(self) -> None:
        assert read_question("Does metformin cause asthma?").notices == ()

    def test_a_question_about_benefit_has_none(self) -> None:
        assert read_question("Does metformin help in asthma?").notices == ()


class TestRefused:
    @pytest.mark.parametrize("text", ["hello", "???", "testitis", "What is the capital of Rome?"])
    def test_what_is_no_question_of_biomedicine_is_declined(self, text: str) -> None:
        with pytest.raises(QuestionDeclinedError) as caught:
            read_question(text)
        assert caught.value.reason
        assert caught.value.advice

    def test_what_names_nothing_has_no_condition(self) -> None:
        with pytest.raises(QuestionError):
            read_question("Which drug helps?")

    @pytest.mark.parametrize("text", ["metformin", "Is metformin good?", "Does metformin work?"])
    def test_a_drug_without_a_condition_and_the_refusal_names_the_drug(self, text: str) -> None:
        with pytest.raises(QuestionError, match="in the question for metformin"):
            read_question(text)
