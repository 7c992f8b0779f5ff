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
from deepcritical.vocabulary.outcomes import construct_of

__all__ = ["misses_main_result"]

_PRIMARY = bounded(
    r"\b(?:co-?)?primary (?:[a-z]{1,15} ){0,2}(?:outcomes?|end-?\s?points?|variables?)\b",
    re.IGNORECASE,
)
_TESTED = bounded(
    r"(?<!\w)[Pp](?:[- ]?values?)?\s?[=<>≤≥]|\d\s?%\s?(?:CIs?\b|confidence (?:interval|limit))",
)
_DEATHS = r"\b(?:deaths?|died|dying|mortality|fatal\w*)\b"
_EXCESS = r"\b(?:increas\w+|higher|more|excess|worse\w*|elevated|greater|rais\w+|doubl\w+)\b"
_MORE_DEATHS = bounded(
    rf"{_DEATHS}[^.;]{{0,60}}{_EXCESS}|{_EXCESS}[^.;]{{0,60}}{_DEATHS}|"
    r"\b(?:stopped|halted|terminated|closed)\b[^.;]{0,40}\b(?:harm|safety|excess|toxicity)\b",
    re.IGNORECASE,
)


def misses_main_result(told: Sequence[Span], arms: KnownArms, results: Sequence[Result]) -> bool:
    """Return whether a sentence is left that may tell the main result, or of more deaths.

    The main result is that of the primary outcome, or of the first sentence that gives a test.
    """
    read = {number for result in results for number in result.sentences}
    has_primary = any(result.level == "primary" for result in results)
    has_deaths = any(_is_of_deaths(result) for result in results)
    first = True
    for number, span in result_sentences(told):
        is_tested = _TESTED.search(span.text) is not None
        is_read, is_first = number in read, first and is_tested
        first = first and not is_tested
        if is_read or not marked(span.text, arms).mentions:
            continue
        is_main = is_tested and (is_first or _PRIMARY.search(span.text))
        if (is_main and not has_primary) or (_MORE_DEATHS.search(span.text) and not has_deaths):
            return True
    return False


def _is_of_deaths(result: Result) -> bool:
    construct = construct_of("", result.outcome)
    return construct is not None and construct.family == "mortality"
