"""Finds out whether rules missed what decides: the main result of a record, or more deaths."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import Result
from deepcritical.domain.text import Span
from deepcritical.reading.rules.arms import KnownArms
from deepcritical.reading.rules.clauses import result_sentences
from deepcritical.reading.rules.marking import marked
from deepcritical.vocabulary.outcomes import names_death

_PRIMARY = bounded(
    r"\b(?:co-?)?primary (?:[a-z]{1,15} ){0,2}(?:outcomes?|end-?\s?points?|variables?)\b",
    re.IGNORECASE,
)
_TESTED = bounded(
    r"(?<!\w)[Pp](?:[- ]?values?)?\s?[=<>≤≥]|\d\s?%\s?(?:CIs?\b|confidence (?:interval|limit))",
)
_EXCESS = bounded(
    r"\b(?:increas\w+|higher|more|excess|worse\w*|elevated|greater|rais\w+|doubl\w+)\b",
    re.IGNORECASE,
)
_STOPPED = bounded(
    r"\b(?:stopped|halted|terminated|closed)\b[^.;]{0,40}\b(?:harm|safety|excess|toxicity)\b",
    re.IGNORECASE,
)
_NEAR = 70
"""Characters before and behind a word for more, within which it may be said of deaths."""


def misses_main_result(told: Sequence[Span], arms: KnownArms, results: Sequence[Result]) -> bool:
    """Return whether a sentence is left that may tell the main result, or of more deaths.

    The main result is that of the primary outcome, or of the first sentence that gives a test.
    """
    read = {number for result in results for number in result.sentences}
    has_primary = any(result.level == "primary" for result in results)
    has_deaths = any(names_death(result.outcome) for result in results)
    first = True
    for number, span in result_sentences(told):
        is_tested = _TESTED.search(span.text) is not None
        is_read, is_first = number in read, first and is_tested
        first = first and not is_tested
        if is_read or not marked(span.text, arms).mentions:
            continue
        is_main = is_tested and (is_first or _PRIMARY.search(span.text))
        if (is_main and not has_primary) or (not has_deaths and _tells_more_deaths(span.text)):
            return True
    return False


def _tells_more_deaths(text: str) -> bool:
    near = (text[max(0, m.start() - _NEAR) : m.end() + _NEAR] for m in _EXCESS.finditer(text))
    return _STOPPED.search(text) is not None or any(names_death(part) for part in near)
