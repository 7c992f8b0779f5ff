"""Reads the doses of a drug in a text, and finds an arm of several that got it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from deepcritical.appraisal.arms import ANOTHER_WAY, Tested
from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import Result, StudyReading
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


def arms_told(study: StudyReading, result: Result, tested: Tested) -> tuple[str, str]:
    """Return what both arms got, as far as they are not known by their drugs.

    The drug's own arm is told where another arm got the same drugs otherwise, and what it was
    compared with where that arm did.
    """
    first, second = study.arm(result.a), study.arm(result.b)
    own, other = (first, second) if tested.side == "a" else (second, first)
    if own is None or "trial" not in study.kinds or len(own.label) > _LONGEST_LABEL:
        return "", ""
    if tested.comparator == ANOTHER_WAY and other and len(other.label) <= _LONGEST_LABEL:
        return own.label, other.label
    left = [arm for arm in study.arms if arm not in (own, other)]
    given = {i.drug or i.name for i in own.interventions}
    is_one = any(given and given == {i.drug or i.name for i in arm.interventions} for arm in left)
    return (own.label if is_one else ""), ""
