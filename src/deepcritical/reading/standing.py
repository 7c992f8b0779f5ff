"""Looks up the figures, names and numbers of people of a reading in its record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import NO_UNIT, Quantity, quantities
from deepcritical.domain.text import Span, fold
from deepcritical.vocabulary.conditions import condition_named, find_conditions
from deepcritical.vocabulary.drugs import find_drugs

_PLAIN = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_GROUPED = re.compile(r"(?<=\d)[,\u00a0\u2009\u202f ](?=\d{3}(?!\d))")
_COMMA_POINT = re.compile(r"(?<![\d.,])0,(?=\d{1,4}(?![\d,]))")
"""A decimal comma: no other number begins with a nought."""
_SPLIT_POINT = re.compile(r"(?<=\d)[·.]\s?(?=\d)")
_PLAN = bounded(
    r"\b(?:will be|are to be|to be (?:enrolled|recruited|randomi[sz]ed)|plan(?:s|ned)? to|"
    r"planned(?! (?:[\w-]+ ){0,2}analys[ei]s)|"
    r"aims? to|we aim|intend(?:s|ed)? to|target(?:ed)? (?:sample|enrol)|sample size (?:of|was|is)|"
    r"required sample|power(?:ed)? to|expected to (?:enrol|recruit|includ))",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"(?:^|[\s(])[A-Z]\w{0,20}-?[A-Z]{2,20}[\w-]{0,20}[\s-]$")
_PEOPLE_BEHIND = bounded(
    r"^\s*(?:[a-z-]+\s){0,4}(?:patients?|participants?|subjects?|people|persons?|adults?|children|"
    r"women|men|individuals?|volunteers?|veterans?|infants?|randomi[sz]ed|enrolled|cases)\b",
    re.IGNORECASE,
)
_HYPHENED = re.compile(r"\w-$")
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_WORDED = {
    0.0: bounded(r"\b(?:no|none|neither|never|without|zero|nil)\b", re.IGNORECASE),
    1.0: bounded(r"\b(?:one|once|a single)\b", re.IGNORECASE),
}
_WORDS = re.compile(r"[^\W\d_][\w'-]{2,}")
_FEW_DIGITS = 2
_ENDING = re.compile(
    r"(?<=\w{4})(?:ically|ical|ations?|ated|ating|ate|ally|al|ing|ed|ions?|ors?|ers?|ments?|ives?|es|s|e)$"
)
"""Endings by which an English word changes: "ventilation", "ventilated" are one, drugs are not."""
_DONE = bounded(
    r"^\W{0,3}(?:[\w-]+\s){0,4}(?:(?:were|was|have been|had been)\s(?:[\w-]+\s)?(?:randomi|enrol|"
    r"recruit|includ|assign|allocat|analy|treated|eligible)|entered\b|completed\b|underwent\b)",
    re.IGNORECASE,
)
_YEAR = bounded(
    r"\b(?:in|since|until|during|from|to|between|and|through|of|year)\s$", re.IGNORECASE
)
_AGE = bounded(
    r"\b(?:aged?|ages)\s(?:of\s)?$|\b(?:day|week|month|year|visit|version)s?\s$", re.IGNORECASE
)


def _numbers(text: str) -> frozenset[float]:
    plain = _SPLIT_POINT.sub(".", _GROUPED.sub("", _COMMA_POINT.sub("0.", text)))
    written = {float(n) for n in _PLAIN.findall(plain)}
    found = written | {abs(q.value) for q in quantities(text)}
    return frozenset(found | {n for n, words in _WORDED.items() if words.search(text)})


class Standing:
    """The content of one record; made once for all checks of its reading.

    Args:
        told: Its numbered sentences.
        evidence: The record.
    """

    def __init__(self, told: Sequence[Span], evidence: Evidence) -> None:
        self._told = told
        self._numbers = [_numbers(span.text) for span in told]
        meta = evidence.metadata
        self._sizes = {meta.enrollment, meta.planned_enrollment}
        fields = (*meta.interventions, *meta.conditions, *meta.chemicals, *meta.mesh_terms)
        self._text = fold("\n".join((*(span.text for span in told), *fields)))
        self._words = frozenset(_WORDS.findall(self._text))
        self._stems = frozenset(map(_stem, self._words))
        self._given = "\n".join((*(span.text for span in told), *fields))

    def known(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Those numbers that are sentences of the record."""
        return tuple(n for n in numbers if 0 <= n < len(self._told))

    def lacking(self, figures: Iterable[float | None], numbers: Sequence[int]) -> list[float]:
        """The figures that stand in none of the sentences."""
        there = frozenset().union(*(self._numbers[n] for n in numbers))
        if len(numbers) > 1:  # "0." may end one sentence, and its decimals begin the next
            there |= _numbers(" ".join(self._told[n].text for n in numbers))
        return [f for f in figures if f is not None and not _is_in(f, there)]

    def sentence_with(self, figures: Sequence[float]) -> int | None:
        """The only sentence that holds all of these figures, if they are no small whole numbers."""
        if not figures or all(float(f).is_integer() and abs(f) < 10**_FEW_DIGITS for f in figures):
            return None
        found = [
            n for n, there in enumerate(self._numbers) if all(_is_in(f, there) for f in figures)
        ]
        return found[0] if len(found) == 1 else None

    def counts_people(self, number: int) -> bool:
        """Return whether a number of people is in the record, and not only in a name or plan."""
        if number in self._sizes:
            return True
        return any(_is_count(self._told[n].text, number) for n in self._places(number))

    def is_planned(self, number: int) -> bool:
        """Return whether the number stands in the record as one that was aimed at alone."""
        places = self._places(number)
        return bool(places) and all(_is_plan(self._told[n].text, number) for n in places)

    def _places(self, number: int) -> list[int]:
        return [n for n, there in enumerate(self._numbers) if float(number) in there]

    def names(self, name: str) -> bool:
        """Return whether a name is in the record, as written or as another name of the drug."""
        wanted = fold(name)
        if re.search(rf"(?<!\w){re.escape(wanted)}(?:tm)?(?!\w)", self._text):
            return True
        words = _WORDS.findall(wanted)
        if words and all(w in self._words or w.rstrip("s") in self._words for w in words):
            return True
        meant = {m.drug.name for m in find_drugs(name)}
        if meant:
            return meant <= {m.drug.name for m in find_drugs(self._given)}
        # "mechanical ventilation" of those who were "mechanically ventilated".
        return bool(words) and all(_stem(w) in self._stems for w in words)

    def tells_of(self, condition: str) -> bool:
        """Return whether a condition is in the record, by this or another name, or its main word.

        A reader normalises: an abstract may say "diabetics" where the reading says "diabetes".
        """
        if self.names(condition):
            return True
        known = condition_named(condition)
        if known and any(m.condition == known for m in find_conditions(self._given)):
            return True
        stems = [w[:5] for w in _WORDS.findall(fold(condition)) if len(w) > 3]
        return any(word.startswith(stem) for stem in stems for word in self._words)


def _is_in(figure: float, there: frozenset[float]) -> bool:
    wanted = abs(figure)
    return wanted in there or any(abs(wanted - n) <= 1e-9 * max(1.0, n) for n in there)


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def _is_plan(text: str, number: int) -> bool:
    """Return whether the sentence tells of the number as one that is aimed at."""
    if not _PLAN.search(text):
        return False
    at = [q for q in quantities(text) if abs(q.value) == number]
    return not any(_DONE.search(text[q.end :]) for q in at)


def _is_count(text: str, number: int) -> bool:
    if _is_plan(text, number):
        return False
    if re.search(rf"(?<!\w)[nN] ?= ?{number}(?![\d.])", text):
        return True
    at = [q for q in quantities(text) if abs(q.value) == number]
    if not at:
        # The closer reading passes over small numbers in brackets.
        return bool(re.search(rf"\(\s*(?:[nN]\s*=\s*)?{number}\s*\)", text))
    return any(_may_count(text, q) for q in at)


def _may_count(text: str, q: Quantity) -> bool:
    before, behind = text[max(0, q.start - 30) : q.start], text[q.end : q.end + 60]
    if _PEOPLE_BEHIND.search(behind) and (q.noun or not _NAME_BEFORE.search(before)):
        return not _HYPHENED.search(before)
    odd = q.kind or q.unit is not NO_UNIT or _NAME_BEFORE.search(before) or _AGE.search(before)
    year = _FIRST_YEAR <= q.value <= _LAST_YEAR and not q.noun and _YEAR.search(before)
    return not (odd or year or _HYPHENED.search(before))
