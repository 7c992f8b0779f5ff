"""Reads a study without a model: only what the forms of its sentences tell beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from deepcritical.domain.evidence import Evidence
from deepcritical.domain.patterns import bounded
from deepcritical.domain.study import (
    MAIN_RESULT_NOT_READ,
    Arm,
    Population,
    Reader,
    Result,
    StudyReading,
    Unreadable,
)
from deepcritical.domain.study_size import participants
from deepcritical.domain.text import Span, is_ended
from deepcritical.reading.building import record_id, registry_ids
from deepcritical.reading.checking import checked
from deepcritical.reading.rules.arms import KnownArms, find_arms
from deepcritical.reading.rules.clauses import result_sentences
from deepcritical.reading.rules.contrasts import read_results
from deepcritical.reading.rules.design import features_of, kinds_of
from deepcritical.reading.rules.marking import marked
from deepcritical.reading.rules.people import Sizes, read_sizes
from deepcritical.reading.sentences import text_hash, text_read, without_tables
from deepcritical.vocabulary.outcomes import names_death

RULES_READER = Reader(kind="rules", name="5")
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
_WITHOUT_RESULTS = frozenset(("protocol", "narrative_review", "guideline"))


def read_by_rules(evidence: Evidence, read_at: datetime) -> StudyReading:
    """Read a record by rules; what they cannot read with precision stays empty.

    Args:
        evidence: The record.
        read_at: When it is read.

    Returns:
        Design, people, arms and results between arms, each checked against the record.
    """
    told = without_tables(evidence)
    kinds = kinds_of(evidence)
    features = features_of(evidence, told, kinds)
    arms = find_arms(told, kinds, features)
    sizes = read_sizes(told, arms, participants(evidence))
    results = () if _WITHOUT_RESULTS & set(kinds) else read_results(told, arms)
    results = tuple(_sure(results, told, evidence))
    if is_cut := len(told) > 1 and not is_ended(told[-1].text):  # half a sentence may say more
        results = tuple(r for r in results if len(told) - 1 not in r.sentences)
    reading = StudyReading(
        record_id=record_id(evidence),
        text_sha256=text_hash(evidence),
        text=text_read(evidence),
        reader=RULES_READER,
        read_at=read_at,
        kinds=kinds,
        design=features,
        registry_ids=registry_ids(evidence),
        population=Population(n_randomised=sizes.randomised, sentences=sizes.sentences),
        arms=_arms_told(arms, sizes, results),
        results=results,
    )
    whole = checked(reading, told, evidence)
    missed = bool(whole.results) and _misses_main_result(told, arms, whole.results)
    unread = (MAIN_RESULT_NOT_READ,) if missed else _unread(evidence, whole)
    cut: tuple[Unreadable, ...] = ("text_cut_off",) if is_cut else ()
    return whole.model_copy(update={"unread": (*unread, *cut)})


def _sure(
    results: Sequence[Result], told: tuple[Span, ...], evidence: Evidence
) -> Iterator[Result]:
    """Yield the results of an abstract, and of an article those that name the primary outcome.

    Of an article's many results, those of other outcomes, early times, subgroups and other studies
    look the same as the one that decides: headings and references tell them apart, not words. Of a
    document with pages nobody knows where its abstract ends: there, all count where they agree.
    """
    end = evidence.metadata.full_text_from
    if end is None:
        pages = bool(evidence.metadata.page_starts)
        end = 0 if pages and len({r.better for r in results}) > 1 else len(evidence.content) + 1
    for result in results:
        spans = [told[n] for n in result.sentences]
        if all(s.start < end or _PRIMARY.search(s.text) for s in spans):
            yield result


def _misses_main_result(told: Sequence[Span], arms: KnownArms, results: Sequence[Result]) -> bool:
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


def _arms_told(known: KnownArms, sizes: Sizes, results: tuple[Result, ...]) -> tuple[Arm, ...]:
    """The arms, with their sizes; a lone one is told only where a result needs it."""
    used = {arm_id for result in results for arm_id in (result.a, result.b)}
    if len(known.arms) < 2 and not used:
        return ()
    return tuple(arm.model_copy(update={"n": sizes.by_arm.get(arm.id)}) for arm in known.arms)


def _unread(evidence: Evidence, reading: StudyReading) -> tuple[Unreadable, ...]:
    if not evidence.content.strip():
        return ("title_only",)
    if evidence.metadata.language not in (None, "", "en", "eng"):
        return ("not_english",)
    return () if reading.results else ("results_not_given",)
