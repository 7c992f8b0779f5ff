"""Tells which sentences meet a need by what was read in them, and not by their words alone."""

from __future__ import annotations

import re

from deepcritical.answering.cues import CUES, says
from deepcritical.appraisal.pico.dosing import doses_of
from deepcritical.domain.appraisal.checklist import Aspect, Inquiry
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.study.reading import StudyReading
from deepcritical.domain.text.patterns import bounded
from deepcritical.reading.sentences import quoted
from deepcritical.vocabulary.folding import key_of

_ASKS_HOW_LONG = says(r"how long|how many (?:days|weeks|months)|duration")
_FOR_SO_LONG = bounded(r"\b\d[\d.]*[- ](?:day|week|month|year|cycle)s?\b", re.IGNORECASE)


def studied_starts(reading: StudyReading | None, record: Evidence) -> frozenset[int]:
    """Return where the sentences begin that a reading takes its people from."""
    if reading is None:
        return frozenset()
    some = (r for r in reading.results if r.level == "subgroup" or r.people)
    numbers = (*reading.population.sentences, *(n for r in some for n in r.sentences))
    return frozenset(span.start for span in quoted(numbers, record))


def tells_dose(inquiry: Inquiry, text: str) -> bool:
    """Return whether a sentence states a dose of the drug asked about, or how long it was given."""
    names = [name for drug in inquiry.drugs for name in (drug.name, *drug.synonyms)]
    if not names:
        return bool(CUES[Aspect.DOSE].search(text))
    lasting = _ASKS_HOW_LONG.search(inquiry.text) and _FOR_SO_LONG.search(text)
    of_drug = any(f" {key_of(name)} " in f" {key_of(text)} " for name in names)
    return bool(lasting and of_drug) or bool(doses_of(text, names))
