"""A model's matches decide the end of the search and the aim of the next round."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal import Direction
from deepcritical.domain.question import SearchQuery
from deepcritical.models.answers import Assessed
from deepcritical.questions.searching import asked, first_sides_open
from deepcritical.reasoning.by_model import judged, led
from deepcritical.reasoning.judging import OpenGap, assess
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.domain.records import appraisal, fact, paper, vote
from tests.unit.reasoning.examples import QUESTION
from tests.unit.reasoning.test_judging import searched

GAPS = (
    OpenGap(text="No trial.", query=asked(QUESTION.drug, None, "a trial")),
    OpenGap(text="No harms.", query=asked(QUESTION.drug, None, "harms"), against=True),
    OpenGap(text="No target.", query=asked(QUESTION.drug, None, "a target")),
)
FIRST = first_sides_open(QUESTION, ())
OWN = asked(QUESTION.drug, QUESTION.condition, "dose")


def store_with(run: tuple[SearchQuery, ...], *, decided: bool = True) -> EvidenceStore:
    store = EvidenceStore()
    record = paper(publication_types=("Randomized Controlled Trial",))
    (key,) = store.add([record])
    votes = (vote(Direction.SUPPORTS, 2, 400, key, direct=True),) if decided else ()
    supporting = (fact(evidence_id=key),)
    store.add_appraisal(appraisal(record, key, direct=True, supporting=supporting, votes=votes))
    searched(store, run)
    return store


def said(**changes: Any) -> Assessed:
    found = {"mechanism_score": 5, "clinical_score": 5, "confidence": "high"}
    enough = {"answers_question": True, "next_round": "enough"}
    return Assessed.model_validate({**found, **enough, **changes})


def leads(answer: Assessed, store: EvidenceStore, *own: SearchQuery) -> Any:
    both = judged(assess(QUESTION, store), answer, "examplol", own, "testitis", GAPS)
    return led(both, answer, own, QUESTION, store, GAPS)


def test_enough_settles_the_search_whatever_the_rules_miss() -> None:
    store = store_with(FIRST)
    assert not assess(QUESTION, store).sufficient
    found = leads(said(), store)
    assert (found.settled, found.sufficient, found.recommendation) == (True, True, "synthesize")


@pytest.mark.parametrize("number", range(len(FIRST)))
def test_not_before_all_sides_of_the_first_round_were_searched(number: int) -> None:
    assert not leads(said(), store_with((*FIRST[:number], *FIRST[number + 1 :]))).settled


@pytest.mark.parametrize(
    "changes", [{"answers_question": False}, {"next_round": "go_on"}, {"next_round": None}]
)
def test_nor_by_any_other_word(changes: dict[str, Any]) -> None:
    assert not leads(said(**changes), store_with(FIRST)).settled


def test_nor_over_no_result() -> None:
    assert not leads(said(), store_with(FIRST, decided=False)).settled


def test_the_next_round_is_for_what_it_names_for_harms_and_for_what_failed() -> None:
    found = leads(said(next_round="go_on", close_next=[1]), store_with(FIRST[1:]), OWN)
    assert found.next_queries == (GAPS[0].query, OWN, GAPS[1].query, FIRST[0])
    assert found.postponed == (GAPS[2].query,)
    assert (found.choice.gaps, found.choice.made_by) == (("No trial.",), "model")


@pytest.mark.parametrize("close_next", [[], [0, 9]])
def test_what_names_nothing_leaves_the_round_to_the_rules(close_next: list[int]) -> None:
    store = store_with(FIRST)
    found = leads(said(next_round="go_on", close_next=close_next), store)
    assert found.next_queries == assess(QUESTION, store).next_queries
    assert found.choice.made_by == "rules"
