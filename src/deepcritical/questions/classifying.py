"""The kind of a question, and the roles in it, by linear classifiers whose weights are data.

Trained by `scripts/train_questions.py` on questions and inputs that were written for it, with names
masked: they learn what English asks with, and no drug or disease. One tells a question that can be
answered from what is declined, another the kinds of question from each other. Two read the words
round a mention: they tell a treatment from one that is compared or only taken beside, and what is
treated from who is studied, what is measured and what is feared. `deepcritical eval benchmarks`
measures them on questions that they were not trained on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from math import exp
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.vocabulary.conditions import ConditionMention

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


ASKED, COMPARED, BESIDE = "asked", "compared", "beside"
DRUG_ROLES = (ASKED, COMPARED, BESIDE)
"""Asked about, what that is compared with, and what people take or took, whatever is tried."""
CONDITION, POPULATION, HARM, OUTCOME, NOTHING = (
    "condition",
    "population",
    "harm",
    "outcome",
    "nothing",
)
CONDITION_ROLES = (CONDITION, POPULATION, HARM, OUTCOME, NOTHING)
"""Treated or prevented, had by those who are studied, feared, measured, and only mentioned.

Of two roles that are as probable, the first one counts: their order must be fixed.
"""

_TOKEN = bounded(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,]\d+)*|[?!.:;,/()+-]")
_STEM = 6
"""Letters of a word that count: what follows bends it."""
_NEAR, _ROUND, _BETWEEN = 5, 8, 7
"""Words beside a mention by their place, words round it, and words between two mentions."""
_END = "$"
_MOST_MENTIONS = 20
"""Drugs and conditions that are told apart; a text of more is no question."""


class _Placed(NamedTuple):
    mention: DrugNamed | ConditionMention
    mask: str


class _Tokens(NamedTuple):
    words: list[str]
    """The question with a mask for each mention."""
    at: dict[int, int]
    """The position of the mask of each mention."""


def drug_roles(
    text: str, drugs: Sequence[DrugNamed], conditions: Sequence[ConditionMention]
) -> list[dict[str, float]]:
    """Return the probability of each role of each drug."""
    first = drugs[:_MOST_MENTIONS]
    features = features_of_mentions(text, first, conditions[:_MOST_MENTIONS])[: len(first)]
    roles = [probabilities(scores(told, ROLES), DRUG_ROLES) for told in features]
    return roles + [_only(BESIDE, DRUG_ROLES)] * (len(drugs) - len(first))


def condition_roles(
    text: str, drugs: Sequence[DrugNamed], conditions: Sequence[ConditionMention]
) -> list[dict[str, float]]:
    """Return the probability of each role of each condition."""
    first, beside = conditions[:_MOST_MENTIONS], drugs[:_MOST_MENTIONS]
    features = features_of_mentions(text, beside, first)[len(beside) :]
    roles = [probabilities(scores(told, ROLES), CONDITION_ROLES) for told in features]
    return roles + [_only(NOTHING, CONDITION_ROLES)] * (len(conditions) - len(first))


def _only(role: str, roles: Iterable[str]) -> dict[str, float]:
    return {one: float(one == role) for one in roles}


def features_of_mentions(
    text: str, drugs: Sequence[DrugNamed], conditions: Sequence[ConditionMention]
) -> list[frozenset[str]]:
    """The features of each drug, then of each condition; those of other names are the same."""
    placed = [_Placed(d, "⟨class⟩" if d.group else "⟨drug⟩") for d in drugs]
    placed += [_Placed(c, "⟨condition⟩") for c in conditions]
    tokens = _tokens(text, placed)
    return [
        frozenset(
            (
                *_beside(tokens, n),
                *_between(tokens, n),
                *_of_place(text, one.mention, drugs if n < len(drugs) else conditions),
                *(_of_condition(one.mention, conditions)),
                *(f"S={word}" for word in tokens.words),
            )
        )
        for n, one in enumerate(placed)
    ]


def _tokens(text: str, placed: Sequence[_Placed]) -> _Tokens:
    words: list[str] = []
    at: dict[int, int] = {}
    end = 0
    for n, (mention, mask) in sorted(enumerate(placed), key=lambda one: one[1].mention.start):
        words += _stems(text[end : mention.start])
        at[n] = len(words)
        words.append(mask)
        end = max(end, mention.end)
    return _Tokens([*words, *_stems(text[end:])], at)


def _stems(text: str) -> list[str]:
    return [token[:_STEM] for token in _TOKEN.findall(text.casefold())]


def _beside(tokens: _Tokens, n: int) -> Iterator[str]:
    """The words beside a mention, by their place and without it."""
    pad = [_END] * _ROUND
    words, i = [*pad, *tokens.words, *pad], tokens.at[n] + _ROUND
    before, behind = words[i - _ROUND : i][::-1], words[i + 1 : i + 1 + _ROUND]
    yield f"own={words[i]}"
    for side, near in (("L", before), ("R", behind)):
        yield from (f"{side}{k}={word}" for k, word in enumerate(near[:_NEAR]))
        yield from (f"{side}={word}" for word in near)
        yield from (f"{side}+={' '.join(near[:count])}" for count in (2, 3))
    yield f"LR={before[0]} {behind[0]}"


def _between(tokens: _Tokens, n: int) -> Iterator[str]:
    """The words to the mention before and to the one behind."""
    at = tokens.at[n]
    last = max((one for one in tokens.at.values() if one < at), default=-1)
    following = min((one for one in tokens.at.values() if one > at), default=len(tokens.words))
    before = tokens.words[max(last, 0) : at]
    behind = tokens.words[at + 1 : following + 1]
    yield f"before={' '.join(before[:_BETWEEN])}" if last >= 0 else "first"
    yield f"behind={' '.join(behind[-_BETWEEN:])}" if following < len(tokens.words) else "last"
    yield from (f"b{last >= 0}={word}" for word in before)
    yield from (f"f{following < len(tokens.words)}={word}" for word in behind)


def _of_place(
    text: str,
    mention: DrugNamed | ConditionMention,
    alike: Sequence[DrugNamed] | Sequence[ConditionMention],
) -> Iterator[str]:
    """Yield which of its like it is, and whether its sentence asks."""
    nth = sum(other.start < mention.start for other in alike)
    yield f"nth={min(nth, 3)}"
    yield f"of={min(len(alike), 4)}"
    yield f"nth={min(nth, 3)} of {min(len(alike), 4)}"
    begin = max(text.rfind(mark, 0, mention.start) for mark in ".!?;") + 1
    ends = [end for mark in ".!?" if (end := text.find(mark, mention.end)) >= 0]
    end = min(ends, default=len(text))
    is_last = end >= len(text) - 1
    yield f"asks={text[end : end + 1] == '?'} first={begin == 0} last={is_last}"


def _of_condition(
    mention: DrugNamed | ConditionMention, conditions: Sequence[ConditionMention]
) -> Iterator[str]:
    if isinstance(mention, ConditionMention):
        others = any(o.condition.is_symptom for o in conditions if o is not mention)
        yield f"symptom={mention.condition.is_symptom}"
        yield f"symptom={mention.condition.is_symptom} others={others}"
