"""Finds what a question says is measured."""

from __future__ import annotations

from deepcritical.questions import cues


def measures_in(text: str, taken: str = "") -> tuple[str, ...]:
    """Return what is measured; of "progression-free survival" not survival and progression, too.

    Args:
        text: Where it is said.
        taken: Words of it that mean something else.
    """
    found = [
        (name, match.start(), match.end())
        for name, pattern in cues.OUTCOMES
        for match in pattern.finditer(text)
        if match[0].casefold() not in taken
    ]
    whole = [
        name
        for name, start, end in found
        if not any(s <= start and end <= e and (s, e) != (start, end) for _, s, e in found)
    ]
    return tuple(dict.fromkeys(whole))
