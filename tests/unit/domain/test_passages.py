"""The body of a record begins behind its title, and a short title may begin a sentence."""

from __future__ import annotations

import pytest

from deepcritical.domain.text import body_sentences

_FIRST = "Pain fell by 12 points with naproxen."


@pytest.mark.parametrize("title", ["Pain", "Pain fell", "Pain fell by 12 points"])
def test_a_sentence_that_begins_as_a_short_title_is_of_the_body(title: str) -> None:
    told = body_sentences(f"{_FIRST} No patient died.", title)
    assert [span.text for span in told] == [_FIRST, "No patient died."]


@pytest.mark.parametrize("end", [".", "\n", ". ", ""])
def test_a_title_in_front_of_the_text_is_not_of_its_body(end: str) -> None:
    title = "Naproxen in gout"
    told = body_sentences(f"{title}{end}\nRESULTS: {_FIRST}", title)
    assert all(title not in span.text for span in told)
    assert any(_FIRST in span.text for span in told)
