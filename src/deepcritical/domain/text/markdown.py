"""Escapes text of records and users for Markdown."""

import unicodedata
from collections.abc import Sequence

from deepcritical.domain.text.patterns import bounded

_SPECIAL = bounded(r"([\\`*_\[\]<>|~]|&(?=#|\w+;))")
_ESCAPED = bounded(r"\\([^\w\s])")
_NO_CHARACTER = ("Cs", "Cn")
"""Halves of surrogate pairs, and code points that are no character, as XML forbids."""
_LINE_START = bounded(r"^(\d*)(?:([#=-])(?=\2*(?:\s|$))|([+.)])(?=\s|$))")


def visible(text: str) -> str:
    """Text without control and format characters, which could steer a terminal or hide words."""
    if text.isprintable():
        return text
    return "".join(
        c
        for c in text
        if c.isprintable() or c.isspace() or unicodedata.category(c) not in ("Cc", "Cf")
    )


def one_line(text: str) -> str:
    """Return the visible text on one line, of characters that every format may hold."""
    kept = visible(text)
    if not kept.isprintable():
        kept = "".join(
            c for c in kept if c.isprintable() or unicodedata.category(c) not in _NO_CHARACTER
        )
    return " ".join(kept.split())


def escape_markdown(text: str) -> str:
    """Text in which nothing is markup, a link, HTML, a citation marker or an escape sequence."""
    return _LINE_START.sub(r"\1\\\2\3", _SPECIAL.sub(r"\\\1", one_line(text)))


def unescape_markdown(text: str) -> str:
    """Text as it was before `escape_markdown`."""
    return _ESCAPED.sub(r"\1", text)


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table; cells must be escaped already."""
    lines = [header, tuple("---" for _ in header), *rows]
    return "\n".join(f"| {' | '.join(cell or '–' for cell in line)} |" for line in lines)
