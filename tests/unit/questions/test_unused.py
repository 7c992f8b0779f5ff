"""Tests that the words of a question which nothing stands for are told."""

from __future__ import annotations

import pytest

from deepcritical.questions.forms import research_question, unused_words
from deepcritical.questions.reading import read_frame


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Does lithium reduce mortality in gout?", ()),
        ("Does lithium help hospitalised people on mechanical ventilation with gout?", ()),
        ("Is lithium safe in pregnancy?", ()),
        (
            "Does lithium monotherapy after bariatric surgery improve gout?",
            ("monotherapy after bariatric surgery",),
        ),
        ("Does oral lithium help in gout?", ("oral",)),
        ("Does lithium help in seronegative gout?", ("in seronegative",)),
        ("Does lithium help athletes with gout?", ("athletes",)),
        ("Does lithium calm agitation in gout?", ()),
        ("lithium versus aspirin for gout in flight attendants", ("in flight attendants",)),
        ("A pilot asks. Does lithium help in gout?", ()),
    ],
)
def test_words_that_no_part_of_the_frame_stands_for(text: str, words: tuple[str, ...]) -> None:
    assert unused_words(read_frame(text)) == words


def test_the_reader_is_told_of_them() -> None:
    told = research_question(read_frame("Does lithium help in seronegative gout?")).notices
    assert (
        'The studies were not selected or weighed by "seronegative", which the question names.'
        in told
    )
