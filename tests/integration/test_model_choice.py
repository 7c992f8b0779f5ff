"""The choice that the guided manager leaves to a model: which gap the next round goes for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.questions.searching import search_sides
from tests.conftest import QUESTION, of_type, paper, snapshot
from tests.integration.modelled import Modelled, modelled, records
from tests.servers.answers import Answer
from tests.servers.models import ModelServer

TRIAL = "examplol testitis randomised placebo-controlled trial"
HARMS = "examplol adverse events tolerability safety"
MECHANISM = "examplol mechanism target pathway"
COHORT = (
    "Design: Cohort study in 400 patients with testitis. "
    "Results: Examplol use was associated with improved testitis symptoms (p = 0.01)."
)


@pytest.fixture
def gappy(tmp_path: Path) -> Path:
    """Records that leave three gaps: no trial, no harms, no mechanism."""
    cohort = paper(1, title="Examplol in testitis: a cohort", pub_types=[], text=COHORT)
    return snapshot(tmp_path / "gappy.jsonl", cohort)


def judging(*, kind: str = "efficacy", **said: Any) -> Callable[[ModelServer], None]:
    """A model that answers as usual, but judges in this way, a question of this kind."""

    def change(task: str, sane: Answer) -> Answer:
        if task == "plan":
            return {**sane, "kind": kind}
        return {**sane, **said} if task == "assess_evidence" else sane

    def prepare(server: ModelServer) -> None:
        server.change = change

    return prepare


def second_round(run: Modelled) -> set[str]:
    """The queries that were run after the first judgement."""
    kinds = [logged.event.type for logged in run.events]
    return {
        event.query for event in of_type(run.events[kinds.index("round_chosen") :], SEARCHED)
    } - {event.query for event in of_type(run.events[: kinds.index("round_chosen")], SEARCHED)}


SEARCHED = "source_searched"


async def test_the_gap_that_the_model_picks_is_searched_and_the_others_are_left_for_later(
    gappy: Path,
) -> None:
    how = partial(judging, kind="mechanism", next_round="go_on")
    trial = await modelled(gappy, how(close_next=[1]), max_iterations=2)
    mechanism = await modelled(gappy, how(close_next=[3]), max_iterations=2)
    (shown, *_) = trial.server.prompts("assess_evidence")
    assert "1. No randomised study" in shown
    assert "3. No target of examplol" in shown
    assert (TRIAL in second_round(trial), MECHANISM in second_round(trial)) == (True, False)
    assert (TRIAL in second_round(mechanism), MECHANISM in second_round(mechanism)) == (False, True)
    (told,) = of_type(trial.events, "round_chosen")
    assert (told.iteration, told.made_by, told.wanted, told.postponed) == (2, "model", True, 1)
    assert told.gaps == ("No randomised study with a result for examplol.",)


async def test_the_searches_of_the_model_are_run_next(gappy: Path) -> None:
    run = await modelled(gappy, judging(searches=["symptom diary"]), max_iterations=2)
    assert "examplol testitis symptom diary" in second_round(run)


async def test_chains_are_asked_for_where_a_step_of_any_is_known(
    gappy: Path, tmp_path: Path
) -> None:
    tasks = [(await modelled(one)).server.tasks for one in (gappy, records(tmp_path))]
    assert ["propose_hypotheses" in told for told in tasks] == [False, True]


async def test_chains_are_asked_for_once_while_the_graph_stays_much_the_same(
    tmp_path: Path,
) -> None:
    run = await modelled(
        records(tmp_path), judging(next_round="go_on", searches=["dose"]), max_iterations=3
    )
    assert rounds(run) > 1
    assert len(of_type(run.events, "hypotheses_proposed")) == rounds(run)
    assert run.server.tasks.count("propose_hypotheses") == 1
    first, *later = (e.chains for e in of_type(run.events, "hypotheses_proposed"))
    assert all(first == one for one in later)


ENOUGH: dict[str, Any] = {"answers_question": True, "next_round": "enough", "searches": []}


def rounds(run: Modelled) -> int:
    assert run.report
    return run.report.search_iterations


@pytest.mark.parametrize(
    "said",
    [{"close_next": [1], "searches": ["benefit"]}, {"close_next": [99, -1, 0, 2, 2]}],
    ids=["drop what is against", "numbers of no gap"],
)
async def test_the_next_round_is_for_what_the_model_names_and_for_what_is_against(
    gappy: Path, said: dict[str, Any]
) -> None:
    run = await modelled(gappy, judging(**said), max_iterations=2)
    question = research_question(literal_frame(QUESTION))
    first = [query.text for query in search_sides(question, ())]
    sides = {query.text for query in search_sides(question, first)}
    assert HARMS in second_round(run)
    assert not second_round(run) & sides
    assert rounds(run) == 2


async def test_a_model_that_names_nothing_leaves_the_next_round_to_the_rules(gappy: Path) -> None:
    said: dict[str, Any] = {"answers_question": False, "next_round": "go_on", "searches": []}
    run = await modelled(gappy, judging(**said), max_iterations=2)
    assert {TRIAL, HARMS} <= second_round(run)
    assert MECHANISM not in second_round(run)  # nobody asked how it acts


async def test_enough_ends_the_search_after_the_first_round(gappy: Path) -> None:
    run = await modelled(gappy, judging(**ENOUGH), max_iterations=3)
    assert rounds(run) == 1
    assert of_type(run.events, "run_completed")[-1].stop_reason == "sufficient_evidence"


@pytest.mark.parametrize(
    "said",
    [
        {**ENOUGH, "answers_question": False},
        {**ENOUGH, "next_round": "go_on"},
        {**ENOUGH, "results": [], "shows": "insufficient evidence"},
    ],
    ids=["it does not answer", "more is wanted", "nothing was found"],
)
async def test_no_other_word_of_the_model_does(gappy: Path, said: dict[str, Any]) -> None:
    assert rounds(await modelled(gappy, judging(**said), max_iterations=2)) == 2


async def test_the_enough_of_a_small_model_does_not_end_the_search(gappy: Path) -> None:
    run = await modelled(gappy, judging(**ENOUGH), profile="small", max_iterations=2)
    assert rounds(run) == 2


async def test_fifty_searches_become_six_at_most(gappy: Path) -> None:
    letters = [f"made up {chr(97 + n // 7)}{chr(97 + n % 7)} words" for n in range(49)]
    run = await modelled(gappy, judging(searches=letters), max_iterations=2)
    assert len({query for query in second_round(run) if "made up" in query}) == 6


async def test_without_a_model_the_choice_is_made_by_rule(gappy: Path) -> None:
    run = await modelled(gappy, max_iterations=2, max_calls=0)
    (told,) = of_type(run.events, "round_chosen")
    assert (told.made_by, told.postponed) == ("rules", 0)
    assert len(told.gaps) == 2
    assert {TRIAL, HARMS} <= second_round(run)
    assert MECHANISM not in second_round(run)  # nobody asked how it acts


def matching(shows: str, *numbers: str, weight: str = "decides") -> Callable[[ModelServer], None]:
    """A model that matches the first result of each of these records."""
    results = [
        {
            "record": number,
            "result": 1,
            "drug_arm": "a",
            "outcome": "testitis symptoms",
            "weight": weight,
            "people": "asked",
        }
        for number in numbers
    ]
    return judging(results=results, shows=shows)


async def test_a_model_weighs_results_for_the_question_and_code_keeps_what_was_found(
    tmp_path: Path,
) -> None:
    path = records(tmp_path)
    alone = await modelled(path, max_iterations=1)
    null = await modelled(path, matching("supported", "E2"), max_iterations=1)
    none = await modelled(path, matching("insufficient evidence"), max_iterations=1)
    assert [one.report and one.report.verdict.label for one in (alone, null, none)] == [
        "mixed",
        "unsupported",
        "insufficient evidence",
    ]
    assert none.report
    assert none.report.verdict.rule.startswith("A model that matched the results")


async def test_a_match_with_what_was_not_shown_changes_nothing(tmp_path: Path) -> None:
    path = records(tmp_path)
    strange = await modelled(path, matching("supported", "E99"), max_iterations=1)
    assert strange.report
    assert strange.report.verdict.label == "mixed"


async def test_a_small_model_is_asked_for_scores_alone(tmp_path: Path) -> None:
    run = await modelled(
        records(tmp_path), matching("supported", "E2"), profile="small", max_iterations=1
    )
    assert run.report
    assert run.report.verdict.label == "mixed"
    assert "drug_arm" not in run.server.prompts("assess_evidence")[0]


async def test_studies_that_were_judged_before_are_not_judged_again(tmp_path: Path) -> None:
    run = await modelled(records(tmp_path), matching("mixed", "E1"), max_iterations=3)
    assert run.report
    assert run.report.search_iterations > 1
    assert len(run.server.prompts("assess_evidence")) == 1
