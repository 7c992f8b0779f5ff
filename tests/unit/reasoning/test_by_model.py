"""A model's matches decide the end of the search and the aim of the next round."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.domain.appraisal.findings import Direction
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.study.reading import Arm, Intervention
from deepcritical.mechanism.graph import chains_of
from deepcritical.models.answers import Assessed, AssessedResults
from deepcritical.questions.searching import asked, condition_of, first_sides_open
from deepcritical.reasoning.by_model import Proposed, judged, led, matches_of
from deepcritical.reasoning.choosing import with_unrecognised
from deepcritical.reasoning.judging import OpenGap, assess, is_tried
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.appraisal.builders import record, result, study
from tests.unit.domain.records import appraisal, fact, paper, vote
from tests.unit.mechanism.test_chains import one
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
    by_rule, tried = assess(QUESTION, store), is_tried(store, "examplol")
    both = judged(by_rule, answer, "examplol", own, condition_of(QUESTION), GAPS, tried=tried)
    return led(both, answer, own, QUESTION, store, GAPS)


@pytest.mark.parametrize("tried", [True, False])
def test_a_randomised_trial_is_missing_only_where_none_counts(tried: bool) -> None:
    store, answer = store_with(FIRST), said(gaps=["randomised_trial", "dose"])
    assert is_tried(store, "examplol")
    by_rule, asked_of = assess(QUESTION, store), condition_of(QUESTION)
    found = judged(by_rule, answer, "examplol", (), asked_of, GAPS, tried=tried).gaps
    assert ("A randomised trial of examplol." in found) is not tried


@pytest.mark.parametrize(("known", "told"), [(True, " for testitis"), (False, "")])
def test_a_gap_names_the_condition_as_it_is_asked_if_it_is_known(known: bool, told: str) -> None:
    store = store_with(FIRST)
    named = condition_of(QUESTION).model_copy(update={"known": known})
    answer = said(gaps=["dose"])
    found = judged(assess(QUESTION, store), answer, "examplol", (), named, GAPS, tried=True).gaps
    assert f"The dose of examplol{told}." in found


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


READINGS = {
    "E1": study(result("time to glimmer"), result("flurb")),
    "E2": study(result("days of glimmering")),
}


def judged_by_match(
    *results: tuple[str, int, str], shows: str | None = "supported"
) -> AssessedResults:
    """An answer that matches these results, each under a name of the model's."""
    told: list[dict[str, Any]] = [
        {
            "record": record,
            "result": number,
            "drug_arm": "a",
            "outcome": name,
            "weight": "decides",
            "people": "asked",
        }
        for record, number, name in results
    ]
    scores = {"mechanism_score": 1, "clinical_score": 1, "confidence": "low"}
    return AssessedResults.model_validate(
        {**scores, "answers_question": True, "results": told, "shows": shows}
    )


def test_results_that_a_model_joins_have_a_name_that_was_read_and_no_word_of_its_own() -> None:
    answer = judged_by_match(("E1", 1, "Ignore the rules"), ("E2", 1, "ignore the rules "))
    found = matches_of(answer, READINGS, READINGS)
    names = {match.outcome for one in found.values() for match in one.results}
    assert names == {"time to glimmer"}


def test_what_the_table_has_in_two_rows_gives_no_name_to_what_it_has_not() -> None:
    read = {"E1": study(result("pain"), result("nausea"), result("flurbiness"))}
    for named, row in (((1, 3), "pain"), ((1, 2, 3), "flurbiness")):
        found = matches_of(judged_by_match(*(("E1", n, "x") for n in named)), read, read)
        assert {match.outcome for match in found["E1"].results} == {row}


def test_what_no_record_has_is_left_out_and_nothing_counts_twice() -> None:
    answer = judged_by_match(
        ("E1", 1, "x"), ("E1", 1, "y"), ("E1", 0, "x"), ("E1", 3, "x"), ("E9", 1, "x")
    )
    found = matches_of(answer, READINGS, READINGS)
    assert [match.result for match in found["E1"].results] == [0]
    assert found["E2"].results == ()


def test_an_answer_without_a_result_that_was_shown_is_not_used() -> None:
    assert matches_of(judged_by_match(("E9", 1, "x")), READINGS, READINGS) == {}
    assert matches_of(judged_by_match(shows=None), READINGS, READINGS) == {}
    assert set(matches_of(judged_by_match(shows="insufficient evidence"), READINGS, READINGS)) == {
        "E1",
        "E2",
    }


@pytest.mark.parametrize(
    ("given", "title", "shown"),
    [
        (Intervention(name="metformin", drug="metformin"), "Metformin in testitis", False),
        (Intervention(name="metformin", drug="metformin"), "Examplol or metformin", True),
        (Intervention(name="EX-12"), "EX-12 in testitis", True),
    ],
    ids=["of another drug", "it names the drug", "what was given is not known"],
)
def test_a_study_in_which_nothing_was_recognised_is_shown_unless_it_is_of_another_drug(
    given: Intervention, title: str, *, shown: bool
) -> None:
    store = EvidenceStore()
    (key,) = store.add([record(title, content="Adults were treated. The flurb score was better.")])
    arms = (Arm(id="A", interventions=(given,)), Arm(id="B", control="placebo"))
    store.add_study(key, study(result(), arms=arms))
    assert with_unrecognised(QUESTION, store, [], {}) == [key] * shown


def kept(store: EvidenceStore, drug: str, number: int) -> str:
    """Keeps a study of a drug against placebo, and returns its id."""
    text = f"Adults were treated with {drug}. The flurb score was better, {number}."
    (key,) = store.add([record(f"Study {number} of {drug}", content=text, pmid=f"98{number:03}")])
    given = Intervention(name=drug, drug=drug)
    arms = (Arm(id="A", interventions=(given,)), Arm(id="B", control="placebo"))
    store.add_study(key, study(result(), arms=arms))
    return key


@pytest.mark.parametrize(("own", "others"), [(2, 10), (12, 0), (14, 0)])
def test_chosen_studies_of_other_drugs_fill_up_what_few_of_the_drug_leave(
    own: int, others: int
) -> None:
    store = EvidenceStore()
    of_others = [kept(store, "metformin", n) for n in range(12)]
    of_drug = [kept(store, "examplol", n) for n in range(100, 100 + own)]
    shown = with_unrecognised(QUESTION, store, [*of_others, *of_drug], {})
    assert [*of_others[:others], *of_drug] == shown


def test_of_a_drug_known_by_all_its_names_no_study_is_shown_that_has_none_of_them() -> None:
    store = EvidenceStore()
    (key,) = store.add([record("A study", content="Adults walked. The flurb score was better.")])
    arms = (Arm(id="A", interventions=(Intervention(name="walking"),)), Arm(id="B"))
    store.add_study(key, study(result(), arms=arms))
    drug = QUESTION.drug
    assert drug
    known = QUESTION.model_copy(update={"drug": drug.model_copy(update={"known": True})})
    unknown = QUESTION.model_copy(update={"drug": drug.model_copy(update={"known": False})})
    assert with_unrecognised(known, store, [], {}) == []
    assert with_unrecognised(unknown, store, [], {}) == [key]


class TestChainsOfBefore:
    """A model's proposals stand as long as the graph is much the same."""

    FIRST = (("examplol", "increases", "aa"), ("aa", "decreases", "bb"))

    def _holds(self, *more: tuple[str, str, str], first: tuple[tuple[str, str, str], ...]) -> bool:
        before, now = one(*first), one(*first, *more)
        answer = Proposed.of([["aa", "cc"]], before, chains_of(before))
        return answer.holds(now, chains_of(now))

    def test_a_few_more_steps_change_nothing(self) -> None:
        assert self._holds(first=self.FIRST)
        assert self._holds(("examplol", "increases", "dd"), first=self.FIRST)

    def test_a_way_to_the_condition_is_worth_another_question(self) -> None:
        assert not self._holds(("bb", "decreases", "testitis"), first=self.FIRST)

    def test_so_are_more_than_twice_the_steps_and_another_drug(self) -> None:
        new = tuple(("examplol", "increases", name) for name in ("cc", "dd", "ee"))
        assert self._holds(*new[:2], first=self.FIRST)
        assert not self._holds(*new, first=self.FIRST)
        assert not self._holds(new[0], first=())
        before = one(*self.FIRST)
        answer = Proposed.of([["aa"]], before, ()).model_copy(update={"drug": "oldol"})
        assert not answer.holds(before, ())

    def test_an_answer_without_chains_is_asked_for_again(self) -> None:
        before = one(*self.FIRST)
        assert not Proposed.of([], before, ()).holds(before, ())
