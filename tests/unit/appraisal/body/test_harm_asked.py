"""Questions whether a drug brings a harm: only that harm decides, and in whoever takes the drug."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import Asked, asked_of
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.domain.study.reading import Result
from deepcritical.questions.claims import answered_by
from tests.unit.appraisal.builders import (
    CONDITION,
    DEATHS,
    DRUG,
    OUTCOME,
    asked,
    ballot,
    finding,
    null,
    people,
    result,
    study,
)

HARM = "zorb failure"
TOLD = Condition(name=HARM, names=(HARM, "failing zorb"), known=False)
TREATED = Condition(name=CONDITION, names=(CONDITION,), known=False)


def on_harm(condition: Condition | None = TREATED) -> Asked:
    """Build the question if examplol brings zorb failure: in testitis, or in anyone."""
    drug = Drug(name=DRUG, known=False)
    frame = QuestionFrame(
        text="?", kind=QuestionKind.SAFETY, drugs=(drug,), condition=condition, harm=TOLD
    )
    return asked_of(drug, condition or TOLD, frame)


def harm(outcome: str = HARM, **changes: Any) -> Result:
    return result(outcome, **{"better": "b", "kind": "safety", "level": "unstated", **changes})


def test_the_harm_that_is_asked_about_decides() -> None:
    found = ballot(study(harm()), on_harm())
    assert [(v.row, v.way, v.wanted) for v in found.votes] == [(HARM, Way.HARM, True)]
    label = decide([finding(*found.votes)]).label
    assert label is VerdictLabel.HARMFUL


def test_another_known_harm_is_not_the_one_that_no_table_knows() -> None:
    votes = ballot(study(null(DEATHS, kind="safety"), harm()), on_harm()).votes
    assert {v.row: v.wanted for v in votes} == {"death from any cause": False, HARM: True}


@pytest.mark.parametrize("name", ["failing zorb", "incidence of zorb failure", "Zorb failure"])
def test_its_names_share_a_row(name: str) -> None:
    (vote,) = ballot(study(harm(outcome=name)), on_harm()).votes
    assert vote.row == HARM


def test_what_the_drug_is_given_for_has_no_say() -> None:
    found = ballot(study(result(OUTCOME)), on_harm())
    assert found.votes == ()
    assert found.why == "an outcome that was not asked about"


def test_other_harms_stand_beside() -> None:
    deaths = result(DEATHS, better="b", kind="safety")
    found = ballot(study(harm(better="no_difference", effect=None), deaths), on_harm())
    assert {v.row: v.wanted for v in found.votes}[HARM]


def test_more_of_it_is_worse_where_only_figures_tell() -> None:
    told = harm(better="unclear", effect={"measure": "RR", "value": 2.0, "p": 0.01})
    (vote,) = ballot(study(told), on_harm()).votes
    assert vote.way is Way.HARM


def test_without_a_condition_whoever_took_it_counts() -> None:
    reading = study(harm(), population=people("another condition"))
    (vote,) = ballot(reading, on_harm(None)).votes
    assert (vote.way, vote.directness) == (Way.HARM, "direct")
    assert ballot(reading, on_harm()).votes == ()


def test_a_trial_without_an_excess_does_not_show_it() -> None:
    found = ballot(study(null(HARM, kind="safety")), on_harm())
    assert decide([finding(*found.votes)]).label is VerdictLabel.UNSUPPORTED


@pytest.mark.parametrize(
    ("outcome", "other"),
    [
        ("MMSE", True),
        ("blivet score", True),  # nothing says that it is of the kind asked about
        ("death or myocardial infarction", False),
        ("overall survival", False),
    ],
)
def test_an_outcome_of_another_kind_than_asked_is_marked(outcome: str, other: bool) -> None:
    wanted = asked(outcomes=("mortality",))
    (vote,) = ballot(study(result(outcome)), wanted).votes
    assert vote.of_other_kind is other


@pytest.mark.parametrize(
    ("outcome", "other"),
    [
        ("serum flurbol", True),
        ("quality of life", True),
        ("progression of testitis", False),
        ("overall survival", False),
    ],
)
def test_what_does_not_tell_whether_a_disease_comes_back_is_marked(
    outcome: str, *, other: bool
) -> None:
    votes = ballot(study(result(outcome)), asked(outcomes=("recurrence",))).votes
    assert [vote.of_other_kind for vote in votes] == [other]


def test_an_outcome_in_no_table_is_asked_about_by_its_words() -> None:
    wanted = asked(outcomes=("flurbing",))
    votes = [
        vote
        for outcome in ("flurbing at week 4", "overall survival")
        for vote in ballot(study(result(outcome, level="primary")), wanted).votes
    ]
    assert [vote.wanted for vote in votes] == [True, False]


@pytest.mark.parametrize(("outcome", "answered"), [("flurbing", ("flurbing",)), ("MMSE", ())])
def test_no_outcome_is_answered_that_nobody_measured(
    outcome: str, answered: tuple[str, ...]
) -> None:
    wanted = asked(outcomes=("flurbing",))
    votes = ballot(study(result(outcome, level="primary")), wanted).votes
    frame = QuestionFrame(text="", kind=QuestionKind.EFFICACY, outcomes=("flurbing",))
    verdict = decide([finding(*votes)])
    assert verdict.label is VerdictLabel.PROMISING
    assert answered_by(verdict, frame).outcomes == answered


def test_more_of_it_without_randomisation_is_a_weak_signal() -> None:
    (cast,) = ballot(study(harm()), on_harm()).votes
    verdict = decide([finding(cast.model_copy(update={"tier": "controlled"}))])
    assert verdict.label is VerdictLabel.INSUFFICIENT
    assert verdict.is_weak_signal


def test_a_proven_harm_that_was_not_asked_about_does_not_answer() -> None:
    deaths = result(DEATHS, better="b", kind="safety", level="secondary", effect={"p": 0.001})
    told = study(harm(better="no_difference", effect=None), deaths)
    votes = ballot(told, on_harm()).votes
    assert any(v.way is Way.HARM for v in votes)
    findings = [finding(*votes, key=f"E{n}") for n in (1, 2)]
    assert decide(findings).label is not VerdictLabel.HARMFUL


@pytest.mark.parametrize(
    ("outcome", "asked_about"),
    [
        ("incident zorb failure", True),
        ("Zorb Failure Assessment Scale, wompage subscale", False),
        ("zorb failure questionnaire", False),
        ("zorb failure biomarkers", False),
        ("Flurb Scale and zorb failure", True),
    ],
)
def test_a_scale_that_is_named_after_a_harm_is_not_the_harm(
    outcome: str, *, asked_about: bool
) -> None:
    votes = ballot(study(null(outcome)), on_harm()).votes
    assert [vote.row for vote in votes] == ([HARM] if asked_about else [])


def test_it_is_not_lost_where_only_some_were_analysed() -> None:
    (vote,) = ballot(study(harm(people="overall responders")), on_harm()).votes
    assert (vote.way, vote.directness, vote.people) == (Way.HARM, "broader", None)


ASIANS = {"ancestry": frozenset({"asian"})}


def test_the_subgroup_that_a_question_names_goes_before_all_people() -> None:
    whole, part = null(HARM), result(HARM, better="b", level="subgroup", people="Asians")
    cohort = study(whole, part, kinds=("observational",), design=("cohort",))
    (plain,) = ballot(cohort, on_harm()).votes
    (own,) = ballot(cohort, on_harm()._replace(qualifiers=ASIANS)).votes
    assert (plain.way, plain.of_asked) == (Way.NO_DIFFERENCE, False)
    assert (own.way, own.of_asked, own.directness, own.people) == (Way.HARM, True, "direct", None)
    larger = finding(own.model_copy(update={"way": Way.NO_DIFFERENCE, "of_asked": False}), key="E2")
    (row,) = decide((finding(own), larger)).rows
    assert (row.way, row.evidence_ids, row.beside) == (Way.HARM, ("E1",), ("E2",))
    assert "risk of bias: it is of a subgroup of a study" in row.reasons
    of_women = {"sex": frozenset({"women"}), **ASIANS}
    women = cohort.model_copy(update={"population": people(qualifiers=("women",))})
    (own,) = ballot(women, on_harm()._replace(qualifiers=of_women)).votes
    assert own.of_asked  # of what the subgroup does not tell, the whole study does
    others = result(HARM, better="b", level="subgroup", people="Europeans")
    assert ballot(study(others), on_harm()._replace(qualifiers=ASIANS)).votes == ()
