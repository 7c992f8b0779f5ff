from __future__ import annotations

from deepcritical.domain.markdown import escape_markdown


def test_characters_that_steer_a_terminal_are_left_out() -> None:
    assert escape_markdown("A\x1b[31m study\u202e of\x07 examplol") == r"A\[31m study of examplol"
