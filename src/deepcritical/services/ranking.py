"""Fusion of rankings: what BM25 and the vectors find becomes one order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RANK_CONSTANT = 1
"""Small, because the lists are short: Cormack's 60 (SIGIR 2009) was for lists of a thousand, and
levels out what the first ten ranks say."""


def fuse(lexical: Mapping[str, float], dense: Mapping[str, float]) -> dict[str, float]:
    """Reciprocal rank fusion of three rankings: lexical, dense, and the sum of their scores.

    The third ranking says by how much a record leads, which ranks alone do not (Bruch et al., ACM
    TOIS 42, 2023): scores are divided by the best of their list; one that a list lacks has 0.
    It also orders records that two lists rank crosswise.

    Args:
        lexical: BM25 scores by id.
        dense: Cosine similarities by id.

    Returns:
        Scores by id, best first, 1.0 for a record that leads in all three; comparable only within
        one answer. Equal ones are in the order of their ids.
    """
    lexical_scaled, dense_scaled = _scaled(lexical), _scaled(dense)
    ids = {*lexical, *dense}
    summed = {i: lexical_scaled.get(i, 0.0) + dense_scaled.get(i, 0.0) for i in ids}
    rankings = [_ranks(scores) for scores in (lexical, dense, summed)]
    best = len(rankings) / (_RANK_CONSTANT + 1)
    fused = {
        i: sum(1 / (_RANK_CONSTANT + ranks[i]) for ranks in rankings if i in ranks) / best
        for i in ids
    }
    return {i: fused[i] for i in sorted(ids, key=lambda i: (-round(fused[i], 9), -summed[i], i))}


def with_missed(
    found: Mapping[str, float],
    vectors: Mapping[str, NDArray[np.float32]],
    query: NDArray[np.float32],
    n: int,
) -> dict[str, float]:
    """The nearest vectors, those too that an index missed which only finds nearly all.

    A filtered search in a graph of neighbours may end before it has met all that fit the filter.

    Args:
        found: Cosine similarities by id, as the index gave them.
        vectors: All that are searched, by id, L2-normalised.
        query: L2-normalised.
        n: How many are wanted.

    Returns:
        Cosine similarities of the `n` nearest by id, best first; equal ones by their ids.
    """
    scores = dict(found)
    if len(scores) < min(n, len(vectors)):
        scores |= {i: float(vectors[i] @ query) for i in vectors.keys() - found.keys()}
    return {i: scores[i] for i in sorted(scores, key=lambda i: (-scores[i], i))[:n]}


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    best = max(scores.values(), default=0.0)
    return {i: max(score, 0.0) / best for i, score in scores.items()} if best > 0 else {}


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    order = sorted(scores, key=lambda i: (-scores[i], i))
    return {i: rank for rank, i in enumerate(order, start=1)}
