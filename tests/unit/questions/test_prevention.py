"""Questions whether a drug keeps people from getting a condition."""

from __future__ import annotations

import pytest

from deepcritical.questions.claims import claim_of
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    "text",
    [
        "Does ibuprofen prevent gout?",
        "ibuprofen gout prevention",
        "Can ibuprofen lower the risk of gout?",
        "Does ibuprofen reduce my chances of getting gout?",
        "Does ibuprofen protect against gout?",
        "Does ibuprofen stop gout from developing?",
        "Does ibuprofen lower gout risk?",
        "Is the incidence of gout lower with ibuprofen?",
        "Do fewer people get gout on ibuprofen?",
        "Does ibuprofen keep people from developing gout?",
        "Does ibuprofen protect the joints against gout?",
    ],
)
def test_whoever_is_kept_from_a_condition_does_not_have_it(text: str) -> None:
    frame = read_frame(text)
    assert frame.prevents
    assert claim_of(frame) == "ibuprofen prevents gout"


@pytest.mark.parametrize(
    "text",
    [
        "Does ibuprofen help in gout?",
        "Does ibuprofen prevent attacks of gout?",
        "Does ibuprofen reduce mortality in gout?",
        "Does ibuprofen slow the progression of gout?",
        "Does ibuprofen prevent recurrent gout?",
        "Does ibuprofen increase the risk of gout?",
        "Does ibuprofen lower heart rate in gout?",
        "Does ibuprofen lower gout mortality?",
        "Does ibuprofen prevent asthma attacks?",
        "Does ibuprofen reduce pain?",
    ],
)
def test_what_only_patients_have_less_of_is_treatment(text: str) -> None:
    assert not read_frame(text).prevents


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Does aspirin prevent heart attacks?", "heart attacks"),
        (
            "Do statins delay the onset of gout and lower the incidence of stroke?",
            "gout and stroke",
        ),
        ("Does zinc cut the risk of pneumonia or the rate of sepsis?", "pneumonia and sepsis"),
    ],
)
def test_what_is_to_begin_less_often_is_prevented(text: str, condition: str) -> None:
    frame = read_frame(text)
    assert frame.condition
    assert (frame.condition.name, frame.population, frame.prevents) == (condition, (), True)


def test_less_pain_of_an_injury_is_treatment() -> None:
    assert not read_frame("Does zinc reduce pain in fractures?").prevents
