"""How many people a record studied, by registry or text."""

from __future__ import annotations

import re

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.record_kinds import is_paper
from deepcritical.domain.text import sentences

_NOUN = (
    r"(?:patients|participants|subjects|adults|persons|people|individuals|veterans|outpatients|"
    r"inpatients|volunteers|infants|children|women|men)"
)
_PEOPLE = (
    r"(?:men and women|(?:(?!\d+ |(?:studies|trials|rcts?|RCTs?|reviews|cohorts|articles|records|"
    r"years|months|weeks|days|hours|mg|g|of|in|with|from|among|for|per)\b)[\w-]+ ){0,3}"
    rf"{_NOUN})"
)
_NOT_IN_A_NAME = (
    r"(?<![\d.,])(?<![A-Za-z][-\u2010-\u2015])(?<!screened )(?<![Tt]ype )(?<![Ss]tage )"
    r"(?<![Pp]hase )(?<![Gg]rade )(?<![Cc]lass )"
)
_SIZE = r"(\d{1,3}(?:[ ,\u00a0\u2009\u202f]\d{3}){1,4}|\d+)"
_COUNT = bounded(rf"{_NOT_IN_A_NAME}{_SIZE}\s+{_PEOPLE}\b|\b[nN]\s*=\s*{_SIZE}")
_RANDOM = (
    r"(?:were |was |underwent )?(?:then )?(?:randomi[sz](?:ed|ation)|"
    r"randomly (?:assigned|allocated))"
)
_RANDOMISED = bounded(
    rf"{_NOT_IN_A_NAME}{_SIZE}\s+{_PEOPLE}(?: who)?\s+{_RANDOM}\b|"
    rf"{_NOT_IN_A_NAME}{_SIZE}\s+(?:were|underwent)\s+(?:[^.;\d]{{0,60}}?\s)?{_RANDOM}\b|"
    rf"\b(?:we |trial |study )?randomi[sz]ed\s+{_NOT_IN_A_NAME}{_SIZE}\s+{_PEOPLE}\b|"
    rf"\bAmong\s+{_SIZE}\s+(?:randomi[sz]ed\s+)?{_PEOPLE}\s+(?:included|who were randomi[sz]ed)",
)
_ARM = bounded(rf"\([nN]\s*=\s*{_SIZE}\b|\({_SIZE}\s+{_PEOPLE}\)|\({_SIZE}\)")
_TWO_ARMS = bounded(
    rf"\brandomly (?:assigned|allocated) {_SIZE}\s+{_PEOPLE}?\s*to [^.;\d]{{1,80}}?"
    rf"\band {_SIZE}\s+(?:{_PEOPLE}\s+)?to\b",
    re.IGNORECASE,
)
_IN_ARMS = bounded(
    r"\brandom\w*\b[^.]*\b(?:to|against|versus|vs|compar\w+)\b|\breceive", re.IGNORECASE
)
_OF_ARMS = bounded(
    rf"\b\d+\s?(?:/|of|out of)\s?{_SIZE}\b[^.;]{{0,80}}?\b(?:versus|vs\.?|compared with|and)\s"
    rf"[^.;]{{0,40}}?\b\d+\s?(?:/|of|out of)\s?{_SIZE}\b",
    re.IGNORECASE,
)
"""Events and size of two arms: "79/741 versus 119/756"."""
_OTHER_ARMS = bounded(
    rf"\b(?:an)?other (?:interventions?|treatments?|arms?|drugs?|groups?)[^()]{{0,20}}"
    rf"\((?:[nN]\s*=\s*)?{_SIZE}\b",
    re.IGNORECASE,
)
_UNITS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: n for n, word in enumerate(_UNITS, 2)}
_WORDED = bounded(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})(?:[-\s](?P<ones>{'|'.join(_UNITS[:8])}|one))?|"
    rf"(?P<small>{'|'.join(_UNITS)}))\s+{_PEOPLE}\b",
    re.IGNORECASE,
)


def participants(evidence: Evidence) -> int | None:
    """People studied; None when neither registry nor text says.

    For a registry entry its enrolment. In a text the people randomised come before all others that
    are counted (CONSORT 2010, item 13a), and the arms that a platform trial reports elsewhere are
    taken off. Two arms whose sum is a count of the text are the people compared, also where a
    platform randomised more. Without any count, the arms that a result is given for.
    """
    if not is_paper(evidence):
        return evidence.metadata.enrollment
    text = evidence.abstract
    if two := _TWO_ARMS.search(text):
        return sum(int(re.sub(r"\D", "", size)) for size in two.groups())
    found, first, arms = _RANDOMISED.search(text), _COUNT.search(text), _arms(text)
    if arms and arms in (_number(m) for m in _COUNT.finditer(text)):
        return arms
    if found:
        return _number(found) - _elsewhere(text)
    if first and arms and (first[2] or _number(first) < arms):
        return arms
    worded = _WORDED.search(text)
    if first and (worded is None or first.start() < worded.start()):
        return _number(first) - _elsewhere(text)
    return _spelled(worded) if worded else _of_arms(text)


def _of_arms(text: str) -> int | None:
    """The sum of the sizes that a result gives for two arms."""
    found = _OF_ARMS.search(text)
    return sum(int(re.sub(r"\D", "", size)) for size in found.groups()) if found else None


def _number(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", next(group for group in match.groups() if group)))


def _elsewhere(text: str) -> int:
    """People in arms that a platform trial mentions and does not report on."""
    other = _OTHER_ARMS.search(text)
    return _number(other) if other else 0


def _arms(text: str) -> int | None:
    """The sum of two arms that one sentence gives the sizes of."""
    for span in sentences(text):
        sizes = [_number(m) for m in _ARM.finditer(span.text)]
        if len(sizes) == 2 and _IN_ARMS.search(span.text):
            return sum(sizes)
    return None


def _spelled(match: re.Match[str]) -> int:
    if match["small"]:
        return _WORDS[match["small"].lower()]
    ones = (match["ones"] or "").lower()
    return 10 * (_TENS.index(match["tens"].lower()) + 2) + (_WORDS.get(ones, 1) if ones else 0)
