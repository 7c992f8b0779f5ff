"""Each branch of the rules of the verdict, and what must hold of any body of studies."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.appraisal.body.verdict import RULES, decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.voting import ballot_of
from deepcritical.domain.appraisal.findings import StudyFinding, study_findings
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import Condition, Drug
from deepcritical.domain.study.reading import Effect
from tests.unit.appraisal.builders import (
    DEATHS,
    OUTCOME,
    SAME,
    appraised,
    arm,
    favourable_studies,
    finding,
    findings,
    made_up_studies,
    made_up_votes,
    null,
    people,
    record,
    result,
    same,
    study,
    vote,
)

HELPS, NONE, WORSE = vote(), vote(Way.NO_DIFFERENCE), vote(Way.HARM)
TIGHT = vote(Way.NO_DIFFERENCE, effect=SAME)
SMALL, SMALL_NONE = vote(people=60), vote(Way.NO_DIFFERENCE, people=60)
LARGE = vote(people=5000)
COHORT, COHORT_NONE = vote(tier="controlled"), vote(Way.NO_DIFFERENCE, tier="controlled")
COHORT_WORSE = vote(Way.HARM, tier="controlled")
BEFORE = vote(tier="uncontrolled", level="unstated")
TOLD = vote(tier="reported", level="unstated")
TOLD_NONE = vote(Way.NO_DIFFERENCE, tier="reported", level="unstated")
MARKER = vote(row="snerk titre", importance="surrogate", people=900)
BESIDE = vote(row="snerk", importance="important", level="secondary", people=900)
REVIEW = vote(review=True, studies=8, people=4000)
REVIEW_NONE = vote(Way.NO_DIFFERENCE, review=True, studies=8, people=4000, effect=SAME)
DIED = vote(Way.HARM, row=DEATHS, level="secondary", is_grave=True, is_fatal=True)
GRAVE = vote(Way.HARM, row="grave snerk", importance="harm", level="secondary")
ACTIVE = vote(comparator="testamine")
OTHERS = vote(directness="related")
BROADER = vote(directness="broader")
OTHER_ROW = vote(Way.HARM, row="blivet")
NOT_ASKED = vote(row="blivet", importance="important", of_other_kind=True)


def open_label(one: Vote) -> Vote:
    return one.model_copy(update={"open_label": True})


ALIKE = vote(Way.NO_DIFFERENCE, comparator="testamine", against_asked=True, as_good_asked=True)


def alike(**changes: object) -> Sequence[StudyFinding]:
    return findings(ALIKE.model_copy(update=changes))


UNREAD = finding(key="U1", unread=True)
UNCLEAR = finding(key="U2", unclear=True)
OF_OTHERS = finding(key="U3", by_rules=True)
"""A study of other people than those asked about, which rules alone have read."""
CASES: dict[str, tuple[Sequence[StudyFinding], str]] = {
    "a text that may hold a result, and nothing else": ((UNCLEAR,), "not assessed"),
    "a text that may hold a result beside other drugs": (
        (UNCLEAR, *findings(ACTIVE)),
        "not assessed",
    ),
    "a text of other people that rules alone read, beside as many that were read": (
        (OF_OTHERS, *findings(ACTIVE)),
        "insufficient evidence",
    ),
    "texts of other people that rules alone read, beside fewer that were read": (
        (OF_OTHERS, finding(key="U4", by_rules=True), *findings(ACTIVE)),
        "not assessed",
    ),
    "a text that may hold a result beside two trials": (
        (UNCLEAR, *findings(HELPS, HELPS)),
        "supported",
    ),
    "two trials": (findings(HELPS, HELPS), "supported"),
    "trials of its class alone": (
        findings(vote(of_class=True), vote(of_class=True)),
        "insufficient evidence",
    ),
    "trials of its class beside its own": (
        findings(vote(of_class=True), HELPS, HELPS),
        "supported",
    ),
    "only outcomes of another kind than asked": (
        findings(NOT_ASKED, NOT_ASKED),
        "insufficient evidence",
    ),
    "an outcome of another kind than asked beside other drugs": (
        findings(NOT_ASKED, ACTIVE),
        "insufficient evidence",
    ),
    "a review of trials": (findings(REVIEW), "supported"),
    "trials of other doses of people": (findings(BROADER, BROADER), "supported"),
    "trials above cohorts": (findings(HELPS, HELPS, COHORT_NONE), "supported"),
    "a small null trial": (findings(HELPS, HELPS, SMALL_NONE), "supported"),
    "a harm of little weight": ([finding(HELPS, GRAVE), finding(HELPS, key="E2")], "supported"),
    "one trial that is large and sure": (findings(LARGE), "supported"),
    "one large trial with a wide interval": (
        findings(
            LARGE.model_copy(
                update={"effect": Effect(measure="RR", value=0.5, ci_low=0.26, ci_high=0.96)}
            )
        ),
        "promising",
    ),
    "one large trial of other people": (
        findings(vote(people=5000, directness="broader")),
        "promising",
    ),
    "small trials": (findings(SMALL, SMALL), "promising"),
    "a surrogate": (findings(MARKER, MARKER), "promising"),
    "outcomes that do not decide": (findings(BESIDE, BESIDE), "promising"),
    "cohorts": (findings(COHORT, COHORT), "promising"),
    "before and after": (findings(BEFORE, BEFORE), "promising"),
    "a narrative review": (findings(TOLD), "promising"),
    "a narrative review of failures": (findings(TOLD_NONE), "unsupported"),
    "narrative reviews conflict": (findings(TOLD, TOLD_NONE), "mixed"),
    "a narrative review below a cohort": (findings(TOLD, TOLD, COHORT_NONE), "unsupported"),
    "a narrative review below before and after": (findings(TOLD_NONE, BEFORE), "promising"),
    "open and of other people": (findings(*[open_label(BROADER)] * 2), "promising"),
    "trials conflict": (findings(HELPS, NONE), "mixed"),
    "benefit in one trial, harm in one": (findings(HELPS, WORSE), "mixed"),
    "outcomes conflict": ([finding(HELPS, OTHER_ROW)], "mixed"),
    "a price": ([finding(HELPS, DIED), finding(HELPS, DIED, key="E2")], "mixed"),
    "cohorts conflict": (findings(COHORT, COHORT_NONE), "mixed"),
    "two null trials": (findings(TIGHT, TIGHT), "refuted"),
    "two null trials that exclude nothing": (findings(NONE, NONE), "unsupported"),
    "a null review": (findings(REVIEW_NONE), "refuted"),
    "null trials above cohorts": (findings(TIGHT, TIGHT, COHORT, COHORT), "refuted"),
    "one null trial": (findings(vote(Way.NO_DIFFERENCE, people=5000)), "unsupported"),
    "small null trials": (findings(SMALL_NONE, SMALL_NONE), "unsupported"),
    "null cohorts": (findings(COHORT_NONE, COHORT_NONE), "unsupported"),
    "trials with harm": (findings(WORSE, WORSE), "harmful"),
    "cohorts with harm": (findings(COHORT_WORSE), "insufficient evidence"),
    "deaths without benefit": ([finding(NONE, DIED), finding(NONE, key="E2")], "harmful"),
    "nothing": ((), "insufficient evidence"),
    "head to head": (findings(ACTIVE, ACTIVE), "promising"),
    "head to head in one trial": (findings(ACTIVE), "insufficient evidence"),
    "other people": (findings(OTHERS, OTHERS), "insufficient evidence"),
    "preclinical": ([finding(level=5), finding(level=5, key="E2")], "insufficient evidence"),
    "no result": ([finding(level=2), finding(level=5, key="E2")], "insufficient evidence"),
    "harms alone": (findings(GRAVE), "insufficient evidence"),
    "unread": ([UNREAD], "not assessed"),
    "mostly unread": ([finding(HELPS), UNREAD, UNREAD], "not assessed"),
    "half unread": ([finding(HELPS), UNREAD], "promising"),
    "no harm in what was read": (
        [*findings(*[vote(Way.NO_DIFFERENCE, harm_asked=True)] * 5), UNREAD],
        "not assessed",
    ),
    "unread trial, read cohorts": ([*findings(COHORT, COHORT, COHORT), UNREAD], "not assessed"),
    "mostly read": ([*findings(HELPS, HELPS), UNREAD], "supported"),
    "as good is asked, and the primary outcome did not differ": (alike(), "promising"),
    "it is asked, and is not said to be": (alike(as_good_asked=False), "unsupported"),
    "as good, in few people, beside the primary outcome": (
        alike(level="secondary", people=60),
        "insufficient evidence",
    ),
    "as good, and an interval that holds a loss": (
        alike(effect=Effect(measure="RR", value=1.1, ci_low=0.4, ci_high=3.0)),
        "insufficient evidence",
    ),
    "as good, in a cohort": (alike(tier="controlled"), "insufficient evidence"),
    "as good, by a surrogate alone": (alike(importance="surrogate"), "insufficient evidence"),
    "as good, and shown not to be worse": (alike(non_inferior=True), "promising"),
    "asked against it": (
        findings(*[ACTIVE.model_copy(update={"against_asked": True})] * 2),
        "supported",
    ),
}


@pytest.mark.parametrize(("studies", "label"), CASES.values(), ids=CASES)
def test_each_body_has_its_label_by_a_rule_of_the_table(
    studies: Sequence[StudyFinding], label: str
) -> None:
    found = decide(studies)
    assert found.label == label
    assert RULES[found.rule] is found.label


def test_every_label_has_a_case() -> None:
    assert {label for _, label in CASES.values()} == {rule.value for rule in RULES.values()}


def test_two_trials_or_a_large_one_with_figures_are_of_high_certainty_and_one_is_not() -> None:
    assert decide(findings(HELPS, HELPS)).certainty is Certainty.HIGH
    assert decide(findings(LARGE)).certainty is Certainty.HIGH
    assert decide(findings(HELPS)).certainty is not Certainty.HIGH


def test_a_benefit_and_deaths_of_one_level_point_both_ways() -> None:
    told = [v.model_copy(update={"level": "unstated"}) for v in (HELPS, DIED)]
    assert decide([finding(*told)]).label == "mixed"


def test_deaths_that_a_trial_reports_are_a_price() -> None:
    died = result(DEATHS, better="b", level="secondary", kind="clinical")
    told = {key: appraised(study(result(), died), key) for key in ("E1", "E2")}
    found = decide(study_findings(told, [[key] for key in told]))
    assert (len(found.rows), found.label) == (2, "mixed")


def test_deaths_of_people_with_another_condition_are_no_price() -> None:
    died = DIED.model_copy(update={"directness": "related", "people": 5000})
    elsewhere = [finding(died, key="E8"), finding(died, key="E9")]
    assert decide([*findings(HELPS, HELPS), *elsewhere]).label == "supported"


def test_a_comparison_with_another_drug_says_nothing_on_its_certainty() -> None:
    small = vote(people=210)
    alone = decide([finding(small), finding(small, key="E2")])
    active = vote(comparator="testamine", people=5000, effect=None)
    beside = decide([finding(small, active), finding(small, active, key="E2")])
    assert (beside.label, beside.certainty) == (alone.label, alone.certainty)


@pytest.mark.parametrize("count", range(3, 61, 3))
def test_two_thirds_of_the_people_are_enough_whatever_their_number(count: int) -> None:
    most = [HELPS] * (2 * count // 3)
    assert decide(findings(*most, *[NONE] * (count // 3))).label == "supported"


def test_the_reviews_own_trials_are_not_counted_beside_it() -> None:
    less = REVIEW_NONE.model_copy(update={"people": 500})
    by_trials, by_review = (
        decide(findings(HELPS, HELPS, less)),
        decide(findings(HELPS, REVIEW_NONE)),
    )
    assert (by_trials.label, by_trials.deciding_ids) == ("supported", ("E1", "E2"))
    assert (by_review.label, by_review.deciding_ids) == ("refuted", ("E2",))


def test_a_read_review_says_no_to_one_of_less_people() -> None:
    found = decide(findings(REVIEW, REVIEW_NONE.model_copy(update={"people": 900})))
    assert (found.label, found.deciding_ids) == ("supported", ("E1",))


FIGURELESS = st.sampled_from((None, Effect(measure="RR", value=0.7)))


def bare(one: Vote, data: st.DataObject) -> Vote:
    """The vote with no interval and no p, at most with the words "not significant"."""
    words = Effect(p_operator="ns") if one.way is Way.NO_DIFFERENCE else None
    return one.model_copy(update={"effect": data.draw(FIGURELESS) or words})


@given(made_up_studies(), st.data())
def test_nothing_is_high_without_an_interval_or_p(
    studies: tuple[StudyFinding, ...], data: st.DataObject
) -> None:
    found = decide(
        [finding(*(bare(v, data) for v in s.votes), key=s.evidence_ids[0]) for s in studies]
    )
    assert Certainty.HIGH not in {found.certainty, *(row.certainty for row in found.rows)}


@given(st.lists(made_up_votes(rows=("snerk titre",)), min_size=1, max_size=6))
def test_a_surrogate_alone_never_makes_supported(votes: list[Vote]) -> None:
    found = decide(findings(*[v.model_copy(update={"importance": "surrogate"}) for v in votes]))
    assert found.label != "supported"
    told = [row for row in found.rows if row.outcome == "snerk titre"]
    assert all(row.certainty is not Certainty.HIGH for row in told)


@given(favourable_studies())
def test_supported_is_never_without_trials_of_several_people(
    studies: tuple[StudyFinding, ...],
) -> None:
    found = decide(studies)
    if found.label == "supported":
        own = [s for s in studies if set(s.evidence_ids) & set(found.deciding_ids)]
        votes = [v for s in own for v in s.votes if v.tier == "randomised" and not v.comparator]
        assert sum(v.people or 0 for v in votes if v.importance == "critical") >= 400
        large = sum(v.people or 0 for v in votes) >= 2000 and found.certainty is Certainty.HIGH
        assert len(own) > 1 or any(v.review for v in votes) or large
        assert found.certainty in (Certainty.MODERATE, Certainty.HIGH)


@given(made_up_studies(), st.integers(0, 99))
def test_the_order_of_studies_changes_neither_label_nor_certainty(
    studies: tuple[StudyFinding, ...], seed: int
) -> None:
    mixed = list(studies)
    Random(seed).shuffle(mixed)  # noqa: S311 - no secret
    one, two = decide(studies), decide(mixed)
    assert (one.label, one.certainty) == (two.label, two.certainty)


@given(made_up_studies(), st.data())
def test_a_study_that_is_taken_away_and_added_again_changes_nothing(
    studies: tuple[StudyFinding, ...], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(studies) - 1))
    again = (*studies[:at], *studies[at + 1 :], studies[at])
    assert same(decide(studies), decide(again))
    assert decide((*studies[:at], studies[at], *studies[at + 1 :])) == decide(studies)


def told_of(drug: str, condition: str, outcome: str, kind: int) -> Verdict:
    """The verdict on two trials of this drug in this condition, by this outcome."""
    one = (result(outcome), null(outcome), result(outcome, better="b"))[kind]
    asked = asked_of(
        Drug(name=drug, known=False), Condition(name=condition, names=(condition,), known=False)
    )
    trial = study(one, arms=(arm("A", drug), arm("B")), population=people(condition))
    paper = record(f"{drug} in {condition}", f"Adults with {condition} got {drug}.")
    votes = ballot_of(trial, paper, asked, grade(paper)).votes
    return decide([finding(*votes), finding(*votes, key="E2")])


NAMES = st.tuples(
    st.sampled_from(("examplol", "zorbafen", "Quuxamab", "mockatide")),
    st.sampled_from(("testitis", "quuxosis", "blivet syndrome")),
    st.sampled_from(("flurb score", "snerk", "Wompage at quonk")),
    st.sampled_from((0, 1, 2)),
)


@given(NAMES)
def test_other_names_change_nothing_but_names(names: tuple[str, str, str, int]) -> None:
    drug, condition, outcome, kind = names
    usual, renamed = told_of("examplol", "testitis", OUTCOME, kind), told_of(*names)
    assert [row.outcome for row in renamed.rows] == [outcome.casefold()]
    text = renamed.model_dump_json().casefold().replace(outcome.casefold(), OUTCOME)
    assert text == usual.model_dump_json().casefold()
    assert (drug in text, condition in text) == (False, False)


def test_an_interval_makes_a_body_surer_and_nothing_else() -> None:
    without = vote(effect=None)
    one, two = decide(findings(without, without)), decide(findings(HELPS, without))
    assert (one.label, two.label) == ("supported", "supported")
    assert (one.certainty, two.certainty) == (Certainty.MODERATE, Certainty.HIGH)
