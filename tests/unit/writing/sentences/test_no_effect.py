"""Figures beside no effect keep their side, and names within a sentence keep their letters."""

from __future__ import annotations

import pytest

from deepcritical.domain.appraisal.effect_words import effect_size, effect_words
from deepcritical.domain.appraisal.votes import PooledEffect, Way
from deepcritical.domain.study.reading import Effect
from deepcritical.domain.text.quantities import quantities, same_value
from deepcritical.vocabulary.words import in_running_text
from deepcritical.writing.sentences.findings import study_sentence
from tests.unit.appraisal.builders import vote
from tests.unit.domain.appraisal.test_effect_words import LARGE, row


@pytest.mark.parametrize(
    ("measure", "figures", "told"),
    [
        ("OR", (0.714286, 0.5102041, 0.9960159), "0.71, 95 % CI 0.51 to 0.996"),
        ("RR", (1.2, 1.0000412, 1.44), "1.2, 95 % CI 1.00004 to 1.44"),
        ("HR", (0.9, 0.81, 0.9999996), "0.9, 95 % CI 0.81 to 0.9999996"),
        ("OR", (0.9, 0.81, 1.0), "0.9, 95 % CI 0.81 to 1"),
        ("MD", (0.2512345, 0.00412345, 0.5), "0.25, 95 % CI 0.0041 to 0.5"),
    ],
)
def test_a_bound_stays_on_its_side(measure: str, figures: tuple[float, ...], told: str) -> None:
    fields = dict(zip(("value", "ci_low", "ci_high"), figures, strict=True))
    assert effect_words(Effect.model_validate({"measure": measure, **fields})).endswith(told)


def test_a_pooled_bound_stays_on_its_side() -> None:
    fixed = (0.8, 0.7, 0.9)
    pooled = PooledEffect(
        measure="RR", studies=1, value=0.8, ci_low=0.64, ci_high=0.99713, fixed=fixed, i2=0
    )
    assert effect_size(row(LARGE, pooled=pooled)).endswith("0.64 to 0.997")
    apart = pooled.model_copy(update={"measure": "MD", "ci_low": -0.7, "ci_high": -0.00213})
    assert apart.as_effect().ci_high == -0.002


@pytest.mark.parametrize(
    ("said", "source", "same"),
    [
        ("p = 0.050", "p = 0.0496", False),
        ("p = 0.05", "p = 0.0496", False),
        ("p = 0.030", "p = 0.0296", True),
        ("ratio 1.00", "ratio 0.996", False),
        ("ratio 1.10", "ratio 1.096", True),
        ("1.0 mg", "0.996 mg", True),
    ],
)
def test_rounding_wins_and_loses_no_significance(said: str, source: str, *, same: bool) -> None:
    assert same_value(quantities(said)[0], quantities(source)[0]) is same


@pytest.mark.parametrize(
    ("outcome", "within"),
    [
        ("NPI-NH", "NPI-NH"),
        ("mMSE score", "mMSE score"),
        ("HbA1c", "HbA1c"),
        ("Mean change in weight", "mean change in weight"),
        ("Overall survival", "overall survival"),
        ("Alzheimer's disease", "Alzheimer's disease"),
        ("Parkinson’s tremor", "Parkinson’s tremor"),
        ("Cochrane risk", "Cochrane risk"),
        ("Hamilton Depression Scale", "Hamilton Depression Scale"),
        ("Chinese adults", "Chinese adults"),
        ("Obese adults", "obese adults"),
        ("A flurb score", "a flurb score"),
        ("B cells", "B cells"),
        ("T-score", "T-score"),
        ("", ""),
    ],
)
def test_only_an_ordinary_word_begins_small(outcome: str, within: str) -> None:
    assert in_running_text(outcome) == within


def test_a_sentence_on_a_study_keeps_its_abbreviations() -> None:
    for outcome in ("NPI-NH", "mMSE"):
        told = study_sentence("Test 2029", vote(Way.BENEFIT, outcome=outcome, effect=None))
        assert told == f"In Test 2029, {outcome}: better with the drug."
