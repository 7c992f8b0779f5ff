"""Which of the conditions in a question is asked about, who is studied, and what is measured."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import Condition
from deepcritical.questions import cues
from deepcritical.questions.naming import Names, as_condition
from deepcritical.vocabulary.conditions import ConditionMention, is_kind_of

__all__ = ["Roles", "roles_of"]

_WHO = bounded(
    r"\b(?:in|among|with|for|having|who have|living with|due to|of|after|and) (?:[\w'’-]+ ){0,3}$|"
    r"\b(?:associated|related|induced|positive) $",
    re.IGNORECASE,
)
_PEOPLE = bounded(
    r"\b(?:patients?|people|persons?|adults|women|men|those|individuals|someone|children|kids|"
    r"husband|wife|mother|father)\b[^.;?]{0,30}$",
    re.IGNORECASE,
)
_BEHIND = bounded(
    r"^[- ](?:positive|related|associated|affected|infected|dependent)\b", re.IGNORECASE
)
_SHORT = 5


class Roles(NamedTuple):
    """What a question says of conditions and people."""

    condition: Condition | None
    population: tuple[str, ...]
    outcomes: tuple[str, ...]


def roles_of(names: Names) -> Roles:
    """The condition asked about is the first that does not only say who is studied.

    "Agitation in dementia" asks about agitation; "in people with HIV and meningitis" asks about
    the one of the two that is not a group of people.
    """
    text = rest = names.text
    for named in names.drugs:
        rest = rest.replace(named.text, " " * len(named.text))
    asked, population = _parted(text, _narrowest(names.conditions))
    groups = [name for name, pattern in cues.GROUPS if pattern.search(rest)]
    taken = asked.text.casefold() if asked else ""
    outcomes = tuple(
        name
        for name, pattern in cues.OUTCOMES
        if any(m[0].casefold() not in taken for m in pattern.finditer(rest))
    )
    condition = as_condition(asked.condition, _called(asked)) if asked else None
    return Roles(condition, tuple(dict.fromkeys((*population, *groups))), outcomes)


def _parted(
    text: str, mentions: Sequence[ConditionMention]
) -> tuple[ConditionMention | None, list[str]]:
    asked: list[ConditionMention] = []
    population: list[str] = []
    for at, mention in enumerate(mentions):
        before, behind = text[: mention.start], text[mention.end : mention.end + 14]
        is_group = bool(_WHO.search(before) or _BEHIND.search(behind))
        says_people = bool(asked or _PEOPLE.search(before) or _BEHIND.search(behind))
        if is_group and says_people and (asked or at + 1 < len(mentions)):
            population.append(mention.condition.name)
        else:
            asked.append(mention)
    population += [extra.condition.name for extra in asked[1:]]
    return (asked[0] if asked else None), population


def _called(mention: ConditionMention) -> str:
    """How a condition is called in the answer: as the user did, but for an abbreviation."""
    written = mention.text
    short = written.isupper() or len(written) <= _SHORT or any(c.isdigit() for c in written)
    return mention.condition.name if short else written


def _narrowest(conditions: Sequence[ConditionMention]) -> list[ConditionMention]:
    """Each condition once; where one is told and then made narrow, the narrow one."""
    kept: dict[str, ConditionMention] = {}
    for mention in conditions:
        kept.setdefault(mention.condition.name, mention)
    listed = list(kept.values())
    narrow = [
        c
        for c in listed
        if not any(o is not c and is_kind_of(o.condition, c.condition) for o in listed)
    ]
    return narrow or listed
