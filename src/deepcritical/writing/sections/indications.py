"""Decides whether a sentence of a label's indications licenses a drug for a condition.

A false "licensed" stands at the head of a report, so a sentence counts only where it says what is
treated and in whom. What is said otherwise is left to the label itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from deepcritical.domain.question.frame import Condition
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold
from deepcritical.vocabulary.conditions import (
    KnownCondition,
    condition_named,
    find_conditions,
    is_kind_of,
)

Licence = Literal["same", "form", "people", ""]
"""For the condition, for one that MeSH files below it, in people who have it, or not at all."""

_ORDER: tuple[Licence, ...] = ("same", "form", "people")
_SAYS_NOT = bounded(
    r"\b(?:not|nor|never|neither|cannot|no longer|contraindicated|unlike|whereas|unapproved|"
    r"investigational|homeopathic|limitations? of use|formerly|"
    r"(?:was|were|previously) indicated)\b",
    re.IGNORECASE,
)
_OF_ANIMALS = bounded(
    r"\b(?:dogs?|cats?|horses?|foals?|cattle|cows?|calves|swine|pigs?|poultry|chickens?|turkeys?|"
    r"sheep|goats?|canine|feline|equine|bovine|porcine|veterinary|animals?)\b",
    re.IGNORECASE,
)
_INDICATED = bounded(r"\bindicated\b", re.IGNORECASE)
_OTHERWISE = bounded(
    r"\b(?:without|except(?:ing)?|excluding|exclusion|other than|rather than|instead of|"
    r"absence|ruled? out|ruling out|mimic\w{0,6}|non|"
    # named as the cause of what is treated
    r"caused|due|secondary|induced|associated|following|after|complicat\w{1,5}|history|"
    # treated by something else, or not had
    r"receiving|undergoing|taking|risk factors? for|at (?:\w{1,12} ){0,2}risk (?:of|for))\b"
    r"[^.;:]{0,40}$",
    re.IGNORECASE,
)
"""Before a condition that is not what is treated."""
_LOOKS_FOR = bounded(
    r"\b(?:diagnos(?:is|e|es|ing|tic|tics)|imaging|tomography|scintigraphy|radiograph\w{0,4}|"
    r"angiography|ultrasound|visuali[sz]\w{2,6}|detection|detecting|to detect|screening|"
    r"evaluated|being tested)\b",
    re.IGNORECASE,
)
"""Between "indicated" and a condition that is looked for, not treated."""
_BEHIND_OTHER = bounded(
    r"^(?:[\s-]{0,3}(?:chemotherapy|radiotherapy|surgery|medication|drugs?)\b|"
    r"[^.;,:]{0,30}\b(?:ruled out|excluded|absent)\b)",
    re.IGNORECASE,
)
"""Behind a condition that is a part of another name, or that nobody has."""
_PEOPLE_WITH = bounded(
    r"\b(?:patients?|persons?|people|individuals|subjects|adults|children|adolescents|infants|"
    r"women|men|males|females|those)\b[^.;]{0,80}?"
    r"\b(?:with|who have|who has|having|suffering from)\b[^.;]{0,60}$",
    re.IGNORECASE,
)
"""Before a condition that the people treated have."""
_SAYS_NOTHING = frozenset(
    "a an the as and or in of for to with use used be is are by it its treatment treat treating "
    "management manage therapy therapeutic maintenance monotherapy adjunct adjunctive adjuvant "
    "alone only acute chronic long-term short-term initial first-line second-line prevention "
    "prophylaxis symptomatic oral intravenous daily once when either both".split()
)
"""Words between "indicated" and "in people with" that name nothing that is treated in them."""
_PREPOSITIONS = frozenset("in among of for to".split())
_WORD = bounded(r"[^\W\d_][\w-]{0,40}")


class _Mention(NamedTuple):
    start: int
    end: int
    how: Licence


def how_indicated(text: str, condition: Condition) -> Licence:
    """Return for what of a condition a sentence says that a drug is indicated; '' if for none."""
    text = text.replace("\u2019", "'")
    indicated = _INDICATED.search(text)
    if not indicated or _SAYS_NOT.search(text) or _OF_ANIMALS.search(text):
        return ""
    found = {
        _treated(text[indicated.end() : one.start], text[one.end :], one.how)
        for one in _mentions(text, condition)
        if one.start >= indicated.end()
    }
    return next((how for how in _ORDER if how in found), "")


def how_related(found: KnownCondition, asked: Condition) -> Licence:
    """Return whether a condition is the one asked, or one below it: a form or complication."""
    known = condition_named(asked.name)
    mesh = (asked.mesh_id or "").removeprefix("MESH:")
    if found.mesh_id and found.mesh_id == mesh:
        return "same"
    if known is None:
        return ""
    if found.name == known.name:
        return "same"
    return "form" if is_kind_of(found, known) else ""


def _mentions(text: str, condition: Condition) -> Iterator[_Mention]:
    for found in find_conditions(text):
        if how := how_related(found.condition, condition):
            yield _Mention(found.start, found.end, how)
    if condition_named(condition.name) is None:
        for name in {fold(name) for name in (condition.name, *condition.names)}:
            for match in re.finditer(rf"\b{re.escape(name)}\b", text, re.IGNORECASE):
                yield _Mention(match.start(), match.end(), "same")


def _treated(before: str, behind: str, how: Licence) -> Licence:
    """Return how a condition is licensed by the words around it, from "indicated" on."""
    if _OTHERWISE.search(before[-60:]) or _LOOKS_FOR.search(before):
        return ""
    if _BEHIND_OTHER.search(behind[:40]):
        return ""
    people = _PEOPLE_WITH.search(before[-400:])
    return "people" if people and _names_what(before[-400:][: people.start()]) else how


def _names_what(text: str) -> bool:
    """Return whether "indicated ... in" people says what is treated, before their condition."""
    words = [word.casefold() for word in _WORD.findall(text)]
    last = next((n for n in reversed(range(len(words))) if words[n] in _PREPOSITIONS), -1)
    of_people = last < 0 or words[last] not in ("in", "among")
    return not of_people and any(word not in _SAYS_NOTHING for word in words[:last])
