"""Queries in the language of each source."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.tools.base import SourceQuery
from deepcritical.tools.europepmc.source import europepmc_query
from deepcritical.tools.pubmed.source import pubmed_term
from deepcritical.tools.query_utils import clean_query, is_searchable, trial_params

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
            ("Does treatment as prevention work?", "Does treatment as prevention work"),
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
    def test_every_source_is_asked_in_its_own_fields(self) -> None:
        query = asked(drug=EXAMPLOL, condition=TESTITIS, terms=("TST1", "pain relief"))
        assert pubmed_term(query) == (
            '(examplol OR "examplol"[nm] OR "examplol"[tiab] OR "madeuphage"[tiab])'
            ' AND ((Tester\'s disease) OR "Tester\'s disease*"[tiab] OR "testitis"[tiab])'
            " AND (TST1 OR (pain relief))"
        )
        assert europepmc_query(query) == (
            '(KW:"examplol" OR TITLE_ABS:"examplol" OR TITLE_ABS:"madeuphage")'
            ' AND (KW:"Tester\'s disease" OR TITLE_ABS:"Tester\'s disease" OR TITLE_ABS:"testitis")'
            " AND (TST1 OR (pain relief))"
        )

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
        quoted = term.split('"')[1::2]
        assert len(set(quoted)) == 1
        assert term.count('"') == 2 * len(quoted)
        assert term.count("(") == term.count(")") == 1
        assert "\\" not in term

    def test_spellings_of_one_name_are_asked_for_once(self) -> None:
        drug = Drug(name="Examplol", synonyms=("examplol", "EXAMPLOL ", "examplol\u00a0", "Mad’s"))
        assert trial_params(asked(drug=drug)) == {"query.intr": '"Examplol" OR "Mad\'s"'}

    def test_short_synonyms_are_left_out_and_short_names_are_not(self) -> None:
        query = asked(condition=Condition(name="TT", names=("TT", "AD", "testitis"), known=False))
        assert trial_params(query) == {"query.cond": '"TT" OR "testitis"'}

    def test_what_lucene_would_misread_is_replaced_outside_of_quotes(self) -> None:
        query = asked(text='APOE: e4/e4 TITLE:"a: b/c" AND DOI:10.9/x')
        assert europepmc_query(query) == 'APOE e4 e4 TITLE:"a: b/c" AND DOI:10.9/x'

    def test_europe_pmc_gets_no_wildcard_in_quotes(self) -> None:
        query = asked(drug=EXAMPLOL, terms=('"pain OR eas*"', '"pain relief"', '"*"'))
        assert europepmc_query(query).endswith(' AND (((pain AND or AND eas*)) OR "pain relief")')
        assert '"pain OR eas*"' in pubmed_term(query)

    def test_partners_are_kept_and_the_lonely_dropped(self) -> None:
        query = asked(text='("a" "b") AND (c) OR d) "e')
        assert pubmed_term(query) == '("a" "b") AND (c) OR d e'


@pytest.mark.parametrize(("query", "answer"), [("a", True), ("AND", False), ("(NOT)", False)])
def test_operators_alone_cannot_be_searched(query: str, answer: bool) -> None:
    assert is_searchable(query) is answer
