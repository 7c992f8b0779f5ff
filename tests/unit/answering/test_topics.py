"""Topics of a question: names that a vocabulary knows, and words that only rank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.answering.needs import checklist_of, inquiry_of, plainly
from deepcritical.answering.queries import need_queries
from deepcritical.answering.topics import Weights, asked_in, folded, topics_of
from deepcritical.domain.appraisal.checklist import Inquiry
from deepcritical.domain.evidence.record import Evidence
from deepcritical.questions.reading import literal_frame
from deepcritical.services.evidence_store import EvidenceStore
from tests.conftest import make_evidence

GOUT = make_evidence("Metformin in gout", "Metformin was given.")
OTHER = make_evidence("Aspirin in gout", "Nausea was rare.")
RECORDS = (GOUT, OTHER)


@pytest.mark.parametrize(
    ("question", "subjects", "words"),
    [
        ("Does metformin help in gout?", {"metformin", "gout"}, set()),
        ("Does folic acid reduce methotrexate toxicity?", {"folic acid", "methotrexate"}, set()),
        ("Is aspirin safe in pregnancy?", {"aspirin"}, {"pregnant women"}),
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


WORDINGS = (
    (
        "Does allopurinol reduce mortality in gout?",
        "allopurinol gout mortality",
        "My father has gout and his doctor brought up allopurinol. Do people on it die less often?",
        "Is it true that allopurinol does not lower mortality in gout?",
        "Please tell me whether allopurinol reduces deaths in gout.",
    ),
    (
        "What are the side effects of colchicine in gout?",
        "colchicine gout side effects",
        "I take colchicine for my gout. I'd like to know what side effects people get from it.",
        "AEs of colchicine in gout?",
    ),
    (
        "How does metformin act on AMPK in type 2 diabetes?",
        "By what mechanism does metformin affect AMPK in T2D (type 2 diabetes)?",
        "I have read that type 2 diabetes has to do with AMPK. How does metformin act on AMPK?",
    ),
    (
        "Does metformin help children with type 2 diabetes?",
        "metformin type 2 diabetes pediatric",
        "Is metformin useful for kids who have T2D?",
    ),
    (
        "How often does diarrhoea occur with colchicine?",
        "colchicine diarrhea incidence",
        "I take colchicine and heard of diarrhoea. How common is that in people who take it?",
    ),
)


@pytest.mark.parametrize("wordings", WORDINGS, ids=lambda told: told[0])
def test_one_question_has_the_same_topics_and_searches_in_all_its_wordings(
    wordings: tuple[str, ...],
) -> None:
    inquiries = [inquiry_of(text) for text in wordings]
    topics = [topics_of(inquiry.frame) for inquiry in inquiries if inquiry.frame]
    assert len({(frozenset(s.keys for s in t.subjects), t.words) for t in topics}) == 1
    assert len({plainly(inquiry) for inquiry in inquiries}) == 1
    searched = {
        tuple(q.text for q in need_queries(inquiry, _begun(inquiry))) for inquiry in inquiries
    }
    assert len(searched) == 1


def _begun(inquiry: Inquiry) -> EvidenceStore:
    store = EvidenceStore()
    store.checklist = checklist_of(inquiry)
    return store


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Does it help?", "Does it help?"),
        ("gout metformin", "gout metformin"),
        ("I have gout. Does metformin help?", "Does metformin help?"),
        ("He has gout; I wonder if metformin helps. He is old.", "I wonder if metformin helps."),
        ("Does metformin help? give figures", "Does metformin help? give figures"),
        ("My mother has gout. She takes metformin.", ""),
    ],
)
def test_a_story_told_beside_a_question_is_not_what_it_asks(text: str, asked: str) -> None:
    assert asked_in(text) == (asked or text)


@given(st.permutations(["purine", "fructose", "lemon", "gout"]))
def test_the_order_of_words_changes_no_topic(words: list[str]) -> None:
    found = topics_of(literal_frame(", ".join(words)))
    usual = topics_of(literal_frame("purine, fructose, lemon, gout"))
    assert found.words == usual.words
    assert {s.keys for s in found.subjects} == {s.keys for s in usual.subjects}


@pytest.mark.parametrize(
    ("question", "title", "named"),
    [
        ("Does metformin help in gout?", "Metformin in asthma", True),
        ("Does metformin help in gout?", "Aspirin in gout", False),
        ("What causes gout?", "Aspirin in gout", True),
        ("What causes gout?", "Aspirin in asthma", False),
        ("What is known about BACE1?", "Aspirin in asthma", True),
    ],
)
def test_a_record_names_a_drug_asked_about_or_without_one_a_condition(
    question: str, title: str, named: bool
) -> None:
    topics = topics_of(literal_frame(question))
    assert topics.are_named_in(make_evidence(title), by_drug=True) is named


def test_where_other_drugs_are_sought_a_condition_is_enough() -> None:
    topics = topics_of(literal_frame("Which drugs other than metformin help in gout?"))
    assert topics.are_named_in(make_evidence("Aspirin in gout"), by_drug=False)
    assert not topics.are_named_in(make_evidence("Aspirin in asthma"), by_drug=False)


def test_an_outcome_is_found_by_all_the_words_that_a_question_may_use_for_it() -> None:
    assert coverage("Does metformin improve memory in gout?", "Cognition was better.") == 1.0
    assert coverage("Does metformin help children with gout?", "Paediatric patients.") == 1.0


@pytest.mark.parametrize(
    ("question", "outcomes"),
    [
        (
            "Does thalidomide prolong progression-free survival in myeloma?",
            {"progression free survival"},
        ),
        (
            "Is myeloma getting worse on thalidomide, in progression-free survival?",
            {"progression free survival"},
        ),
        (
            "Does thalidomide prolong progression-free survival and survival in myeloma?",
            {"progression free survival", "survival"},
        ),
    ],
)
def test_an_outcome_within_another_one_counts_where_it_is_named_itself(
    question: str, outcomes: set[str]
) -> None:
    assert {word[0] for word in topics_of(literal_frame(question)).words} == outcomes


def test_what_stands_instead_of_another_drug_is_ranked_by_no_dose() -> None:
    asked = plainly(inquiry_of("clopidogrel instead of aspirin after stroke"))
    assert asked.startswith("How do the treatments compare in stroke: clopidogrel and aspirin?")
    assert "dose" not in asked
