"""A brief says no more than its records bear: turned figures, classes, doubts, labels."""

from __future__ import annotations

from typing import Any

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.votes.turning import turned, with_bound
from deepcritical.domain.appraisal.effect_words import effect_words
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.appraisal.votes import ArmRates, OutcomeRow, Vote, Way
from deepcritical.domain.study.reading import Effect
from deepcritical.questions.claims import answer_on
from deepcritical.vocabulary.outcomes import construct_of
from deepcritical.writing.sentences.brief import Put, answer_sentences
from deepcritical.writing.sentences.findings import study_sentence
from deepcritical.writing.sentences.harms import harm_sentences
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal.builders import findings, result, vote

OF_HARM: dict[str, Any] = {"importance": "harm", "feared": True}
GRAVE: dict[str, Any] = {"is_grave": True, "is_fatal": True}


def changed(way: Way, **changes: object) -> Vote:
    return vote(way).model_copy(update=changes)


def rows_of(*votes: Vote) -> tuple[OutcomeRow, ...]:
    return outcome_rows(findings(*votes))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"told_as": "plasma flurbs 42"}, "flurb score (reported as plasma flurbs 42) compared"),
        ({"told_as": "Snerk Pain Scale"}, "flurb score (reported as Snerk Pain Scale) compared"),
        ({"told_as": "flurb score"}, "flurb score compared"),
        ({"told_as": "change in the flurb score"}, "flurb score compared"),
        ({"told_as": "x" * 90}, "flurb score compared"),
        ({"members": "testamine"}, "Testamine improved flurb score"),
        ({}, "Examplol improved flurb score"),
    ],
)
def test_a_row_tells_what_was_measured_and_given(changes: dict[str, str], told: str) -> None:
    (row,) = rows_of(changed(Way.BENEFIT, row="flurb score"))
    assert told in row_sentence(row.model_copy(update={"told_as": "", **changes}), "examplol")


@pytest.mark.parametrize(
    ("members", "told"),
    [(("a", "a"), "a"), (("a", "b"), "a or b"), (("a", ""), ""), (("", ""), "")],
)
def test_members_of_a_class_are_told_where_each_study_names_them(
    members: tuple[str, str], told: str
) -> None:
    (row,) = rows_of(*(changed(Way.BENEFIT, members=name) for name in members))
    assert row.members == told


def test_harms_in_a_list_tell_the_class_that_was_tested() -> None:
    names = ("dizziness", "grumbles", "snerks", "zorbs")
    votes = [changed(Way.HARM, row=name, outcome=name, **OF_HARM) for name in names]
    tested = {"tested_as": "testamines", "comparator": "flurbol"}
    votes += [changed(Way.HARM, row="blorks", outcome="blorks", **OF_HARM, **tested)]
    listed = harm_sentences(decide(findings(*votes)), "examplol")[-1].text
    assert "blorks (with testamines, the class of examplol, than with flurbol)" in listed


@pytest.mark.parametrize(("measure", "said"), [("MD", "higher"), ("RR", "more frequent")])
def test_an_amount_is_higher_and_not_more_frequent(measure: str, said: str) -> None:
    effect = Effect(measure=measure, value=3, ci_low=2, ci_high=4)  # type: ignore[arg-type]
    (row,) = rows_of(changed(Way.HARM, row="testine", outcome="testine", effect=effect, **OF_HARM))
    assert row_sentence(row, "examplol").startswith(f"Testine was {said} with examplol")


def test_who_found_more_beside_a_row_is_no_study_of_it() -> None:
    of = {"row": "grumbles", "outcome": "grumbles", **OF_HARM}
    beside = changed(Way.HARM, tier="controlled", **of)
    (row,) = rows_of(changed(Way.NO_DIFFERENCE, **of), beside)
    assert (row.studies, row.fears) == (1, ("E2",))
    said = row_sentence(row, "examplol")
    assert said.startswith("Examplol showed no clear effect on grumbles compared")
    assert "but other results found more of it (" in said
    # More of what is not a harm, such as survival, is none.
    wanted = row.model_copy(update={"importance": "critical"})
    assert "point to harm (" in row_sentence(wanted, "examplol")


@pytest.mark.parametrize(
    ("measure", "effect", "source", "is_rest"),
    [
        ("OR", Effect(measure="OR", value=0.5, ci_low=0.25, ci_high=0.8), 0.5, True),
        ("HR", Effect(measure="RD", value=-5, ci_low=-9, ci_high=-1), -5, True),
    ],
)
def test_a_figure_that_is_turned_round_says_so(
    measure: str, effect: Effect, source: float, *, is_rest: bool
) -> None:
    told = changed(
        Way.BENEFIT,
        effect=effect,
        polarity="more",
        higher_is_better=False,
        rates=ArmRates(drug=10, other=15),
    )
    now = turned(told)
    assert now.turned_from
    assert now.turned_from.value == source
    assert now.rates
    assert now.rates.is_rest is is_rest
    assert f"90 % against 85 %, the rest of 10 and 15, {'odds' if measure == 'OR' else 'risk'}" in (
        vote_words(now)
    )
    assert f"reported the other way round as {source:g}" in vote_words(now)
    again = turned(now.model_copy(update={"polarity": "less"}))
    assert (again.turned_from, again.rates) == (None, told.rates)


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        (Effect(p=0.0), "p < 0.001"),
        (Effect(p=0.0, p_operator="<"), "p < 0"),
        (Effect(p=0.03), "p = 0.03"),
    ],
)
def test_a_p_of_zero_is_a_bound(effect: Effect, said: str) -> None:
    found = with_bound(result("flurb score", effect=effect)).effect
    assert found
    assert effect_words(found) == said


@pytest.mark.parametrize(
    ("concept", "outcome", "name"),
    [
        ("discontinuation", "discontinuation due to adverse events", "due to adverse events"),
        ("discontinuation", "dropout", "for any reason"),
        ("mortality", "all-cause mortality", "death from any cause"),
    ],
)
def test_an_outcome_is_in_the_row_of_its_narrower_words(
    concept: str, outcome: str, name: str
) -> None:
    found = construct_of(concept, outcome)
    assert found
    assert name in found.name


@pytest.mark.parametrize(
    ("label", "raises", "said"),
    [
        (VerdictLabel.MIXED, False, "results found differ on"),
        (VerdictLabel.PROMISING, False, "the studies found suggest"),
        (VerdictLabel.PROMISING, True, "the studies found suggest"),
        (VerdictLabel.SUPPORTED, False, "Yes: the evidence"),
    ],
)
def test_answers_claim_no_more_than_their_verdict(
    label: VerdictLabel, said: str, *, raises: bool
) -> None:
    assert said in answer_on("examplol helps in testitis", label, raises=raises)


def test_a_benefit_beside_more_deaths_is_told_as_one_at_a_price() -> None:
    helps, deaths = changed(Way.BENEFIT), changed(Way.HARM, row="death", **OF_HARM, **GRAVE)
    verdict: Verdict = decide(findings(helps, deaths))
    put = Put("examplol helps in testitis")
    assert answer_sentences(verdict, "examplol", put)[0].text == (
        "A benefit at a price: trials suggest that examplol helps in testitis, but deaths or grave "
        "harms were more frequent."
    )
    worse = answer_sentences(verdict, "examplol", put._replace(raises=True))[0].text
    stood_in = changed(Way.BENEFIT, importance="surrogate")
    alone = answer_sentences(decide(findings(stood_in, deaths)), "examplol", put)[0].text
    assert not any("at a price" in said for said in (worse, alone))


@pytest.mark.parametrize(("near", "is_told"), [("direct", False), ("broader", True)])
def test_an_answer_from_other_people_says_so(near: str, *, is_told: bool) -> None:
    votes = (changed(Way.BENEFIT, directness=near) for _ in range(2))
    verdict: Verdict = decide(findings(*votes))
    put = Put("examplol helps in testitis")
    said = answer_sentences(verdict, "examplol", put)[0].text
    assert ("; the people studied are not just those" in said) is is_told


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("MMSE score", "worse with the drug"), ("nausea", "more frequent with the drug")],
)
def test_a_faculty_that_got_worse_was_not_more_frequent(outcome: str, said: str) -> None:
    told = changed(Way.HARM, outcome=outcome, importance="harm")
    assert vote_words(told, named=False).partition(" (")[0] == said


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"outcome": "snerk events"}, "less frequent with examplol"),
        ({"outcome": "snerks", "polarity": "less", "higher_is_better": False}, "less frequent"),
        ({"outcome": "snerk-free survival", "polarity": "less"}, "better with examplol"),
        ({"outcome": "snerk score", "polarity": "less"}, "better with examplol"),
        ({"outcome": "snerk score", "members": "testamine"}, "better with testamine"),
        ({"outcome": "snerk score", "tested_as": "testamines"}, "better with testamines"),
    ],
)
def test_events_are_less_frequent_and_what_was_given_is_named(
    changes: dict[str, Any], told: str
) -> None:
    one = changed(Way.BENEFIT, effect=Effect(measure="RR", value=0.5), **changes)
    assert f": {told}" in study_sentence("Test 2029", one, "examplol")
