"""Compares what two questions ask, by their frames; likeness of wording is measured elsewhere.

Questions on two drugs, or for and against one, lie close together for any measure of wording.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from deepcritical.domain.question.frame import Condition, QuestionFrame, QuestionKind
from deepcritical.domain.text.patterns import bounded
from deepcritical.questions import cues
from deepcritical.vocabulary.conditions import condition_named
from deepcritical.vocabulary.folding import key_of

_NUMBER = bounded(r"\b\d+(?:[.,]\d+)?\b")
_WORD = bounded(r"\blow\b|[^\W\d_]{4,}")
_TOLD = (cues.LATEST, *(p for _, p in (*cues.OUTCOMES, *cues.GROUPS)))
"""Things that a frame has already, in any words."""

_STEM = 5
"""Letters by which the forms of a word are one."""
_ASKING = frozenset(
    word[:_STEM]
    for word in (
        "about acting action acts actually adult adverse affect after against alleviate also "
        "alter ameliorate associated author been being benefit best better candidate case cases "
        "cause causing change clinical common compared condition correlate could cure cured cures "
        "curing data decrease delay differ disease disorder does dosage dose doses drug drugs "
        "ease eased eases effect efficacy ever evidence existing found frequent from gave gets "
        "give given gives good halt halted halts harm harmful harms have having heal healed heals "
        "help helped helps higher human impact improve incidence increase individual influence "
        "information into kind kinds known lead leads line link linked literature lower made make "
        "makes many mechanism medicine might modify much must need needs observed onto option "
        "other paper participant patient people person prevalent prevent promising protect raise "
        "raising rate rates really record reduce related relieve reported reposition repurpose "
        "research result reverse risk risks role safe safety said says seen should show shown "
        "shows shrank shrink side significant slow slowed slows some sort studies study subject "
        "suggest take taken takes taking than that therapy there these this those through told "
        "tolerated took treat trial type used useful user users uses using versus well what when "
        "where which whom whose with work working works worse would"
    ).split()
)
"""Beginnings of words that ask, and name nothing."""


class Meant(NamedTuple):
    """The names and the request of a question; equal if one may be offered for the other."""

    kind: QuestionKind
    drugs: frozenset[str]
    comparators: frozenset[str]
    condition: str
    population: frozenset[str]
    outcomes: frozenset[str]
    through: frozenset[str]
    negative: bool
    raises: bool
    numbers: frozenset[str]
    words: frozenset[str]


def meaning_of(frame: QuestionFrame) -> Meant:
    """Return what a question names and asks."""
    condition = frame.condition or frame.harm
    names = {n.casefold() for d in frame.drugs for n in d.names}
    if condition:
        names |= {n.casefold() for n in (condition.name, *condition.names)}
    rest = frame.text.casefold()
    for name in sorted(names, key=len, reverse=True):
        rest = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", rest)
    numbers = frozenset(_NUMBER.findall(rest))
    for pattern in _TOLD:
        rest = pattern.sub(" ", rest)
    words = (w[0][:_STEM] for w in _WORD.finditer(rest))
    named = frozenset(w[0][:_STEM] for name in names for w in _WORD.finditer(name))
    return Meant(
        kind=frame.kind,
        drugs=frozenset(drug.name for drug in frame.drugs),
        comparators=frozenset(frame.comparators),
        condition=_key(condition) if condition else "",
        population=frozenset(frame.population),
        outcomes=frozenset((*frame.outcomes, *((frame.harm.name,) if frame.harm else ()))),
        through=frozenset(term.casefold() for term in frame.through),
        negative=frame.negative,
        raises=frame.raises,
        numbers=numbers,
        words=frozenset(words) - _ASKING - named,
    )


def _key(condition: Condition) -> str:
    """Return what a condition is: "antibiotic-associated diarrhea" is more than its heading."""
    known = condition_named(condition.name)
    return (condition.mesh_id if known else None) or key_of(condition.name)
