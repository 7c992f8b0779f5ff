"""Quantities and outcomes that questions ask for in words that no answer repeats.

"What dose?" is answered by an amount, "Was it tolerated?" by adverse events.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from deepcritical.domain import harms
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span
from deepcritical.reasoning import lexicon

__all__ = ["AMOUNT", "DOSE", "WANTED", "Wanted"]


class Wanted(NamedTuple):
    """Something that a question wants told."""

    name: str
    """For the reader."""
    asked: re.Pattern[str]
    """Words of a question that want it."""
    found_in: Callable[[Span], bool]
    """Whether a sentence tells it."""
    is_topic: bool = True
    """Whether it is something by itself; a risk is one of a condition."""
    is_finding: bool = False
    """Whether only findings tell it, no plan and no method."""
    is_part: bool = False
    """Whether trials also report it as part of a composite outcome."""
    is_safety: bool = False


def _pattern(pattern: str) -> re.Pattern[str]:
    return bounded(pattern, re.IGNORECASE)


def _says(pattern: str) -> Callable[[Span], bool]:
    compiled = _pattern(pattern)
    return lambda span: bool(compiled.search(span.text))


DOSE = "dose (an amount)"
AMOUNT = _pattern(
    r"\d\s*-?(?:mg|g|[\u00b5μ]g|ug|mcg|micrograms?|milligrams?|grams?|IU|international units|mmol)"
    r"(?![\w]|\s?/\s?(?:d?l|ml)\b|\s+per (?:d?l|ml|lit))"
)
"""A number with a unit of a dose; a concentration per litre is none."""
_PEOPLE = (
    r"patients|participants|people|adults|subjects|individuals|persons|children|infants|women|men|"
    r"veterans|outpatients|volunteers|cases|controls|mice|rats|animals"
)


def _tells_safety(span: Span) -> bool:
    told = harms.SAFETY.search(span.text) or span.label.startswith(harms.HARMS_SECTION)
    about = harms.SAFETY_AS_TOPIC.search(span.text) or lexicon.OUTLOOK.search(span.text)
    return bool(told) and not about


WANTED = (
    Wanted(
        DOSE,
        _pattern(
            r"\b(?:at |in )?(?:what|which|how (?:high|large))\b[\w ]{0,20}\bdos(?:es?|ages?)\b"
        ),
        lambda span: bool(AMOUNT.search(span.text)),
    ),
    Wanted(
        "number of people",
        _pattern(
            rf"\bhow many (?:\w+ )?(?:{_PEOPLE})\b|\bsample sizes?\b|\bnumber of (?:{_PEOPLE})\b"
        ),
        _says(rf"\d\s+(?:[\w-]+\s+){{0,4}}(?:{_PEOPLE})\b|\bn\s*=\s*\d"),
    ),
    Wanted(
        "duration",
        _pattern(r"\bhow long\b|\bduration\b|\bfor how (?:many|long)\b"),
        _says(
            r"\b(?:\d+|one|two|three|four|five|six|twelve)[\s-]+(?:days?|weeks?|months?|years?)\b"
        ),
    ),
    Wanted(
        "safety or tolerability",
        _pattern(
            r"\b(?:well[- ])?tolerat\w+|\btolerab\w+|\bsafe(?:ty|ly)?\b|"
            r"\b(?:adverse|side)[- ](?:events?|effects?|reactions?)\b|\bharm(?:s|ful)?\b|\btoxi\w+"
        ),
        _tells_safety,
        is_finding=True,
        is_safety=True,
    ),
    Wanted(
        "death or survival",
        _pattern(
            r"\bmortality\b|\bdeaths?\b|\bdie[sd]?\b|\bsurviv\w+|\blife expectancy\b|\bfatal\w*"
        ),
        _says(
            r"\bmortality\b|\bdeaths?\b|\bdie[sd]?\b|\bdying\b|\bsurviv\w+|"
            r"\blife expectancy\b|\bfatal"
        ),
        is_finding=True,
        is_part=True,
    ),
    Wanted(
        "admission to hospital",
        _pattern(r"\bhospitali[sz]\w+|\badmi(?:ssions?|tted) to hospital\b"),
        _says(
            r"\bhospitali[sz]ations?\b|\badmissions?\b|\badmitted to hospital\b|"
            r"\b(?:was|were|be|being) (?:\w+ )?hospitali[sz]ed\b(?! with)"
        ),
        is_finding=True,
        is_part=True,
    ),
    Wanted(
        "risk or incidence",
        _pattern(r"\b(?:risks?|incidence|odds|hazards?)\b(?: (?:of|for))?"),
        _says(
            r"\brisks?\b|\bincidence\b|\bincident\b|\bodds\b|\bhazards?\b|\b[HOR]R\b|\blikel\w+|"
            r"\bdevelop\w*|\bonset\b|\bprevent\w*|\bprotect\w*|\brates?\b|\bassociat\w+|\bcases\b"
        ),
        is_topic=False,
        is_finding=True,
    ),
)
"""Everything that is known to be wanted in other words."""
