"""Reads the doses of a drug in a text, and finds an arm of several that got it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Any

from deepcritical.appraisal.pico.arms import Tested
from deepcritical.appraisal.pico.controls import is_inert
from deepcritical.domain.study.reading import Arm, Result, StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.folding import key_of

_DOSE = bounded(
    r"\b\d[\d,]{0,9}(?:\.\d{1,4})?(?: ?(?:to|-|–) ?\d[\d,]{0,9}(?:\.\d{1,4})?)? ?"
    r"(?:mg|g|[µμ]g|mcg|IU|units?|mL|mmol|Gy)\b(?: ?(?:/|per) ?[a-z]{1,4}[2²]?\b){0,2}"
    r"(?:,? (?:(?:once|twice|(?:two|three|four) times) (?:daily|a day|per day|weekly|a week)|daily|"
    r"weekly|monthly|a day|every \w{1,10} \w{1,6}))?",
    re.IGNORECASE,
)
_CONCENTRATION = bounded(r"/ ?[dmµμ]?l\b", re.IGNORECASE)
_NEXT = 25
"""Characters behind an amount within which the drug may stand: "50 mg of examplol"."""

_LONGEST_LABEL = 80


def doses_of(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return the doses of a drug that a sentence states, such as "100 mg twice daily".

    An amount belongs to the last drug before it, else to the one right behind it. Where the
    sentence names no drug, it is on the drug of its record.

    Args:
        text: A sentence, or the label of an arm.
        names: All names of the drug.
    """
    keys = {key_of(name) for name in names}
    folded = text.casefold()
    own = [(folded.find(key), key) for key in keys if key in folded]
    named = [
        (m.start, m.end, bool({key_of(m.text), key_of(m.drug.name)} & keys))
        for m in find_drugs(text)
    ]
    named += [(at, at + len(key), True) for at, key in own]
    found = []
    for dose in _DOSE.finditer(text):
        before = max((m for m in named if m[1] <= dose.start()), key=lambda m: m[1], default=None)
        behind = min((m for m in named if 0 <= m[0] - dose.end() <= _NEXT), default=None)
        given = before or behind
        if (given[2] if given else not named) and not _CONCENTRATION.search(dose[0]):
            found.append(dose[0])
    return tuple(dict.fromkeys(found))


def arms_told(study: StudyReading, result: Result, tested: Tested) -> dict[str, Any]:
    """Return fields on what both arms got, as far as the names of what was compared do not tell it.

    Both are told where both got the drug, and where those without it got something beside what
    stands in its place. The drug's arm alone is told where a third one got the same otherwise.
    """
    first, second = study.arm(result.a), study.arm(result.b)
    own, other = (first, second) if tested.side == "a" else (second, first)
    if own is None or "trial" not in study.kinds or tested.stopped:
        return {}
    given = _given(own)
    if other and (given <= _given(other) if tested.comparator else _has_beside(other, given)):
        both = _label(own), _label(other)
        if both[0] == both[1]:
            both = f"{both[0]} ({own.label})", f"{both[1]} ({other.label})"
        if all(len(label) <= _LONGEST_LABEL for label in both):
            return dict(zip(("one_arm", "other_arm"), both, strict=True))
    left = [arm for arm in study.arms if arm not in (own, other)]
    is_one = any(given and given == _given(arm) for arm in left)
    return {"one_arm": own.label} if is_one and len(own.label) <= _LONGEST_LABEL else {}


def _given(arm: Arm) -> set[str]:
    return {i.drug or i.name for i in arm.interventions if not is_inert(i.name)}


def _has_beside(arm: Arm, given: Set[str]) -> bool:
    """Return whether a control arm got a treatment that "placebo" or "no treatment" leaves out.

    That both arms got it goes without saying where one of them got a placebo.
    """
    masked = arm.control in ("placebo", "sham")
    return bool(_given(arm) - given if masked else _given(arm))


def _label(arm: Arm) -> str:
    """Return what an arm got: its label where this names all of it, else its treatments."""
    names = [i.name for i in arm.interventions if not is_inert(i.name)]
    if not names or all(name.casefold() in arm.label.casefold() for name in names):
        return arm.label
    masked = [arm.control] if arm.control in ("placebo", "sham") else []
    return (" or " if arm.alternatives else " plus ").join((*names, *masked))
