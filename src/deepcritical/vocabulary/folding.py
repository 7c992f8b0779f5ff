"""Folds names to one spelling (case, accents, Greek, plurals, British) and finds them in text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

from deepcritical.domain.text.patterns import bounded

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
Found = TypeVar("Found")
Word = TypeVar("Word")
SEPARATORS = r"[\s\-\u2010-\u2015\u2212/'’ʼ]{0,2}"
"""Pattern of the characters that may stand between two words of a name."""
_NEGATED = bounded(r"(?<![^\W_])non[- ]\Z", re.IGNORECASE)


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


def scan(
    tokens: Sequence[Word], match: Callable[[Sequence[Word], int], tuple[Found | None, int] | None]
) -> Iterator[Found]:
    """Yield the finds of `match` at the tokens; it returns the mention and its number of tokens.

    A mention of None takes its tokens, and is none.
    """
    at = 0
    while at < len(tokens):
        found = match(tokens, at)
        if found and found[0] is not None:
            yield found[0]
        at += found[1] if found else 1


def stands_alone(text: str, tokens: Sequence[Token], gap: re.Pattern[str]) -> bool:
    """Return whether tokens are whole words, separated by gaps alone, and not negated."""
    start, end = tokens[0].start, tokens[-1].end
    if (start and text[start - 1].isalnum()) or text[end : end + 1].isalnum():
        return False
    if _NEGATED.search(text, max(0, start - 5), start):
        return False
    return all(
        gap.fullmatch(text, left.possessive_end, right.start) for left, right in pairwise(tokens)
    )


def overlaps(start: int, end: int, taken: set[int]) -> bool:
    """Return whether a place has a character that is taken."""
    return not taken.isdisjoint(range(start, end))
