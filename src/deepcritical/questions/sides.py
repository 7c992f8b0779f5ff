"""What a question asks about, and what it compares that with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from deepcritical.domain.patterns import bounded
from deepcritical.questions.naming import DrugNamed, Names, taken_by
from deepcritical.vocabulary.matching import overlaps

__all__ = ["Sides", "is_added", "other_arm", "sides_of"]

_BESIDE = (
    r"versus|vs?\.?|than|or|against|over|(?:as )?compared (?:with|to)|instead of|rather than|"
    r"in place of|as (?:good|well|much|effective) as|beats?|outperforms?"
)
_PLACEBO = bounded(
    r"\b(?:placebo|dummy (?:pills?|treatments?)|sugar pills?|inactive pills?|sham|no treatment|"
    r"usual care|observation)\b",
    re.IGNORECASE,
)
_ARM = (
    r"(?P<{0}>(?:(?!(?:is|are|does|do|did|was|can|should|would) )[\w-]+ )?(?:surger\w+|operations?|"
    r"psychotherapy|CBT|exercise|diet\w*|lifestyle\w*|"
    r"phototherapy|physiotherapy|acupuncture|radiotherapy|\w+ectomy|ablation|stent\w*|angioplasty|"
    r"massage|laser|CPAP|ECT|watchful waiting|active surveillance|standard (?:of )?care|"
    r"standard treatment|supportive care|observation alone|doing nothing|\w+ therapy))\b"
)
_ANY_ARM = (
    r"\b(?:versus|vs?\.?|(?:as )?compared (?:with|to)|instead of|rather than) (?:the |an? )?"
    r"(?P<any>[^\W\d_][\w-]+(?: [^\W\d_][\w-]+){0,2}?)"
    r"(?= (?:in|for|among|after|at|to|on|when|if|with|as)\b| ?[-–—:;,?.!)(]|$)"
)
"""Behind these words whatever stands is a side; behind "or" only what is a treatment."""
_OTHER_ARM = bounded(
    rf"\b(?:{_BESIDE})\s+(?:after |under |with |the |to |an? )?{_ARM.format('arm')}|"
    rf"\b{_ARM.format('first')} (?:{_BESIDE}|better than) |{_ANY_ARM}",
    re.IGNORECASE,
)
_AGAINST = bounded(
    rf"\b(?:versus|vs?\.?|than|compared (?:with|to)|or|against) (?:an? |the )?{_PLACEBO.pattern}",
    re.IGNORECASE,
)
"""A control as the other side, whatever drugs are named beside it."""
_NO_SIDE = bounded(
    r"\b(?:other|others|another|dose|doses|dosing|daily|weekly|older|younger|women|men|adults|"
    r"children|not|baseline|before|alone|healthy|controls?)\b",
    re.IGNORECASE,
)


_ALONE = bounded(r" (?:alone|only|by itself|on its own|monotherapy)\b", re.IGNORECASE)
"""Behind the name of a drug that is given without another."""


class Sides(NamedTuple):
    """The two sides of a question."""

    asked: list[DrugNamed]
    compared: list[DrugNamed]
    other: tuple[str, ...]
    """What else it is compared with: no drug."""


def is_added(names: Names) -> bool:
    """Whether a drug with another one is compared with that one alone: "A and B versus B alone"."""
    told = [d.drug.name for d in names.every]
    alone = [d for d in names.every if _ALONE.match(names.text, d.end)]
    return len(set(told)) > 1 and any(told.count(d.drug.name) > 1 for d in alone)


def other_arm(names: Names) -> str:
    """The treatment that is one side of a comparison and no drug; empty when there is none."""
    text = names.text
    named = taken_by(*names.drugs, *names.conditions)
    for match in _OTHER_ARM.finditer(text):
        start, end = match.span(match.lastgroup or 0)
        arm = text[start:end].casefold()
        if not (overlaps(start, end, named) or _PLACEBO.search(arm) or _NO_SIDE.search(arm)):
            return arm
    return ""


def sides_of(names: Names, drugs: Sequence[DrugNamed], *, two: bool) -> Sides:
    """Who is on which side.

    Args:
        names: What the question names.
        drugs: The drugs of these that are asked about, each once.
        two: Whether it compares them.
    """
    placebo = ("placebo",) if drugs and _PLACEBO.search(names.text) else ()
    if not two:
        return Sides(list(drugs), [], placebo)
    behind = {named.drug.name for named in names.compared}
    asked = next((d for d in drugs if d.drug.name not in behind), drugs[0])
    if placebo and _AGAINST.search(names.text):
        return Sides([asked], [], placebo)
    compared = [d for d in drugs if d is not asked] or list(names.beside[:1])
    arm = "" if compared else other_arm(names)
    return Sides([asked], compared, (arm, *placebo) if arm else placebo)
