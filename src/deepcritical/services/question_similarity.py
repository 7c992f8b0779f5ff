"""How alike the wordings of questions are: by embedding, or by their words without a model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.text import fold
from deepcritical.services.embeddings import Embeddings, ModelLoaded
from deepcritical.services.lexical import terms

__all__ = ["Alike", "QuestionSimilarity"]

_BY_MODEL = 0.75
_BY_WORDS = 0.25
"""Similarity from which wordings count as alike, measured on tests/data/questions.

They are low because they come last: what questions name and claim was compared before.
"""


class Alike(NamedTuple):
    """Questions that are worded alike."""

    scores: Mapping[int, float]
    """Place in the list -> similarity 0-1, the most similar first."""
    compared_by: str
    """Name of the embedding model, or ``words``."""


class QuestionSimilarity:
    """Compares wordings. The model is loaded only where two wordings differ.

    Args:
        embeddings: Makes vectors; None compares words.
    """

    def __init__(self, embeddings: Embeddings | None) -> None:
        self._embeddings = embeddings

    async def alike(self, question: str, others: Sequence[str]) -> Alike:
        """Those of other questions that are worded like this one; the same words score 1."""
        same = {i: 1.0 for i, other in enumerate(others) if _folded(other) == _folded(question)}
        rest = [i for i in range(len(others)) if i not in same]
        if not rest:
            return Alike(same, "words")
        scores, by = await self._scores(question, [others[i] for i in rest])
        least = _BY_WORDS if by == "words" else _BY_MODEL
        found = {i: score for i, score in zip(rest, scores, strict=True) if score >= least}
        ranked = dict(sorted(found.items(), key=lambda item: -item[1]))
        return Alike({**same, **ranked}, by)

    async def _scores(self, question: str, others: Sequence[str]) -> tuple[list[float], str]:
        state = await self._embeddings.load() if self._embeddings else None
        if self._embeddings is None or not isinstance(state, ModelLoaded):
            return await asyncio.to_thread(_by_words, question, others), "words"
        # Both as documents: a prompt for queries would set one wording apart from the others.
        vectors = await self._embeddings.embed([question, *others])
        scores = (float(score) for score in vectors[1:] @ vectors[0])
        return [min(1.0, max(0.0, score)) for score in scores], state.short_name


def _folded(text: str) -> str:
    return fold(text).strip(" ?.!")


def _by_words(question: str, others: Sequence[str]) -> list[float]:
    """Shared terms over all terms (Jaccard)."""
    own = set(terms(question))
    words = [set(terms(other)) for other in others]
    return [len(own & other) / max(1, len(own | other)) for other in words]
