"""Rows of a summary of findings: what is weighed, what is told beside it, and how sure it is."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.appraisal.body.certainty import LADDER
from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.domain.appraisal.findings import StudyFinding, study_findings
from deepcritical.domain.appraisal.votes import TIERS, OutcomeRow, Tier, Vote, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.study.reading import Effect, EffectMeasure
from tests.unit.appraisal.builders import (
    DEATHS,
    OUTCOME,
    appraised,
    finding,
    findings,
    made_up_studies,
    made_up_votes,
    orderless,
    result,
    study,
    vote,
)

HELPS, NONE = vote(), vote(Way.NO_DIFFERENCE)
REVIEW = vote(Way.NO_DIFFERENCE, review=True, studies=8, people=2000, year=2029)


def row_of(*votes: Vote) -> OutcomeRow:
    (row,) = outcome_rows(findings(*votes))
    return row


def test_a_row_adds_up_its_studies_and_their_people() -> None:
    row = row_of(HELPS, vote(people=120), vote(people=None))
    assert (row.studies, row.people, row.way) == (3, 420, Way.BENEFIT)
    assert row.evidence_ids == ("E1", "E2", "E3")
    assert row_of(vote(people=None)).people is None


def test_each_outcome_and_each_comparator_is_a_row() -> None:
    rows = outcome_rows([finding(HELPS, vote(row="snerk"), vote(comparator="testamine"))])
    told = {(row.outcome, row.comparator) for row in rows}
    assert told == {(OUTCOME, ""), ("snerk", ""), (OUTCOME, "testamine")}


def test_several_records_of_one_study_vote_once_by_the_highest_level() -> None:
    later = vote(level="secondary", people=900)
    row = outcome_rows([finding(NONE, later)])[0]
    assert (row.studies, row.people, row.way) == (1, 300, Way.NO_DIFFERENCE)


@pytest.mark.parametrize("order", [1, -1])
def test_rows_stand_by_weight_then_by_people(order: int) -> None:
    votes = [
        vote(row="blivet", people=900),
        HELPS,
        vote(row="snerk", importance="important", people=5000),
        vote(row="titre", importance="surrogate", people=9000),
        vote(row="grave snerk", importance="harm", people=9999),
        vote(comparator="testamine", people=9999),
        vote(row="wompage", directness="related", people=9999),
    ]
    rows = outcome_rows(findings(*votes[::order]))
    names = ["blivet", OUTCOME, "snerk", "titre", "grave snerk", OUTCOME, "wompage"]
    assert [row.outcome for row in rows] == names


def test_weaker_designs_and_other_people_stand_beside() -> None:
    cohort, others = vote(Way.HARM, tier="controlled"), vote(Way.HARM, directness="related")
    row = row_of(HELPS, cohort, others)
    assert (row.way, row.studies, row.people, row.tier) == (Way.BENEFIT, 1, 300, "randomised")
    assert (row.evidence_ids, row.beside) == (("E1",), ("E2", "E3"))


def test_a_review_is_not_counted_beside_trials_with_more_people() -> None:
    trials = [vote(people=1500), vote(people=1500)]
    row = row_of(*trials, REVIEW)
    assert (row.way, row.studies, row.people) == (Way.BENEFIT, 2, 3000)
    assert (row.evidence_ids, row.beside) == (("E1", "E2"), ("E3",))


def test_a_review_with_more_people_decides_and_its_trials_stand_beside() -> None:
    row = row_of(HELPS, HELPS, REVIEW)
    assert (row.way, row.studies, row.people) == (Way.NO_DIFFERENCE, 8, 2000)
    assert (row.evidence_ids, row.beside) == (("E3",), ("E1", "E2"))


@pytest.mark.parametrize(("people", "ids"), [(5000, ("E1", "E2")), (500, ("E3",))])
def test_a_review_of_untold_people_stands_behind_large_trials(
    people: int, ids: tuple[str, ...]
) -> None:
    untold = REVIEW.model_copy(update={"people": None, "studies": 15})
    assert row_of(vote(people=people), vote(people=900), untold).evidence_ids == ids


def test_of_several_reviews_the_largest_is_counted() -> None:
    larger = vote(review=True, studies=9, people=2500)
    row = row_of(REVIEW, larger)
    assert (row.people, row.evidence_ids, row.beside) == (2500, ("E2",), ("E1",))


def test_a_trial_after_the_review_is_counted_with_it() -> None:
    row = row_of(vote(year=2030), vote(year=2028), REVIEW)
    assert (row.people, row.studies) == (2300, 9)
    assert row.beside == ("E2",)


def test_votes_know_the_year_of_their_record() -> None:
    assert [v.year for v in appraised(study(result())).reading.votes] == [2029]


WAYS = (
    ((vote(people=200), vote(Way.NO_DIFFERENCE, people=100)), Way.BENEFIT),
    ((vote(people=199), vote(Way.NO_DIFFERENCE, people=101)), Way.CONFLICT),
    ((vote(people=100), vote(Way.NO_DIFFERENCE, people=200)), Way.NO_DIFFERENCE),
    ((vote(people=100), vote(Way.HARM, people=200)), Way.HARM),
    ((vote(people=150), vote(Way.HARM, people=150)), Way.CONFLICT),
    ((vote(people=None), vote(people=100), vote(Way.HARM, people=100)), Way.BENEFIT),
)


@pytest.mark.parametrize(("votes", "way"), WAYS)
def test_two_thirds_of_the_people_give_a_row_its_way(votes: tuple[Vote, ...], way: Way) -> None:
    assert row_of(*votes).way is way


@pytest.mark.parametrize("people", [110, 100])
def test_a_third_of_the_people_is_a_signal_of_what_is_feared(people: int) -> None:
    harm = {"row": "grave snerk", "importance": "harm"}
    worse, same = vote(Way.HARM, people=people, **harm), vote(Way.NO_DIFFERENCE, people=200, **harm)
    assert row_of(worse, same).way is Way.HARM
    assert row_of(vote(Way.HARM, people=90, **harm), same, same).way is Way.NO_DIFFERENCE


@pytest.mark.parametrize("people", [50, 200, 390])
def test_fewer_of_what_is_feared_is_no_disagreement_with_as_many(people: int) -> None:
    harm: dict[str, Any] = {"row": "snerk", "importance": "harm", "feared": True}
    fewer, same = vote(people=people, **harm), vote(Way.NO_DIFFERENCE, people=200, **harm)
    row = row_of(fewer, same)
    assert row.way is Way.NO_DIFFERENCE
    assert not any("inconsistency" in reason for reason in row.reasons)
    assert outcome_rows([finding(fewer, same)])[0].way is Way.NO_DIFFERENCE


def test_who_found_more_of_a_harm_is_named_where_studies_disagree() -> None:
    harm: dict[str, Any] = {"row": "snerk", "importance": "harm", "feared": True}
    null, cohort = vote(Way.NO_DIFFERENCE, **harm), vote(Way.HARM, tier="controlled", **harm)
    row = row_of(null, cohort, null)
    assert (row.way, row.evidence_ids, row.beside) == (Way.CONFLICT, ("E1", "E2", "E3"), ())
    assert (row.studies, row.fears) == (2, ("E2",))


@pytest.mark.parametrize(("tier", "told"), [("controlled", 0.9), ("randomised", 0.6)])
def test_what_else_parted_the_arms_is_taken_out_of_an_estimate(tier: Tier, told: float) -> None:
    crude = vote(outcome="snerk", tier=tier, effect=ratio(0.6, 0.5, 0.7))
    adjusted = vote(outcome="snerk (adjusted)", tier=tier, effect=ratio(0.9, 0.8, 0.99))
    (effect,) = outcome_rows([finding(crude, adjusted)])[0].effects
    assert effect.effect is not None
    assert effect.effect.value == told


def ratio(value: float, low: float, high: float, measure: EffectMeasure = "RR") -> Effect:
    return Effect(measure=measure, value=value, ci_low=low, ci_high=high)


def test_trials_with_intervals_are_pooled_and_the_estimate_gives_the_way() -> None:
    null = vote(Way.NO_DIFFERENCE, effect=ratio(0.8, 0.63, 1.02), leans=Way.BENEFIT)
    row = row_of(null, null, null)
    assert row.pooled is not None
    assert (row.pooled.studies, row.way) == (3, Way.BENEFIT)
    bad = null.model_copy(update={"leans": Way.HARM})
    assert row_of(bad, bad, bad).way is Way.HARM


def test_hazards_of_a_lasting_good_are_pooled_as_benefit() -> None:
    lasting = vote(effect=ratio(0.5, 0.4, 0.6), higher_is_better=True)
    assert row_of(lasting, lasting).way is Way.BENEFIT


def test_reviews_are_never_pooled() -> None:
    effect = ratio(0.8, 0.7, 0.9)
    row = row_of(vote(effect=effect), vote(effect=effect, review=True, people=100))
    assert row.pooled is None


CERTAIN = {
    "trials": ((HELPS, HELPS), "high"),
    "one trial": ((vote(people=900),), "moderate"),
    "one large trial": ((vote(people=2000),), "high"),
    "one trial with many events": ((vote(people=900, effect=ratio(0.7, 0.57, 0.86)),), "moderate"),
    "one trial with few events": ((vote(people=900, effect=ratio(0.6, 0.45, 0.8)),), "low"),
    "one trial with few events and a great effect": (
        (vote(people=900, effect=ratio(0.5, 0.38, 0.66)),),
        "moderate",
    ),
    "a p value for an interval": (
        (vote(effect=Effect(measure="HR", value=0.7, p=0.001)),) * 2,
        "high",
    ),
    "one small trial": ((HELPS,), "low"),
    "one very small trial": ((vote(people=60),), "low"),
    "one very small open trial": ((vote(people=60, open_label=True),), "very low"),
    "trials that differ": ((HELPS, vote(people=900), NONE), "moderate"),
    "open trials": ((vote(open_label=True), vote(open_label=True)), "moderate"),
    "open trials on the time to events": (
        (vote(open_label=True, effect=ratio(0.7, 0.6, 0.82, "HR")),) * 2,
        "high",
    ),
    "open trials on deaths": (
        (vote(row=DEATHS, is_grave=True, open_label=True),) * 2,
        "high",
    ),
    "broader people": ((vote(directness="broader"),) * 2, "moderate"),
    "a surrogate": ((vote(importance="surrogate"),) * 2, "moderate"),
    "no figures": ((vote(effect=None),) * 2, "moderate"),
    "null and wide": ((NONE, NONE), "moderate"),
    "cohorts": ((vote(tier="controlled"),) * 2, "low"),
    "before and after": ((vote(tier="uncontrolled"),) * 2, "very low"),
    "number unknown": ((vote(people=None),) * 2, "moderate"),
}


@pytest.mark.parametrize(("votes", "certainty"), CERTAIN.values(), ids=CERTAIN)
def test_certainty_starts_by_design_and_falls_by_domains(
    votes: tuple[Vote, ...], certainty: str
) -> None:
    row = row_of(*votes)
    assert row.certainty == certainty
    assert bool(row.reasons) is (certainty != "high")


def test_a_null_result_with_a_tight_interval_is_high() -> None:
    tight = vote(Way.NO_DIFFERENCE, people=3000, effect=ratio(1.0, 0.93, 1.08))
    assert row_of(tight, tight).certainty is Certainty.HIGH


RATIO = ratio(0.7, 0.6, 0.82)
DIFFERENCE = Effect(measure="MD", value=-1.5, ci_low=-2.5, ci_high=-0.5)
TIES = {
    "reviews of one size": (vote(review=True, studies=8, people=2000), REVIEW),
    "as many ratios as differences": (
        *[vote(effect=RATIO)] * 2,
        *[vote(effect=DIFFERENCE, unit="points")] * 2,
    ),
    "two comparators": (vote(comparator="testamine"), vote(comparator="zorbafen")),
}


@pytest.mark.parametrize("votes", TIES.values(), ids=TIES)
def test_of_what_is_alike_not_the_first_is_taken(votes: tuple[Vote, ...]) -> None:
    studies = findings(*votes)
    one, two = outcome_rows(studies), outcome_rows(studies[::-1])
    assert [*map(orderless, one)] == [*map(orderless, two)]


@given(made_up_studies(), st.integers(0, 99))
def test_the_order_of_studies_changes_no_row(studies: tuple[StudyFinding, ...], seed: int) -> None:
    mixed = list(studies)
    Random(seed).shuffle(mixed)  # noqa: S311 - no secret

    def told(of: list[StudyFinding]) -> dict[tuple[str, str], object]:
        return {(row.outcome, row.comparator): orderless(row) for row in outcome_rows(of)}

    assert told(list(studies)) == told(mixed)


@given(made_up_studies(), st.integers(0, 99))
def test_the_order_of_studies_is_not_that_of_rows(
    studies: tuple[StudyFinding, ...], seed: int
) -> None:
    mixed = list(studies)
    Random(seed).shuffle(mixed)  # noqa: S311 - no secret
    one, two = outcome_rows(studies), outcome_rows(mixed)
    assert [(r.outcome, r.comparator) for r in one] == [(r.outcome, r.comparator) for r in two]


ONE_ROW = st.lists(made_up_votes(rows=(OUTCOME,)), min_size=1, max_size=5)


def of_row(votes: list[Vote]) -> list[Vote]:
    return [v.model_copy(update={"comparator": ""}) for v in votes]


def weaker(added: Vote, body: list[Vote]) -> Vote:
    """The vote with fewer people than any of the body's, of a lower tier."""
    least = min(v.people or 0 for v in body) - 10
    return added.model_copy(update={"tier": "uncontrolled", "people": least, "comparator": ""})


def compared(body: list[Vote], added: Vote) -> int:
    """By how many steps a vote more raises the certainty."""
    before, after = row_of(*body), row_of(*body, added)
    return LADDER.index(after.certainty) - LADDER.index(before.certainty)


def sized(votes: list[Vote], tier: Tier) -> list[Vote]:
    return [v.model_copy(update={"people": v.people or 150, "tier": tier}) for v in of_row(votes)]


@given(ONE_ROW, made_up_votes(rows=(OUTCOME,)), st.sampled_from(TIERS[:2]))
def test_a_smaller_vote_of_a_lower_tier_never_raises_certainty(
    votes: list[Vote], weak: Vote, tier: Tier
) -> None:
    body = sized(votes, tier)
    assert compared(body, weaker(weak, body)) <= 0


@given(ONE_ROW, st.sampled_from(("controlled", "uncontrolled")), st.sampled_from(list(Way)))
def test_a_lower_tier_of_the_same_people_changes_nothing_but_what_stands_beside(
    votes: list[Vote], tier: Tier, way: Way
) -> None:
    body = [
        v.model_copy(update={"tier": "randomised", "directness": "direct"}) for v in of_row(votes)
    ]
    before = row_of(*body)
    after = row_of(*body, vote(way, tier=tier, people=10))
    assert (after.certainty, after.way, after.people) == (
        before.certainty,
        before.way,
        before.people,
    )
    assert f"E{len(body) + 1}" in after.beside


@pytest.mark.parametrize(("studies", "said"), [(1, "results differ"), (2, "studies differ")])
def test_one_study_does_not_disagree_with_others(studies: int, said: str) -> None:
    split = vote(Way.CONFLICT)
    row = row_of(*[split] * studies)
    assert row.finding.startswith(said)
    assert "inconsistency: the results differ" in row.reasons


ESTIMATE = Effect(measure="HR", value=0.49, ci_low=0.32, ci_high=0.75)


@pytest.mark.parametrize(
    ("first", "second", "studies"),
    [
        (vote(people=165, effect=ESTIMATE), vote(people=165, effect=ESTIMATE), 1),
        (vote(people=165, effect=ESTIMATE), vote(people=165), 2),
        (vote(people=2046), vote(people=2046, row=DEATHS), 1),
        (vote(people=2046), vote(people=2046, comparator="testamine"), 2),
        (vote(people=2050), vote(people=2050), 2),
        (vote(people=2046, review=True), vote(people=2046, review=True), 2),
    ],
)
def test_reports_of_the_same_people_are_of_one_study(
    first: Vote, second: Vote, studies: int
) -> None:
    told = {}
    for key, one in (("E1", first), ("E2", second)):
        appraisal = appraised(study(result()), key)
        own = appraisal.reading.model_copy(update={"votes": (one,)})
        told[key] = appraisal.model_copy(update={"reading": own})
    assert len(study_findings(told, [["E1"], ["E2"]])) == studies


def test_noninferior_trials_exclude_a_relevant_loss() -> None:
    def reasons(**fields: object) -> str:
        votes = [vote(Way.NO_DIFFERENCE, people=900, comparator="testamine", **fields)] * 2
        (row,) = outcome_rows(findings(*votes))
        return " ".join(row.reasons)

    assert "a relevant difference is not excluded" in reasons()
    assert "a relevant difference is not excluded" not in reasons(non_inferior=True)
    assert "people seldom show" in reasons(non_inferior=True)
    assert "a relevant difference" in reasons(non_inferior=True, is_grave=True)
