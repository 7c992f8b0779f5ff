"""Whether a sentence on safety says that a drug was tolerated, or that it was not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span
from deepcritical.reasoning import arms
from deepcritical.reasoning.names import DrugNames

__all__ = ["Tolerated", "asks_for_harm", "tolerated"]


class Tolerated(StrEnum):
    """What a sentence on safety says."""

    YES = "tolerated"
    NO = "not tolerated"
    PARTLY = "not tolerated by some"
    UNSAID = "unsaid"


_HARM_ASKED = bounded(
    r"\badverse|\bside[- ]effect|\bharm(?!less)|\btoxi(?!city[- ]free)|\bunsafe|\bintoler",
    re.IGNORECASE,
)
_EVENTS = (
    r"(?:adverse|harms?|toxicit\w+|side effects?|discontinu\w+|withdrawals?|safety|events?|"
    r"infections?|thrombo\w+|hypogly\w+|bradycardia|neuropath\w+|neutropeni\w+|lactic acidosis|"
    r"gastrointestinal|diarrh\w+|nausea|bleeding)"
)
_NO = bounded(
    r"\b(?:poorly|badly) tolerated\b|"
    r"\b(?:not|n't) (?:been |be )?(?:\w+ )?(?:tolerated|tolerable|safe)\b|"
    r"\bunsafe\b|\bintolera\w+|\bunacceptable (?:\w+ )?toxicit\w+|\bworsen\w*|"
    rf"\b(?:more|higher|increased|greater|excess|raised)\b[^.;]{{0,60}}\b{_EVENTS}\b|"
    rf"\b{_EVENTS}\b[^.;]{{0,80}}\b(?:more (?:frequent|common|often)|higher|increased|greater)\b|"
    r"\bserious (?:adverse events?|toxicit\w+) (?:were|was) (?:attributed|related)\b",
    re.IGNORECASE,
)
_YES = bounded(
    r"\b(?:well|generally|better|readily) tolerated\b|\b(?:is|was|were|be|as|are) (?:\w+ )?safe\b|"
    r"\bwell[- ]tolerated\b|\btolerable\b|\b(?:acceptable|favou?rable|good|reassuring) "
    r"(?:\w+ )?(?:safety|tolerability)|"
    rf"\b(?:no|without|nor|neither)\b[^.;]{{0,60}}\b{_EVENTS}\b|"
    rf"\b{_EVENTS}\b[^.;]{{0,80}}\b(?:did not|not|no) (?:\w+ )?(?:differ\w*|more)\b|"
    rf"\b{_EVENTS}\b[^.;]{{0,80}}\b(?:similar|comparable|as frequent|fewer|lower)\b|"
    r"\b(?:similar|comparable) (?:\w+ )?(?:rates?|safety|tolerability|incidence|adverse)|"
    rf"\b(?:fewer|less|lower)\b[^.;]{{0,60}}\b{_EVENTS}\b|"
    rf"\b{_EVENTS}\b.{{0,200}}\bless (?:frequent|common|often)\b",
    re.IGNORECASE,
)
_NO_EXCESS = bounded(
    r"\b(?:no|not|nor|without)\b[^.;]{0,30}\b(?:excess|increase|more|higher|greater)", re.IGNORECASE
)
_ORDER = bounded(r"\b(?:more|higher|increased|greater|fewer|less|lower|excess)\b", re.IGNORECASE)
_SHARE = bounded(
    r"\b(?:tolerat\w+|discontinu\w+|withdr\w+|stopped)\b[^.;]{0,40}\b(?:by|in) (?:about |only )?"
    r"\d[\d.]*\s?(?:%|of|out of|patients|participants|people)",
    re.IGNORECASE,
)
"""How many did not tolerate it: neither that it was tolerated nor that it was not."""
_PART = bounded(r"\bthe tolerated\b|\bdose (?:was )?reduc\w+|\bdose reductions?\b", re.IGNORECASE)
_PASSED_ON = bounded(
    r"\b(?:advised|recommended|discussed|potential|should|cautio\w+)\b", re.IGNORECASE
)


def asks_for_harm(question: str) -> bool:
    """Whether yes would mean harm: "Does it cause adverse events?", not "Was it tolerated?"."""
    return bool(_HARM_ASKED.search(question))


def tolerated(span: Span, drugs: Sequence[DrugNames]) -> Tolerated:
    """What a sentence on safety says of drugs.

    Args:
        span: The sentence.
        drugs: Those asked about; where a sentence has them as the comparator, it is turned round.
    """
    text = span.text
    if _SHARE.search(text) or _PART.search(text):
        return Tolerated.PARTLY
    if _PASSED_ON.search(text):
        return Tolerated.UNSAID
    denied, said = bool(_NO.search(text)), bool(_YES.search(text))
    if denied is said:
        # "No excess of adverse events" has words of both kinds: the denial governs.
        return Tolerated.YES if denied and _NO_EXCESS.search(text) else Tolerated.UNSAID
    found = Tolerated.NO if denied else Tolerated.YES
    return _turned(found) if _ORDER.search(text) and _is_comparator(text, drugs) else found


def _turned(found: Tolerated) -> Tolerated:
    return Tolerated.YES if found is Tolerated.NO else Tolerated.NO


def _is_comparator(text: str, drugs: Sequence[DrugNames]) -> bool:
    places = [place for drug in drugs for place in drug.find(text)]
    return bool(places) and all(arms.COMPARATOR.search(text[: p.start()]) for p in places)
