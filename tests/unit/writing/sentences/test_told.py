"""Sentences on rows, harms and what a question asks beside the effect."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.effect_words import gravest_first, row_direction
from deepcritical.domain.appraisal.hypotheses import Edge, MechanismHypothesis
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.appraisal.votes import Vote, Way
from deepcritical.domain.evidence.certainty import Certainty
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata, Fact, FactRole
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame, QuestionKind
from deepcritical.domain.report.brief import Brief, label_words
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.study.reading import Effect
from deepcritical.questions.claims import Strength, answer_on
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.sections.leads import lead_of
from deepcritical.writing.sentences.findings import findings_of
from deepcritical.writing.sentences.harms import harm_sentences, harms_beside
from deepcritical.writing.sentences.unread import without_text
from deepcritical.writing.sentences.vote_words import vote_words
from deepcritical.writing.sentences.words import row_sentence, told_of
from tests.unit.appraisal.builders import findings, vote

HARMS = ("dizziness", "grumbles", "snerks", "zorbs")


def changed(way: Way, **changes: object) -> Vote:
    return vote(way).model_copy(update=changes)


@pytest.mark.parametrize(
    ("votes", "told"),
    [
        (
            (changed(Way.BENEFIT, people=900), changed(Way.NO_DIFFERENCE, people=60)),
            "2 trials: 1 found a benefit, 1 found no difference;",
        ),
        (
            (changed(Way.BENEFIT, people=900), changed(Way.BENEFIT, people=None)),
            "900 people in 1 of 2 trials",
        ),
        (
            (
                changed(Way.BENEFIT, tested_as="Testamines", people=900),
                changed(Way.BENEFIT),
            ),
            "some of them of testamines",
        ),
        ((changed(Way.BENEFIT, comparator="Testamines"),), "than with testamines"),
        (
            (changed(Way.BENEFIT, comparator="testamine", added_to="testamine"),),
            "Examplol added to testamine improved flurb score compared with testamine alone",
        ),
        ((changed(Way.BENEFIT, given_with="testamine"),), "Examplol with testamine improved"),
        ((changed(Way.BENEFIT, from_arms=True),), "-0.5, 95 % CI -0.7 to -0.3, calculated from"),
        (
            (changed(Way.BENEFIT, turned_from=Effect(measure="SMD", value=0.5)),),
            "-0.7 to -0.3, reported the other way round as 0.5",
        ),
        ((changed(Way.BENEFIT, comparator="DPP-4 inhibitors"),), "than with DPP-4 inhibitors"),
        (
            (changed(Way.BENEFIT, review=True, studies=19, people=900),),
            "from a review of 19 studies; 900 people",
        ),
        (
            (changed(Way.BENEFIT, people=300), changed(Way.NO_DIFFERENCE, people=900)),
            "2 trials: 1 found no difference, 1 found a benefit; 1,200 people",
        ),
    ],
)
def test_a_row_tells_what_is_not_alike_among_its_studies(
    votes: tuple[Vote, ...], told: str
) -> None:
    row = max(outcome_rows(findings(*votes)), key=lambda one: one.studies)
    assert told in row_sentence(row, "examplol")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("serious adverse events", "Serious adverse events were"),
        ("loss of flurbs", "Loss of flurbs was"),
        ("hepatitis", "Hepatitis was"),
        ("weakness", "Weakness was"),
        ("zorb burden", "Zorb burden was"),
    ],
)
def test_one_thing_was_and_several_were(outcome: str, said: str) -> None:
    harm = changed(Way.HARM, row=outcome, outcome=outcome, importance="harm")
    (row,) = outcome_rows(findings(harm))
    more = "higher" if "burden" in outcome else "more frequent"
    assert row_sentence(row, "examplol").startswith(f"{said} {more} with examplol")


def test_every_harm_is_told() -> None:
    harms = [changed(Way.HARM, row=n, outcome=n, importance="harm") for n in HARMS]
    verdict = decide(findings(*harms))
    told = " ".join(s.text for s in harm_sentences(verdict, "examplol"))
    assert all(name in told.casefold() for name in HARMS)


CONFLICTS = (
    # way of each effect, what stands beside, what is said
    (
        (Way.NO_DIFFERENCE, Way.BENEFIT),
        (),
        "Studies differ on snerks with examplol against placebo (2 trials: 1 found no "
        "difference, 1 found less;",
    ),
    (
        (Way.NO_DIFFERENCE,),
        ("E2",),
        "Examplol showed no clear effect on snerks compared with placebo, but other results found "
        "more of it (",
    ),
    ((Way.CONFLICT,), (), "Results of one study differ on snerks with"),
)


@pytest.mark.parametrize(("ways", "beside", "said"), CONFLICTS)
def test_a_conflict_on_a_harm_says_no_more_than_its_results(
    ways: tuple[Way, ...], beside: tuple[str, ...], said: str
) -> None:
    votes = [changed(Way.HARM, row="snerks", outcome="snerks", importance="harm") for _ in ways]
    (row,) = outcome_rows(findings(*votes))
    effects = tuple(
        effect.model_copy(update={"way": way})
        for effect, way in zip(row.effects, ways, strict=True)
    )
    told = {"way": Way.CONFLICT, "effects": effects, "beside": beside, "pooled": None}
    row = row.model_copy(update={**told, "control": "placebo"})
    assert row_sentence(row, "examplol").startswith(said)
    cited = row.evidence_ids + (beside if len(ways) == 1 else ())
    assert told_of(row) == cited


def test_other_harms_are_listed_by_comparator_and_not_without_end() -> None:
    names = [f"{letter}orbs" for letter in "bcdfghjklm"]
    harms = [
        changed(Way.HARM, row=n, outcome=n, importance="harm", comparator="testamine")
        for n in names
    ]
    *_, others = harm_sentences(decide(findings(*harms)), "examplol")
    assert others.text.count("(than with testamine)") == 1
    assert others.text.endswith("; and 2 more outcomes.")


def test_deaths_that_no_result_found_more_of_are_no_harm() -> None:
    deaths = {"row": "death from any cause", "importance": "critical"}
    marks = {"is_grave": True, "is_fatal": True, "people": 500}
    votes = [changed(w, **deaths, **marks) for w in (Way.BENEFIT, Way.NO_DIFFERENCE)]
    verdict = decide(findings(*votes))
    row = verdict.rows[0].model_copy(update={"way": Way.CONFLICT})
    verdict = verdict.model_copy(update={"rows": (row,)})
    told = harm_sentences(verdict, "examplol")
    assert [s.text[:24] for s in told] == ["No result that is weighe"]


def test_a_harm_against_another_drug_alone_is_told() -> None:
    harm = changed(Way.HARM, row="grumbles", importance="harm", comparator="testamine")
    (told,) = harm_sentences(decide(findings(harm)), "examplol")
    assert "more frequent with examplol than with testamine" in told.text


@pytest.mark.parametrize("strength", ["weak", "likely"])
def test_probably_is_no_answer_to_whether_a_drug_is_safe(strength: Strength) -> None:
    claim = "examplol increases the risk of serious harm"
    said = answer_on(claim, VerdictLabel.HARMFUL, raises=True, strength=strength)
    assert said.startswith("There are signs of harm")


@pytest.mark.parametrize(
    ("label", "raises", "said"),
    [
        (VerdictLabel.REFUTED, False, "Refuted"),
        (VerdictLabel.REFUTED, True, "No excess found"),
        (VerdictLabel.UNSUPPORTED, True, "No excess shown"),
        (VerdictLabel.HARMFUL, True, "Harmful"),
    ],
)
def test_no_harm_found_is_not_called_refuted(label: VerdictLabel, raises: bool, said: str) -> None:
    brief = Brief(raises=raises, answer=(Sentence(text="Not shown."),))
    assert label_words(label, brief) == said


def _frame(kind: QuestionKind, text: str = "examplol in testitis", **more: object) -> QuestionFrame:
    drug = Drug(name="examplol", known=False)
    condition = Condition(name="testitis", names=("testitis",), known=False)
    fields = {"text": text, "kind": kind, "drugs": (drug,), "condition": condition, **more}
    return QuestionFrame.model_validate(fields)


def _edge(subject: str, target: str, **sides: str) -> Edge:
    facts = {
        side: (
            Fact(
                statement="It does.",
                evidence_id=key,
                quote="It does.",
                start=0,
                end=8,
                role=FactRole.RESULT,
            ),
        )
        for side, key in sides.items()
    }
    return Edge.model_validate({"subject": subject, "object": target, **facts})


def test_how_a_drug_acts_is_told_with_its_records_and_what_was_asked_about_first() -> None:
    store = EvidenceStore()
    edges = (
        _edge("examplol", "AMPK", increases="E1"),
        _edge("examplol", "flurbin", increases="E2", decreases="E3"),
        _edge("flurbin", "testitis"),
    )
    store.hypotheses = (
        MechanismHypothesis(
            drug="examplol", target="AMPK", effect="flurbin", confidence=0.2, edges=edges
        ),
    )
    frame = _frame(QuestionKind.MECHANISM, "How does examplol act on flurbin in testitis?")
    lead = lead_of(frame, "examplol", store, licensed=False)
    assert lead is not None
    assert lead.text.endswith(
        "show: examplol increases but also decreases flurbin; examplol increases AMPK."
    )
    assert lead.evidence_ids == ("E2", "E3", "E1")


@pytest.mark.parametrize(
    ("kind", "licensed", "begins"),
    [
        (QuestionKind.STATUS, False, "The drug's label was not at hand to say whether examplol"),
        (QuestionKind.STATUS, True, None),
        (QuestionKind.MECHANISM, False, "No record found shows by which way it acts."),
        (QuestionKind.DOSE, False, "No study with a result that counts states the dose of"),
        (QuestionKind.EFFICACY, False, None),
    ],
)
def test_what_is_asked_beside_the_effect_is_told_first(
    kind: QuestionKind, licensed: bool, begins: str | None
) -> None:
    lead = lead_of(_frame(kind), "examplol", EvidenceStore(), licensed=licensed)
    assert lead is None if begins is None else lead and lead.text.startswith(begins)


@pytest.mark.parametrize(
    ("title", "text", "named"),
    [
        ("Aspirin versus warfarin in testitis", "Aspirin versus warfarin in testitis.", True),
        ("Aspirin versus warfarin in testitis", "Aspirin versus warfarin. It won.", False),
        ("Aspirin in testitis", "Aspirin in testitis.", False),
    ],
)
def test_a_bare_title_on_the_comparison_is_named(title: str, text: str, named: bool) -> None:
    citation = Citation(source="pubmed", title=title, date="2030")
    record = Evidence(content=text, citation=citation, metadata=EvidenceMetadata())
    frame = _frame(QuestionKind.COMPARISON, comparators=("warfarin",))
    told = list(without_text("aspirin", frame, [record]))
    assert bool(told) is named


def test_deaths_go_first_and_no_excess_hides_no_harm() -> None:
    deaths = changed(
        Way.CONFLICT,
        row="death from any cause",
        outcome="death from any cause",
        importance="important",
        is_grave=True,
        is_fatal=True,
    )
    none = changed(Way.NO_DIFFERENCE, row="blurbs", importance="harm")
    harms = [changed(Way.HARM, row=name, importance="harm") for name in HARMS]
    verdict = decide(findings(none, *harms, deaths))
    harms_told = harm_sentences(verdict, "examplol")
    told = [s.text for s in harms_told]
    assert "death from any cause" in told[0]
    assert not any("no clear effect" in text for text in told)
    # What the answer tells is not told twice.
    beside = harms_beside(harms_told[:1], verdict, "examplol")
    assert beside == harms_told[1:]
    rows = gravest_first(verdict.rows)
    assert [row.way for row in rows if row.importance == "harm"][-1] is Way.NO_DIFFERENCE


def test_what_patients_feel_goes_before_laboratory_values() -> None:
    """However many laboratory values were measured in the very people asked about."""
    measured = [
        changed(Way.NO_DIFFERENCE, row=f"value {n}", outcome=f"value {n}", importance="surrogate")
        for n in range(9)
    ]
    felt = changed(Way.BENEFIT, row="flurbs", outcome="flurbs", directness="broader")
    verdict = decide(findings(*measured, felt))
    told = findings_of("examplol", verdict, [], {}, {})
    assert told["F1"].outcome == "flurbs"


def test_each_harm_is_told_with_its_own_certainty_and_what_was_less_frequent_too() -> None:
    names = ("grumbles", "snerks", "zorbs", "blurbs")
    ways = (*[Way.NO_DIFFERENCE] * 3, Way.BENEFIT)
    votes = [
        changed(way, row=name, outcome=name, importance="harm")
        for way, name in zip(ways, names, strict=True)
    ]
    verdict = decide(findings(*votes))
    levels = dict(zip(names, (*[Certainty.LOW] * 2, Certainty.HIGH, Certainty.LOW), strict=True))
    rows = tuple(r.model_copy(update={"certainty": levels[r.outcome]}) for r in verdict.rows)
    verdict = verdict.model_copy(update={"rows": rows})
    told = [s.text for s in harm_sentences(verdict, "examplol")]
    assert sorted(told[:2]) == [
        "Examplol showed no clear effect on grumbles or snerks (low certainty).",
        "Examplol showed no clear effect on zorbs (high certainty).",
    ]
    assert told[2].startswith("Blurbs were less frequent with examplol")


def test_a_rate_or_risk_is_higher_and_not_more_frequent() -> None:
    found = changed(Way.HARM, row="snerk incidence", outcome="snerk incidence", importance="harm")
    verdict = decide(findings(found))
    assert "was higher with examplol" in harm_sentences(verdict, "examplol")[0].text
    assert row_direction(verdict.rows[0]) == "higher with the drug"
    assert vote_words(found, named=False).startswith("higher with the drug")
