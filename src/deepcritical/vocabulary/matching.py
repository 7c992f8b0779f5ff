"""Names in a text, from left to right: what the vocabularies of conditions and nodes share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.folding import Token

Found = TypeVar("Found")
Word = TypeVar("Word")

SEPARATORS = r"[\s\-\u2010-\u2015\u2212/'’ʼ]{0,2}"
"""What may stand between two words of a name."""
_NEGATED = bounded(r"(?<![^\W_])non[- ]\Z", re.IGNORECASE)


def scan(
    tokens: Sequence[Word], match: Callable[[Sequence[Word], int], tuple[Found | None, int] | None]
) -> Iterator[Found]:
    """What `match` finds at the tokens; it tells the mention and how many tokens that takes.

    A mention of None takes its tokens, and is none.
    """
    at = 0
    while at < len(tokens):
        found = match(tokens, at)
        if found and found[0] is not None:
            yield found[0]
        at += found[1] if found else 1


def stands_alone(text: str, tokens: Sequence[Token], gap: re.Pattern[str]) -> bool:
    """Whether tokens are whole words with no more than a gap between, and are not negated."""
    start, end = tokens[0].start, tokens[-1].end
    if (start and text[start - 1].isalnum()) or text[end : end + 1].isalnum():
        return False
    if _NEGATED.search(text, max(0, start - 5), start):
        return False
    return all(
        gap.fullmatch(text, left.possessive_end, right.start) for left, right in pairwise(tokens)
    )


def overlaps(start: int, end: int, taken: set[int]) -> bool:
    """Whether a place has a character that is taken."""
    return not taken.isdisjoint(range(start, end))
