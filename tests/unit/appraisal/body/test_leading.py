"""Leading rows, and what must hold between rows and label."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow, Vote, Way
from deepcritical.domain.study.reading import Effect, Result
from tests.unit.appraisal.builders import (
    DEATHS,
    OUTCOME,
    SAME,
    ballot,
    finding,
    findings,
    made_up_results,
    made_up_studies,
    study,
    vote,
)

FAVOURABLE, UNFAVOURABLE = {"supported", "promising"}, {"refuted", "unsupported", "harmful"}


def critical(rows: tuple[OutcomeRow, ...]) -> list[OutcomeRow]:
    """Critical rows of compared people whom the question is about, against no treatment."""
    return [
        row
        for row in rows
        if row.importance == "critical" and row.directness != "related" and not row.comparator
    ]


@given(made_up_studies())
def test_the_label_never_contradicts_all_critical_rows(studies: tuple[StudyFinding, ...]) -> None:
    found = decide(studies)
    rows = [row for row in critical(found.rows) if row.tier != "uncontrolled"]
    ways = {row.way for row in rows}
    if ways == {Way.BENEFIT} and not any(row.trivial for row in rows):
        assert found.label not in UNFAVOURABLE - {"unsupported"}
        assert found.label != "unsupported" or not any(row.primary for row in rows)
    if ways == {Way.HARM}:
        assert found.label not in FAVOURABLE | {"refuted"} or not any(r.primary for r in rows)
    if rows and ways == {Way.NO_DIFFERENCE}:
        assert found.label not in {"supported", "harmful"} or any(r.is_grave for r in found.rows)


@given(made_up_results(), st.sampled_from(("a", "b")))
def test_an_arm_that_the_reader_states_is_never_turned_round(told: Result, better: str) -> None:
    stated = told.model_copy(update={"better": better, "level": "primary"})
    against = Way.HARM if better == "a" else Way.BENEFIT
    assert against not in {found.way for found in ballot(study(stated)).votes}


@given(st.lists(st.sampled_from((-0.5, 0.5)), min_size=1, max_size=4))
def test_every_pooled_row_tells_what_its_estimate_tells(values: list[float]) -> None:
    votes = [
        vote(
            Way.BENEFIT if value < 0 else Way.HARM,
            effect=Effect(measure="MD", value=value, ci_low=value - 0.3, ci_high=value + 0.3),
            unit="mm",
        )
        for value in values
    ]
    (row,) = decide(findings(*votes)).rows
    if row.pooled and not row.pooled.ci_low <= 0 <= row.pooled.ci_high:
        assert row.way is (Way.BENEFIT if row.pooled.value < 0 else Way.HARM)


TIGHT: dict[str, Any] = {"way": Way.NO_DIFFERENCE, "effect": SAME}
LOOSE: dict[str, Any] = {"way": Way.NO_DIFFERENCE, "effect": Effect(p=0.4)}


def other(**fields: Any) -> Vote:
    return vote(**{"row": "blivet", **fields})


TOGETHER: dict[str, tuple[list[Vote], str]] = {
    "another outcome without a difference": ([vote(), other(**TIGHT)], "supported"),
    "another outcome that tells nothing": ([vote(), other(**LOOSE)], "supported"),
    "the main outcome without a difference": (
        [vote(level="secondary"), other(people=900, **TIGHT)],
        "mixed",
    ),
    "a larger primary outcome without a difference": (
        [vote(people=450), other(people=900, **TIGHT)],
        "mixed",
    ),
    "another outcome with harm": ([vote(), other(way=Way.HARM)], "mixed"),
    "a secondary outcome with harm": ([vote(), other(way=Way.HARM, level="secondary")], "mixed"),
    "a null primary and a small benefit on another": (
        [vote(**LOOSE), other(level="secondary", people=60)],
        "unsupported",
    ),
    "a null primary and a sure benefit on another": (
        [vote(**LOOSE), other(level="secondary")],
        "promising",
    ),
    "a small null primary and a large benefit on another primary": (
        [vote(people=60, **LOOSE), other(people=900)],
        "supported",
    ),
    "a surrogate beside a null primary": (
        [vote(**LOOSE), other(importance="surrogate", people=5000)],
        "unsupported",
    ),
    "a primary outcome that matters beside a null on deaths": (
        [other(importance="important"), vote(level="secondary", **TIGHT)],
        "promising",
    ),
}


@pytest.mark.parametrize(("votes", "label"), TOGETHER.values(), ids=TOGETHER)
def test_rows_are_weighed_together(votes: list[Vote], label: str) -> None:
    assert decide([finding(*votes), finding(*votes, key="E2")]).label == label


SMALL_RATIO = Effect(measure="HR", value=1.09, ci_low=1.03, ci_high=1.16)


def test_a_difference_too_small_to_matter_is_no_benefit() -> None:
    recovery = vote(effect=SMALL_RATIO, higher_is_better=True, people=4000)
    found = decide(findings(recovery, recovery))
    assert (found.rows[0].way, found.rows[0].trivial) == (Way.BENEFIT, True)
    assert found.label == "refuted"


def test_fewer_events_matter_however_near_the_ratio_is_to_one() -> None:
    effect = Effect(measure="HR", value=0.88, ci_low=0.8, ci_high=0.96)
    assert decide(
        findings(*[vote(effect=effect, higher_is_better=False, people=4000)] * 2)
    ).label == ("supported")


def test_an_outcome_has_one_row_by_name() -> None:
    assert [row.outcome for row in decide(findings(vote(), vote())).rows] == [OUTCOME]


def test_the_outcome_that_a_question_asks_for_decides_alone() -> None:
    deaths = vote(Way.NO_DIFFERENCE, row=DEATHS, level="secondary", wanted=True)
    others = [vote(row="recovery", importance="important", people=4000) for _ in range(2)]
    told = decide([finding(deaths, others[0]), finding(others[1], key="E2")])
    assert told.label in (VerdictLabel.UNSUPPORTED, VerdictLabel.REFUTED)
    assert told.deciding_ids == ("E1",)
