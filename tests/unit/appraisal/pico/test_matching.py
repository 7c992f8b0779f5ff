"""Tests how far a model may change a verdict by matching results to the question."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.voting import Ballot, ballot_of
from deepcritical.domain.appraisal.findings import ResultMatch
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.question.frame import Drug
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from tests.unit.appraisal.builders import (
    DEATHS,
    DRUG,
    MORE,
    OUTCOME,
    SAME,
    arm,
    asked,
    finding,
    null,
    record,
    result,
    study,
    vote,
)
from tests.unit.appraisal.cases import comparison, trial


def match(number: int = 0, **changes: Any) -> ResultMatch:
    """The match of a result of the asked outcome in those asked about."""
    fields = {"side": "a", "outcome": OUTCOME, "importance": "critical", "directness": "direct"}
    return ResultMatch.model_validate({"result": number, **fields, **changes})


def matched(reading: StudyReading, *matches: ResultMatch) -> Ballot:
    """The votes of a study of which a model matched these results."""
    paper = record()
    return ballot_of(reading, paper, asked(), grade(paper), matches)


def test_a_result_that_no_table_places_counts_as_it_is_matched() -> None:
    told = result("glimmer of the third kind", level="secondary", kind="clinical")
    (found,) = matched(study(told), match(outcome="Glimmer")).votes
    assert (found.row, found.importance, found.way) == ("glimmer", "critical", Way.BENEFIT)


def test_names_that_differ_meet_in_the_row_that_the_model_names() -> None:
    names = ("time to glimmer", "glimmering, days")
    rows = {matched(study(result(n)), match(outcome="glimmer")).votes[0].row for n in names}
    assert rows == {"glimmer"}


def test_what_is_not_matched_is_told_and_does_not_count() -> None:
    found = matched(study(result(), null("glimmer")), match(1, outcome="glimmer"))
    assert [v.row for v in found.votes] == ["glimmer"]
    assert [r.outcome for r in found.told] == [OUTCOME]


@pytest.mark.parametrize(
    "feared",
    [
        result("headache", kind="safety", better="b", effect=MORE),
        result(DEATHS, better="b", effect=MORE, level="secondary"),
    ],
    ids=["a harm", "more deaths"],
)
def test_no_silence_of_a_model_loses_a_harm(feared: Result) -> None:
    found = matched(study(result(), feared), match())
    assert [v.way for v in found.votes] == [Way.BENEFIT, Way.HARM]


def test_a_null_primary_outcome_that_is_passed_over_counts() -> None:
    found = matched(
        study(null(), result("glimmer", level="secondary")), match(1, outcome="glimmer")
    )
    assert [(v.row, v.way) for v in found.votes] == [
        (OUTCOME, Way.NO_DIFFERENCE),
        ("glimmer", Way.BENEFIT),
    ]


def test_another_drug_is_never_taken_for_the_one_asked_about() -> None:
    reading = study(result(), arms=(arm("A", "metformin"), arm("B")))
    found = matched(reading, match())
    assert (found.votes, found.why) == ((), "the drug is in neither arm of the comparison")


def test_of_two_results_on_a_harm_the_matched_one_is_what_was_asked_about() -> None:
    early = result("headache", kind="safety", better="b", effect=MORE)
    late = null("headache", kind="safety", effect=SAME)
    (found,) = matched(study(early, late), match(1, outcome="headache")).votes
    assert found.way is Way.NO_DIFFERENCE


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (result(level="subgroup", people="women"), "a subgroup"),
        (result(restated=True), "told before in the same record"),
        (result(kind="mechanism"), "a mechanism is no outcome of patients"),
        (result(better="unclear", effect=None), "which arm did better is not told"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_never_counts_does_not_count_by_a_match(told: Result, why: str) -> None:
    found = matched(study(told), match())
    assert (found.votes, found.why) == ((), why)


def test_a_model_tells_whether_words_for_people_part_some_off() -> None:
    told = study(result(people="those who took it"))
    assert [len(matched(told, m).votes) for m in (match(), match(directness="broader"))] == [1, 0]


def test_a_surrogate_decides_nothing_by_a_match() -> None:
    (found,) = matched(study(result("glimmer", kind="surrogate")), match()).votes
    assert found.importance == "surrogate"


@pytest.mark.parametrize(
    ("outcome", "importance"),
    [("pain", "critical"), ("nausea", "important"), ("zorbs", "critical")],
)
def test_an_outcome_that_the_table_tells_from_the_named_one_does_not_decide(
    outcome: str, importance: str
) -> None:
    paper, told = record(), study(result(outcome, kind="clinical"))
    wanted = asked(outcomes=("pain",))
    (found,) = ballot_of(told, paper, wanted, grade(paper), [match(outcome=outcome)]).votes
    assert (found.importance, found.wanted) == (importance, importance == "critical")


@pytest.mark.parametrize(
    ("named", "outcome", "wanted"),
    [
        ("depression", "remission of depression", True),
        ("hospitalisation", "heart failure hospitalisation", True),
        ("bleeding", "intracranial haemorrhage", True),
        ("arrhythmia", "atrial fibrillation", True),
        ("cardiovascular events", "stroke", True),
        ("stroke", "myocardial infarction", False),
        ("survival", "progression-free survival", False),
        ("psychosis", "agitation", False),
    ],
)
def test_a_narrower_outcome_than_the_named_one_decides_by_a_match(
    named: str, outcome: str, wanted: bool
) -> None:
    paper, told = record(), study(result(outcome, kind="clinical"))
    on = asked(outcomes=(named,))
    (found,) = ballot_of(told, paper, on, grade(paper), [match(outcome=outcome)]).votes
    assert (found.importance == "critical", found.wanted) == (wanted, wanted)


def test_the_arms_say_on_which_side_the_drug_is_and_not_the_model() -> None:
    (found,) = matched(study(result()), match(side="b")).votes
    assert found.way is Way.BENEFIT


def test_where_the_arms_do_not_tell_the_model_says_which_arm_it_is() -> None:
    arms = (arm("A", "a device"), arm("B", "testamine"))
    (found,) = matched(study(result(), arms=arms), match(side="b")).votes
    assert (found.way, found.comparator, found.against_asked) == (Way.HARM, "a device", False)


def test_a_wider_class_that_is_matched_is_told_as_the_class() -> None:
    metformin = asked_of(Drug(name="metformin"), asked().condition)
    reading = study(result(), arms=(arm("A", "agents of a kind"), arm("B")))
    paper = record("Metformin in testitis")
    (found,) = ballot_of(reading, paper, metformin, grade(paper), [match()]).votes
    assert (found.of_class, found.tested_as) == (True, "agents of a kind")


def test_what_was_given_with_the_drug_is_told() -> None:
    reading = study(result(), arms=(arm("A", DRUG, "testamine"), arm("B")))
    (found,) = matched(reading, match()).votes
    assert (found.given_with, found.comparator) == ("testamine", "")


def test_a_pool_of_which_each_got_one_drug_is_no_combination() -> None:
    pool = arm("A", DRUG, "testamine", "otherol").model_copy(update={"alternatives": True})
    (found,) = matched(study(result(), arms=(pool, arm("B"))), match()).votes
    assert (found.given_with, found.of_class) == ("", True)
    assert "or" in found.tested_as.split()


def test_why_a_study_does_not_count_is_what_became_of_the_match() -> None:
    told = study(result(), result("glimmer", better="unclear", effect=None))
    assert matched(told, match(1)).why == "which arm did better is not told"
    assert matched(told).why == "it was judged not to answer the question"


def test_a_comparator_that_was_not_asked_about_is_none_by_a_match() -> None:
    reading = trial(null(), a=(DRUG,), b=("testamine",))
    (found,) = matched(reading, match()).votes
    assert (found.comparator, found.against_asked) == ("testamine", False)
    paper, others = record(), comparison("metformin")
    assert ballot_of(reading, paper, others, grade(paper), [match()]).votes == ()


@pytest.mark.parametrize(
    ("arms", "side"),
    [
        ((arm("A"), arm("B", DRUG, "metformin")), "a"),
        ((arm("A", "novelmab"), arm("B"), arm("C", DRUG)), "a"),
        ((arm("A", "metformin 500 mg"), arm("B")), "a"),
        ((arm("A", "nothing of it"), arm("B", DRUG)), "a"),
    ],
    ids=["the side without it", "an unknown drug beside it", "a drug with its dose", "its control"],
)
def test_no_arm_is_taken_for_the_drugs(arms: tuple[Arm, ...], side: str) -> None:
    found = matched(study(result(), arms=arms), match(side=side)).votes
    assert all(v.of_class or v.way is Way.HARM for v in found)


@pytest.mark.parametrize("label", [{"importance": "harm"}, {"directness": "related"}])
def test_no_label_takes_the_say_of_a_null_primary_outcome(label: dict[str, Any]) -> None:
    (found,) = matched(study(null()), match(**label)).votes
    assert (found.importance, found.directness) == ("critical", "direct")


HELPS, NONE, HARM = vote(), vote(Way.NO_DIFFERENCE, effect=SAME), vote(Way.HARM)
GRAVE = vote(Way.HARM, row=DEATHS, is_grave=True, is_fatal=True, people=3000, level="secondary")
OTHER_ROW: dict[str, Any] = {"row": "glimmer"}
OTHER: dict[str, Any] = {"row": "glimmer", "level": "secondary", "people": 3000}


@pytest.mark.parametrize(
    ("votes", "proposed", "label"),
    [
        ((NONE, vote(**OTHER)), "supported", "mixed"),
        ((HELPS, vote(Way.NO_DIFFERENCE, **OTHER)), "refuted", "unsupported"),
        ((HELPS, vote(Way.NO_DIFFERENCE, **OTHER)), "mixed", "mixed"),
        ((HELPS, vote(Way.HARM, **OTHER)), "harmful", "harmful"),
        ((HELPS,), "insufficient evidence", "insufficient evidence"),
        ((NONE,), "supported", "unsupported"),
        ((HELPS,), "refuted", "promising"),
        ((HELPS,), "harmful", "promising"),
        ((HELPS,), "mixed", "promising"),
        ((NONE, vote(**OTHER), GRAVE), "supported", "mixed"),
        ((HARM,), "insufficient evidence", "harmful"),
        ((vote(directness="related"),), "supported", "insufficient evidence"),
        ((vote(importance="harm"),), "supported", "insufficient evidence"),
        ((vote(of_class=True),), "supported", "insufficient evidence"),
        ((vote(importance="surrogate", **OTHER_ROW), NONE), "supported", "unsupported"),
        ((), "supported", "insufficient evidence"),
    ],
    ids=[
        "a benefit that by the rules stands beside none",
        "no difference that they outvote",
        "both ways",
        "harm that they outvote",
        "nothing that answers",
        "a benefit that nobody found",
        "no benefit that nobody found",
        "harm that nobody found",
        "both ways that nobody found",
        "a benefit beside more deaths",
        "harm that is passed over",
        "a benefit in other people",
        "fewer harms are no benefit",
        "a benefit of the class alone",
        "a benefit on a surrogate",
        "nothing at all",
    ],
)
def test_a_proposed_direction_holds_where_a_result_shows_it(
    votes: tuple[Vote, ...], proposed: str, label: str
) -> None:
    studies = [
        finding(v, key=f"E{n}", proposed=proposed, participants=v.people)
        for n, v in enumerate(votes, 1)
    ]
    assert decide(studies).label == label


def test_a_proposal_of_the_same_direction_makes_no_verdict_stronger() -> None:
    alone = decide([finding(HELPS)])
    assert decide([finding(HELPS, proposed="supported")]) == alone
    assert alone.label == "promising"


def test_a_proposal_that_holds_is_told_as_one_and_of_low_certainty_at_most() -> None:
    null = finding(vote(Way.NO_DIFFERENCE, **OTHER), key="E2")
    found = decide([finding(HELPS, proposed="refuted"), null])
    assert found.rule.startswith("A model that matched the results to the question found")
    assert found.downgrades == (
        "inconsistency: the answer depends on which of these results weighs most",
    )
    assert found.certainty in ("very low", "low")
    assert found.deciding_ids == ("E2",)


def test_a_pool_with_the_drug_that_it_is_set_against_tests_neither() -> None:
    pool = arm("A", DRUG, "testamine").model_copy(update={"alternatives": True})
    reading = study(result(), arms=(pool, arm("B", "testamine")))
    assert ballot_of(reading, record(), asked(), grade(record())).votes == ()
    assert matched(reading, match()).votes == ()
