"""Tells which of two doses, intervals or durations of a drug is asked about, and which is more."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from deepcritical.domain.text.patterns import bounded
from deepcritical.vocabulary.folding import key_of

_WORDS = r"[- ](?:[\w-]{1,20} )?dos(?:es?|age|ing)\b"
_HIGH = bounded(rf"\b(?:high(?:er)?|large(?:r)?|double|increased){_WORDS}", re.IGNORECASE)
_LOW = bounded(rf"\b(?:low(?:er)?|small(?:er)?|reduced){_WORDS}", re.IGNORECASE)
_AMOUNT = bounded(
    r"\b(\d[\d,]{0,9}(?:\.\d{1,4})?)\s?(mg|g|[µμ]g|mcg|IU|units?|mL|mmol|Gy)\b", re.IGNORECASE
)
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
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_LASTING = bounded(
    rf"(?<!every )(?<!every)(?<!q)(?<!q )(?<!\w)(?<![\d.,-]){_NUMBER}[- ]"
    r"(?P<unit>weeks?|months?|years?)\b(?! (?:(?:of )?follow|survival|rates?|disease))",
    re.IGNORECASE,
)
"""For how long a drug is given: "12 months of examplol"."""
_USUAL = bounded(
    r"\b(?:standard|usual|conventional|normal|full|short(?:er)?|long(?:er)?|extended)[- ]"
    r"(?:\w{1,20} )?(?:dos(?:es?|age|ing)|schedule|interval|duration|term)\b",
    re.IGNORECASE,
)
_BESIDE_DOSE = frozenset(
    "a an the of at in by per and or to for once twice times daily day weekly week dose dosing "
    "schedule interval only alone".split()
)
_ASKED = bounded(
    r"\b(?:(?P<low>low(?:er)?|reduced|small(?:er)?)|high(?:er)?|double|increased|large(?:r)?)"
    r" (?:dose|dosage|dosing)s?\b",
)
_AT = bounded(r" (?:at|in|given at|taken at)(?: an?)?(?: very)? ?$| $")
"""Words by which a question is on one dose of a drug and not on the drug as such."""
_CLAUSE = re.compile(r",(?!\d)|[;:?–]| - ")
_VERSUS = bounded(
    r"\b(?:versus|vs\.?|than|against|or|instead of|in place of|compared (?:with|to)|"
    r"as (?:good|well|effective|safe) as|inferior to)(?=\W)",
    re.IGNORECASE,
)


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
    each_told = bool(sides) and all(map(tells_dose, sides or ()))
    return each_told and with_higher_dose(*sides or ("", "")) is not None


_DOSES = (_USUAL, _HIGH, _LOW, _AMOUNT, _EVERY, _LASTING)


def tells_dose(text: str) -> bool:
    """Return whether a text tells how much of a drug is given, how often, or for how long."""
    return any(pattern.search(text) for pattern in _DOSES)


def tells_only_dose(text: str, names: Iterable[str]) -> bool:
    """Return whether a text tells a dose and names nothing beside it but the drug of `names`."""
    left = text.casefold()
    for pattern in _DOSES:
        left = pattern.sub(" ", left)
    own = {word for name in names for word in key_of(name).split()}
    return tells_dose(text) and set(key_of(left).split()) <= own | _BESIDE_DOSE


def is_between_durations(text: str) -> bool:
    """Return whether a question sets two durations of a treatment against each other."""
    sides = _sides(text)
    return sides is not None and differ_in_length(*sides)


def _sides(text: str) -> tuple[str, str] | None:
    """Return what stands before and behind "versus" or the like."""
    first, *others = _VERSUS.split(text, maxsplit=1)
    return (first, _CLAUSE.split(others[0])[0]) if others else None


def with_higher_dose(a: str, b: str) -> Literal["a", "b"] | None:
    """Return which of two texts tells the higher dose.

    By words, by amounts, by how often, or where they tell nothing else by how long it is given.
    """
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
    days = [_days(_EVERY, label) for label in (a, b)]
    if None not in days and days[0] != days[1]:
        return "a" if (days[0] or 0) < (days[1] or 0) else "b"
    lasting = [_days(_LASTING, label) for label in (a, b)]
    if None in lasting or lasting[0] == lasting[1] or days[0] != days[1]:
        return None
    return "a" if (lasting[0] or 0) > (lasting[1] or 0) else "b"


def differ_in_length(a: str, b: str) -> bool:
    """Return whether two texts tell how long a drug is given, and no dose."""
    doses = any(p.search(label) for p in (_HIGH, _LOW, _AMOUNT, _EVERY) for label in (a, b))
    return not doses and None not in (_days(_LASTING, a), _days(_LASTING, b))


def _days(pattern: re.Pattern[str], label: str) -> int | None:
    """Return the days that a text tells; None where it does not tell them once."""
    found = list(pattern.finditer(label))
    if len(found) != 1:
        return None
    told = found[0].groupdict()
    number = (told["number"] or told.get("each") or "1").casefold()
    count = int(number) if number.isdigit() else _NUMBERS[number]
    return count * _DAYS[(told["unit"] or told.get("ly") or told["once"])[0].casefold()]
