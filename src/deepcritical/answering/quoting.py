"""Finds the words of a model's answer where they must stand: in a record, as whole sentences."""

from __future__ import annotations

import re

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import Span, addresses_a_model, locate_quote, whole_sentences

_MIN_WORDS = 4
_LONGEST_QUOTE = 2_000
_MAX_QUERY_WORDS = 6
_MAX_QUERY = 100
_ODD = bounded(r"\d{3}|\d[.,]\d|[%:/@<>{}\[\]]|\b(?:NCT|PMID|PMC|doi)\b", re.IGNORECASE)
"""An id, an address or a figure, which a model may have made up."""


def quoted_sentence(quote: str, evidence: Evidence) -> Span | None:
    """The whole sentence of a record in which a quote stands.

    None for a quote that is not there, is too short to mean one place or too long for a sentence,
    runs over several sentences, or stands in one that is cut off or addresses a machine.
    """
    if len(quote) > _LONGEST_QUOTE or len(quote.split()) < _MIN_WORDS:
        return None
    place = locate_quote(quote, evidence.content)
    if place is None:
        return None
    found = (
        span
        for span in whole_sentences(evidence.content)
        if span.start <= place[0] and place[1] <= span.end
    )
    span = next(found, None)
    return None if span is None or addresses_a_model(span.text) else span


def plain_words(text: str) -> str:
    """A few words of a model's that may be searched; '' if there are more, or ids and figures."""
    words = [word for word in (part.strip('".,;()') for part in text.split()) if word]
    odd = _ODD.search(text) or addresses_a_model(text)
    short = len(words) <= _MAX_QUERY_WORDS and len(text) <= _MAX_QUERY
    return " ".join(words) if short and not odd else ""
