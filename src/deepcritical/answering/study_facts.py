"""Facts of a study that a question may ask for: sponsor, number, phase, size, follow-up, stop.

A registry field is told beside the record's sentence; what no field has must stand in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from deepcritical.answering.cues import says
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.record_kinds import told_status
from deepcritical.domain.study import StudyReading
from deepcritical.domain.text import Span, whole_sentences
from deepcritical.reading.sentences import quoted

_Told = Callable[[Evidence, StudyReading | None], str]


class StudyFact(NamedTuple):
    """One fact of a study."""

    asked: re.Pattern[str]
    """Words of a question for it."""
    told: _Told
    """Function that gives the fields of a record or its reading in words; '' for nothing."""
    said: re.Pattern[str] | None = None
    """Words of a sentence that states it."""


def _sponsor(record: Evidence, _: StudyReading | None) -> str:
    name = (record.metadata.model_extra or {}).get("sponsor")
    return f"sponsor: {name}" if name else ""


def _number(record: Evidence, reading: StudyReading | None) -> str:
    linked = (*record.metadata.linked_ids, *(reading.registry_ids if reading else ()))
    ids = [record.metadata.nct_id, *(i.partition(":")[2] for i in linked if i.startswith("nct:"))]
    told = dict.fromkeys(i for i in ids if i)
    return f"registered as {', '.join(told)}" if told else ""


def _phase(record: Evidence, _: StudyReading | None) -> str:
    numbers = re.findall(r"[1-4]", record.metadata.phase or "")
    return f"phase {' and '.join(numbers)}" if numbers else ""


def _size(record: Evidence, reading: StudyReading | None) -> str:
    people = reading.population if reading else None
    if people and (number := people.n_randomised or people.n_analysed):
        return f"{number:,} people"
    meta = record.metadata
    if meta.enrollment:
        return f"{meta.enrollment:,} people"
    return f"{meta.planned_enrollment:,} people planned" if meta.planned_enrollment else ""


def _dates(record: Evidence, _: StudyReading | None) -> str:
    meta = record.metadata
    began = (meta.model_extra or {}).get("start_date")
    parts = (f"began {began}" if began else "", f"completion {meta.completion_date}")
    told = [part for part in parts if part and not part.endswith("None")]
    return ", ".join(told) or told_status(record)


def _nothing(_: Evidence, __: StudyReading | None) -> str:
    return ""


_ENDED = r"stopped|closed|terminated|halted|withdrawn|suspended|discontinued|ended"
_STUDIES = r"trials?|stud(?:y|ies)"
_FACTS = (
    StudyFact(
        says(r"sponsor\w*|funded|funders?|financed|paid for|who (?:ran|runs|led|conducted)"),
        _sponsor,
        says(r"(?:funded|sponsored|financed|supported) by"),
    ),
    StudyFact(
        says(
            rf"(?:registration|registry|register|NCT|EudraCT|{_STUDIES}) "
            r"(?:numbers?|ids?|identifiers?|codes?)"
        ),
        _number,
    ),
    StudyFact(says(r"(?:which|what) phase|phase (?:is|was|of)"), _phase),
    StudyFact(
        says(
            r"sample size|how (?:large|big) (?:was|is|were|are) (?:the |each )?(?:[\w-]+ ){0,3}"
            rf"(?:{_STUDIES})|how many (?:participants|subjects|volunteers)|"
            r"how many (?:[\w-]+ ){1,4}(?:randomi[sz]ed|enrol\w+|recruited|included|allocated|"
            r"took part|take part)|number of (?:participants|subjects|patients) in"
        ),
        _size,
    ),
    StudyFact(
        says(
            r"when (?:did|do|does|will|is|was|were|has) (?:[\w-]+ ){1,8}"
            r"(?:start|begin|began|end|finish|complete)\w*|"
            rf"has (?:it|the (?:[\w-]+ )?(?:{_STUDIES})) "
            r"(?:finished|ended|begun|started|completed)|"
            rf"(?:start|completion) date|status of (?:the |this )?(?:[\w-]+ )?(?:{_STUDIES})"
        ),
        _dates,
    ),
    StudyFact(
        says(
            rf"why (?:[\w-]+ ){{1,8}}(?:{_ENDED})|(?:{_ENDED}) (?:early|prematurely)|"
            rf"(?:terminated|withdrawn|suspended) (?:{_STUDIES})|"
            rf"(?:{_STUDIES}) (?:[\w-]+ ){{1,8}}(?:stopped|terminated|withdrawn|suspended|halted)"
        ),
        _nothing,
        says(
            rf"why stopped|(?:was|were) (?:{_ENDED})|(?:{_ENDED}) (?:early|prematurely)|"
            r"early (?:close|closure|stop|termination)"
        ),
    ),
    StudyFact(
        says(
            r"how long (?:[\w-]+ ){1,12}follow\w*|follow-?up (?:time|period|duration|length)|"
            r"(?:length|duration) of (?:the )?follow-?up|long\w* follow-?up"
        ),
        _nothing,
        bounded(
            r"\bfollow\w*[^.;]{0,60}\b\d[\d.,]* ?(?:year|month|week|day)s?\b|"
            r"\b\d[\d.,]* ?(?:year|month|week|day)s?\b[^.;]{0,60}\bfollow|\bfollowed until\b",
            re.IGNORECASE,
        ),
    ),
)


_NAME = bounded(r"\b[A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*\b")
_CAPITALS = 3
_NO_NAMES = frozenset("EMA FDA NCT RCT RCTs USA WHO".split())


def names_of_studies(text: str) -> tuple[str, ...]:
    """The words of a question in capitals by which studies are called, such as TOGETHER."""
    words = dict.fromkeys(_NAME.findall(text))
    return tuple(w for w in words if sum(map(str.isupper, w)) >= _CAPITALS and w not in _NO_NAMES)


def asks_of_study(text: str) -> bool:
    """Return whether a question asks for a fact of a study."""
    return bool(facts_asked(text))


def facts_asked(text: str) -> tuple[StudyFact, ...]:
    """The facts of a study that a question asks for."""
    return tuple(fact for fact in _FACTS if fact.asked.search(text))


def sentences_with(
    facts: Sequence[StudyFact], record: Evidence, reading: StudyReading | None
) -> list[Span]:
    """The sentences of a record beside which, or in which, one of the facts is told.

    A field is told beside the sentence on who was studied, else the first one.
    """
    spans = whole_sentences(record.content)
    said = [s for s in spans if any(f.said and f.said.search(s.text) for f in facts)]
    if said or not any(fact.told(record, reading) for fact in facts):
        return said
    numbers = reading.population.sentences if reading else ()
    starts = {span.start for span in quoted(numbers, record)}
    return [s for s in spans if s.start in starts][:1] or list(spans[:1])
