"""Drugs asked about among those that a question names, and names of one drug."""

from __future__ import annotations

import pytest

from deepcritical.domain.question.frame import QuestionKind
from deepcritical.questions.naming import find_names
from deepcritical.questions.reading import read_frame
from deepcritical.vocabulary.classes import drug_class


@pytest.mark.parametrize(
    ("text", "drug", "members"),
    [
        (
            "Do SSRIs (sertraline, citalopram or fluoxetine) help in panic disorder?",
            "SSRIs",
            ("sertraline", "citalopram", "fluoxetine"),
        ),
        (
            "Does a statin (e.g. atorvastatin, rosuvastatin) prevent stroke?",
            "statins",
            ("atorvastatin", "rosuvastatin"),
        ),
        (
            "Does rivaroxaban or apixaban prevent pulmonary embolism?",
            "rivaroxaban or apixaban",
            ("rivaroxaban", "apixaban"),
        ),
        (
            "Do anticonvulsants (at night with gabapentin, pregabalin) reduce pruritus?",
            "anticonvulsants",
            ("gabapentin", "pregabalin"),
        ),
    ],
)
def test_drugs_of_one_kind_are_a_class(text: str, drug: str, members: tuple[str, ...]) -> None:
    frame = read_frame(text)
    assert (frame.kind, frame.comparators) == (QuestionKind.CLASS, ())
    assert ([d.name for d in frame.drugs], frame.members) == ([drug], members)


@pytest.mark.parametrize(
    ("text", "drug"),
    [
        ("Does a beta blocker (propranolol) help in stage fright and tremor?", "propranolol"),
    ],
)
def test_one_example_is_the_drug_unless_it_is_said_to_be_one(text: str, drug: str) -> None:
    assert [d.name for d in read_frame(text).drugs] == [drug]


@pytest.mark.parametrize(
    "text",
    [
        "Is apixaban or rivaroxaban better for pulmonary embolism?",
        "Does apixaban or rivaroxaban prevent more strokes in atrial fibrillation?",
        "apixaban or rivaroxaban for pulmonary embolism?",
    ],
)
def test_a_choice_of_two_drugs_stays_a_comparison(text: str) -> None:
    frame = read_frame(text)
    assert frame.kind is QuestionKind.COMPARISON
    assert ([d.name for d in frame.drugs], frame.comparators) == (["apixaban"], ("rivaroxaban",))


def test_a_list_of_drugs_is_a_class_by_its_name() -> None:
    group = drug_class("allopurinol, febuxostat or probenecid")
    assert group
    assert group.members == ("allopurinol", "febuxostat", "probenecid")
    assert drug_class("allopurinol or something") is None


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        ("Does suvorexant (MK-4305) help in insomnia?", ["suvorexant"]),
        ("Does MK-4305 (suvorexant) help in insomnia?", ["suvorexant"]),
        ("Lipitor/Sortis (CI-981) for stroke prevention", ["atorvastatin"]),
    ],
)
def test_a_code_in_brackets_is_another_name(text: str, drugs: list[str]) -> None:
    frame = read_frame(text)
    assert (frame.kind, [d.name for d in frame.drugs]) == (QuestionKind.EFFICACY, drugs)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Does colchicine prevent stroke in patients taking statins?", "stroke"),
        ("Does vitamin D help bone loss in people on long-term corticosteroids?", "bone loss"),
        ("Does dapagliflozin added to ACE inhibitors slow diabetic nephropathy?", None),
        ("lubiprostone for opioid constipation", "constipation"),
        ("Does lubiprostone relieve the constipation you get from opioids?", "constipation"),
    ],
)
def test_a_drug_that_people_have_already_is_not_asked_about(
    text: str, condition: str | None
) -> None:
    frame = read_frame(text)
    assert (frame.kind, len(frame.drugs)) == (QuestionKind.EFFICACY, 1)
    assert frame.comparators == ()
    if condition:
        assert frame.condition
        assert frame.condition.name == condition


@pytest.mark.parametrize(
    ("text", "drugs"),
    [
        (
            "Is clarithromycin safe in patients taking simvastatin?",
            ["clarithromycin"],
        ),
        ("Does adding ezetimibe to rosuvastatin prevent stroke?", ["ezetimibe"]),
        ("Do people taking lithium get more gout?", ["lithium"]),
    ],
)
def test_a_drug_beside_another_is_asked_about(text: str, drugs: list[str]) -> None:
    assert [d.name for d in read_frame(text).drugs] == drugs


@pytest.mark.parametrize(
    ("text", "drugs", "beside"),
    [
        (
            "Do IL-23 inhibitors clear psoriasis when ciclosporin has not been enough?",
            ["IL-23 inhibitors"],
            ["cyclosporine"],
        ),
        (
            "JAK inhibitors in alopecia areata despite prednisolone",
            ["JAK inhibitors"],
            ["prednisolone"],
        ),
        ("Does the SGLT2 inhibitor canagliflozin slow CKD?", ["canagliflozin"], []),
        (
            "Does dupilumab let asthmatics cut down their oral corticosteroids?",
            ["dupilumab"],
            ["corticosteroids"],
        ),
    ],
)
def test_a_class_beside_a_drug_is_asked_about(
    text: str, drugs: list[str], beside: list[str]
) -> None:
    names = find_names(text)
    assert [d.drug.name for d in names.drugs] == drugs
    assert [d.drug.name for d in names.beside] == beside
