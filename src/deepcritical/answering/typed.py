"""Tells which sentences meet a need by what was read in them, and not by their words alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from deepcritical.answering.cues import CUES, says
from deepcritical.appraisal.dosing import doses_of
from deepcritical.domain.checklist import Aspect, Inquiry
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import StudyReading
from deepcritical.reading.sentences import quoted
from deepcritical.vocabulary.folding import key_of

_ASKS_HOW_LONG = says(r"how long|how many (?:days|weeks|months)|duration")
_FOR_SO_LONG = bounded(r"\b\d[\d.]*[- ](?:day|week|month|year|cycle)s?\b", re.IGNORECASE)


def _who(reading: StudyReading) -> list[int]:
    some = (r for r in reading.results if r.level == "subgroup" or r.people)
    return [*reading.population.sentences, *(n for r in some for n in r.sentences)]


_TYPED: Mapping[Aspect, Callable[[StudyReading], Iterable[int]]] = {
    Aspect.SAFETY: lambda reading: [
        n for result in reading.results if result.kind == "safety" for n in result.sentences
    ],
    Aspect.ELIGIBILITY: _who,
}


def typed_starts(aspect: Aspect, reading: StudyReading | None, record: Evidence) -> frozenset[int]:
    """Return where the sentences begin that a reading rests its answer to a need on."""
    if reading is None or aspect not in _TYPED:
        return frozenset()
    return frozenset(span.start for span in quoted(_TYPED[aspect](reading), record))


def tells_dose(inquiry: Inquiry, text: str) -> bool:
    """Return whether a sentence states a dose of the drug asked about, or how long it was given."""
    names = [name for drug in inquiry.drugs for name in (drug.name, *drug.synonyms)]
    if not names:
        return bool(CUES[Aspect.DOSE].search(text))
    lasting = _ASKS_HOW_LONG.search(inquiry.text) and _FOR_SO_LONG.search(text)
    of_drug = any(f" {key_of(name)} " in f" {key_of(text)} " for name in names)
    return bool(lasting and of_drug) or bool(doses_of(text, names))
