"""A harm asked about, its people, its comparator, and what stands for the drug itself."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.leading import leading
from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import Asked
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.domain.study.reading import Effect, Result
from tests.unit.appraisal.builders import (
    DRUG,
    arm,
    asked,
    ballot,
    findings,
    null,
    people,
    result,
    study,
    vote,
)
from tests.unit.appraisal.cases import cohort, comparison, eff, judged, trial

TESTITIS = Condition(name="testitis", names=("testitis",), known=False)
FRACTURE = Condition(name="hip fractures", names=("hip fractures",))
MORE = eff("OR", 1.6, 1.3, 2.0)
LESS = eff("OR", 0.6, 0.5, 0.75)


def asking(text: str, kind: QuestionKind = QuestionKind.EFFICACY, **fields: object) -> Asked:
    told = {"text": text, "kind": kind, "drugs": (Drug(name=DRUG, known=False),), **fields}
    return asked(frame=QuestionFrame.model_validate(told))


def on_harm() -> Asked:
    return asking("?", QuestionKind.SAFETY, harm=FRACTURE)


def broke(better: str = "b", effect: Effect = MORE) -> Result:
    told = {"kind": "safety", "better": better, "effect": effect, "higher_is_better": False}
    return result("hip fracture", **told)


def test_what_cohorts_found_of_a_harm_that_is_asked_about_is_told_as_harm() -> None:
    verdict = judged(cohort(broke(), n=9000), question=on_harm())
    assert (verdict.label, verdict.certainty) == (VerdictLabel.HARMFUL, Certainty.LOW)
    assert verdict.strength_of_harm == "likely"


def test_fewer_of_it_is_no_benefit_that_was_asked_about() -> None:
    verdict = judged(trial(broke("a", LESS), n=9000), question=on_harm())
    assert verdict.label is VerdictLabel.UNSUPPORTED


def test_whether_a_drug_is_safe_counts_deaths() -> None:
    died = result("death from any cause", kind="safety", better="b", effect=MORE)
    question = asking("Is examplol safe in testitis?", QuestionKind.SAFETY, condition=TESTITIS)
    assert judged(trial(died, n=9000), question=question).label is VerdictLabel.HARMFUL


SAFE = "Is examplol safe in testitis?"
FEW = result("serious adverse events", kind="safety", better="no_difference", effect=Effect(p=0.9))


@pytest.mark.parametrize(
    ("outcome", "better", "label", "leads"),
    [
        ("relapse of testitis", "b", VerdictLabel.HARMFUL, "relapse or recurrence"),
        ("progression of testitis", "b", VerdictLabel.HARMFUL, "progression"),
        ("relapse of testitis", "a", VerdictLabel.UNSUPPORTED, "serious adverse events"),
        ("flurb score", "b", VerdictLabel.UNSUPPORTED, "serious adverse events"),
    ],
)
def test_a_condition_that_gets_worse_is_a_grave_harm(
    outcome: str, better: str, label: VerdictLabel, leads: str
) -> None:
    told = result(outcome, better=better, effect=MORE if better == "b" else LESS)
    question = asking(SAFE, QuestionKind.SAFETY, condition=TESTITIS)
    verdict = judged(trial(told, n=9000), trial(FEW, n=900), question=question)
    assert verdict.label is label
    assert leading(verdict.rows)[0].outcome == leads


def test_a_cohort_in_favour_of_the_other_drug_is_told_as_a_comparison() -> None:
    question = asking(
        "examplol versus testamine", QuestionKind.COMPARISON, comparators=("testamine",)
    )
    verdict = judged(cohort(result(better="b"), b=("testamine",)), question=question)
    assert verdict.label is VerdictLabel.UNSUPPORTED


def test_what_is_compared_with_together_is_all_of_it() -> None:
    question = comparison("testamine")._replace(
        comparators={"testamine": "testamine", "blivetine": "blivetine"}, compared_together=True
    )
    both, one = (trial(result(), b=drugs) for drugs in (("testamine", "blivetine"), ("testamine",)))
    assert [len(ballot(told, question).votes) for told in (both, one)] == [1, 0]


def test_trials_of_the_drug_go_before_a_review_of_its_class() -> None:
    own = vote(Way.NO_DIFFERENCE, directness="broader")
    of_class = vote(directness="broader", of_class=True, review=True, studies=30, people=9000)
    (row,) = outcome_rows(findings(own, of_class))
    assert (row.way, row.of_class) == (Way.NO_DIFFERENCE, False)


def test_other_people_do_not_displace_those_asked_about() -> None:
    women = asking("examplol in premenopausal women with testitis")
    own = trial(
        null(effect=eff("HR", 1.1, 0.7, 1.6)),
        n=500,
        population=people(description="premenopausal women with testitis", n_randomised=500),
    )
    others = trial(
        result("death from any cause", effect=eff("HR", 0.5, 0.4, 0.7)),
        n=9000,
        population=people(description="postmenopausal women with testitis", n_randomised=9000),
    )
    assert judged(own, others, question=women).label is VerdictLabel.UNSUPPORTED


def test_the_p_of_not_being_worse_is_none_of_a_difference() -> None:
    told = null(effect={"p": 0.001}, non_inferiority="shown")
    other = (arm("A", DRUG), arm("B", "testamine"))
    (vote_of_it,) = ballot(study(told, arms=other)).votes
    assert vote_of_it.way is Way.NO_DIFFERENCE


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Is examplol better than testamine?", VerdictLabel.UNSUPPORTED),
        ("examplol versus testamine", VerdictLabel.PROMISING),
    ],
)
def test_a_drug_that_is_not_worse_is_not_better(text: str, label: VerdictLabel) -> None:
    question = asking(text, QuestionKind.COMPARISON, comparators=("testamine",))
    told = trial(null(non_inferiority="shown"), b=("testamine",))
    assert judged(told, question=question).label is label


@pytest.mark.parametrize(("joint", "votes"), [("or", 1), ("and", 0)])
def test_any_partner_will_do_where_the_question_gives_a_choice(joint: str, votes: int) -> None:
    drugs = tuple(Drug(name=name, known=False) for name in (DRUG, "ibuprofen", "naproxen"))
    text = f"examplol with ibuprofen {joint} naproxen"
    question = asking(text, QuestionKind.COMBINATION, drugs=drugs)
    arms = (arm("A", DRUG, "ibuprofen"), arm("B", "ibuprofen"))
    assert len(ballot(study(result(), arms=arms), question).votes) == votes


def test_trials_against_another_comparator_do_not_answer_a_comparison() -> None:
    verdict = judged(trial(result()), question=asked(comparators=frozenset({"othermab"})))
    assert verdict.label is VerdictLabel.INSUFFICIENT
    assert verdict.rule.startswith("Studies of the drug were found, but no result that counts")


def against(*names: str) -> Asked:
    return asking("?", QuestionKind.COMPARISON, condition=TESTITIS, comparators=names)


def test_what_a_drug_is_compared_with_may_be_several_drugs_together() -> None:
    told = study(result(), arms=(arm("A", DRUG), arm("B", "testamine", "zorbafen")))
    (vote_told,) = ballot(told, against("testamine", "zorbafen")).votes
    assert (vote_told.comparator, vote_told.against_asked) == ("testamine + zorbafen", True)


def test_a_drug_of_the_class_on_the_other_side_is_what_was_asked_for() -> None:
    told = study(result(), arms=(arm("A", DRUG), arm("B", "atorvastatin")))
    (vote_told,) = ballot(told, against("statins")).votes
    assert (vote_told.comparator, vote_told.against_asked) == ("statins", True)


def test_that_the_other_drug_did_better_is_no_unanswered_question() -> None:
    worse = trial(result(better="b"), n=60, b=("testamine",))
    verdict = judged(worse, question=against("testamine"))
    assert verdict.label is VerdictLabel.UNSUPPORTED
    assert "did better with what the drug was compared with" in verdict.rule


def test_between_two_doses_nothing_else_is_weighed() -> None:
    arms = (
        arm("A", DRUG).model_copy(update={"label": "examplol 20 mg"}),
        arm("B", DRUG).model_copy(update={"label": "examplol 5 mg"}),
        arm("C"),
    )
    question = asking("examplol 20 mg versus 5 mg in testitis", condition=TESTITIS)
    told = study(result(), null(b="C"), null(a="B", b="C"), arms=arms)
    (vote_told,) = ballot(told, question).votes
    assert (vote_told.comparator, vote_told.way) == ("a lower dose", Way.BENEFIT)


def test_drugs_that_are_taken_together_are_tested_together() -> None:
    both = (Drug(name=DRUG, known=False), Drug(name="testamine", known=False))
    question = asking(
        "Is it safe to take examplol with testamine?",
        QuestionKind.SAFETY,
        drugs=both,
        harm=FRACTURE,
        mixed=True,
    )
    alone = trial(broke(), n=9000)
    assert ballot(alone, question).votes == ()
    mixed = trial(broke(), n=9000, a=(DRUG, "testamine"), b=("testamine",))
    assert judged(mixed, question=question).label is VerdictLabel.HARMFUL


def test_a_member_of_a_class_stands_for_the_class_that_a_drug_is_added_to() -> None:
    both = (Drug(name=DRUG, known=False), Drug(name="statins"))
    question = asking("?", QuestionKind.COMBINATION, drugs=both, condition=TESTITIS)
    told = study(result(), arms=(arm("A", DRUG, "simvastatin"), arm("B", "simvastatin")))
    assert [v.way for v in ballot(told, question).votes] == [Way.BENEFIT]


def test_a_harm_of_the_class_in_trials_is_one_of_the_drug() -> None:
    told = [vote(Way.HARM, wanted=True, harm_asked=True, of_class=True, directness="broader")]
    verdict = decide(findings(*told))
    assert (verdict.label, verdict.certainty) == (VerdictLabel.HARMFUL, Certainty.VERY_LOW)
    cohorts = [one.model_copy(update={"tier": "controlled"}) for one in told]
    assert decide(findings(*cohorts)).label is VerdictLabel.INSUFFICIENT


def test_an_outcome_without_a_condition_is_asked_about_in_anyone() -> None:
    question = asking("Does examplol prolong survival?", outcomes=("survival",))
    told = trial(result("overall survival"), n=900, population=people(conditions=("blivet",)))
    assert judged(told, question=question).label is VerdictLabel.PROMISING
