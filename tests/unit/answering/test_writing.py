"""The text of an answer: the verdict of a report, results, or the words of the records."""

from __future__ import annotations

import pytest

from deepcritical.answering.coverage import checklist_in, covered
from deepcritical.answering.drafting import draft_of, with_sources
from deepcritical.answering.joining import joined_facts
from deepcritical.answering.passages import read_passages
from deepcritical.answering.writing import synthesize
from deepcritical.domain.appraisal.checklist import Aspect, Coverage
from deepcritical.domain.appraisal.findings import Matched, Stance
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.answer import ANSWER_SCHEMA
from deepcritical.domain.report.sentences import Sentence
from deepcritical.models.answers import MappedNeed
from deepcritical.writing.ledger.auditing import audit
from deepcritical.writing.sentences.brief import Put, answer_sentences
from deepcritical.writing.sentences.passages import LEADS, missing_sentence
from tests.unit.answering.examples import (
    BETTER,
    CONTEXT,
    GOOD,
    HELPS,
    METHODS,
    NULL,
    ORDER,
    SAME,
    TAKEN_BACK,
    Built,
    built,
    entry,
    read,
    record,
)

HARMED = (
    f"{METHODS}Results: Deaths were more frequent with examplol than with placebo (RR 1.4, 95% CI "
    "1.2 to 1.6)."
)
HARMS = "What are the side effects of examplol in testitis?"
LATEST = "What are the latest findings on the side effects of examplol in testitis?"


def on(drug: str, text: str) -> str:
    """The same said of another drug, in gout."""
    told = text.replace("Examplol", drug.capitalize()).replace("examplol", drug)
    return told.replace("testitis", "gout")


TRIED = (
    record(1, on("ibuprofen", NULL), "Ibuprofen in gout"),
    record(2, on("metformin", GOOD), "Metformin in gout"),
)
FOLIC = record(1, "Results: Folic acid reduced methotrexate toxicity (p = 0.01).", "Folic acid")
ANSWERS = {
    "verdict": (HELPS, (record(1, GOOD), record(2, NULL), entry(3, "RECRUITING"))),
    "candidates": ("Which drugs help in gout?", TRIED),
    "harms": (HARMS, (record(1, HARMED), record(2, "Results: Nausea was a harm of examplol."))),
    "passages": ("Does folic acid reduce methotrexate toxicity?", (FOLIC,)),
    "nothing": (HELPS, ()),
}


def sentences_of(made: Built) -> list[Sentence]:
    """Every sentence that an answer prints."""
    answer = made.answer
    brief = (*answer.brief.answer, *answer.brief.harms) if answer.brief else ()
    return [*brief, *answer.lead, *(s for part in answer.parts for s in part.sentences)]


@pytest.mark.parametrize("kind", ANSWERS)
def test_every_sentence_on_a_study_rests_on_words_of_its_record(kind: str) -> None:
    question, records = ANSWERS[kind]
    made = built(question, *records)
    answer = made.answer
    assert answer.schema_version == ANSWER_SCHEMA
    assert audit(answer).failed == ()
    findings = {finding.id: finding for finding in answer.findings}
    for sentence in (*answer.lead, *(s for part in answer.parts for s in part.sentences)):
        assert bool(sentence.evidence_ids) == bool(sentence.finding_ids)
        for finding in (findings[i] for i in sentence.finding_ids):
            texts = [made.store.evidence[i].content for i in finding.evidence_ids]
            assert finding.quotes
            assert all(any(q in text for text in texts) for q in finding.quotes)
    cited = {i for sentence in sentences_of(made) for i in sentence.evidence_ids}
    assert cited <= {reference.evidence_id for reference in answer.references}


def test_a_question_on_a_drug_in_a_condition_is_answered_as_its_report_is() -> None:
    answer = built(HELPS, record(1, GOOD), record(2, NULL)).answer
    assert answer.verdict
    assert answer.brief
    assert answer.lead == ()
    assert answer.brief.drug == "examplol"
    brief = answer.brief
    given = answer_sentences(answer.verdict, "examplol", Put(brief.claim))
    assert answer.brief.answer == tuple(given)


def test_where_nothing_could_be_weighed_the_records_words_go_before_it() -> None:
    made = built(HELPS, record(1, "Results: With examplol, testitis was worse at night."))
    assert made.answer.brief
    assert [s.text for s in made.answer.lead[:1]] == [LEADS["unweighed"]]
    assert made.answer.overview.index("worse at night") < made.answer.overview.index("Not assessed")
    assert any("worse at night" in sentence.text for sentence in made.answer.lead)


def test_that_no_record_names_what_is_asked_is_told_before_what_means_nearly_that() -> None:
    said = "Results: Wombling reduced gout attacks compared with rest (p = 0.01)."
    inquiry, store = read("Does kelp tea prevent gout?", record(1, said, "Wombling in gout"))
    store.likeness = {"E1": {9: 0.6}}
    held = (store.readings, list(store.evidence.values()), None, store.likeness)
    store.add_item_facts(read_passages(inquiry, checklist_in(store), store.evidence, *held))
    store.coverage = covered(store)
    draft = draft_of(inquiry, store)
    answer = synthesize(inquiry, store, CONTEXT, "rules", draft)
    assert [s.text for s in answer.lead[:2]] == [missing_sentence(["kelp", "tea"]), LEADS["alike"]]
    assert "Wombling" in answer.lead[2].text
    assert audit(answer).failed == ()


@pytest.mark.parametrize("matched", [None, {}])
def test_where_nothing_was_weighed_what_a_model_found_answers(
    matched: dict[str, Matched] | None,
) -> None:
    said = "Examplol was of some use to those with testitis who had it badly."
    inquiry, store = read(HELPS, record(1, f"{METHODS}Results: {said}"))
    assert store.checklist
    need = MappedNeed(item="C1", meets=["E1.2"])
    facts, _ = joined_facts(store.checklist, store.evidence, (), [need], only=True)
    store.add_item_facts(facts)
    draft = draft_of(inquiry, store, matched)
    answer = synthesize(inquiry, store, CONTEXT, "somebody", draft)
    assert (answer.verdict is None) is (matched is not None)


def test_candidates_are_told_from_the_best_on() -> None:
    made = built(ANSWERS["candidates"][0], *TRIED)
    assert (made.answer.brief, made.answer.verdict) == (None, None)
    # What failed is told only among what did not work.
    assert [sentence.evidence_ids for sentence in made.answer.lead] == [("E2",)]
    answered = made.answer.checklist
    against = next(a.item.id for a in answered if a.item.aspect is Aspect.AGAINST)
    (part,) = [part for part in made.answer.parts if part.item == against]
    assert ("E1",) in [sentence.evidence_ids for sentence in part.sentences]
    assert all(one.verdict.rows for one in made.answer.candidates)
    assert len(made.answer.studies) == 1


def test_a_comparison_of_harms_leads_an_answer_on_harms() -> None:
    (lead, *_) = built(HARMS, record(1, HARMED)).answer.lead
    assert lead.evidence_ids == ("E1",)
    assert "1.4" in lead.text


def test_what_no_record_names_is_said_first() -> None:
    lead = built("Does zorblaxin help in gout?", *TRIED).answer.lead
    assert "zorblaxin" in lead[0].text
    assert "gout" not in lead[0].text


SAFE = "Harms: Bleeding was seen in 3% with metformin."
MADE = record(
    1,
    "Methods: 40 adults with gout were randomised to metformin 500 mg daily or placebo for 9 "
    "weeks. "
    f"{SAFE} Results: "
    "Metformin lowered urate (p = 0.01). Conclusion: The effect on pain remains to be studied.",
    "Metformin in gout (MAG)",
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What dose of metformin was used in gout?", "randomised to metformin 500 mg daily"),
        ("For how many weeks was metformin given?", "for 9 weeks"),
        ("In which patients was metformin tested in gout?", "40 adults with gout"),
        ("What is unknown about metformin in gout?", "remains to be studied"),
        ("Does metformin cause bleeding?", "Bleeding was seen in 3%"),
        ("Does metformin lower ferritin?", None),
        ("Does metformin shorten hospital stay in gout?", None),
        ("When is metformin contraindicated in gout?", None),
        ("What dose of aspirin was used in gout?", None),
    ],
)
def test_a_question_is_answered_by_the_fact_it_asks_for_or_not_at_all(
    question: str, told: str | None
) -> None:
    answer = built(question, MADE).answer
    lead = [sentence.text for sentence in answer.lead]
    if told is None:
        assert LEADS["nothing"] in lead
        assert not any(sentence.evidence_ids for sentence in answer.lead)
    else:
        assert len(lead) <= 3
        assert told in lead[1]
    assert audit(answer).failed == ()


def test_of_a_harm_that_is_named_only_that_one_is_told() -> None:
    arms = "Methods: 300 adults with gout were randomised to metformin (n=150) or placebo (n=150). "
    found = "Results: Bleeding occurred in 30 patients on metformin and in 10 on placebo. "
    other = "Death occurred in 20 patients on metformin and in 20 on placebo."
    answer = built("Does metformin cause death in gout?", record(1, arms + found + other)).answer
    told = " ".join(s.text for s in (*answer.lead, *(answer.brief.answer if answer.brief else ())))
    assert "leeding" not in told
    assert "eath" in told


def test_records_on_something_near_are_told_as_such() -> None:
    near = record(1, "Results: Folic acid reduced toxicity (p = 0.01).", "Folic acid")
    other = record(2, "Results: Methotrexate toxicity was seen.", "Methotrexate")
    made = built(ANSWERS["passages"][0], near, other)
    assert [s.text for s in made.answer.lead] == [LEADS["nothing"], LEADS["near"]]
    assert {a.coverage for a in made.answer.checklist} == {Coverage.UNSATISFIED}
    assert audit(made.answer).failed == ()


@pytest.mark.parametrize(
    ("question", "lead", "first"), [(LATEST, "newest", ["E2", "E3"]), (HARMS, "strongest", None)]
)
def test_the_latest_come_first_where_they_are_asked_for(
    question: str, lead: str, first: list[str] | None
) -> None:
    dates = {1: "2990-01-01", 2: "2999-03-01", 3: "2995-01-01"}
    records = [
        record(n, f"Results: Rash was an adverse event of examplol in testitis in {n}%.", date=date)
        for n, date in dates.items()
    ]
    told = built(question, *records).answer.lead
    assert told[0].text == LEADS[lead]
    assert first in (None, [i for sentence in told for i in sentence.evidence_ids])


def test_negative_evidence_is_kept_beside_many_that_support() -> None:
    records: list[Evidence] = [record(n, GOOD) for n in range(1, 9)]
    made = built(HELPS, *records, record(9, NULL))
    parts = {part.item: part for part in made.answer.parts}
    assert made.store.checklist
    (against,) = [i for i in made.store.checklist.items if i.aspect is Aspect.AGAINST]
    assert any(SAME.rstrip(".") in s.text for s in parts[against.id].sentences)
    picked = made.draft.picked[made.store.checklist.items[0].id]
    assert {fact.side for fact in picked} == {Stance.SUPPORTS, Stance.REFUTES}


def test_a_retracted_record_is_counted_and_never_used() -> None:
    made = built(HELPS, record(1, NULL), record(2, GOOD, publication_types=TAKEN_BACK))
    assert [r.evidence_id for r in made.answer.references] == ["E1"]
    assert any(line.startswith("1 retracted record") for line in made.answer.limitations)
    assert BETTER.rstrip(".") not in made.answer.answer


def test_an_order_to_a_machine_is_never_quoted() -> None:
    answer = built(HELPS, record(1, f"{GOOD} {ORDER}")).answer
    assert BETTER.rstrip(".") in answer.answer
    assert "gnore all previous" not in answer.answer


@pytest.mark.parametrize(("kind", "quoted"), [("abstract", True), ("summary", False)])
def test_only_a_source_s_own_words_stand_in_quotation_marks(kind: str, quoted: bool) -> None:
    answer = built(HELPS, record(1, GOOD, text_kind=kind)).answer
    (told,) = answer.parts[0].sentences
    assert ("“" in told.text) is quoted
    assert BETTER.rstrip(".") in told.text


def test_a_sentence_is_told_once_and_pointed_at_afterwards() -> None:
    made = built(ANSWERS["passages"][0], FOLIC)
    quoted = [s for s in made.answer.lead if s.origin == "quote"]
    assert len(quoted) == 1
    again = [s for part in made.answer.parts for s in part.sentences]
    assert again
    assert all(s.finding_ids == quoted[0].finding_ids for s in again)
    assert all(s.origin == "template" for s in again)


def test_the_checklist_tells_what_covers_each_need() -> None:
    answer = built(HELPS, record(1, GOOD), record(2, GOOD)).answer
    first, *rest = answer.checklist
    assert (first.coverage, first.evidence_ids) == (Coverage.SATISFIED, ("E1", "E2"))
    assert all(item.coverage is Coverage.UNSATISFIED for item in rest)
    assert len(answer.gaps) == len(rest)


def test_a_model_is_given_the_records_that_are_told_sentence_by_sentence() -> None:
    made = built(HELPS, *(record(n, GOOD) for n in range(1, 20)))
    draft = with_sources(made.draft, made.inquiry, made.store)
    assert {*draft.sources} < {*draft.findings}
    assert {*made.draft.findings} < {*draft.findings}
    given = list(draft.sources.values())
    assert all(len(finding.quotes) == 1 for finding in given)
    shown = list(dict.fromkeys(i for finding in given for i in finding.evidence_ids))
    told = set(made.draft.weighed[0].verdict.deciding_ids)
    assert 1 < len(shown) < 19
    assert {*shown} <= told


def test_a_passage_names_whom_it_is_of_by_the_title_of_its_record_too() -> None:
    made = built(HELPS, record(1, GOOD, title="Examplol for testitis in sailors"))
    passages = [finding for key, finding in made.draft.findings.items() if key[0] == "P"]
    assert passages
    assert all("testitis in sailors" in finding.population for finding in passages)
