"""Queries of a question: what it names, then each open need in other words."""

from __future__ import annotations

import pytest

from deepcritical.answering.needs import checklist_of, inquiry_of
from deepcritical.answering.queries import need_queries
from deepcritical.domain.appraisal.checklist import Aspect, Coverage, ItemCoverage
from deepcritical.domain.report.parts import SearchRun
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.searching import search_sides
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.answering.examples import HELPS

BOTH = "Does folic acid reduce methotrexate toxicity?"
SAFE = "What are the side effects of examplol in testitis?"


def begun(question: str, *ran: str) -> EvidenceStore:
    """A store with the checklist of a question, in which these queries have run."""
    store = EvidenceStore()
    store.checklist = checklist_of(inquiry_of(question))
    store.searches += [
        SearchRun(source="made", query=text, outcome="data", identified=1, new=1) for text in ran
    ]
    return store


def test_the_names_alone_go_to_registries_and_everything_else_to_papers() -> None:
    first, *rest = need_queries(inquiry_of(SAFE), begun(SAFE))
    assert first.text == "examplol testitis"
    assert not first.literature_only
    assert all(query.literature_only for query in rest)


@pytest.mark.parametrize("question", [HELPS, BOTH, SAFE, "Is aspirin safe in pregnancy?"])
def test_every_query_names_every_name_of_the_question(question: str) -> None:
    inquiry = inquiry_of(question)
    names = [drug.name for drug in inquiry.drugs] + [c.name for c in inquiry.conditions]
    for query in need_queries(inquiry, begun(question)):
        fields = f"{query.text} {' '.join(query.terms)}"
        assert all(name.casefold() in fields.casefold() for name in names), query


def test_of_two_drugs_both_must_occur() -> None:
    asked = [q for q in need_queries(inquiry_of(BOTH), begun(BOTH)) if q.terms]
    assert asked
    for query in asked:
        other = "methotrexate" if query.drug and query.drug.name == "folic acid" else "folic acid"
        assert all(other in term for term in query.terms), query


def test_a_question_for_a_verdict_is_also_searched_as_its_report_is() -> None:
    texts = {query.text for query in need_queries(inquiry_of(HELPS), begun(HELPS))}
    question = research_question(literal_frame(HELPS))
    assert {query.text for query in search_sides(question, ())} <= texts


def test_other_words_of_a_question_are_searched_beside_its_names() -> None:
    question = "Is aspirin safe in pregnancy?"
    queries = need_queries(inquiry_of(question), begun(question))
    assert any("pregnant women" in query.text and query.drug for query in queries)


def test_a_question_without_a_name_is_searched_by_its_words() -> None:
    question = "What is known about BACE1?"
    first, *rest = need_queries(inquiry_of(question), begun(question))
    assert first.text == "BACE1"
    assert all("BACE1" in query.text for query in rest)
    assert all("BACE1" in term for query in rest for term in query.terms)


@pytest.mark.parametrize("question", [HELPS, SAFE, "What is known about BACE1?"])
def test_each_open_need_is_searched_in_other_words_each_round_until_there_are_none(
    question: str,
) -> None:
    inquiry, store = inquiry_of(question), begun(question)
    seen: set[str] = set()
    for _ in range(8):
        texts = [query.text for query in need_queries(inquiry, store)]
        assert not seen & set(texts)
        assert len(set(texts)) == len(texts)
        if not texts:
            return
        seen.update(texts)
        store.searches += begun(question, *texts).searches
    pytest.fail("there is always another query")


def test_what_is_satisfied_is_not_searched_any_more() -> None:
    inquiry, store = inquiry_of(HELPS), begun(HELPS, "x")
    assert store.checklist
    store.coverage = tuple(
        ItemCoverage(item=item.id, coverage=Coverage.SATISFIED, reason="r")
        for item in store.checklist.items
        if item.aspect is not Aspect.AGAINST
    )
    (query,) = need_queries(inquiry, store)
    assert "no effect" in query.text


def test_words_of_a_model_are_searched_beside_the_names() -> None:
    inquiry = inquiry_of(SAFE).model_copy(update={"searches": ("quality of life",)})
    (query,) = [q for q in need_queries(inquiry, begun(SAFE)) if "quality of life" in q.text]
    assert query.drug
    assert query.condition
    assert query.terms == ('"quality of life"',)


def test_the_web_is_asked_only_where_it_is_searched() -> None:
    inquiry, store = inquiry_of(SAFE), begun(SAFE)
    assert not any(query.web_only for query in need_queries(inquiry, store))
    on_web = [query for query in need_queries(inquiry, store, web=True) if query.web_only]
    assert store.checklist
    assert len(on_web) == len(store.checklist.items)


def test_a_second_drug_is_searched_without_its_brands() -> None:
    asked = need_queries(inquiry_of("How does lithium interact with ibuprofen?"), EvidenceStore())
    assert asked[0].terms == ('("ibuprofen")',)


def test_a_name_is_not_searched_in_two_spellings_that_differ_in_capitals() -> None:
    asked = need_queries(inquiry_of("Is obesity linked to psoriasis?"), EvidenceStore())
    names = asked[0].terms[0].strip("()").split(" OR ")
    assert len(names) == len({name.casefold() for name in names}) > 1
