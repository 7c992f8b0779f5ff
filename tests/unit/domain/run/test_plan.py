from __future__ import annotations

import json
from typing import Any

import pytest

from deepcritical.domain.errors import EmptyQuestionError, PlanError, QuestionTooLongError
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.question.question import (
    MAX_QUESTION_CHARS,
    QuestionForm,
    ResearchQuestion,
    SearchQuery,
    checked_question,
)
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.plan import (
    MOST_QUERIES,
    Place,
    PlannedQuery,
    ResearchPlan,
    check_limits,
    parse_plan,
)

QUESTION = ResearchQuestion(
    text="Can examplol be repurposed for testitis?",
    form=QuestionForm.DRUG_CONDITION,
    drug=Drug(name="examplol", synonyms=("exol",)),
    condition=Condition(name="testitis", names=("testitis", "test inflammation")),
)
PLAN = ResearchPlan(
    question=QUESTION,
    place=Place(sources=("pubmed",)),
    queries=(PlannedQuery(text="examplol testitis", terms=(), literature_only=False),),
    limits=RunLimits(),
)


def edited(**changes: Any) -> bytes:
    """The plan as a file in which some fields were changed."""
    return json.dumps({**PLAN.model_dump(mode="json"), **changes}).encode()


def test_a_plan_survives_its_file() -> None:
    assert parse_plan(PLAN.model_dump_json(indent=2).encode(), "plan.json") == PLAN


def test_a_plan_of_before_with_its_empty_list_of_documents_is_read_and_a_full_one_refused() -> None:
    place = {"sources": ["pubmed"], "snapshot": None, "documents": []}
    assert parse_plan(edited(place=place), "plan.json") == PLAN
    with pytest.raises(PlanError, match="documents"):
        parse_plan(edited(place=place | {"documents": ["/a.pdf"]}), "plan.json")


def test_a_plan_does_not_write_documents() -> None:
    assert "documents" not in PLAN.place.model_dump(mode="json")


def test_a_mark_that_an_editor_puts_before_a_file_is_no_fault() -> None:
    assert parse_plan(b"\xef\xbb\xbf" + PLAN.model_dump_json().encode(), "plan.json") == PLAN


@pytest.mark.parametrize(
    "question",
    [
        QUESTION.model_copy(update={"drug": Drug(name=" ")}),
        QUESTION.model_copy(update={"drug": Drug(name="examplol", synonyms=("exol", ""))}),
        QUESTION.model_copy(update={"condition": Condition(name="testitis", names=("  ",))}),
    ],
)
def test_a_name_of_blanks_is_refused_because_every_record_has_it(
    question: ResearchQuestion,
) -> None:
    with pytest.raises(PlanError, match="it has no letters"):
        parse_plan(edited(question=question.model_dump(mode="json")), "plan.json")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"", "Invalid JSON"),
        (b"\xff\xfe", "Invalid JSON"),
        (b"[]", "object"),
        (b"{}", "required at question"),
        (edited(version=2), "at version"),
        (edited(budget=1), "at budget"),
        (edited(place={"sources": ["pubmed"], "snapshot": "demo"}), "not both at place"),
        (edited(queries=[]), "at queries"),
        (edited(queries=[{"text": "a b"}] * (MOST_QUERIES + 1)), "at queries"),
        (edited(queries=[{"text": " "}]), "no letters at queries.0.text"),
        (edited(queries=[{"text": "123 456"}]), "no letters at queries.0.text"),
        (edited(queries=[{"text": "word " * 100}]), "at queries.0.text"),
        (edited(queries=[{"text": "a", "url": "x"}]), "at queries.0.url"),
        (edited(limits={"max_iterations": 11}), "at limits.max_iterations"),
        (edited(limits={"max_iterations": "3"}), "at limits.max_iterations"),
        (edited(limits={"deadline_s": 0}), "at limits.deadline_s"),
        (edited(question={**QUESTION.model_dump(mode="json"), "drug": None}), "does not go"),
        (edited(question={**QUESTION.model_dump(mode="json"), "condition": None}), "no condition"),
        (edited(question={**QUESTION.model_dump(mode="json"), "form": "guess"}), "question.form"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(written: bytes, said: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_plan(written, "plan.json")
    assert "plan.json is not a plan that can be run" in caught.value.message
    assert said in caught.value.message
    assert "--plan" in caught.value.advice


def test_an_added_search_is_one_for_drug_condition_and_its_own_words() -> None:
    query = PlannedQuery(text="  Examplol   test inflammation elderly cohort elderly of ")
    assert query.as_query(QUESTION) == SearchQuery(
        text="Examplol test inflammation elderly cohort elderly of",
        drug=QUESTION.drug,
        condition=QUESTION.condition,
        terms=("elderly", "cohort"),
        literature_only=True,
    )


def test_a_search_that_is_left_as_it_was_is_run_as_it_was() -> None:
    query = SearchQuery(
        text="examplol testitis safety",
        drug=QUESTION.drug,
        condition=QUESTION.condition,
        terms=("safety", '"adverse events"'),
        literature_only=True,
    )
    assert PlannedQuery.of(query).as_query(QUESTION) == query


def test_a_search_that_stands_twice_is_run_once() -> None:
    twice = PLAN.model_copy(update={"queries": PLAN.queries * 2})
    assert len(twice.search_queries) == 1


@pytest.mark.parametrize(
    ("wanted", "allowed", "named"),
    [
        ({}, {}, ""),
        ({"max_calls": 5}, {"max_calls": 6}, ""),
        ({"max_calls": 7}, {"max_calls": 6}, "max_calls"),
        ({"deadline_s": 700.0}, {"deadline_s": 600.0}, "deadline_s"),
        ({"max_tokens": 9}, {"max_tokens": 8}, "max_tokens"),
        ({"results_per_query": 11}, {"results_per_query": 10}, "results_per_query"),
        ({"max_iterations": 4}, {"max_iterations": 3}, "max_iterations"),
        ({"max_cost_usd": None}, {"max_cost_usd": 1.0}, "max_cost_usd"),
        ({"max_cost_usd": 2.0}, {"max_cost_usd": 1.0}, "max_cost_usd"),
        ({"max_cost_usd": 2.0}, {"max_cost_usd": None}, ""),
        ({"report_share": 0.0}, {}, "report_share"),
        ({"report_share": 0.5}, {}, ""),
    ],
)
def test_no_plan_goes_beyond_what_is_allowed(
    wanted: dict[str, Any], allowed: dict[str, Any], named: str
) -> None:
    plan, most = RunLimits(**wanted), RunLimits(**allowed)
    if not named:
        check_limits(plan, most)
        return
    with pytest.raises(PlanError, match=f"limits.{named} of the plan"):
        check_limits(plan, most)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Does it help?", "Does it help?", id="plain"),
        pytest.param("  Does\n it\thelp? ", "Does it help?", id="blanks"),
        pytest.param("x", "x", id="one letter"),
        pytest.param("¿Ayuda?", "¿Ayuda?", id="another language"),
        pytest.param("x" * MAX_QUESTION_CHARS, "x" * MAX_QUESTION_CHARS, id="as long as can be"),
        pytest.param(f"{'x' * MAX_QUESTION_CHARS}  ", "x" * MAX_QUESTION_CHARS, id="blanks behind"),
    ],
)
def test_a_question_is_trimmed(text: str, expected: str) -> None:
    assert checked_question(text) == expected


@pytest.mark.parametrize("text", ["", " \n\t", "?", "123 456", "...!", "🙂"])
def test_a_question_without_letters_is_empty(text: str) -> None:
    with pytest.raises(EmptyQuestionError) as caught:
        checked_question(text)
    assert caught.value.advice


def test_a_question_that_is_too_long_is_refused_with_both_numbers() -> None:
    with pytest.raises(QuestionTooLongError, match="2,001 characters; at most 2,000"):
        checked_question("x" * (MAX_QUESTION_CHARS + 1))


def test_the_names_of_a_drug_begin_with_its_own() -> None:
    assert Drug(name="examplol", synonyms=("Testalin",)).names == ("examplol", "Testalin")


def test_bytes_of_another_encoding_become_question_marks() -> None:
    assert checked_question("Does examplol help?\udcff") == "Does examplol help??"
