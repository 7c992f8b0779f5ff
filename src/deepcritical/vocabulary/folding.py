"""One spelling of a name for comparing: case, accents, Greek letters, plurals, British forms."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from deepcritical.domain.patterns import bounded

GREEK_NAMES = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψω",
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
        "sigma sigma tau upsilon phi chi psi omega".split(),
        strict=True,
    )
)
"""Lower-case Greek letter -> its name."""

_GREEK = "α-ωΑ-Ω"
_BRITISH = re.compile(r"(?<=[a-z]{3})our|(?<=[a-z]{3})is(?=(?:e|e[ds]|ing|ations?)$)|sulph|fibre")
_AMERICAN = {"our": "or", "is": "iz", "sulph": "sulf", "fibre": "fiber"}
_TOKEN = bounded(rf"([{_GREEK}]|[^\W_{_GREEK}]+)(['’ʼ`´]s(?![^\W_]))?", re.IGNORECASE)


class Token(NamedTuple):
    """A word of a text: `source[start:end]`."""

    folded: str
    start: int
    end: int
    possessive_end: int
    """End including a possessive 's; equal to `end` without one."""


@lru_cache(maxsize=65536)
def fold_word(word: str) -> str:
    """One spelling of a word for comparing: lower-case, no accents, American, singular."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    low = plain.casefold()
    low = GREEK_NAMES.get(low, low).replace("ae", "e").replace("oe", "e")
    low = _BRITISH.sub(lambda found: _AMERICAN[found[0]], low)
    return low[:-1] if re.fullmatch(r"\w{3,}[^siu]s", low) else low


def tokens_of(text: str) -> list[Token]:
    """The words of a text, in order."""
    return [
        Token(fold_word(match[1]), match.start(1), match.end(1), match.end())
        for match in _TOKEN.finditer(text)
    ]


def key_of(text: str) -> str:
    """The folded words of a name, with a blank between; '' when it has none."""
    return " ".join(token.folded for token in tokens_of(text))
