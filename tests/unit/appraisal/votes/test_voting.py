"""Votes of a study's results: each rule with the votes it gives, or the reason for none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.appraisal.pico.asked import Asked
from deepcritical.domain.appraisal.findings import study_findings
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.question.frame import Drug, QuestionFrame, QuestionKind
from deepcritical.domain.study.reading import (
    ArmFigure,
    Better,
    Conclusion,
    Effect,
    Reader,
    Result,
    StudyReading,
)
from tests.unit.appraisal.builders import (
    CONDITION,
    DEATHS,
    DRUG,
    OUTCOME,
    appraised,
    arm,
    asked,
    ballot,
    made_up_results,
    null,
    people,
    result,
    study,
    swapped,
)

BENEFIT, NONE, HARM = Way.BENEFIT, Way.NO_DIFFERENCE, Way.HARM
TRIPLE = (DRUG, "testamine", "zorbafen")
ADD_ON = (arm("A", DRUG, "testamine"), arm("B", "testamine"))
HEAD_TO_HEAD = (arm("A", "testamine"), arm("B", DRUG))
DOSES = (arm("A", DRUG), arm("B", DRUG), arm("C"))
POOLED = (arm("A", DRUG, "testamine", "zorbafen", alternatives=True), arm("B"))
FACTORIAL = (arm("A", DRUG, "testamine"), arm("B", DRUG), arm("C", "testamine"), arm("D"))
RELAPSE: dict[str, Any] = {"outcome": "flurb return", "higher_is_better": False}


def ways(votes: Sequence[Vote]) -> list[tuple[str, Way]]:
    return [(v.row, v.way) for v in votes]


class Case(NamedTuple):
    """A reading, and the rows with the ways that it votes for."""

    name: str
    study: StudyReading
    votes: tuple[tuple[str, Way], ...] = ()
    why: str = ""
    """A part of the reason, where it has no vote."""
    question: Asked = asked()


ONE_BENEFIT, ONE_NULL = ((OUTCOME, BENEFIT),), ((OUTCOME, NONE),)
WITHIN = result(contrast="within", b="")
ARMS = (
    Case("drug against placebo", study(result()), ONE_BENEFIT),
    Case("add-on", study(result(), arms=ADD_ON), ONE_BENEFIT),
    Case(
        "triple against two of its parts",
        study(result(), arms=(arm("A", *TRIPLE), arm("B", *TRIPLE[1:]))),
        ONE_BENEFIT,
    ),
    Case(
        "triple against the drug alone",
        study(result(), arms=(arm("A", *TRIPLE), arm("B", DRUG))),
        why="the drug is in both arms",
    ),
    Case(
        "triple against one of its other parts",
        study(result(), arms=(arm("A", *TRIPLE), arm("B", "testamine"))),
        why="combination with zorbafen",
    ),
    Case(
        "triple against placebo", study(result(), arms=(arm("A", *TRIPLE), arm("B"))), why="combi"
    ),
    Case(
        "drug in both arms",
        study(result(), arms=(arm("A", DRUG, "testamine"), arm("B", DRUG))),
        why="the drug is in both arms",
    ),
    Case(
        "drug in neither arm",
        study(result(), arms=(arm("A", "testamine"), arm("B"))),
        why="neither arm",
    ),
    Case("pooled with drugs of no class of its own", study(result(), arms=POOLED), why="pooled"),
    Case("dose against dose", study(result(), arms=DOSES), why="both arms"),
    Case("dose against placebo", study(result(b="C"), null(a="B", b="A"), arms=DOSES), ONE_BENEFIT),
    Case(
        "one dose of two wins",
        study(result(b="C"), null(a="B", b="C"), arms=DOSES),
        ONE_BENEFIT,
    ),
    Case(
        "factorial: each half isolates the drug",
        study(
            result(b="C"), result(a="B", b="D"), arms=FACTORIAL, design=("randomised", "factorial")
        ),
        ONE_BENEFIT,
    ),
    Case(
        "factorial: both drugs against neither",
        study(result(b="D"), arms=FACTORIAL, design=("randomised", "factorial")),
        why="combination with testamine",
    ),
    Case(
        "withdrawal, the drug first",
        study(result(**RELAPSE, effect=Effect(measure="HR", value=0.5, ci_low=0.3, ci_high=0.8))),
        (("flurb return", BENEFIT),),
    ),
    Case(
        "withdrawal, the placebo first",
        study(
            result(
                **RELAPSE, better="b", effect=Effect(measure="HR", value=2, ci_low=1.2, ci_high=3)
            ),
            arms=(arm("A"), arm("B", DRUG)),
        ),
        (("flurb return", BENEFIT),),
    ),
    Case(
        "crossover",
        study(result(), design=("randomised", "crossover"), kinds=("trial",)),
        ONE_BENEFIT,
    ),
)
RESULTS = (
    Case(
        "null primary with a winning subgroup",
        study(null(), result(level="subgroup", people="women over 60")),
        ONE_NULL,
    ),
    Case("a subgroup alone", study(result(level="subgroup")), why="a subgroup"),
    Case("post hoc", study(null(), result("snerk", level="post_hoc")), ONE_NULL),
    Case("primary before secondary", study(result(level="secondary"), null()), ONE_NULL),
    Case("restated", study(result(restated=True), null()), ONE_NULL),
    Case("told again only", study(result(restated=True)), why="told before"),
    Case("a part of the people", study(result(people="smokers")), why="a part of its people"),
    Case("all as randomised", study(result(people="intention-to-treat population")), ONE_BENEFIT),
    Case("cost", study(result("cost of care", kind="cost"), null()), ONE_NULL),
    Case("cost alone", study(result("cost of care", kind="cost")), why="costs"),
    Case("levels of the drug", study(result("peak level", kind="pharmacokinetic")), why="levels"),
    Case("a mechanism", study(result("kinase", kind="mechanism")), why="a mechanism"),
    Case("within an arm of a controlled trial", study(WITHIN, null()), ONE_NULL),
    Case("within an arm, nothing else read", study(WITHIN), why="before and after"),
    Case("a correlation", study(result(contrast="association")), why="no comparison"),
    Case("several arms at once", study(result(contrast="omnibus")), why="no comparison"),
    Case("no direction", study(result(better="unclear", effect=None)), why="not told"),
    Case("figures before words", study(result(effect=Effect(p=0.4))), ONE_NULL),
    Case(
        "outcome of another condition",
        study(result(condition="quuxosis"), null("snerk")),
        (("snerk", NONE),),
    ),
    Case("only of another condition", study(result(condition="quuxosis")), why="another condition"),
    Case("arms that are not told", study(result(a="", b="")), why="not told"),
)
KINDS = (
    Case(
        "pharmacokinetic paper", study(result(), kinds=("pharmacokinetic",)), why="pharmacokinetic"
    ),
    Case("economic model", study(result(), kinds=("economic",)), why="economic model"),
    Case("narrative review", study(result(), kinds=("narrative_review",)), ONE_BENEFIT),
    Case(
        "narrative review that rules read",
        study(result(), kinds=("narrative_review",), reader=Reader(kind="rules")),
        why="narrative review",
    ),
    Case(
        "narrative review of a surrogate",
        study(result(kind="surrogate"), kinds=("narrative_review",)),
        why="narrative review",
    ),
    Case("protocol", study(kinds=("trial", "protocol")), why="a plan"),
    Case("animals", study(result(), kinds=("animal",)), why="animals"),
    Case(
        "a trial in animals",
        study(result(), population=people(species="rat")),
        why="animals",
    ),
    Case(
        "the authors' conclusion alone",
        study(conclusion=Conclusion(efficacy="works", sentences=(3,))),
        why="no result",
    ),
    Case(
        "a conclusion beside a null result",
        study(null(), conclusion=Conclusion(efficacy="works", sentences=(3,))),
        ONE_NULL,
    ),
    Case(
        "people with another condition",
        study(result(), population=people("quuxosis")),
        why="another condition",
    ),
)


@pytest.mark.parametrize("case", [*ARMS, *RESULTS, *KINDS], ids=lambda case: case.name)
def test_a_result_votes_or_it_is_told_why_not(case: Case) -> None:
    found = ballot(case.study, case.question)
    assert ways(found.votes) == list(case.votes)
    assert case.why in found.why
    assert bool(found.why) is not bool(case.votes)


def test_a_result_that_does_not_vote_is_told() -> None:
    subgroup = result(level="subgroup", people="women over 60")
    assert ballot(study(null(), subgroup)).told == (subgroup,)


PEOPLE: tuple[tuple[str, tuple[str, ...], dict[str, bool], str], ...] = (
    ("dementia", ("vascular dementia",), {}, "direct"),
    ("vascular dementia", ("dementia",), {}, "broader"),
    ("post-polio syndrome", ("poliomyelitis",), {}, "related"),
    ("postherpetic neuralgia", ("neuralgia",), {}, "broader"),
    (CONDITION, (CONDITION,), {}, "direct"),
    (CONDITION, (CONDITION,), {"part_of_trial": True}, "broader"),
    (CONDITION, ("severe testitis",), {}, "direct"),
)


@pytest.mark.parametrize(("wanted", "had", "changes", "near"), PEOPLE)
def test_how_close_its_people_are(
    wanted: str, had: tuple[str, ...], changes: dict[str, bool], near: str
) -> None:
    found = ballot(study(result(), population=people(*had, **changes)), asked(wanted))
    assert [v.directness for v in found.votes] == [near]


@pytest.mark.parametrize("outcome", ["testitis", "incidence of testitis", "new-onset testitis"])
def test_prevention_in_people_without_the_condition_is_indirect(outcome: str) -> None:
    prevented = study(result(outcome), population=people("quuxosis"))
    assert [v.directness for v in ballot(prevented).votes] == ["broader"]


def test_a_class_that_pools_the_drug_with_others_is_broader() -> None:
    kin = asked(kin=frozenset({"testamine", "zorbafen"}))
    assert [v.directness for v in ballot(study(result(), arms=POOLED), kin).votes] == ["broader"]
    of_class = asked(classes=frozenset({"examplinhibitors"}))
    arms = (arm("A", "examplinhibitors"), arm("B"))
    assert [v.directness for v in ballot(study(result(), arms=arms), of_class).votes] == ["broader"]


@pytest.mark.parametrize(("better", "way"), [("a", HARM), ("b", BENEFIT), ("no_difference", NONE)])
def test_a_comparator_of_another_drug_meets_it_head_to_head(better: Better, way: Way) -> None:
    (found,) = ballot(study(result(better=better, effect=None), arms=HEAD_TO_HEAD)).votes
    assert (found.comparator, found.way, found.against_asked) == ("testamine", way, False)


def test_a_comparison_that_is_asked_for_is_marked_and_others_do_not_vote() -> None:
    drug = Drug(name=DRUG, known=False)
    frame = QuestionFrame(
        text="", kind=QuestionKind.COMPARISON, drugs=(drug,), comparators=("testamine",)
    )
    question = asked(frame=frame)
    (found,) = ballot(study(result(), arms=HEAD_TO_HEAD), question).votes
    assert (found.comparator, found.against_asked) == ("testamine", True)
    assert "not asked about" in ballot(study(result()), question).why


def test_non_inferiority_to_another_drug_is_told_of_the_comparison() -> None:
    shown = null(non_inferiority="shown")
    arms = (arm("A", DRUG), arm("B", "testamine"))
    design = ("randomised", "non_inferiority")
    (found,) = ballot(study(shown, arms=arms, design=design)).votes
    assert (found.comparator, found.way, found.non_inferior) == ("testamine", NONE, True)
    (other,) = ballot(study(null(non_inferiority="not_shown"), arms=arms, design=design)).votes
    assert not other.non_inferior


def test_a_combination_that_is_asked_about_votes_with_its_partner() -> None:
    question = asked(partners=(frozenset({"testamine"}),))
    arms = (arm("A", DRUG, "testamine"), arm("B"))
    assert ways(ballot(study(result(), arms=arms), question).votes) == [(OUTCOME, BENEFIT)]


WEIGHTS = (
    (result(), "critical"),
    (result(level="secondary"), "important"),
    (result("snerk titre", kind="surrogate"), "surrogate"),
    (result("grave snerk", kind="safety"), "harm"),
    (result(DEATHS, level="secondary"), "critical"),
    (result(DEATHS, kind="safety"), "harm"),
)


@pytest.mark.parametrize(("told", "importance"), WEIGHTS)
def test_what_an_outcome_decides(told: Result, importance: str) -> None:
    assert [v.importance for v in ballot(study(told)).votes] == [importance]


def test_a_harm_beside_a_benefit_is_a_vote_of_its_own() -> None:
    harmed = result("grave snerk", kind="safety", better="b", level="secondary")
    found = ballot(study(result(), harmed)).votes
    assert [(v.way, v.importance) for v in found] == [(BENEFIT, "critical"), (HARM, "harm")]


MORE_DEATHS = Effect(measure="RR", value=1.5, ci_low=1.2, ci_high=1.9)
FEWER_DEATHS = Effect(measure="HR", value=0.7, ci_low=0.6, ci_high=0.8)


def test_deaths_are_one_row_and_survival_is_their_reverse() -> None:
    died, lived = (
        ballot(study(result(outcome, better="unclear", effect=MORE_DEATHS))).votes[0]
        for outcome in (DEATHS, "overall survival")
    )
    assert died.row == lived.row
    assert (died.way, lived.way) == (HARM, BENEFIT)


@pytest.mark.parametrize("outcome", ["overall survival", DEATHS])
def test_a_hazard_ratio_is_of_death_whatever_its_outcome_is_called(outcome: str) -> None:
    (found,) = ballot(study(result(outcome, better="unclear", effect=FEWER_DEATHS))).votes
    assert found.way is BENEFIT


@pytest.mark.parametrize("outcome", ["overall survival", DEATHS])
def test_a_vote_on_deaths_says_so(outcome: str) -> None:
    assert [v.is_grave for v in ballot(study(result(outcome), result())).votes] == [True, False]


def test_one_arm_alone_is_compared_with_before() -> None:
    alone = study(WITHIN, arms=(arm("A", DRUG),), design=("single_arm",))
    assert [(v.way, v.tier) for v in ballot(alone).votes] == [(BENEFIT, "uncontrolled")]


def test_a_change_from_before_that_is_not_significant_is_no_benefit() -> None:
    change = result(contrast="within", b="", effect=Effect(p=0.4))
    alone = study(change, arms=(arm("A", DRUG),), design=("single_arm",))
    assert ways(ballot(alone).votes) == [(OUTCOME, NONE)]


def test_people_of_a_crossover_are_counted_once() -> None:
    figures = (ArmFigure(arm="A", n=40, value=3.0), ArmFigure(arm="B", n=40, value=5.0))
    crossed = study(
        result(figures=figures),
        design=("randomised", "crossover"),
        arms=(arm("A", DRUG, n=40), arm("B", n=40)),
        population=people(n_randomised=40),
    )
    assert [v.people for v in ballot(crossed).votes] == [40]


def test_a_retracted_record_does_not_count() -> None:
    kept, gone = appraised(study(result())), appraised(study(result()), "E2", integrity="retracted")
    assert (kept.counts, gone.counts) == (True, False)
    told = study_findings({"E1": kept, "E2": gone}, [["E1"], ["E2"]])
    assert [s.evidence_ids for s in told] == [("E1",)]
    together = study_findings({"E1": kept, "E2": gone}, [["E1", "E2"]])
    assert [v.evidence_id for s in together for v in s.votes] == ["E1"]


def test_a_concern_drops_benefits_and_keeps_what_is_against_the_drug() -> None:
    told = study(result(), null("snerk"), result("blivet", better="b"))
    clean, doubted = appraised(told), appraised(told, integrity="concern")
    assert [v.way for v in clean.reading.votes] == [BENEFIT, NONE, HARM]
    assert [v.way for v in doubted.reading.votes] == [NONE, HARM]
    assert doubted.counts


def without_rounding(found: Vote) -> tuple[object, ...]:
    effect = found.effect
    told = (effect.value, effect.ci_low, effect.ci_high) if effect else ()
    return (
        *(round(x, 9) for x in told if x is not None),
        found.model_copy(update={"effect": None, "turned_from": None}),
    )


@given(
    st.lists(made_up_results(), min_size=1, max_size=4),
    st.sampled_from((("placebo",), ("testamine",), (DRUG, "testamine"))),
)
def test_the_order_of_arms_and_their_labels_change_no_vote(
    told: list[Result], other: tuple[str, ...]
) -> None:
    arms = (arm("A", DRUG), arm("B", *other, n=90))
    renamed = [r.model_copy(update={"label": f"group {n}"}) for n, r in enumerate(reversed(arms))]
    one = ballot(study(*told, arms=arms))
    two = ballot(study(*map(swapped, told), arms=renamed))
    assert [*map(without_rounding, one.votes)] == [*map(without_rounding, two.votes)]
    assert one.why == two.why
