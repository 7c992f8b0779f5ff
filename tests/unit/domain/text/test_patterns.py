"""Patterns whose repeats have an end, and texts that are cut."""

import re

import pytest

from deepcritical.domain.evidence.designs import Design, design_of
from deepcritical.domain.evidence.record import MAX_ABSTRACT_CHARS, cut
from deepcritical.domain.text.patterns import bounded
from tests.unit.domain.records import paper


@pytest.mark.parametrize(
    ("written", "compiled"),
    [
        ("a*b+", "a{0,300}b{1,300}"),
        ("a+?b*+", "a{1,300}?b{0,300}+"),
        (r"\s*\w+\W+", r"\s{0,20}\w{1,100}\W{1,20}"),
        ("[a-z]+[^.;]*[,-]*", "[a-z]{1,100}[^.;]{0,300}[,-]{0,20}"),
        ("[a-z]{3,}", "[a-z]{3,100}"),
        (r"(?:a )+\++[+*][]+]", r"(?:a ){1,300}\+{1,300}[+*][]+]"),
        ("a?+b{1,2}+", "a?+b{1,2}+"),
    ],
)
def test_each_repeat_has_an_end_and_nothing_else_changes(written: str, compiled: str) -> None:
    assert bounded(written, re.IGNORECASE) == re.compile(compiled, re.IGNORECASE)


@pytest.mark.parametrize(
    "words",
    [
        "A randomised trial",
        "A randomised, double-blind, placebo-controlled, parallel-group trial",
        "A randomised controlled-trial",
        "A randomised two-by-two-factorial pilot",
    ],
)
def test_a_randomised_trial_is_known_by_its_words(words: str) -> None:
    assert design_of(paper("Examplol", f"{words} of examplol.")).design is Design.RCT


@pytest.mark.parametrize("n", [400, 50_000])
def test_a_text_of_hyphens_behind_randomised_is_read(n: int) -> None:
    poison = paper("Examplol in testitis", "randomised " + "a-" * n)
    assert design_of(poison).design is Design.UNCLEAR


def test_a_longer_text_is_cut_and_the_record_says_so() -> None:
    whole = paper("Examplol", "a" * MAX_ABSTRACT_CHARS, note="Checked.")
    assert cut(whole) == whole
    shorter = cut(whole.model_copy(update={"content": f"{whole.content}b"}))
    assert shorter.content == whole.content
    assert shorter.metadata.note == (
        "Checked. Only the first 12,000 characters of this record were read."
    )
