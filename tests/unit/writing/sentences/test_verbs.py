"""The verb of a row: what happened to the outcome, whichever way is better in the condition."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.effect_words import counts_events
from deepcritical.domain.appraisal.findings import Appraisal, study_findings
from deepcritical.domain.appraisal.votes import STOPPED_EARLY, OutcomeRow, Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.study.reading import Effect, StudyReading
from deepcritical.writing.sentences.findings import study_sentence
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal.builders import DRUG, asked, findings, people, record, result, study, vote


def row_of(condition: str, outcome: str, *, higher: bool | None, better: str = "a") -> OutcomeRow:
    told = study(
        result(outcome, higher_is_better=higher, better=better), population=people(condition)
    )
    return row_over(told, condition, condition)


def row_over(told: StudyReading, studied: str, condition: str) -> OutcomeRow:
    """Return the row of one study for a question on a condition."""
    paper = record(f"Examplol in {studied}")
    graded = grade(paper)
    found = Appraisal.weighed(read_for(asked(condition), "E1", paper, told, graded), graded)
    return outcome_rows(study_findings({"E1": found}, [["E1"]]))[0]


VERBS = (
    ("anorexia nervosa", "weight gain", True, "a", "increased body weight"),
    ("cachexia", "body weight", True, "b", "reduced body weight"),
    ("obesity", "body weight", False, "a", "reduced body weight"),
    ("septic shock", "mean arterial pressure", True, "a", "increased blood pressure"),
    ("hypertension", "systolic blood pressure", False, "a", "reduced blood pressure"),
    ("hypoglycemia", "blood glucose", True, "a", "increased blood glucose"),
    ("bradycardia", "heart rate", True, "a", "increased heart rate"),
    ("amenorrhea", "bleeding", True, "a", "increased bleeding"),
    ("contraception", "pregnancy", False, "a", "reduced clinical or ongoing pregnancy"),
    ("nicotine dependence", "smoking cessation", True, "a", "improved smoking cessation"),
    ("nicotine dependence", "abstinence from smoking", True, "a", "improved smoking cessation"),
    ("epilepsy", "reduction in seizure frequency", True, "a", "reduced seizures"),
    ("testitis", "missed snerk days", False, "a", "reduced missed snerk days"),
    ("testitis", "snerk quality", True, "a", "improved snerk quality"),
    ("testitis", "flurb score", None, "b", "worsened flurb score"),
    ("testitis", "flurb events", False, "b", "increased flurb events"),
    ("testitis", "flurb events", None, "b", "worsened flurb events"),
)


@pytest.mark.parametrize(
    ("outcome", "effect", "said"),
    [
        ("pregnancy", Effect(measure="RR", value=0.6), "less frequent"),
        ("pregnancy", None, "better"),
        ("cognition", Effect(measure="RR", value=0.6), "better"),
    ],
)
def test_a_good_outcome_that_is_counted_as_a_harm_is_not_better_where_it_is_rarer(
    outcome: str, effect: Effect | None, said: str
) -> None:
    told = result(outcome, kind="safety", level="secondary", better="a", effect=effect)
    row = row_over(study(told), "testitis", "testitis")
    assert f" was {said} with examplol" in row_sentence(row, DRUG)


@pytest.mark.parametrize(
    ("ratio", "said"), [(1.6, "improved weaned cases"), (0.6, "reduced weaned cases")]
)
def test_cases_are_feared_only_where_a_benefit_is_fewer_of_them(ratio: float, said: str) -> None:
    found = result("weaned cases", better="a", effect=Effect(measure="RR", value=ratio))
    row = row_over(study(found), "testitis", "testitis").model_copy(update={"told_as": ""})
    assert f" {said} " in row_sentence(row, DRUG)


@pytest.mark.parametrize("ratio", [0.95, 1.05])
def test_a_result_without_a_difference_does_not_say_whether_events_are_feared(ratio: float) -> None:
    (row,) = outcome_rows(findings(vote(Way.BENEFIT), vote(Way.NO_DIFFERENCE)))
    fewer, none = Effect(measure="RR", value=0.7), Effect(measure="RR", value=ratio)
    pairs = zip(row.effects, (fewer, none), strict=True)
    effects = tuple(e.model_copy(update={"effect": effect}) for e, effect in pairs)
    told = {"outcome": "vascular events", "polarity": "", "way": Way.BENEFIT, "effects": effects}
    assert counts_events(row.model_copy(update=told))


def test_trials_that_were_stopped_say_each_for_what() -> None:
    harm = vote(Way.HARM, row=STOPPED_EARLY, outcome="stopped early for harm", effect=None)
    none = vote(Way.NO_DIFFERENCE, row=STOPPED_EARLY, outcome="stopped early for futility")
    (row,) = outcome_rows(findings(harm, none, none, none))
    assert row_sentence(row, DRUG).startswith(
        "4 trials of examplol were stopped early for futility or for harm"
    )
    assert study_sentence("FLURB trial", harm) == "FLURB trial was stopped early for harm."


@pytest.mark.parametrize(("condition", "outcome", "higher", "better", "said"), VERBS)
def test_the_verb_says_what_happened(
    condition: str, outcome: str, *, higher: bool | None, better: str, said: str
) -> None:
    row = row_of(condition, outcome, higher=higher, better=better)
    told = row.model_copy(update={"told_as": ""})
    assert row_sentence(told, DRUG).startswith(f"Examplol {said} compared with placebo")


def test_where_reader_and_table_differ_no_direction_is_told() -> None:
    row = row_of("testitis", "body weight", higher=True)
    assert row.polarity == "unclear"
    assert row_sentence(row, DRUG).startswith("The result on body weight was better with examplol")


def test_a_row_of_a_former_report_keeps_its_verb() -> None:
    row = row_of("anorexia nervosa", "weight gain", higher=True)
    former = row.model_copy(update={"polarity": "", "told_as": ""})
    assert row_sentence(former, DRUG).startswith("Examplol reduced body weight compared with")


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ("Overweight adults with zorbitis", ", in overweight adults with zorbitis ("),
        ("Korean women with zorbitis", ", in Korean women with zorbitis ("),
        ("US veterans with zorbitis", ", in US veterans with zorbitis ("),
        ("14 trials of examplol", ", in people who do not all fit the question ("),
        ("Adults with zorbitis; cells", ", in people who do not all fit the question ("),
        ("Adults " + "with zorbitis " * 10, ", in people who do not all fit the question ("),
    ],
)
def test_a_row_names_who_was_studied_if_not_those_asked_about(described: str, told: str) -> None:
    """And never where a few words do not say it."""
    population = people("inflammatory bowel disease", description=described)
    bowel = study(result("remission"), population=population)
    row = row_over(bowel, "bowel disease", "ulcerative colitis")
    assert told in row_sentence(row, DRUG)
    row = row_over(bowel, "bowel disease", "inflammatory bowel disease")
    assert ", in " not in row_sentence(row, DRUG)
