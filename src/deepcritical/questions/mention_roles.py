"""Tells what each drug and condition of a question is, by linear classifiers.

Trained by `scripts/train_questions.py` on questions with labelled parts. What is named is masked:
the words round it tell a treatment from one that is compared or only taken beside, and what is
treated from who is studied, what is measured and what is feared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from deepcritical.domain.text.patterns import bounded
from deepcritical.questions.asked_drugs import DrugNamed
from deepcritical.questions.classifying import ROLES, probabilities, scores
from deepcritical.vocabulary.conditions import ConditionMention

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
