"""The kind of a question, and the roles in it, by linear classifiers whose weights are data.

Trained by `scripts/train_questions.py` on questions and inputs that were written for it, with names
masked: they learn what English asks with, and no drug or disease. One tells a question that can be
answered from what is declined, another the kinds of question from each other, two the roles of
drugs and of conditions. `deepcritical eval benchmarks` measures them on questions that they were
not trained on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from math import exp
from typing import NamedTuple

KINDS, ROLES = "question_kinds.json", "question_roles.json"
"""The weights: of whole questions, and of the drugs and conditions in them."""

ANSWERABLE = "answerable"
"""The label of every question that is not declined, whatever its kind."""
UNIT = 0.02
"""The value of a weight of 1 in the file."""
_ZERO = 80
"""The code of the character that stands for a weight of 0."""
_LEAST, _MOST = 33 - _ZERO, 1000
"""Below the least one no character can be printed."""


class _Weights(NamedTuple):
    labels: tuple[str, ...]
    bias: str
    of: dict[str, str]
    """For each feature a character for each label: lists would take a tenth of a second to load."""


@cache
def _weights(name: str) -> _Weights:
    file = resources.files("deepcritical").joinpath("data", name)
    read = json.loads(file.read_text(encoding="utf-8"))
    return _Weights(tuple(read["labels"]), read["bias"], read["weights"])


def scores(features: Iterable[str], name: str = KINDS) -> dict[str, float]:
    """Return how much speaks for each label of the weights of this name.

    Of `KINDS` each kind, each reason to decline, and `ANSWERABLE`.
    """
    weights = _weights(name)
    found = [weights.bias, *(weights.of[f] for f in features if f in weights.of)]
    columns = zip(*(map(ord, told) for told in found), strict=True)
    return {
        label: UNIT * (sum(column) - _ZERO * len(found))
        for label, column in zip(weights.labels, columns, strict=True)
    }


def packed(weights: Iterable[int]) -> str:
    """Weights as they stand in the file."""
    return "".join(chr(_ZERO + min(max(weight, _LEAST), _MOST)) for weight in weights)


def probabilities(said: dict[str, float], among: Collection[str]) -> dict[str, float]:
    """Return the probability of each of these labels, if it must be one of them; they sum to 1."""
    top = max(said[label] for label in among)
    grown = {label: exp(said[label] - top) for label in among}
    total = sum(grown.values())
    return {label: value / total for label, value in grown.items()}
