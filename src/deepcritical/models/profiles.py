"""Sizes of requests to a model: by its context, by its parameters, or as set."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

ProfileName = Literal["auto", "small", "medium", "large"]

_BILLIONS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
_SMALL_BILLIONS = 15
_FRAME_TOKENS, _SHORT_FRAME_TOKENS = 1_500, 200
"""Rules and schema of a question, which stand beside the evidence; and those of a short one."""
_LEAST_TOKENS = 500
"""Of evidence, below which a question makes no sense."""


class Profile(NamedTuple):
    """The amount that a model is asked at once."""

    short: bool
    """True if prompts are short; a model of few parameters loses the thread of long ones."""
    context_tokens: int
    """Tokens of a prompt's evidence at most."""
    output_tokens: int
    """Tokens of an answer at most."""
    batch_records: int
    """Records read in one call."""
    at_once: int
    """Calls under way at the same time."""

    def within(self, context: int) -> Profile:
        """The same for a context of so many tokens, in which question and answer must fit."""
        written = min(self.output_tokens, context // 3)
        frame = _SHORT_FRAME_TOKENS if self.short else _FRAME_TOKENS
        room = min(self.context_tokens, max(_LEAST_TOKENS, context - written - frame))
        return self._replace(output_tokens=written, context_tokens=room)


LARGE = Profile(False, 24_000, 8_000, 8, 12)
MEDIUM = Profile(False, 8_000, 4_000, 4, 4)
"""For a model of which nothing is known."""
SMALL = Profile(True, 2_400, 1_500, 2, 1)
"""With rules, schema and a usual answer it fits into 4,096 tokens, with which local servers often
start; with one slot, too, at which a second request would only wait."""

_NAMED = {"small": SMALL, "medium": MEDIUM, "large": LARGE}
_LARGE_CONTEXT, _MEDIUM_CONTEXT = (
    one.context_tokens + one.output_tokens + _FRAME_TOKENS for one in (LARGE, MEDIUM)
)


def profile_for(
    model: str, context: int | None = None, known_context: int | None = None, *, of: ProfileName
) -> Profile:
    """The profile of a model, with a context of no more tokens than `context`, where that is set.

    `known_context` is told by its provider, or by the list of models of the library. ``auto``
    decides by the two, and by the parameters that the name tells of; one that tells nothing is
    medium.
    """
    told = context or known_context
    chosen = _by_itself(model, told) if of == "auto" else _NAMED[of]
    return chosen.within(told) if told else chosen


def _by_itself(model: str, context: int | None) -> Profile:
    sizes = [float(size) for size in _BILLIONS.findall(model)]
    if sizes and max(sizes) < _SMALL_BILLIONS:
        return SMALL
    if context is None:
        return LARGE if sizes else MEDIUM
    if context >= _LARGE_CONTEXT:
        return LARGE
    return MEDIUM if context >= _MEDIUM_CONTEXT else SMALL
