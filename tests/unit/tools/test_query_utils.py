"""What is asked, in the language of each source."""

from __future__ import annotations

import pytest

from deepcritical.domain.question import Condition, Drug
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.query_utils import (
    MAX_SYNONYMS,
    clean_query,
    europepmc_query,
    is_searchable,
    pubmed_term,
    trial_params,
)

EXAMPLOL = Drug(name="examplol", synonyms=("madeuphage",))
TESTITIS = Condition(name="Tester's disease", names=("Tester's disease", "testitis"))


def asked(**fields: object) -> SourceQuery:
    return SourceQuery.model_validate({"text": "anything", **fields})


class TestCleanQuery:
    @pytest.mark.parametrize(
        ("question", "cleaned"),
        [
            ("Can examplol be repurposed for testitis?", "examplol testitis"),
            ("Could examplol be used as a treatment for testitis?", "examplol testitis"),
            ("What could be repurposed for long COVID?", "long COVID"),
            ("Which approved drugs could be repurposed to treat COPD?", "COPD"),
            ("Is there any evidence that examplol helps in testitis?", "examplol testitis"),
            ("Does examplol treat testitis?", "examplol testitis"),
            ("Is examplol effective for the treatment of testitis?", "examplol testitis"),
            ("examplol used for testitis", "examplol testitis"),
            ("can examplol be used for testitis", "examplol testitis"),
            ("Does examplol slow testitis through TST1?", "examplol slow testitis through TST1"),
        ],
    )
    def test_a_question_becomes_its_words(self, question: str, cleaned: str) -> None:
        assert clean_query(question) == cleaned

    @pytest.mark.parametrize(
        "text",
        [
            "WHO guidelines on vitamin A",
            "CAN and IS in testitis",
            "MAY AND testitis NOT CAN",
            '"can be used for" AND examplol',
            "examplol[tiab] AND (testitis[mh] OR pain)",
            'TITLE:"can examplol be used for testitis" AND SRC:MED',
            "(can examplol) OR (testitis)",
            "A beta 42",
            "treat to target in testitis",
            "Can t 1 allergen in testitis",
            "May measurements of testitis",
            "examplol?testitis",
        ],
    )
    def test_what_is_no_noise_stays(self, text: str) -> None:
        assert clean_query(text) == text

    @pytest.mark.parametrize("drug", ["A", "WHO", "IT", "5-FU", "examplol/madeupine", "CAN"])
    def test_the_drug_survives_its_question(self, drug: str) -> None:
        assert clean_query(f"Can {drug} be repurposed for testitis?") == f"{drug} testitis"

    @pytest.mark.parametrize("text", ["", "?", "  !? ", "\u2028"])
    def test_nothing_stays_nothing(self, text: str) -> None:
        assert clean_query(text) == ""


class TestTerms:
    def test_drug_condition_and_terms_are_joined(self) -> None:
        query = asked(drug=EXAMPLOL, condition=TESTITIS, terms=("TST1", "pain relief"))
        expected = (
            '("examplol" OR "madeuphage") AND ("Tester\'s disease" OR "testitis")'
            " AND (TST1 OR (pain relief))"
        )
        assert pubmed_term(query) == expected
        assert europepmc_query(query) == expected

    def test_the_registry_gets_them_by_field(self) -> None:
        query = asked(drug=EXAMPLOL, condition=TESTITIS, terms=("TST1",))
        assert trial_params(query) == {
            "query.intr": '"examplol" OR "madeuphage"',
            "query.cond": '"Tester\'s disease" OR "testitis"',
            "query.term": "TST1",
        }

    def test_a_text_alone_is_cleaned(self) -> None:
        query = asked(text="Can examplol be repurposed for testitis?")
        assert pubmed_term(query) == europepmc_query(query) == "examplol testitis"
        assert trial_params(query) == {"query.term": "examplol testitis"}

    @pytest.mark.parametrize(
        ("text", "sent"),
        [
            ("examplol AND", "examplol"),
            ("OR examplol OR testitis AND NOT", "examplol OR testitis"),
            ("NOT testitis", "NOT testitis"),
            ("examplol AND NOT testitis", "examplol AND NOT testitis"),
        ],
    )
    def test_an_operator_without_an_operand_is_not_sent(self, text: str, sent: str) -> None:
        assert pubmed_term(asked(text=text)) == sent

    @pytest.mark.parametrize("text", ["?", "(", '"', "AND OR NOT", "()", '""', "\u2028"])
    def test_nothing_to_search_for_is_no_query(self, text: str) -> None:
        query = asked(text=text)
        assert pubmed_term(query) == europepmc_query(query) == ""
        assert trial_params(query) == {}

    @pytest.mark.parametrize(
        "name", ['x" OR "all', "x\u201d OR \u201call", 'x\\" OR all', '"x" OR all', "x) OR (all"]
    )
    def test_a_name_cannot_leave_its_quotes(self, name: str) -> None:
        term = pubmed_term(asked(drug=Drug(name=name)))
        assert term.count('"') == 2
        assert term.startswith('("')
        assert term.endswith('")')
        assert "\\" not in term

    def test_spellings_of_one_name_are_asked_for_once(self) -> None:
        drug = Drug(name="Examplol", synonyms=("examplol", "EXAMPLOL ", "examplol\u00a0", "Mad’s"))
        assert pubmed_term(asked(drug=drug)) == '("Examplol" OR "Mad\'s")'

    def test_of_many_synonyms_the_telling_ones_stay(self) -> None:
        brands = tuple(f"brand{letter}" for letter in "abcdefghij")
        drug = Drug(name="examplic acid", synonyms=(*brands, "examplic acid sodium", "examplate"))
        term = pubmed_term(asked(drug=drug))
        assert term.count(" OR ") == MAX_SYNONYMS
        assert '"examplate"' in term
        assert '"examplic acid sodium"' not in term

    def test_a_name_of_several_words_is_no_less_telling_than_a_brand(self) -> None:
        brands = tuple(f"brand{letter}" for letter in "abcdefgh")
        drug = Drug(name="examplol", synonyms=("madic acid", *brands))
        assert '"madic acid"' in pubmed_term(asked(drug=drug))

    def test_short_synonyms_are_left_out_and_short_names_are_not(self) -> None:
        query = asked(condition=Condition(name="TT", names=("TT", "AD", "testitis")))
        assert pubmed_term(query) == '("TT" OR "testitis")'

    def test_what_lucene_would_misread_is_replaced_outside_of_quotes(self) -> None:
        query = asked(text='APOE: e4/e4 TITLE:"a: b/c" AND DOI:10.9/x')
        assert europepmc_query(query) == 'APOE e4 e4 TITLE:"a: b/c" AND DOI:10.9/x'

    def test_partners_are_kept_and_the_lonely_dropped(self) -> None:
        query = asked(text='("a" "b") AND (c) OR d) "e')
        assert pubmed_term(query) == '("a" "b") AND (c) OR d e'


@pytest.mark.parametrize(("query", "answer"), [("a", True), ("AND", False), ("(NOT)", False)])
def test_operators_alone_cannot_be_searched(query: str, answer: bool) -> None:
    assert is_searchable(query) is answer
