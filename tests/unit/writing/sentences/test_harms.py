"""Harms in the words of publications: which sentences are of the drug."""

from __future__ import annotations

import pytest

from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.findings import Appraisal, Given, Reading
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata, Fact, FactRole
from deepcritical.domain.question.frame import Drug, QuestionFrame, QuestionKind
from deepcritical.domain.text.spans import Span
from deepcritical.writing.sentences.told_harms import HarmsOf, harms_in_own_words
from tests.unit.appraisal.builders import finding, vote


def _frame(kind: QuestionKind, **more: object) -> QuestionFrame:
    drugs = (Drug(name="examplol", known=False),)
    return QuestionFrame.model_validate({"text": "?", "kind": kind, "drugs": drugs, **more})


@pytest.mark.parametrize(
    ("quote", "told"),
    [
        ("Examplol brought grumbles in 9 of 40 adults.", True),
        ("Examplol was safe and well tolerated.", False),
        ("Examplol was well tolerated by 38 of 40 adults; 2 had grumbles.", True),
        ("The abstract gives no figure for grumbles with examplol.", False),
        ("Aspirin brought grumbles in 9 of 40 adults.", False),
        ("Examplol at 5 mg was superior to placebo and well tolerated.", False),
        ("Adults were randomised to examplol until 9 of 40 had toxicity.", False),
        ("Examplol/zorbafen brought grumbles in 9 of 40 adults.", False),
        ("Grumbles came with zorbafen plus examplol in 9 of 40 adults.", False),
        ("Examplol plus placebo brought grumbles in 9 of 40 adults.", True),
        ("Examplol 5 mg/day brought grumbles in 9 of 40 adults.", True),
        ("Although grumbles are feared, data on it are limited.", False),
        ("Examplol may increase its acceptability.", False),
        ("Subgroup analyses were performed by grumbles in 9 of 40 on examplol.", False),
        ("Fewer left examplol for lack of efficacy (9 of 40).", False),
    ],
)
def test_harms_in_own_words_are_of_the_drug_and_no_praise(quote: str, told: bool) -> None:
    assert bool(_own_words("Examplol in testitis", quote)) is told


def _own_words(
    title: str,
    *quotes: str,
    verdict: Verdict | None = None,
    frame: QuestionFrame | None = None,
    given: Given = "",
    drug: str = "examplol",
) -> list[str]:
    facts = tuple(Fact.of(Span(q, 0, len(q)), "E9", FactRole.HARM) for q in quotes)
    reading = Reading(evidence_id="E9", drug=drug, direct=True, context=facts, given=given)
    citation = Citation(source="pubmed", title=title, date="2030")
    record = Evidence(content=" ".join(quotes), citation=citation, metadata=EvidenceMetadata())
    appraisals = {"E9": Appraisal(reading=reading, grade=grade(record))}
    told = harms_in_own_words(drug, verdict or decide(()), appraisals, {"E9": record}, frame)
    return [sentence.text for sentence in told]


NONE = "No grave harm was observed."
SEEN = "Grumbles came in 9 of 40 adults."
THOUGHT = "The authors concluded that grumbles may come."


def test_harms_that_were_seen_go_before_those_that_were_not() -> None:
    told = _own_words("Examplol in testitis", NONE, THOUGHT, SEEN, SEEN)
    assert told == [f"“{quote.rstrip('.')}”" for quote in (SEEN, SEEN, NONE)]


def test_figures_of_harms_go_before_words() -> None:
    words = "Grumbles were more frequent with examplol."
    told = _own_words("Examplol in testitis", words, SEEN)
    assert told == [f"“{quote.rstrip('.')}”" for quote in (SEEN, words)]


def test_that_one_of_several_doses_brought_no_harm_is_not_told() -> None:
    low = "Low-dose examplol did not differ from placebo in grumbles."
    high = "High-dose examplol brought grumbles in 9 of 40 adults."
    assert len(_own_words("Examplol in testitis", low, high)) == 1


def test_the_main_result_on_the_harm_that_was_asked_about_is_told() -> None:
    title, result = "Examplol in testitis", "Examplol increased the risk of snerks (p = 0.01)."
    frame = _frame(QuestionKind.EFFICACY, outcomes=("snerks",), raises=True)
    citation = Citation(source="pubmed", title=title, date="2030")
    record = Evidence(content=f"Results: {result}", citation=citation, metadata=EvidenceMetadata())
    reading = Reading(evidence_id="E9", drug="examplol", direct=True)
    held = {"E9": Appraisal(reading=reading, grade=grade(record))}
    (told,) = harms_in_own_words("examplol", decide(()), held, {"E9": record}, frame)
    assert told.text == f"“{result.rstrip('.')}”"


def test_people_who_were_harmed_are_told_beside_how_many_were_enrolled() -> None:
    quotes = ("Sixty adults were enrolled, and snerks befell 12 (20%).", "Adults were enrolled.")
    citation = Citation(source="pubmed", title="Examplol in testitis", date="2030")
    text = " ".join(quotes)
    record = Evidence(content=text, citation=citation, metadata=EvidenceMetadata())
    spans = (Span(q, text.index(q), text.index(q) + len(q)) for q in quotes)
    facts = tuple(Fact.of(span, "E9", FactRole.HARM) for span in spans)
    reading = Reading(evidence_id="E9", drug="examplol", direct=True, context=facts)
    held = Appraisal(reading=reading, grade=grade(record))
    assert [f.quote for f in HarmsOf("examplol", None).all_in(held, record)] == [quotes[0]]


def test_what_is_treated_is_no_harm_of_it() -> None:
    eased = "Hyponatraemia was lower with examplol, in 3 of 60."
    assert _own_words("Examplol for hyponatraemia", eased) == []
    assert _own_words("Examplol in testitis", eased) != []


def test_harms_of_a_record_on_another_drug_are_none_of_this_one() -> None:
    assert _own_words("Stopping aspirin in testitis", SEEN) == []


@pytest.mark.parametrize(
    ("row", "way", "key", "asked", "told"),
    [
        ("snerks", Way.HARM, "E1", False, True),
        ("grumbles", Way.HARM, "E1", False, False),
        ("grumbles", Way.HARM, "E1", True, True),
        ("grumbles", Way.NO_DIFFERENCE, "E1", False, True),
        ("grumbles", Way.NO_DIFFERENCE, "E9", False, False),
        ("snerks", Way.NO_DIFFERENCE, "E9", False, True),
    ],
)
def test_harms_beside_those_that_results_compare_are_told(
    row: str, way: Way, key: str, asked: bool, told: bool
) -> None:
    counted = decide([finding(vote(way, row=row, importance="harm"), key=key)])
    frame = _frame(QuestionKind.EFFICACY, outcomes=("grumbles",), raises=True) if asked else None
    quotes = _own_words("Examplol in testitis", SEEN, verdict=counted, frame=frame)
    assert bool(quotes) is told


OF_WARFARIN: tuple[tuple[Given, str, str, bool], ...] = (
    # how the study gives the drug, title, quote, whether it is told as a harm of warfarin
    ("alone", "Warfarin in testitis", "Bleeding came in 9 of 40 adults.", True),
    ("alone", "Warfarin or aspirin in testitis", "Bleeding came in 9 of 40 adults.", False),
    ("alone", "Warfarin or aspirin in testitis", "Warfarin brought bleeding in 9 of 40.", True),
    ("alone", "Warfarin in testitis", "Warfarin plus aspirin brought bleeding in 9 of 40.", False),
    ("alone", "Warfarin in testitis", "Warfarin and aspirin brought bleeding in 9 and 3 %.", True),
    ("added", "Warfarin in testitis", "Bleeding came in 9 of 40 adults.", False),
    ("added", "Warfarin in testitis", "Warfarin brought more bleeding than aspirin alone.", True),
    ("added", "Warfarin in testitis", "Warfarin brought bleeding in 9 of 40 adults.", True),
    ("alone", "Warfarin in testitis", "Bleeding came in 9 of 40 of the placebo group.", False),
    ("alone", "Warfarin in testitis", "Bleeding has been reported with warfarin.", False),
    ("alone", "Warfarin in testitis", "Bleeding has been reported in 9 of 40.", True),
    (
        "alone",
        "Warfarin in testitis",
        "Bleeding came in 9 % of the treated and in 5 % of controls.",
        True,
    ),
    (
        "added",
        "Warfarin in testitis",
        "Warfarin combined with a diet brought bleeding.",
        False,
    ),
    ("", "A diet combined with warfarin", "Warfarin brought bleeding in 9 of 40.", False),
    ("mixed", "Warfarin in testitis", "Warfarin brought bleeding in 9 of 40 adults.", False),
    ("", "Warfarin in testitis", "Bleeding came in 9 of 40 adults.", True),
    ("", "Warfarin plus aspirin in testitis", "Warfarin brought bleeding in 9 of 40.", False),
    ("", "Warfarin versus aspirin in testitis", "Warfarin brought bleeding in 9 of 40.", True),
    ("", "Warfarin in testitis", "Warfarin with aspirin brought bleeding in 9 of 40.", False),
)


@pytest.mark.parametrize(("given", "title", "quote", "told"), OF_WARFARIN)
def test_harms_of_several_drugs_together_are_none_of_one(
    given: Given, title: str, quote: str, told: bool
) -> None:
    assert bool(_own_words(title, quote, given=given, drug="warfarin")) is told


def test_harms_of_a_combination_are_its_own_where_it_is_asked_about() -> None:
    drugs = tuple(Drug(name=name) for name in ("warfarin", "aspirin"))
    frame = _frame(QuestionKind.COMBINATION, drugs=drugs)
    quote = "Warfarin plus aspirin brought bleeding in 9 of 40."
    title = "Warfarin plus aspirin in testitis"
    assert _own_words(title, quote, given="alone", drug="warfarin", frame=frame)


@pytest.mark.parametrize(
    ("title", "quote", "told"),
    [
        ("Examplol withdrawal in testitis", "Grumbles came in 9 of 40 after stopping.", True),
        ("Examplol withdrawal in testitis", "More of the withdrawal group had grumbles.", True),
        ("Examplol withdrawal in testitis", "Examplol brought grumbles in 9 of 40.", False),
        ("Examplol withdrawal in testitis", "After 9 days 3 stopped because of grumbles.", False),
        ("Examplol in testitis", "Grumbles came in 9 of 40 after stopping.", False),
    ],
)
def test_harms_of_stopping_are_what_came_of_it(title: str, quote: str, told: bool) -> None:
    frame = _frame(QuestionKind.EFFICACY, stopping=True)
    assert bool(_own_words(title, quote, frame=frame)) is told
    if told:
        assert not _own_words(title, quote)
