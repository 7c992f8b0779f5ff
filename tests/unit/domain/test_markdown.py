from __future__ import annotations

import pytest

from deepcritical.domain.markdown import escape_markdown, unescape_markdown


def test_characters_that_steer_a_terminal_are_left_out() -> None:
    assert escape_markdown("A\x1b[31m study\u202e of\x07 examplol") == r"A\[31m study of examplol"


@pytest.mark.parametrize("text", ["plain", r"12 \[1\] e.g.", "<b>a</b> | *x*", "[un]", "\\"])
def test_text_comes_back_as_it_was_before_it_was_escaped(text: str) -> None:
    assert unescape_markdown(escape_markdown(text)) == text
