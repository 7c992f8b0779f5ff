"""Text of records and users made safe for files of lines, cells and XML."""

from __future__ import annotations

import unicodedata

from deepcritical.domain.markdown import visible

_NO_CHARACTER = frozenset(("Cc", "Cs", "Cn"))
"""Controls, halves of surrogate pairs, and code points that are no character, as XML forbids."""


def one_line(text: str) -> str:
    """The text on one line, of characters that every format may hold."""
    kept = "".join(" " if c.isspace() else c for c in visible(text))
    return " ".join(
        "".join(c for c in kept if unicodedata.category(c) not in _NO_CHARACTER).split()
    )
