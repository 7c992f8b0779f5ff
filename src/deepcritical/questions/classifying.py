"""The kind of a question by a linear classifier, whose weights are data.

Trained by `scripts/train_kinds.py` on questions and inputs that were written by hand for it, with
names masked: it learns what English asks with, and no drug or disease. Its figures on questions
that it was not trained on are those of `benchmarks/questions.py`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from math import exp
from typing import NamedTuple

__all__ = ["probabilities"]


class _Weights(NamedTuple):
    kinds: tuple[str, ...]
    bias: tuple[float, ...]
    of: dict[str, tuple[float, ...]]


@cache
def _weights() -> _Weights:
    file = resources.files("deepcritical").joinpath("data", "question_kinds.json")
    read = json.loads(file.read_text(encoding="utf-8"))
    of = {name: tuple(w / 100 for w in weights) for name, weights in read["weights"].items()}
    return _Weights(tuple(read["kinds"]), tuple(read["bias"]), of)


def probabilities(
    features: Iterable[str], among: Collection[str] | None = None
) -> dict[str, float]:
    """How probable each kind is; they sum to 1.

    Args:
        features: Those of a question.
        among: The kinds that are possible; all when None.
    """
    weights = _weights()
    scores = list(weights.bias)
    for feature in features:
        for n, weight in enumerate(weights.of.get(feature, ())):
            scores[n] += weight
    said = {
        kind: score
        for kind, score in zip(weights.kinds, scores, strict=True)
        if among is None or kind in among
    }
    top = max(said.values())
    grown = {kind: exp(score - top) for kind, score in said.items()}
    total = sum(grown.values())
    return {kind: value / total for kind, value in grown.items()}
