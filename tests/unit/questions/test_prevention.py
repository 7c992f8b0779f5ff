"""Questions whether a drug keeps people from getting a condition."""

from __future__ import annotations

import pytest

from deepcritical.questions.reading import read_frame
from deepcritical.questions.wording import claim_of, plain_wording


@pytest.mark.parametrize(
    "text",
    [
        "Does ibuprofen prevent gout?",
        "ibuprofen gout prevention",
        "Can ibuprofen lower the risk of gout?",
        "Does ibuprofen reduce my chances of getting gout?",
        "Does ibuprofen delay the onset of gout?",
        "Does ibuprofen protect against gout?",
        "Does ibuprofen stop gout from developing?",
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
        "Does ibuprofen reduce pain?",
    ],
)
def test_what_only_patients_have_less_of_is_treatment(text: str) -> None:
    assert not read_frame(text).prevents


def test_a_plain_wording_asks_for_prevention_too() -> None:
    frame = read_frame("Can ibuprofen lower the risk of gout in women?")
    assert plain_wording(frame) == "Does ibuprofen prevent gout in women?"
    assert read_frame(plain_wording(frame)).prevents
