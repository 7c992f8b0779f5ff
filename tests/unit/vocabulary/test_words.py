"""Ordinary English, by which an unknown name is told from a word."""

from __future__ import annotations

import pytest

from deepcritical.vocabulary.words import is_english


@pytest.mark.parametrize(
    "word",
    "women died doesn't won’t exacerbations hospitalisation postmenopausal perioperative "
    "physiotherapy microbiome randomised online neonates".split(),
)
def test_a_word_of_english_or_of_medicine(word: str) -> None:
    assert is_english(word)
    assert is_english(word.capitalize())


@pytest.mark.parametrize("word", ["examplol", "metfornim", "qwoeiu", "hcq", "copd"])
def test_a_name_or_nonsense_is_no_word(word: str) -> None:
    assert not is_english(word)
