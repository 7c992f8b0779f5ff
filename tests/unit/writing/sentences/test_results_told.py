"""A result is told with what was given, against what and in whom, as its study compared it."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.arms import ANOTHER_WAY
from deepcritical.appraisal.pico.arms import Tested as Compared
from deepcritical.appraisal.pico.dosing import arms_told
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.study.reading import Effect
from deepcritical.writing.sentences.brief import Put, answer_sentences
from deepcritical.writing.sentences.findings import study_sentence
from deepcritical.writing.sentences.harms import harm_sentences
from deepcritical.writing.sentences.studies import kind_of, people_in
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal.builders import (
    PLACEBO_CONTROLLED,
    appraised,
    arm,
    ballot,
    findings,
    people,
    result,
    study,
    vote,
)

OTHERS = {"directness": "broader", "population": "adults with blorks"}


def told(way: Way, **changes: Any) -> Vote:
    return vote(way).model_copy(update={"effect": None, "outcome": "flurb score", **changes})


@pytest.mark.parametrize(
    ("way", "changes", "said"),
    [
        (Way.BENEFIT, {"comparator": "testamine"}, "better with examplol than with testamine"),
        (Way.BENEFIT, {"control": "placebo"}, "better with examplol than with placebo"),
        (Way.BENEFIT, {"control": "not stated"}, "better with examplol"),
        (
            Way.NO_DIFFERENCE,
            {"control": "placebo"},
            "no difference shown between examplol and placebo",
        ),
        (Way.NO_DIFFERENCE, {}, "no difference shown with examplol"),
        (Way.CONFLICT, {"control": "placebo"}, "results differ with examplol against placebo"),
        (
            Way.HARM,
            {"one_arm": "examplol 5 mg", "control": "placebo"},
            "worse with examplol 5 mg than with placebo",
        ),
        (
            Way.HARM,
            {"one_arm": "low dose", "control": "placebo"},
            "worse with examplol (low dose) than with placebo",
        ),
        (
            Way.HARM,
            {"one_arm": "examplol, any dose", "control": "placebo"},
            "worse with examplol, any dose, than with placebo",
        ),
        (
            Way.HARM,
            {"one_arm": "examplol now", "other_arm": "examplol later"},
            "worse with examplol now than with examplol later",
        ),
        (
            Way.HARM,
            {"tested_as": "testamines", "control": "placebo"},
            "worse with testamines, the class of examplol, than with placebo",
        ),
        (Way.HARM, {"control": "continued treatment"}, "worse after stopping examplol"),
        (
            Way.NO_DIFFERENCE,
            {"control": "continued treatment"},
            "no difference shown after stopping examplol",
        ),
        (
            Way.BENEFIT,
            {"comparator": "testamine", "added_to": "testamine"},
            "better with examplol added to testamine than with testamine alone",
        ),
        (
            Way.BENEFIT,
            {"control": "placebo", **OTHERS},
            "better with examplol than with placebo, in adults with blorks",
        ),
        (
            Way.BENEFIT,
            {"directness": "related"},
            "better with examplol, in people with another condition",
        ),
    ],
)
def test_a_result_names_both_sides_and_other_people(
    way: Way, changes: dict[str, Any], said: str
) -> None:
    assert study_sentence("Trial 1", told(way, **changes), "examplol") == (
        f"In Trial 1, flurb score: {said}."
    )


def test_beside_its_comparator_a_result_names_what_was_given() -> None:
    given = told(Way.NO_DIFFERENCE, comparator="testamine", tested_as="snerkines")
    assert vote_words(given, drug="examplol") == (
        "Flurb score: no difference shown with snerkines, the class of examplol."
    )


BOTH = (arm("A", "examplol", "testamine"), arm("B", "testamine", control="no_treatment"))
ALONE = (arm("A", "examplol"), arm("B", "examplol", "rays"))
TIMES = (arm("A", "examplol"), arm("B", "examplol"))


@pytest.mark.parametrize(
    ("arms", "comparator", "told"),
    [
        pytest.param(BOTH, "", ("examplol plus testamine", "testamine"), id="a background"),
        pytest.param(ALONE, "rays", ("examplol", "examplol plus rays"), id="the other got more"),
        pytest.param(TIMES, ANOTHER_WAY, ("examplol (A)", "examplol (B)"), id="another dose"),
        pytest.param(PLACEBO_CONTROLLED, "", (), id="a plain placebo"),
    ],
)
def test_arms_are_told_by_all_that_they_got(
    arms: Any, comparator: str, told: tuple[str, ...]
) -> None:
    read = study(result(), arms=arms)
    assert (*arms_told(read, result(), Compared("a", comparator)).values(),) == told
    assert not arms_told(read, result(), Compared("a", comparator, stopped=True))


@pytest.mark.parametrize(
    ("design", "tier"),
    [
        (("randomised",), "randomised"),
        (("placebo_controlled",), "randomised"),
        (("non_randomised", "placebo_controlled"), "controlled"),
        (("cohort", "placebo_controlled"), "controlled"),
    ],
)
def test_a_placebo_is_given_by_chance(design: tuple[str, ...], tier: str) -> None:
    (found,) = ballot(study(result(), design=design, kinds=("other",))).votes
    assert found.tier == tier


def test_results_of_one_study_are_not_called_those_of_several() -> None:
    verdict = decide(findings(told(Way.CONFLICT)))
    said = answer_sentences(verdict, "examplol", Put("examplol helps"))[0].text
    one = "the results of the only study that decides differ"
    assert said == f"Not settled: {one} on whether examplol helps."


def test_a_class_is_told_with_the_people_who_got_it() -> None:
    (row,) = outcome_rows(findings(told(Way.HARM, tested_as="testamines", **OTHERS)))
    assert ", in adults with blorks (" in row_sentence(row, "examplol")


def test_harms_in_a_list_name_what_they_were_compared_with() -> None:
    names = ("dizziness", "grumbles", "snerks", "zorbs")
    harm = {"importance": "harm", "feared": True, "control": "placebo"}
    votes = [told(Way.HARM, row=name, outcome=name, **harm) for name in names]
    listed = harm_sentences(decide(findings(*votes)), "examplol")[-1].text
    assert listed.endswith("snerks and zorbs (than with placebo).")


@pytest.mark.parametrize(
    ("kinds", "design", "said"),
    [
        (("systematic_review", "trial"), ("meta_analysis",), "systematic review"),
        (("trial",), (), "randomised controlled trial"),
        (("observational",), ("case_control",), "case-control study"),
        (("animal",), (), "animal study"),
        (("other",), (), "report, design not stated"),
    ],
)
def test_a_careful_reader_s_design_goes_before_the_words_of_a_text(
    kinds: tuple[str, ...], design: tuple[str, ...], said: str
) -> None:
    read = study(kinds=kinds, design=design, population=people())
    graded = appraised(read).grade
    assert kind_of(read, graded.design) == said
    by_rules = read.model_copy(update={"reader": read.reader.model_copy(update={"kind": "rules"})})
    assert kind_of(by_rules, graded.design) == "randomised controlled trial"


def test_no_estimate_is_lost_where_nothing_is_called_significant() -> None:
    effect = Effect(measure="RR", value=0.7, ci_low=0.5, ci_high=0.9)
    (found,) = ballot(study(result(effect=effect))).votes
    assert found.effect == effect


MASKED = (arm("A", "examplol", "testamine"), arm("B", "testamine", control="placebo"))
RAYS = (arm("A", "examplol"), arm("B", "rays", control="placebo"))


@pytest.mark.parametrize(
    ("arms", "said"),
    [
        pytest.param(MASKED, {}, id="both sides got a background, and one a placebo"),
        pytest.param(
            RAYS,
            {"one_arm": "examplol", "other_arm": "rays plus placebo"},
            id="beside its placebo the other side got something else",
        ),
    ],
)
def test_a_placebo_goes_without_what_both_sides_got(arms: Any, said: dict[str, str]) -> None:
    named = [one.model_copy(update={"label": "examplol" if one.id == "A" else "B"}) for one in arms]
    assert arms_told(study(result(), arms=named), result(), Compared("a")) == said


def test_of_three_arms_not_all_people_are_behind_a_result() -> None:
    three = study(result(), arms=(*PLACEBO_CONTROLLED, arm("C", "testamine")))
    found = findings(told(Way.HARM, comparator="testamine", people=None))[0]
    (compared,) = found.votes
    assert people_in(found, compared, {found.evidence_ids[0]: three}) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"comparator": "testamine"},
            "The result on pain was worse with examplol than with testamine",
        ),
        ({"control": "placebo"}, "Examplol increased pain compared with placebo"),
        (
            {"comparator": "testamine", "added_to": "testamine"},
            "Examplol added to testamine increased pain compared with testamine alone",
        ),
    ],
)
def test_beside_another_drug_nobody_knows_which_one_made_the_difference(
    changes: dict[str, str], said: str
) -> None:
    (row,) = outcome_rows(findings(told(Way.HARM, row="pain", outcome="pain", **changes)))
    assert row_sentence(row, "examplol").startswith(said)


def test_a_harm_that_was_asked_about_is_one_of_those_compared() -> None:
    asked_about = told(Way.HARM, row="clots", outcome="clots", harm_asked=True)
    (said,) = harm_sentences(decide(findings(asked_about)), "examplol")
    assert said.text.startswith("No result that is weighed here compares other harms of examplol.")
