"""The verdict behind an answer is the one that a report gives over the same records."""

from __future__ import annotations

import pytest

from deepcritical.answering.needs import inquiry_of
from deepcritical.answering.weighing import candidates, drugs_asked, weigh
from deepcritical.appraisal.body.verdict import decide
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.checklist import Inquiry
from deepcritical.domain.appraisal.findings import Appraisal
from deepcritical.domain.appraisal.verdict import Verdict, VerdictLabel
from deepcritical.domain.evidence.grading import grade
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import literal_frame
from deepcritical.reading.library import read_by_code
from deepcritical.services.evidence_store import EvidenceStore
from tests.unit.answering.examples import GOOD, HELPS, NULL, TAKEN_BACK, built, entry, record

WORSE = GOOD.replace("significantly improved", "significantly worsened")
GOOD_SO_FAR, OPEN = VerdictLabel.PROMISING, VerdictLabel.INSUFFICIENT
OF_TESTITIS = "Which drugs help in gout?"


def reported(store: EvidenceStore, question: str) -> Verdict:
    """The verdict of a report over the records of a store."""
    asked = research_question(literal_frame(question))
    assert asked.drug
    assert asked.condition
    about = asked_of(asked.drug, asked.condition, asked.frame)
    copy = EvidenceStore()
    copy.add(store.evidence.values())
    readings = read_by_code(copy.evidence)
    for key, one in copy.evidence.items():
        graded = grade(one)
        reading = read_for(about, key, one, readings[key], graded)
        copy.add_appraisal(Appraisal.weighed(reading, graded))
    return decide(copy.studies(asked.drug.name))


@pytest.mark.parametrize(
    ("texts", "label"),
    [
        ((GOOD,), VerdictLabel.PROMISING),
        ((GOOD, GOOD, GOOD), VerdictLabel.PROMISING),
        ((NULL,), VerdictLabel.UNSUPPORTED),
        ((GOOD, NULL), VerdictLabel.MIXED),
        ((WORSE, WORSE), VerdictLabel.HARMFUL),
        (("Results: Testitis hurts.",), VerdictLabel.NOT_ASSESSED),
    ],
    ids=["one good", "three good", "null", "they disagree", "harm", "nothing read"],
)
def test_an_answer_carries_the_verdict_of_the_report(
    texts: tuple[str, ...], label: VerdictLabel
) -> None:
    records = [record(n, text) for n, text in enumerate(texts, 1)]
    taken_back = record(8, GOOD, publication_types=TAKEN_BACK)
    made = built(HELPS, *records, taken_back, entry(9, "RECRUITING"))
    verdict = reported(made.store, HELPS)
    (weighed,) = weigh(made.inquiry, made.store.evidence, made.store.readings)
    assert weighed.verdict == verdict
    assert made.answer.verdict == verdict
    assert verdict.label is label
    assert weighed.is_open == (label is VerdictLabel.NOT_ASSESSED)


def names(inquiry: Inquiry) -> tuple[list[str], str]:
    drugs, condition = drugs_asked(inquiry)
    return [drug.name for drug in drugs], condition.name if condition else ""


@pytest.mark.parametrize(
    ("question", "drugs", "condition"),
    [
        (HELPS, ["examplol"], "testitis"),
        ("Is aspirin better than clopidogrel in stroke?", ["aspirin"], "stroke"),
        ("Which drugs help in gout?", [], "gout"),
        ("What is the prevalence of gout?", [], ""),
        ("What is known about BACE1?", [], ""),
    ],
)
def test_a_verdict_is_on_a_drug_in_a_condition(
    question: str, drugs: list[str], condition: str
) -> None:
    found, inside = names(inquiry_of(question))
    assert found[: len(drugs) or None] == drugs
    assert inside == condition


def test_without_a_frame_nothing_is_weighed() -> None:
    inquiry = inquiry_of(HELPS).model_copy(update={"frame": None})
    assert drugs_asked(inquiry) == ((), None)
    assert weigh(inquiry, {"E1": record(1, GOOD)}, {}) == ()


def test_of_candidates_the_best_comes_first_and_those_of_titles_are_read() -> None:
    texts = {
        "Metformin": GOOD.replace("Examplol", "Metformin").replace("examplol", "metformin"),
        "Aspirin": NULL.replace("Examplol", "Aspirin").replace("examplol", "aspirin"),
    }
    records = [
        record(n, text.replace("testitis", "gout"), f"{drug} in gout")
        for n, (drug, text) in enumerate(texts.items(), 1)
    ]
    made = built(OF_TESTITIS, *records, record(3, "Ibuprofen was known.", "Asthma"))
    _, condition = drugs_asked(made.inquiry)
    assert condition
    found = [drug.name for drug in candidates(condition, made.store.evidence)]
    assert sorted(found) == ["aspirin", "metformin"]
    weighed = weigh(made.inquiry, made.store.evidence, made.store.readings)
    assert [one.drug.name for one in weighed] == ["metformin", "aspirin"]


def test_a_candidate_is_named_by_more_records_or_a_title_first() -> None:
    _, condition = drugs_asked(inquiry_of(OF_TESTITIS))
    assert condition
    records = {
        "E1": record(1, "Aspirin was allowed in gout.", "Metformin in gout"),
        "E2": record(2, "Aspirin was allowed in gout.", "Gout"),
    }
    found = [drug.name for drug in candidates(condition, records)]
    assert found == ["metformin", "aspirin"]


@pytest.mark.parametrize(
    ("question", "people", "label", "directness"),
    [
        ("Which drugs help in gout?", "inpatients", GOOD_SO_FAR, "direct"),
        ("Which drugs help inpatients with gout?", "inpatients", GOOD_SO_FAR, "direct"),
        ("Which drugs help children with gout?", "adults", GOOD_SO_FAR, "broader"),
        ("Which drugs help outpatients with gout?", "inpatients", GOOD_SO_FAR, "broader"),
        ("Which drugs lower mortality in gout?", "adults", OPEN, "direct"),
    ],
)
def test_people_and_outcomes_of_a_question_on_candidates_are_those_of_each_candidate(
    question: str, people: str, label: VerdictLabel, directness: str
) -> None:
    text = (
        f"Methods: 300 {people} with gout were randomised to metformin or placebo. "
        "Results: Metformin significantly improved pain compared with placebo (p = 0.01)."
    )
    made = built(question, record(1, text, f"Metformin in {people} with gout"))
    (weighed,) = weigh(made.inquiry, made.store.evidence, made.store.readings)
    assert weighed.verdict.label is label
    assert [row.directness for row in weighed.verdict.rows] == [directness]
