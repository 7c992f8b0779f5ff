"""Comparators, names under which a drug was tested, and its doses."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.arms import given_by
from deepcritical.appraisal.pico.asked import Asked, asked_of
from deepcritical.domain.appraisal.findings import Given
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import OutcomeRow, Way
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal import cases
from tests.unit.appraisal.builders import (
    DRUG,
    OUTCOME,
    appraised,
    arm,
    asked,
    ballot,
    finding,
    findings,
    null,
    people,
    result,
    study,
    vote,
)

REVIEW = ("systematic_review",)


def labelled(arm_id: str, label: str, *drugs: str) -> Arm:
    return arm(arm_id, *drugs).model_copy(update={"label": label})


def row_of(reading: StudyReading) -> OutcomeRow:
    return outcome_rows(findings(*ballot(reading).votes))[0]


@pytest.mark.parametrize(
    ("reading", "control"),
    [
        (study(result()), "placebo"),
        (study(result(), arms=(arm("A", DRUG), arm("B", control="usual_care"))), "usual care"),
        (study(result(), arms=(arm("A", DRUG), arm("B", control="not_exposed"))), "no use"),
        (
            study(result(), arms=(arm("A", DRUG, "testamine"), arm("B", "testamine"))),
            "the same treatment without it",
        ),
        (study(result(b=""), kinds=REVIEW), "not stated"),
        (study(result(contrast="within", b=""), design=("single_arm",)), "before treatment"),
    ],
)
def test_a_row_names_the_control_that_a_study_had(reading: StudyReading, control: str) -> None:
    assert row_of(reading).control == control


def test_no_comparator_is_made_up_where_none_is_stated() -> None:
    said = row_sentence(row_of(study(result(b=""), kinds=REVIEW)), DRUG)
    assert "placebo" not in said
    assert "compared with" not in said


def test_controls_that_are_told_stand_before_one_that_is_not() -> None:
    votes = (vote(control="not stated"), vote(control="placebo"), vote(control="usual care"))
    assert outcome_rows(findings(*votes))[0].control == "placebo or usual care"


def test_a_row_of_a_former_report_keeps_its_words() -> None:
    told = row_of(study(result())).model_copy(update={"control": "", "directness": "broader"})
    assert "compared with placebo or no treatment, not only in" in row_sentence(told, DRUG)


def test_what_was_found_for_a_class_bears_the_name_of_the_class() -> None:
    one = vote(of_class=True, tested_as="flurbine blockers", control="placebo")
    row = outcome_rows(findings(one))[0]
    assert row_sentence(row, DRUG).startswith(f"Flurbine blockers, the class of {DRUG}, ")


def test_of_a_network_neither_people_nor_studies_are_those_of_one_drug() -> None:
    crowd = people(n_randomised=9000, n_studies=40)
    reading = study(
        result(n=None),
        kinds=REVIEW,
        design=("network_meta_analysis",),
        population=crowd,
        arms=(arm("A", DRUG, n=None), arm("B", n=None)),
    )
    assert [(v.people, v.studies) for v in ballot(reading).votes] == [(None, None)]
    assert "imprecision: how many people are behind it could not be read" in row_of(reading).reasons


def test_what_was_counted_as_an_outcome_is_told_with_it() -> None:
    told = result("death", components=("death at home", "death in hospital"))
    outcomes = [v.outcome for v in ballot(study(told)).votes]
    assert outcomes == ["death (death at home or death in hospital)"]


@pytest.mark.parametrize(
    ("named", "counts"),
    [("second-generation antipsychotics", True), ("conventional antipsychotics", False)],
)
def test_a_class_within_a_class_is_not_the_other_one(named: str, *, counts: bool) -> None:
    given = Arm.model_validate(
        {
            "id": "A",
            "interventions": [{"name": named, "drug": "antipsychotics"}],
            "alternatives": True,
        }
    )
    question = asked()._replace(
        names=frozenset({"atypical antipsychotics", "olanzapine"}), is_class=True
    )
    assert bool(ballot(study(result(), arms=(given, arm("B"))), question).votes) is counts


@pytest.mark.parametrize(
    ("named", "members"),
    [
        ("antipsychotics", [""]),
        ("wompy antipsychotics", ["wompy antipsychotics"]),
        ("atypical antipsychotics", ["atypical antipsychotics"]),
        ("olanzapine", ["olanzapine"]),
        ("no antipsychotics", []),
        ("antipsychotics withdrawal aid", []),
    ],
)
def test_a_kind_of_a_class_is_told_as_itself(named: str, members: list[str]) -> None:
    drug, condition = Drug(name="antipsychotics"), Condition(name="testitis", names=("testitis",))
    question = asked_of(drug, condition)
    votes = ballot(study(result(), arms=(arm("A", named), arm("B"))), question).votes
    assert [v.members for v in votes] == members


@pytest.mark.parametrize(("pooled", "joint"), [(True, "or"), (False, "with")])
def test_drugs_of_a_class_that_were_given_together_are_no_alternatives(
    joint: str, *, pooled: bool
) -> None:
    drug, condition = Drug(name="antipsychotics"), Condition(name="testitis", names=("testitis",))
    given = arm("A", "olanzapine", "quetiapine", alternatives=pooled)
    told = study(result(), arms=(given, arm("B")))
    (found,) = ballot(told, asked_of(drug, condition)).votes
    assert found.members == f"olanzapine {joint} quetiapine"


def dosed(text: str) -> QuestionFrame:
    drug = Drug(name=DRUG, known=False)
    condition = Condition(name="testitis", names=("testitis",), known=False)
    kind = QuestionKind.EFFICACY
    return QuestionFrame(text=text, kind=kind, drugs=(drug,), condition=condition)


HIGH_AGAINST_LOW = (
    labelled("A", "4000 IU daily", DRUG, "testamine"),
    labelled("B", "600 IU daily", DRUG, "testamine"),
)


def doses(told: Result, arms: tuple[Arm, ...], text: str) -> list[tuple[str, Way, bool]]:
    votes = ballot(study(told, arms=arms), asked(frame=dosed(text))).votes
    return [(v.comparator, v.way, v.against_asked) for v in votes]


@pytest.mark.parametrize(
    ("told", "arms", "text", "expected"),
    [
        (null(), HIGH_AGAINST_LOW, "Does high-dose examplol help?", "a lower dose"),
        (result(), HIGH_AGAINST_LOW, "Does a higher dose of examplol help?", "a lower dose"),
        (result(better="b"), HIGH_AGAINST_LOW, "Is low-dose examplol better?", "a higher dose"),
        (
            null(),
            (labelled("A", "standard dose", DRUG), labelled("B", "high dose", DRUG)),
            "Is high-dose examplol any good?",
            "a lower dose",
        ),
    ],
)
def test_asked_about_a_dose_doses_are_compared(
    told: Result, arms: tuple[Arm, ...], text: str, expected: str
) -> None:
    way = Way.NO_DIFFERENCE if told.better == "no_difference" else Way.BENEFIT
    assert doses(told, arms, text) == [(expected, way, True)]


@pytest.mark.parametrize(
    ("arms", "text"),
    [
        ((labelled("A", "early", DRUG), labelled("B", "late", DRUG)), "High-dose examplol?"),
        ((labelled("A", "40 mg", DRUG), labelled("B", "2 g", DRUG)), "High-dose examplol?"),
    ],
)
def test_doses_are_no_test_of_the_drug_otherwise(arms: tuple[Arm, ...], text: str) -> None:
    assert doses(null(), arms, text) == []


def test_results_of_one_kind_are_of_the_same_people() -> None:
    """A scale that bears the name of the condition parts nobody off."""
    near = people("flurb weakness")
    told = (
        null("Alzheimer's Disease Assessment Scale", concept="cognition"),
        result("delayed recall", concept="cognition"),
        result("gait speed", concept="gait"),
        result("memory after concussion", concept="cognition", condition="concussion"),
    )
    question = asked("Alzheimer's disease")
    votes = ballot(study(*told, population=near), question).votes
    found = {v.row: (v.directness, v.way) for v in votes}
    assert found["cognition"] == ("broader", Way.CONFLICT)
    assert all(near == "related" for row, (near, _) in found.items() if row != "cognition")


def test_an_outcome_of_other_people_still_says_nothing() -> None:
    far = study(result(OUTCOME), population=people("asthma"))
    assert not appraised(far).reading.about_drug


def test_a_class_is_one_name_on_both_sides_of_a_comparison() -> None:
    frame = QuestionFrame(
        text="?",
        kind=QuestionKind.COMPARISON,
        drugs=(Drug(name=DRUG, known=False),),
        comparators=("SGLT2 inhibitors",),
        condition=Condition(name="testitis", names=("testitis",), known=False),
    )
    arms = (arm("A", DRUG), arm("B", "SGLT2 inhibitors"))
    votes = ballot(study(result(), arms=arms), asked(frame=frame)).votes
    assert [(v.comparator, v.against_asked) for v in votes] == [("SGLT2 inhibitors", True)]


def test_a_drug_that_names_a_class_is_no_class() -> None:
    question = asked()._replace(drug="doxycycline", names=frozenset({"doxycycline"}))
    given = study(result(), arms=(arm("A", "tetracycline"), arm("B")))
    assert ballot(given, question).votes == ()


def test_a_network_goes_before_small_trials_alone() -> None:
    network = vote(Way.NO_DIFFERENCE, review=True, network=True, people=None, year=2029)
    small, large = vote(people=30, year=2020), vote(people=4000, year=2020)
    assert outcome_rows(findings(network, small))[0].way is Way.NO_DIFFERENCE
    assert outcome_rows(findings(network, large))[0].way is Way.BENEFIT


@pytest.mark.parametrize(
    ("given", "control"),
    [
        (("saline",), "the same treatment without it"),
        (("standard care",), "usual care"),
        (("no treatment",), "no treatment"),
    ],
)
def test_a_control_is_told_by_its_words(given: tuple[str, ...], control: str) -> None:
    other = arm("B", *given).model_copy(update={"control": None})
    with_it = arm("A", DRUG, *(given if "saline" in given else ()))
    assert row_of(study(result(), arms=(with_it, other))).control == control


def test_a_class_in_other_people_says_both() -> None:
    one = vote(tested_as="flurbine blockers", directness="related", control="placebo")
    said = row_sentence(outcome_rows(findings(one))[0], DRUG)
    assert "the class of" in said
    assert "in people with another condition" in said


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("Does high-dose examplol help?", True),
        ("Does examplol at high doses help?", True),
        ("Does examplol spare high-dose testamine?", False),
    ],
)
def test_a_dose_is_that_of_the_drug_beside_it(text: str, *, counts: bool) -> None:
    assert [own for *_, own in doses(null(), HIGH_AGAINST_LOW, text)] == [counts]


@pytest.mark.parametrize(
    ("told", "label"),
    [
        (null(), VerdictLabel.UNSUPPORTED),
        (result(), VerdictLabel.PROMISING),
        (result(better="b"), VerdictLabel.INSUFFICIENT),
    ],
)
def test_more_against_less_of_a_drug_tells_where_nothing_else_does(
    told: Result, label: VerdictLabel
) -> None:
    doses_only = finding(*ballot(study(told, arms=HIGH_AGAINST_LOW)).votes)
    assert decide((doses_only,)).label is label
    placebo = finding(*ballot(study(null())).votes, key="E2")
    assert decide((doses_only, placebo)).deciding_ids == ("E2",)


def test_a_duration_answers_no_question_on_a_dose() -> None:
    arms = (labelled("A", "6 months of it", DRUG), labelled("B", "12 months of it", DRUG))
    assert doses(null(), arms, "Is high-dose examplol as good as low-dose examplol?") == []
    asked_for = "Is 6 months of examplol as good as 12 months?"
    assert [one for one, *_ in doses(null(), arms, asked_for)] == ["a longer treatment"]


def test_that_less_is_no_worse_is_told_whichever_arm_comes_first() -> None:
    arms = (labelled("A", "every 4 weeks", DRUG), labelled("B", "every 12 weeks", DRUG))
    frame = dosed("Does examplol every 12 weeks work as well as every 4 weeks?")
    votes = ballot(study(null(non_inferiority="shown"), arms=arms), asked(frame=frame)).votes
    assert [vote.non_inferior for vote in votes] == [True]


GIVEN: tuple[tuple[tuple[Arm, ...], Asked, Given], ...] = (
    ((), asked(), ""),
    ((arm("A"), arm("B", control="usual_care")), asked(), ""),
    ((arm("A", "aspirin"), arm("B")), asked(), "mixed"),
    ((arm("A", DRUG),), asked(), "alone"),
    ((arm("A", DRUG), arm("B")), asked(), "alone"),
    ((arm("A", DRUG), arm("B", "aspirin")), asked(), "alone"),
    ((arm("A", DRUG), arm("B", DRUG, "aspirin"), arm("C")), asked(), "alone"),
    ((arm("A", DRUG, "aspirin"), arm("B", "aspirin")), asked(), "added"),
    ((arm("A", DRUG, "aspirin"), arm("B", "lithium", "aspirin")), asked(), "added"),
    ((arm("A", DRUG, "aspirin"), arm("B", DRUG)), asked(), "mixed"),
    ((arm("A", DRUG, "aspirin"),), asked(), "mixed"),
    ((arm("A", DRUG, "aspirin"), arm("B", "lithium")), asked(), "mixed"),
    ((arm("A", DRUG, "testamine"), arm("B", DRUG)), cases.combination(), "alone"),
    ((arm("A", "testamine as NAC"), arm("B", "aspirin")), asked(), ""),
)


@pytest.mark.parametrize(("arms", "question", "given"), GIVEN)
def test_how_a_study_gives_the_drug(arms: tuple[Arm, ...], question: Asked, given: Given) -> None:
    assert given_by(study(arms=arms), question) == given
