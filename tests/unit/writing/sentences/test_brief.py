"""Rows that an answer tells, and trials that are listed as under way."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Importance, Vote, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.kinds import is_current
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.domain.report.brief import Brief, Contested
from deepcritical.domain.report.sentences import Finding, Sentence, row_text
from deepcritical.domain.study.reading import Population, Reader
from deepcritical.writing.sentences.brief import brief_of
from deepcritical.writing.sentences.harms import harm_sentences
from deepcritical.writing.sentences.matter import Matter, leading_rows
from deepcritical.writing.sentences.studies import leading_vote, people_in
from deepcritical.writing.sentences.synthesis import (
    as_told_by,
    told_rows,
    uncontested,
    with_synthesis,
)
from deepcritical.writing.sentences.words import row_sentence
from tests.unit.appraisal.builders import CONDITION, DRUG, finding, findings, record, study, vote


def told(way: Way, row: str, importance: Importance = "critical", people: int = 600) -> Vote:
    return vote(way, row=row, importance=importance, people=people)


def test_a_mixed_answer_tells_what_is_split_and_each_side() -> None:
    votes = (
        told(Way.BENEFIT, "flurb score"),
        told(Way.HARM, "flurb score"),
        told(Way.BENEFIT, "snerk"),
        told(Way.NO_DIFFERENCE, "grumble"),
        told(Way.BENEFIT, "zorb level", "surrogate", 9000),
    )
    verdict = decide(findings(*votes))
    assert verdict.label is VerdictLabel.MIXED
    rows = [(row.outcome, row.way) for row in leading_rows(verdict)]
    assert rows == [
        ("flurb score", Way.CONFLICT),
        ("snerk", Way.BENEFIT),
        ("grumble", Way.NO_DIFFERENCE),
    ]


@pytest.mark.parametrize(
    "note",
    [
        "status and enrolment from an old trial list (2020), may be out of date",
        "the sources disagree on the status (Not Recruiting / Recruiting)",
    ],
)
def test_a_status_that_its_note_doubts_is_not_current(note: str) -> None:
    metadata = EvidenceMetadata(kind="trial", status="RECRUITING", note=note)
    citation = Citation(source="clinicaltrials", title="Examplol in testitis", date="2029")
    assert not is_current(Evidence(content="", citation=citation, metadata=metadata))


def test_harms_against_the_drug_asked_about_are_told() -> None:
    harms = told(Way.HARM, "grumble", "harm").model_copy(
        update={"comparator": "testamine", "against_asked": True}
    )
    verdict = decide(findings(harms, harms))
    (said,) = harm_sentences(verdict, "examplol")
    assert said.text.startswith("Grumble was more frequent with examplol than with testamine")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("composite (flurbs, snerks)", "on the composite of flurbs, snerks"),
        ("flurbs", "Results of one study differ on"),
    ],
)
def test_a_composite_is_named_and_results_of_one_study_are_called_so(row: str, said: str) -> None:
    (found,) = outcome_rows(findings(told(Way.CONFLICT, row)))
    assert said in row_sentence(found, "examplol")


def _matter(*votes: Vote, **frame: object) -> Matter:
    studies = findings(*votes)
    keys = [i for study in studies for i in study.evidence_ids]
    drug = Drug(name=DRUG, known=False)
    asked = {"text": "examplol?", "kind": QuestionKind.EFFICACY, "drugs": (drug,), **frame}
    return Matter(
        drug=DRUG,
        condition=CONDITION,
        frame=QuestionFrame.model_validate(asked),
        verdict=decide(studies),
        studies=studies,
        evidence={key: record(f"Examplol in testitis, {key}") for key in keys},
        readings={},
        appraisals={},
        searched_on="2030-01-01",
    )


ABSENT: tuple[tuple[list[Vote], dict[str, object], str, str], ...] = (
    # results, fields of the question, what is missing, what is not said to be missing
    ([told(Way.BENEFIT, "flurb score")], {}, "", "randomised trial"),
    ([vote(tier="controlled")], {}, "None of the results weighed here is of a randomised tr", ""),
    ([told(Way.BENEFIT, "zorb level", "surrogate")], {}, "No trial result weighed here is", ""),
    ([told(Way.HARM, "snerks", "harm")], {}, "", "randomised trial"),
    ([told(Way.HARM, "snerks", "harm")], {}, "", "what patients feel"),
    (
        [vote(row="snerk", directness="broader")] * 3,
        {},
        "is of just the people and drugs asked about.",
        "",
    ),
    ([told(Way.CONFLICT, "snerk", people=10)] * 3, {}, "all results weighed here is very low", ""),
    ([told(Way.BENEFIT, "snerk")], {"outcomes": ("snerk",)}, "is on snerk by itself.", ""),
)


@pytest.mark.parametrize(("votes", "frame", "said", "unsaid"), ABSENT)
def test_what_is_missing_is_said_of_the_weighed_results_alone(
    votes: list[Vote], frame: dict[str, object], said: str, unsaid: str
) -> None:
    missing = " ".join(brief_of(_matter(*votes, **frame)).missing)
    assert said in missing
    assert "with a result was among the records" not in missing
    assert not unsaid or unsaid not in missing


def test_a_larger_study_beside_the_answer_is_told() -> None:
    near = told(Way.BENEFIT, "flurb score", people=600)
    larger = told(Way.BENEFIT, "flurb score", people=8000).model_copy(
        update={"directness": "broader"}
    )
    brief = brief_of(_matter(near, larger))
    assert brief.findings[0].people == 600
    assert brief.studies[0].people == 8000
    assert any("A larger study" in told and "8,000 people" in told for told in brief.missing)


@pytest.mark.parametrize(("reader", "people"), [("rules", 586), ("curated", None)])
def test_a_number_found_in_the_text_alone_gives_way_to_a_careful_reader(
    reader: str, people: int | None
) -> None:
    (one,) = findings(told(Way.BENEFIT, "flurb score"))
    one = one.model_copy(update={"participants": 586})
    read = study(population=people_of_nobody(), reader=Reader(kind=reader))  # type: ignore[arg-type]
    assert people_in(one, None, {one.evidence_ids[0]: read}) == people
    assert people_in(one, one.votes[0], {}) == 600


def people_of_nobody() -> Population:
    return Population(conditions=(CONDITION,))


def test_a_primary_outcome_is_told_first() -> None:
    votes = [told(Way.NO_DIFFERENCE, row) for row in ("snerk", "flurb score")]
    votes[1] = votes[1].model_copy(update={"level": "primary"})
    assert leading_rows(decide(findings(*votes)))[0].outcome == "flurb score"


@pytest.mark.parametrize(
    ("weights", "harm_asked", "led"),
    [
        (("harm",), False, None),
        (("harm",), True, "harm"),
        (("harm", "surrogate"), False, "surrogate"),
        (("surrogate", "harm", "critical"), False, "critical"),
    ],
)
def test_a_harm_is_the_main_result_only_of_a_question_on_harm(
    weights: tuple[Importance, ...], harm_asked: bool, led: Importance | None
) -> None:
    votes = tuple(told(Way.NO_DIFFERENCE, f"flurb {weight}", weight) for weight in weights)
    (one,) = findings(told(Way.NO_DIFFERENCE, "flurb score"))
    told_of = [v.model_copy(update={"harm_asked": harm_asked}) for v in votes]
    found = leading_vote(one.model_copy(update={"votes": tuple(told_of)}))
    assert (found.importance if found else None) == led


@pytest.mark.parametrize(
    ("way", "level", "told"),
    [(Way.BENEFIT, 2, True), (Way.BENEFIT, 3, False), (Way.NO_DIFFERENCE, 2, False)],
)
def test_a_trial_without_a_difference_is_among_the_main_studies_of_a_verdict_for(
    way: Way, level: int, told: bool
) -> None:
    matter = _matter(*[vote(way, row="flurb score")] * 5)
    null = finding(key="E9", level=level, unread=True)
    text = "Results: The primary outcome, examplol's flurb score, did not differ between groups."
    matter = matter._replace(
        studies=(*matter.studies, null),
        evidence={**matter.evidence, "E9": record(content=text)},
    )
    studies = brief_of(matter).studies
    assert (studies[-1].evidence_ids == ("E9",)) is told
    assert len(studies) == 5


def test_the_people_of_a_quote_are_those_of_its_own_record() -> None:
    matter = _matter(vote(row="flurb score"))
    one = finding(key="E8", unread=True, participants=65)
    texts = {"E8": "Conclusions: Examplol eased testitis.", "E9": "Adults were seen."}
    matter = matter._replace(
        studies=(*matter.studies, one.model_copy(update={"evidence_ids": ("E8", "E9")})),
        evidence={**matter.evidence, **{k: record(content=t) for k, t in texts.items()}},
        readings={"E9": study(reader=Reader(kind="rules"))},
    )
    assert [s.people for s in brief_of(matter).studies] == [300, None]


@pytest.mark.parametrize("way", list(Way))
def test_behind_a_models_text_every_result_that_code_told_stands_in_the_table(way: Way) -> None:
    verdict = decide(findings(told(way, "flurb score")))
    (row,) = verdict.rows
    said = Sentence(text=row_sentence(row, "examplol"), evidence_ids=row.evidence_ids)
    why = Sentence(text="The certainty is low: few people were studied.")
    claim = Sentence(text="Possibly.")
    brief = Brief(drug="examplol", answer=(claim, said, why), harms=(said,))
    written = Sentence(text="It was tried.", evidence_ids=row.evidence_ids, origin="model")
    now = with_synthesis(brief, verdict, [written])
    assert (now.answer, now.harms, now.findings) == ((claim,), (), (row,))
    quoted = with_synthesis(brief, verdict, [written.model_copy(update={"origin": "quote"})])
    assert (quoted.answer, quoted.harms, quoted.findings) == (brief.answer, brief.harms, ())


def _behind_a_text(*votes: Vote, contested: tuple[Contested, ...] = ()) -> set[str]:
    """The outcomes in the table of a brief with a model's text."""
    verdict = decide(findings(*votes))
    brief = Brief(answer=(Sentence(text="Possibly."),), contested=contested)
    written = Sentence(text="It was tried.", evidence_ids=("E1",), origin="model")
    return {row.outcome for row in with_synthesis(brief, verdict, [written]).findings}


def test_behind_a_text_stand_the_results_that_tell_of_the_question_and_grave_harm() -> None:
    matched = told(Way.BENEFIT, "flurb score").model_copy(update={"matched": True})
    beside = told(Way.NO_DIFFERENCE, "grumble")
    deaths = told(Way.HARM, "deaths", "harm").model_copy(update={"is_grave": True})
    assert _behind_a_text(matched, beside, deaths) == {"flurb score", "deaths"}
    harms = [told(Way.HARM, name, "harm").model_copy(update={"is_grave": True}) for name in "abcd"]
    assert _behind_a_text(matched, *harms) == {"flurb score", *"abcd"}
    broader = beside.model_copy(update={"directness": "broader"})
    assert _behind_a_text(beside, deaths) == {"grumble", "deaths"}
    assert _behind_a_text(told(Way.BENEFIT, "flurb score"), broader) == {"flurb score"}
    assert _behind_a_text(broader) == {"grumble"}
    disputed = tuple(Contested(outcome=name, told="It fell.") for name in ("flurb score", "deaths"))
    assert _behind_a_text(matched, deaths, contested=disputed) == {"deaths"}


def _row(outcome: str, *ids: str) -> Sentence:
    """A row of a model's table that cites the first sentence of each record."""
    cells = (outcome, "placebo", "")
    text = row_text(cells, "lower with examplol")
    found = tuple(f"{i}.1" for i in ids)
    return Sentence(text=text, cells=cells, evidence_ids=ids, finding_ids=found, origin="model")


def test_a_row_by_a_model_is_rated_as_the_result_whose_sentence_it_cites() -> None:
    own = told(Way.BENEFIT, "flurb score").model_copy(update={"start": 0, "outcome": "flurbs"})
    studies = findings(own, told(Way.NO_DIFFERENCE, "grumble"))
    verdict, keys = decide(studies), [study.evidence_ids[0] for study in studies]
    evidence = {key: record(content="Flurbs fell. Pain fell.") for key in keys}
    first, second = (
        Finding(id=f"{key}.1", evidence_ids=(key,), quotes=("Flurbs fell.",)) for key in keys
    )
    known = {f.id: f for f in (first, second)}

    def rated(*said: Sentence) -> list[tuple[str, ...] | None]:
        return [row.rated_as for row in told_rows(said, known, studies, verdict, evidence)]

    one, other = keys
    assert rated(_row("Flurbs at a week", one)) == [("flurb score", "")]
    assert rated(_row("Its scale", one)) == [("flurb score", "")]  # the only result quoted
    assert rated(_row("Pain", other), _row("Grumbles", other)) == [None, ("grumble", "")]
    (row,) = told_rows([_row("Flurbs", one, other)], known, studies, verdict, evidence)
    (flurbs,) = (r for r in verdict.rows if r.outcome == "flurb score")
    assert row.certainty == flurbs.certainty
    assert row.result == "lower with examplol"


@pytest.mark.parametrize(
    ("outcome", "rated", "shown"),
    [("Flurbs", "low", "low"), ("Flurbs", "high", "high"), ("Its scale", "high", "moderate")],
)
def test_a_row_is_as_certain_as_a_model_rates_it_and_the_studies_allow(
    outcome: str, rated: str, shown: str
) -> None:
    own = told(Way.BENEFIT, "flurb score").model_copy(update={"start": 0, "outcome": "flurbs"})
    studies = [s.model_copy(update={"participants": 200}) for s in findings(own)]
    key = studies[0].evidence_ids[0]
    evidence = {key: record(content="Flurbs fell. Pain fell.")}
    known = {f"{key}.1": Finding(id=f"{key}.1", evidence_ids=(key,), quotes=("Pain fell.",))}
    said = _row(outcome, key).model_copy(update={"rated": Certainty(rated)})
    (row,) = told_rows([said], known, studies, decide(studies), evidence)
    assert row.certainty == shown


def test_beside_a_models_table_stand_grave_harm_and_what_it_leaves_out_against_the_drug() -> None:
    votes = [
        told(way, name).model_copy(update={"matched": True})
        for way, name in (
            (Way.BENEFIT, "flurb score"),
            (Way.NO_DIFFERENCE, "grumble"),
            (Way.BENEFIT, "snerk"),
        )
    ]
    deaths = told(Way.HARM, "deaths", "harm").model_copy(update={"is_grave": True})
    studies = findings(*votes, deaths)
    verdict = decide(studies)
    first = studies[0].evidence_ids[0]
    brief = Brief(answer=(Sentence(text="Possibly."),))
    written = Sentence(text="It was tried.", evidence_ids=(first,), origin="model")

    def beside(*covered: str) -> set[str]:
        rows = told_rows([_row("Flurb score", first)], {}, studies, verdict, {})
        keys = [(name, "") for name in covered]
        now = with_synthesis(brief, verdict, [written], rows, keys)
        return {row.outcome for row in now.findings}

    assert beside("flurb score") == {"grumble", "deaths"}
    assert beside("flurb score", "grumble") == {"deaths"}
    assert beside("grumble", "deaths") == set()
    none = with_synthesis(brief, verdict, [written.model_copy(update={"origin": "quote"})])
    assert (none.told, none.covered) == ((), ())


def test_beside_a_models_text_code_does_not_say_that_no_harms_were_compared() -> None:
    verdict = decide(findings(told(Way.BENEFIT, "flurb score")))
    none = harm_sentences(verdict, "examplol")
    brief = Brief(drug="examplol", answer=(Sentence(text="Possibly."),), harms=none)
    written = Sentence(text="Flurb scores fell.", evidence_ids=("E1",), origin="model")
    assert none
    assert with_synthesis(brief, verdict, [written]).harms == ()


def test_a_result_that_a_check_refuted_is_not_told_but_the_last_of_its_direction_is() -> None:
    verdict = decide(findings(told(Way.BENEFIT, "snerk"), told(Way.BENEFIT, "flurb score")))
    first, last = (Contested(outcome=r.outcome, told="It fell.") for r in verdict.rows)
    assert [r.outcome for r in uncontested(verdict, [first]).rows] == [last.outcome]
    assert uncontested(verdict, [first, last]) == verdict


def test_a_verdict_is_as_sure_as_the_rows_that_tell_what_decides_within_its_bound() -> None:
    own = told(Way.BENEFIT, "flurb score").model_copy(update={"start": 0, "matched": True})
    beside = told(Way.BENEFIT, "snerk", "important").model_copy(update={"matched": True})
    rating = {"proposed": VerdictLabel.PROMISING, "rated": Certainty.MODERATE}
    studies = [s.model_copy(update=rating) for s in findings(own, beside)]
    verdict = decide(studies)
    one, other = (study.evidence_ids[0] for study in studies)
    evidence = {key: record(content="Flurbs fell.") for key in (one, other)}
    known = {f"{one}.1": Finding(id=f"{one}.1", evidence_ids=(one,), quotes=("Flurbs fell.",))}

    def rated(row: str, key: str, level: str) -> Certainty:
        said = _row(row, key).model_copy(update={"rated": Certainty(level)})
        rows = told_rows([said], known, studies, verdict, evidence)
        return decide(as_told_by(studies, verdict, rows, ())).certainty

    assert verdict.certainty == rated("Flurb score", one, "high") == "moderate"
    assert rated("Flurb score", one, "very low") == "very low"
    assert rated("Snerk", other, "very low") == "moderate"


def test_of_several_drugs_that_may_do_harm_each_has_its_own_claim() -> None:
    both = tuple(Drug(name=name, known=False) for name in (DRUG, "testamine"))
    harm = Condition(name="zorbs", names=("zorbs",))
    asked = _matter(told(Way.HARM, "zorbs"), kind=QuestionKind.SAFETY, drugs=both, harm=harm)
    assert asked.claim == "examplol increases the risk of zorbs"
