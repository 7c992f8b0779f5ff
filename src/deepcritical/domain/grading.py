"""Grades records: design, OCEBM 2011 level, GRADE certainty and quality, with reasons.

Levels follow the Oxford Centre for Evidence-Based Medicine 2011 table for treatment benefit:
1 systematic review of randomised trials; 2 randomised trial; 3 non-randomised controlled cohort;
4 case series, case-control, historical control; 5 mechanism-based reasoning. A review is graded as
the weakest design that it pools.

Quality, 0-1, is a weighted mean of five factors, each read from a table:

| factor | weight | 1.0 ... lowest |
|---|---|---|
| design | 0.35 | OCEBM level 1: 1.0, 2: 0.85, 3: 0.6, 4: 0.4, 5: 0.2, none: 0.1 |
| size | 0.20 | 1,000 participants: 1.0, 400: 0.8, 100: 0.5, 30: 0.3, fewer: 0.15, unknown: 0.2 |
| integrity | 0.15 | clean: 1.0, corrected: 0.8, not checked: 0.7, concern: 0.2 |
| peer review | 0.10 | journal: 1.0, registry: 0.8, preprint: 0.4, web: 0.1 |
| citations | 0.10 | 100: 1.0, 20: 0.7, 5: 0.5, 1: 0.3, none: 0.2, unknown: 0.3 |

A retracted record has 0. It ranks records for a reader; no verdict rests on it, for a sum of
scores hides what is wrong with a study (Cochrane Handbook, 8.2.1; Jüni et al., JAMA 1999).
"""

import re
from functools import lru_cache

from deepcritical.domain.base import Model, UnitInterval
from deepcritical.domain.certainty import Certainty, rate_certainty
from deepcritical.domain.designs import LEVEL, Design, design_of
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.quantities import ONES, TENS, number_of
from deepcritical.domain.record_kinds import is_paper, is_preprint, is_retracted
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
_NUMERAL = r"(\d{1,3}(?:[ ,\u00a0\u2009\u202f]\d{3}){1,4}|\d+)"
_COUNT = bounded(rf"{_NOT_IN_A_NAME}{_NUMERAL}\s+{_PEOPLE}\b|\b[nN]\s*=\s*{_NUMERAL}")
_RANDOM = (
    r"(?:were |was |underwent )?(?:then )?(?:randomi[sz](?:ed|ation)|"
    r"randomly (?:assigned|allocated))"
)
_RANDOMISED = bounded(
    rf"{_NOT_IN_A_NAME}{_NUMERAL}\s+{_PEOPLE}(?: who)?\s+{_RANDOM}\b|"
    rf"{_NOT_IN_A_NAME}{_NUMERAL}\s+(?:were|underwent)\s+(?:[^.;\d]{{0,60}}?\s)?{_RANDOM}\b|"
    rf"\b(?:we |trial |study )?randomi[sz]ed\s+{_NOT_IN_A_NAME}{_NUMERAL}\s+{_PEOPLE}\b|"
    rf"\bAmong\s+{_NUMERAL}\s+(?:randomi[sz]ed\s+)?{_PEOPLE}\s+(?:included|who were randomi[sz]ed)",
)
_ARM = bounded(rf"\([nN]\s*=\s*{_NUMERAL}\b|\({_NUMERAL}\s+{_PEOPLE}\)|\({_NUMERAL}\)")
_TWO_ARMS = bounded(
    rf"\brandomly (?:assigned|allocated) {_NUMERAL}\s+{_PEOPLE}?\s*to [^.;\d]{{1,80}}?"
    rf"\band {_NUMERAL}\s+(?:{_PEOPLE}\s+)?to\b",
    re.IGNORECASE,
)
_IN_ARMS = bounded(
    r"\brandom\w*\b[^.]*\b(?:to|against|versus|vs|compar\w+)\b|\breceive", re.IGNORECASE
)
_OF_ARMS = bounded(
    rf"\b\d+\s?(?:/|of|out of)\s?{_NUMERAL}\b[^.;]{{0,80}}?\b(?:versus|vs\.?|compared with|and)\s"
    rf"[^.;]{{0,40}}?\b\d+\s?(?:/|of|out of)\s?{_NUMERAL}\b",
    re.IGNORECASE,
)
"""Events and size of two arms: "79/741 versus 119/756"."""
_OTHER_ARMS = bounded(
    rf"\b(?:an)?other (?:interventions?|treatments?|arms?|drugs?|groups?)[^()]{{0,20}}"
    rf"\((?:[nN]\s*=\s*)?{_NUMERAL}\b",
    re.IGNORECASE,
)
_WORDED = bounded(
    rf"\b(?P<number>(?:{'|'.join(TENS)})(?:[-\s](?:{'|'.join(ONES[:9])}))?|"
    rf"(?:{'|'.join(ONES[1:])}))\s+{_PEOPLE}\b",
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
    return number_of(re.split(r"[-\s]", worded["number"].lower())) if worded else _of_arms(text)


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


_WEIGHTS = {
    "design": 0.35,
    "size": 0.20,
    "integrity": 0.15,
    "peer review": 0.10,
    "citations": 0.10,
}
_DESIGN = {1: 1.0, 2: 0.85, 3: 0.6, 4: 0.4, 5: 0.2, None: 0.1}
_SIZE = ((1000, 1.0), (400, 0.8), (100, 0.5), (30, 0.3), (0, 0.15))
_CITATIONS = ((100, 1.0), (20, 0.7), (5, 0.5), (1, 0.3), (0, 0.2))
_INTEGRITY = {"clean": 1.0, "corrected": 0.8, "not_checked": 0.7, "concern": 0.2, "retracted": 0.0}


class Grade(Model):
    """The strength of one record, with the source of the judgement."""

    design: Design
    level: int | None
    """OCEBM 2011 level 1-5, or None for a trial without a result."""
    reason: str
    from_text: bool = False
    """Whether the design was read from the text: a fallback, flagged.

    It is used when the index gives no publication type.
    """
    participants: int | None = None
    retracted: bool = False
    concern: bool = False
    """Whether an expression of concern stands against the record."""
    certainty: Certainty | None = None
    """GRADE certainty of this record alone; None where there is no result to be certain of."""
    certainty_reasons: tuple[str, ...] = ()
    """What lowered or raised the certainty from where its design starts, as GRADE names it."""
    quality: UnitInterval = 0.0
    """Quality 0-1, whatever its age; see `quality_score`."""


def grade(evidence: Evidence) -> Grade:
    """The grade of one record, from its index, its registry and, flagged, its text."""
    return _graded(evidence)


# A run asks for the grade of one record again and again.
@lru_cache(maxsize=1024)
def _graded(evidence: Evidence) -> Grade:
    judged = design_of(evidence)
    people = participants(evidence)
    rated = rate_certainty(evidence, judged.design, people)
    return Grade(
        design=judged.design,
        level=LEVEL[judged.design],
        reason=judged.reason,
        from_text=judged.from_text,
        participants=people,
        retracted=is_retracted(evidence),
        concern=evidence.metadata.integrity == "concern",
        certainty=rated.certainty,
        certainty_reasons=rated.reasons,
        quality=quality_score(evidence),
    )


def quality_score(record: Evidence) -> UnitInterval:
    """The weighted mean of the factors above, rounded to 2 digits.

    How old a record is does not count: the score must not change with the day.
    """
    if is_retracted(record):
        return 0.0
    points = {
        "design": _DESIGN[LEVEL[design_of(record).design]],
        "size": _step(_SIZE, participants(record), 0.2),
        "integrity": _INTEGRITY[record.metadata.integrity],
        "peer review": _review(record),
        "citations": _step(_CITATIONS, record.metadata.cited_by, 0.3),
    }
    total = sum(_WEIGHTS.values())
    return round(sum(_WEIGHTS[name] * value for name, value in points.items()) / total, 2)


def _step(table: tuple[tuple[int, float], ...], value: int | None, unknown: float) -> float:
    if value is None:
        return unknown
    return next((points for least, points in table if value >= least), table[-1][1])


def _review(record: Evidence) -> float:
    if record.citation.source == "web":
        return 0.1
    if not is_paper(record):
        return 0.8
    return 0.4 if is_preprint(record) else 1.0
