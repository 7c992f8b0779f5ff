"""Reads the doses of a drug in a text, and tells which of two is higher."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from deepcritical.domain.patterns import bounded
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.vocabulary.folding import key_of

_WORDS = r"[- ](?:[\w-]{1,20} )?dos(?:es?|age|ing)\b"
_HIGH = bounded(rf"\b(?:high(?:er)?|large(?:r)?|double|increased){_WORDS}", re.IGNORECASE)
_LOW = bounded(rf"\b(?:low(?:er)?|small(?:er)?|reduced){_WORDS}", re.IGNORECASE)
_AMOUNT = bounded(
    r"\b(\d[\d,]{0,9}(?:\.\d{1,4})?)\s?(mg|g|[µμ]g|mcg|IU|units?|mL|mmol|Gy)\b", re.IGNORECASE
)
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
_OFTEN = bounded(r"\b(?:once|twice|three times|daily|day|weekly|weeks?|monthly|months?|hours?)\b")
_NUMBERS = dict(
    zip(
        "one two three four five six seven eight nine ten twelve".split(),
        (*range(1, 11), 12),
        strict=True,
    )
)
_NUMBER = rf"(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_EVERY = bounded(
    rf"\b(?:every|q) ?{_NUMBER}[- ]?(?P<unit>days?|weeks?|months?|[dwm])\b|"
    rf"\b{_NUMBER.replace('number', 'each')}-(?P<ly>week|month)ly\b|"
    r"\b(?P<once>dai|week|month)ly\b",
    re.IGNORECASE,
)
_DAYS = {"d": 1, "w": 7, "m": 30}
_ASKED = bounded(
    r"\b(?:(?P<low>low(?:er)?|reduced|small(?:er)?)|high(?:er)?|double|increased|large(?:r)?)"
    r" (?:dose|dosage|dosing)s?\b",
)
_AT = bounded(r" (?:at|in|given at|taken at)(?: an?)?(?: very)? ?$| $")
"""Words by which a question is on one dose of a drug and not on the drug as such."""
_CLAUSE = re.compile(r",(?!\d)|[;:?–]| - ")
_VERSUS = bounded(r"\b(?:versus|vs\.?|than|against|or|compared (?:with|to))(?=\W)", re.IGNORECASE)


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


def dose_asked(text: str, names: Iterable[str]) -> Literal["", "high", "low"]:
    """Return which dose of the drug is asked about; '' for the drug as such.

    The words for it stand right before or behind the drug's name, or two doses are set against each
    other, of which the first is meant.
    """
    folded = f" {key_of(text)} "
    for found in _ASKED.finditer(folded):
        behind, before = folded[found.end() :].removeprefix(" of"), folded[: found.start()]
        for name in map(key_of, names):
            near = behind.startswith(f" {name} ") or _AT.sub("", before).endswith(f" {name}")
            if name and near:
                return "low" if found["low"] else "high"
    sides = _sides(text)
    higher = with_higher_dose(*sides) if sides else None
    return "" if higher is None else "high" if higher == "a" else "low"


def is_between_doses(text: str) -> bool:
    """Return whether a question sets two doses against each other, each of them told."""
    sides = _sides(text)
    told = (_HIGH, _LOW, _AMOUNT, _EVERY)
    each_told = bool(sides) and all(any(p.search(side) for p in told) for side in sides or ())
    return each_told and with_higher_dose(*sides or ("", "")) is not None


def _sides(text: str) -> tuple[str, str] | None:
    """Return what stands before and behind "versus" or the like."""
    first, *others = _VERSUS.split(text, maxsplit=1)
    return (first, _CLAUSE.split(others[0])[0]) if others else None


def with_higher_dose(a: str, b: str) -> Literal["a", "b"] | None:
    """Return which of two texts tells the higher dose: by words, by amounts, or by how often."""
    for words, more in ((_HIGH, True), (_LOW, False)):
        told = [bool(words.search(label)) for label in (a, b)]
        if told[0] != told[1]:
            return "a" if told[0] is more else "b"
    amounts = [_AMOUNT.findall(label) for label in (a, b)]
    often = [sorted(_OFTEN.findall(label.casefold())) for label in (a, b)]
    if [len(found) for found in amounts] == [1, 1] and often[0] == often[1]:
        (one, unit), (other, same) = amounts[0][0], amounts[1][0]
        first, second = (float(n.replace(",", "")) for n in (one, other))
        if unit.casefold() == same.casefold() and first != second:
            return "a" if first > second else "b"
    if len({tuple(found) for found in amounts}) > 1:
        return None  # more at once, and less often
    days = [_interval(label) for label in (a, b)]
    if None in days or days[0] == days[1]:
        return None
    return "a" if (days[0] or 0) < (days[1] or 0) else "b"


def _interval(label: str) -> int | None:
    """Return the days from one dose to the next; None where it is not told once."""
    found = list(_EVERY.finditer(label))
    if len(found) != 1:
        return None
    told = found[0]
    number = (told["number"] or told["each"] or "1").casefold()
    count = int(number) if number.isdigit() else _NUMBERS[number]
    return count * _DAYS[(told["unit"] or told["ly"] or told["once"])[0].casefold()]
