"""The direction of effect of made-up arms on made-up outcomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepcritical.reasoning.comparisons import comparison
from deepcritical.reasoning.effects import EffectDirection, effect

UP, DOWN, SAME = (
    EffectDirection.INCREASED,
    EffectDirection.DECREASED,
    EffectDirection.NO_DIFFERENCE,
)


@pytest.mark.parametrize(
    ("result", "direction"),
    [
        ("Pain was lower with examplol than with placebo.", DOWN),
        ("Pain was higher with placebo than with examplol.", DOWN),
        ("Pain was higher in the placebo group.", DOWN),
        ("Compared with placebo, examplol increased pain.", UP),
        ("Compared with examplol, placebo increased pain.", DOWN),
        ("Pain did not differ between examplol and placebo.", SAME),
        ("Pain was similar with examplol and placebo.", SAME),
        ("Pain fell more with examplol, but not significantly (p = 0.3).", SAME),
        ("The reduction in pain was greater with examplol than with placebo.", DOWN),
        ("The reduction in pain was smaller with examplol than with placebo.", UP),
        ("Pain improved with examplol (p = 0.01).", DOWN),
        ("Pain worsened with examplol (p = 0.01).", UP),
        ("Pain was 3.1 with examplol versus 5.2 with placebo (p = 0.01).", DOWN),
        ("Pain was 5.2 with placebo versus 3.1 with examplol (p = 0.01).", DOWN),
        ("Pain was 3.1 with examplol versus 5.2 with placebo (p = 0.4).", SAME),
        ("Similarly, pain declined with examplol.", DOWN),
        ("Itching increased and pain was reduced with examplol.", DOWN),
    ],
)
def test_a_result_tells_the_direction(result: str, direction: EffectDirection) -> None:
    text = f"AIM: To see whether pain rises. METHODS: Pain was measured. RESULTS: {result}"
    found = effect(text, "examplol", "placebo", "pain")
    assert found is not None
    assert found.direction is direction, found
    assert text[found.start : found.end] == found.quote == result


def test_better_is_more_of_what_is_good() -> None:
    found = effect("Survival improved with examplol.", "examplol", "placebo", "survival")
    assert found is not None
    assert found.direction is UP


def test_the_sentence_on_the_outcome_is_chosen() -> None:
    text = (
        "RESULTS: Itching rose with examplol. Mean testose score (MTS) was lower with examplol "
        "than with placebo. Fever rose in both groups. CONCLUSION: Examplol raised itching."
    )
    by_name = effect(text, "examplol", "placebo", "mean testose score")
    by_abbreviation = effect(text, "examplol", "placebo", "MTS")
    assert by_name == by_abbreviation
    assert by_name is not None
    assert by_name.quote.startswith("Mean testose")


def test_a_change_in_both_arms_is_outweighed_by_their_difference() -> None:
    text = (
        "RESULTS: Pain fell in both groups. Pain was higher with examplol than with placebo. "
        "Age was noted."
    )
    found = effect(text, "examplol", "placebo", "pain")
    assert found is not None
    assert found.direction is UP


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RESULTS: Age was noted. Itching rose. Fever fell.",
        "METHODS: Pain was lower with examplol.",
    ],
)
def test_what_is_not_told_is_none(text: str) -> None:
    assert effect(text, "examplol", "placebo", "pain") is None


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (
            "Does examplol reduce pain compared with placebo?",
            ("examplol", DOWN, "pain", "placebo"),
        ),
        (
            "Examplol significantly increases the rate of cure versus usual care.",
            ("Examplol", UP, "rate of cure", "usual care"),
        ),
        (
            "Examplol has no effect on pain compared to placebo",
            ("Examplol", SAME, "pain", "placebo"),
        ),
        (
            "Examplol does not affect pain relative to placebo",
            ("Examplol", SAME, "pain", "placebo"),
        ),
        ("Does examplol reduce pain?", None),
        ("Is examplol better than placebo?", None),
    ],
)
def test_a_claim_names_its_arms(claim: str, expected: object) -> None:
    assert comparison(claim) == expected


WORDS = st.lists(
    st.sampled_from(
        "pain examplol placebo fell rose than versus with no not 3.1 5.2 % (p = 0.01) p=0.4 . "
        "RESULTS: lower higher in the group both groups reduction of greater smaller".split()
    ),
    max_size=25,
).map(" ".join)


@given(WORDS)
def test_every_quote_is_where_it_says(text: str) -> None:
    found = effect(text, "examplol", "placebo", "pain")
    assert found is None or text[found.start : found.end] == found.quote
