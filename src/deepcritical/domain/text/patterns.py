"""Compiles regular expressions for untrusted text: every repeat in them is bounded.

A repeat without an end lets a pattern go over the rest of a text once for each of its characters,
so that the time grows with the square of the length, or faster.
"""

import re

_MOST_BLANKS, _MOST_LETTERS, _MOST = 20, 100, 300
"""Times that they repeat at most: blanks and marks, letters, and everything else.

No word or clause of an ordinary text is longer, nor a run of blanks once layout is removed. A
pattern that meets layout or blanked text is compiled by `re` and says why.
"""
_BLANKS = re.compile(r"\\[sW]| |\[(?!\^)(?:\\s|[^\w\\\]])+\]")
_ATOM = r"\\.|\[\^?+\]?+(?:\\.|[^\]\\])*+\]"
"""An escape or a set."""
_LETTERS = re.compile(r"\\[wd]|\[(?!\^)|\[\^\\W")
_REPEAT = re.compile(
    rf"[?}}]\+|(?P<atom>{_ATOM}|[^\\[])(?P<repeat>[*+]|\{{\d+,\}})(?P<possessive>\+?)|{_ATOM}",
    re.DOTALL,
)
"""Finds `*`, `+` and `{2,}` where they repeat: not escaped, in a set, or behind another repeat."""


def bounded(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile a pattern in which `*`, `+` and `{2,}` repeat a limited number of times.

    Repeats within or beside each other still multiply; `scripts/check_patterns.py` finds them.
    """
    return re.compile(_REPEAT.sub(_with_end, pattern), flags)


def _with_end(match: re.Match[str]) -> str:
    atom = match["atom"]
    if atom is None:
        return match[0]
    most = _MOST_LETTERS if _LETTERS.match(atom) else _MOST
    most = _MOST_BLANKS if _BLANKS.match(atom) else most
    least = {"*": "0", "+": "1"}.get(match["repeat"]) or match["repeat"][1:-2]
    return f"{atom}{{{least},{most}}}{match['possessive']}"
