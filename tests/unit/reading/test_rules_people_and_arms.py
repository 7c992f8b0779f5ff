from __future__ import annotations

import pytest

from deepcritical.reading.rules import RULES_READER, read_by_rules
from tests.unit.reading.rule_records import READ_AT, read, record

_NO_RESULT = "All people were followed up."


@pytest.mark.parametrize(
    ("methods", "n"),
    [
        ("We randomly assigned 284 patients to examplol or placebo.", 284),
        ("Two hundred eighty-four patients were randomised to examplol or placebo.", 284),
        ("In 2005, 120 women with testitis were randomly allocated to examplol or placebo.", 120),
        ("Adults with testitis (n = 64) were randomised to examplol or placebo.", 64),
        ("Adults received examplol (n = 30) or placebo (n = 34) at random.", 64),
        ("Of 900 patients screened, 81 patients were randomised to examplol or placebo.", 81),
        ("We enrolled 75 adults. They were treated with examplol or placebo.", 75),
        ("Forty patients were randomised to examplol and 41 to placebo.", 81),
    ],
)
def test_people_randomised(methods: str, n: int) -> None:
    assert read(_NO_RESULT, methods=f"Methods: {methods}").population.n_randomised == n


@pytest.mark.parametrize(
    "methods",
    [
        "In the TESTER-81 trial patients were randomised to examplol or placebo.",
        "We plan to randomise 300 patients to examplol or placebo.",
        "We will randomise 200 patients to examplol or placebo.",
        "Two hundred patients are being randomised to examplol or placebo.",
        "A sample size of 200 patients was calculated. Patients were randomised.",
        "Nine hundred patients were screened. Patients were randomised to examplol or placebo.",
        "Patients were randomised to examplol or placebo between 2001 and 2004.",
        "We randomised 12 clinics to examplol or placebo.",
        "Of 60 patients randomised to examplol, 30 patients were evaluable.",
    ],
)
def test_names_plans_screenings_and_years_are_no_people(methods: str) -> None:
    assert read(_NO_RESULT, methods=f"Methods: {methods}").population.n_randomised is None


@pytest.mark.parametrize(
    ("methods", "arms"),
    [
        ("Patients were randomised to examplol (n = 40) or placebo (n = 41).",
         [("examplol", 40), ("placebo", 41)]),
        ("Patients were randomly assigned to receive oral examplol 20 mg daily (40 patients) or "
         "placebo (41 patients) for 12 weeks.", [("examplol", 40), ("placebo", 41)]),
        ("We randomised 81 people: 40 to examplol and 41 to placebo.",
         [("examplol", 40), ("placebo", 41)]),
        ("Patients were randomised to either examplol plus testamine or testamine alone.",
         [("examplol plus testamine", None), ("testamine alone", None)]),
        ("Patients were randomised to an exercise group (n = 20) or a control group (n = 21).",
         [("exercise", 20), ("control", 21)]),
    ],
)  # fmt: skip
def test_arms_and_their_sizes(methods: str, arms: list[tuple[str, int | None]]) -> None:
    reading = read(_NO_RESULT, methods=f"Methods: {methods}", title="A randomised trial")
    assert [(arm.label, arm.n) for arm in reading.arms] == arms


def test_an_arm_tells_its_interventions_and_its_control() -> None:
    methods = "Methods: Adults were randomised to either examplol plus testamine or placebo."
    one, other = read(_NO_RESULT, methods=methods, title="A randomised trial").arms
    assert [i.name for i in one.interventions] == ["examplol", "testamine"]
    assert (one.control, other.control, other.interventions) == (None, "placebo", ())


@pytest.mark.parametrize(
    ("control", "kind"),
    [
        ("placebo", "placebo"),
        ("usual care", "usual_care"),
        ("no treatment", "no_treatment"),
        ("sham stimulation", "sham"),
        ("a waiting list", "waiting_list"),
        ("testamine", None),
    ],
)
def test_the_kind_of_a_control(control: str, kind: str | None) -> None:
    methods = f"Methods: Adults were randomised to examplol or {control}."
    arms = read(_NO_RESULT, methods=methods, title="A randomised trial").arms
    assert [arm.control for arm in arms] == [None, kind]


def test_the_title_tells_arms_where_the_text_does_not() -> None:
    reading = read(
        "Itching was lower with examplol than with testamine.",
        title="Examplol versus testamine in testitis",
        methods="Methods: This was a comparison of two drugs.",
    )
    assert [arm.label for arm in reading.arms] == ["Examplol", "testamine"]
    assert [r.more for r in reading.results] == ["b"]


@pytest.mark.parametrize(
    ("title", "methods", "arms"),
    [
        ("Aspirin and warfarin in testitis", "Patients received study drug or placebo.",
         {"placebo", "Aspirin", "warfarin"}),
        ("Aspirin added to warfarin in testitis", "Patients received study drug or placebo.",
         {"placebo"}),
        ("Aspirin in testitis", "The placebo group was smaller than the warfarin group. Doses were "
         "96 mg in the warfarin group.", {"placebo", "warfarin", "Aspirin"}),
        ("A parallel-group trial", "Compared with the placebo group, neither group itched.",
         {"placebo"}),
    ],
)  # fmt: skip
def test_drugs_of_the_title_are_arms_that_no_group_is(
    title: str, methods: str, arms: set[str]
) -> None:
    told = read("Itching was lower with aspirin than with placebo.", title=title, methods=methods)
    assert {arm.label for arm in told.arms} <= arms
    assert len(told.arms) in (0, len(arms))


def test_part_of_a_body_is_no_arm() -> None:
    methods = "Methods: Adults who may develop arm swelling were followed."
    assert read(_NO_RESULT, methods=methods, title="A study").arms == ()


def test_kinds_and_features_of_design() -> None:
    reading = read(_NO_RESULT)
    assert reading.kinds == ("trial",)
    assert reading.design == ("randomised", "double_blind", "placebo_controlled")
    assert reading.reader == RULES_READER
    assert reading.record_id == "pmid:1"


@pytest.mark.parametrize(
    ("methods", "is_crossover"),
    [
        ("Adults entered a double-blind crossover study of examplol and placebo.", True),
        ("In a cross-over design adults got examplol and placebo.", True),
        ("Adults got examplol or placebo; optional cross-over was permitted.", False),
        ("Adults got examplol or placebo. Crossover was allowed after progression.", False),
        ("Adults got examplol or placebo, with crossover to examplol at week 12.", False),
    ],
)
def test_leave_to_change_the_arm_is_no_crossover(methods: str, is_crossover: bool) -> None:
    told = read(_NO_RESULT, methods=f"Methods: Adults were randomised. {methods}")
    assert ("crossover" in told.design) is is_crossover


def test_a_record_without_text_says_so() -> None:
    bare = record("").model_copy(update={"content": ""})
    assert read_by_rules(bare, READ_AT).unread == ("title_only",)


def test_a_study_of_three_arms_has_no_pair() -> None:
    results = "Itching was lower with examplol. Itching was lower with examplol than with placebo."
    methods = "Methods: Adults were randomised to examplol or placebo in arm A, arm B or arm C."
    assert len(read(results, methods=methods).results) == 1
    assert len(read(results).results) == 2


def test_verbs_and_torn_words_are_no_arms() -> None:
    found = read("Itching was lower in the used group than in the sub- group.")
    assert {arm.label for arm in found.arms} <= {"examplol", "placebo"}
    assert found.results == ()


@pytest.mark.parametrize(
    ("methods", "has_control"),
    [
        ("Methods: Adults got aspirin or placebo in this study.", True),
        ("Background: We compared aspirin with placebo.", True),
        ("Background: Aspirin helps, as double-blind trials against placebo show.", False),
        ("Background: Aspirin was better than placebo.\nMethods: Adults got aspirin.", False),
        ("Adults got aspirin. It has been shown to be better than placebo.", False),
        ("Adults got aspirin after an earlier trial of aspirin or placebo.", False),
        ("Adults were treated with aspirin after a placebo run-in.", False),
        ("Adults got aspirin in an open-label study. Before, they received placebo.", False),
        ("Adults were treated with aspirin. A trial against placebo is needed.", False),
    ],
)
def test_a_control_is_one_of_the_study_itself(methods: str, has_control: bool) -> None:
    results = "Itching was lower with aspirin than without."
    told = read(results, title="A trial of aspirin in testitis", methods=methods)
    assert any(arm.control == "placebo" for arm in told.arms) is has_control
