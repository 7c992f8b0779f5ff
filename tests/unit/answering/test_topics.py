"""Topics of a question: names that a vocabulary knows, and words that only rank."""

from __future__ import annotations

import pytest

from deepcritical.answering.topics import Weights, folded, topics_of
from deepcritical.domain.evidence import Evidence
from deepcritical.questions.reading import literal_frame
from tests.conftest import make_evidence

GOUT = make_evidence("Metformin in gout", "Metformin was given.")
OTHER = make_evidence("Aspirin in gout", "Nausea was rare.")
RECORDS = (GOUT, OTHER)


@pytest.mark.parametrize(
    ("question", "subjects", "words"),
    [
        ("Does metformin help in gout?", {"metformin", "gout"}, set()),
        ("Does folic acid reduce methotrexate toxicity?", {"folic acid", "methotrexate"}, set()),
        ("Is aspirin safe in pregnancy?", {"aspirin"}, {"pregnancy"}),
        ("How many patients have gout?", {"gout"}, set()),
        ("Who should really get statins, and why?", {"statins"}, set()),
        ("What is known about BACE1?", set(), {"bace1"}),
        ("Does metformin change cerebral blood flow?", {"metformin"}, {"cerebral blood flow"}),
        ("Is ultrasound accurate in appendicitis?", {"appendicitis"}, {"ultrasound"}),
    ],
)
def test_names_are_told_from_words_and_words_of_asking_are_none(
    question: str, subjects: set[str], words: set[str]
) -> None:
    topics = topics_of(literal_frame(question))
    assert {subject.name for subject in topics.subjects} == subjects
    assert {word[0] for word in topics.words} >= words
    assert words or not topics.words


@pytest.mark.parametrize(
    ("question", "title", "is_named"),
    [
        ("Does vitamin C prevent gout?", "Ascorbic acid for gout", True),
        ("Does metformin help in gout?", "Metformin for gouty arthritis", True),
        ("Do statins help in gout?", "Atorvastatin in gout", True),
        ("Do statins help in gout?", "Metformin in gout", False),
        ("Does metformin help in gout?", "Metformin in asthma", False),
        ("Does metformin help in gout?", "Metformination of gouts", False),
    ],
)
def test_a_subject_is_found_by_its_names_its_members_and_narrower_conditions(
    question: str, title: str, is_named: bool
) -> None:
    subjects = topics_of(literal_frame(question)).subjects
    assert len(subjects) == 2
    assert all(s.is_of(make_evidence(title)) for s in subjects) is is_named


def test_a_registry_s_own_terms_name_a_subject() -> None:
    (drug, condition) = topics_of(literal_frame("Does metformin help in gout?")).subjects
    entry = make_evidence("A study", conditions=("Gout",), interventions=("Metformin",))
    assert drug.is_of(entry)
    assert condition.is_of(entry)


def coverage(question: str, text: str, *records: Evidence) -> float:
    topics = topics_of(literal_frame(question))
    return topics.coverage(folded(text), Weights(records or RECORDS))


def test_a_question_of_names_alone_is_covered_by_any_text() -> None:
    assert coverage("Does metformin help in gout?", "Nothing.") == 1.0


@pytest.mark.parametrize("form", ["pregnancy", "pregnancies", "Pregnancy:"])
def test_a_word_is_found_in_its_forms(form: str) -> None:
    assert coverage("Is aspirin safe in pregnancy?", f"Aspirin, {form}") == 1.0


@pytest.mark.parametrize("other", ["", "preg", "impregnation"])
def test_another_word_is_no_form_of_it(other: str) -> None:
    assert coverage("Is aspirin safe in pregnancy?", f"Aspirin, {other}.") == 0.0


def test_an_outcome_is_found_under_its_other_names() -> None:
    assert coverage("Does metformin shrink tophi in gout?", "Tophus resolution was seen.") > 0


def test_a_rare_word_weighs_more_than_one_that_all_records_have() -> None:
    common = [make_evidence(f"Nausea {n}", "Nausea was seen.") for n in range(5)]
    rare = make_evidence("Rashes", "A rash was seen, with nausea.")
    weights = Weights([*common, rare])
    assert weights.of(("rash",)) > weights.of(("nausea",)) > 0


def test_a_word_that_no_record_has_weighs_less_than_one_that_tells_records_apart() -> None:
    weights = Weights(RECORDS)
    assert 0 < weights.of(("flurb",)) < weights.of(("nausea",))
