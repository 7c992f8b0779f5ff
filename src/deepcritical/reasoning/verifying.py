"""`verify_claim`: whether a sentence is borne out by the record that it cites.

Pure, without model and network. The checks and their order are those of the claim ledger: the ids
exist, the source is not retracted, the quote is in the body of the text, the words are there, every
number with its unit, every name, denials, directions, and last how firmly it is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from deepcritical.domain.claim_checks import (
    Check,
    CheckKind,
    ClaimCheck,
    Failure,
    LocatedQuote,
    Outcome,
)
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.passages import align_quote, body_sentences, in_references
from deepcritical.domain.patterns import bounded
from deepcritical.domain.text import Span, fold, locate_quote
from deepcritical.reasoning.claim_ids import cited_records, ids_in, keys_in, plain
from deepcritical.reasoning.claim_names import missing_names, names_in, swapped_name
from deepcritical.reasoning.claim_numbers import number_faults
from deepcritical.reasoning.claim_people import other_people
from deepcritical.reasoning.claim_polarity import (
    Change,
    direction_conflict,
    finds_nothing,
    finds_something,
    has_direction,
    negation_conflict,
)
from deepcritical.reasoning.claim_strength import (
    is_aim,
    overstatement,
    states_finding,
    stronger_outcome,
)
from deepcritical.reasoning.claim_support import (
    Bearing,
    Support,
    bearing_sentences,
    close_changes,
    support_of,
)

__all__ = ["verify_claim"]

_ENOUGH = 0.3
"""Share of a sentence's words that its record must have; absurd sentences have less."""
_ENOUGH_OF_REST = 0.25
_QUOTE_ENOUGH = 0.2
_SAYS_RETRACTED = bounded(r"\bretract(?:ed|ion)\b", re.IGNORECASE)
_KINDS = {
    CheckKind.NUMBERS: "every number with its unit is in the text",
    CheckKind.NAMES: "every name is in the text",
}


def verify_claim(
    sentence: str, evidence: Evidence | Mapping[str, Evidence], quote: str | None = None
) -> ClaimCheck:
    """Whether a sentence is borne out by what it cites.

    Args:
        sentence: One sentence, with or without its citation: ``[E12]``, a PMID, PMCID, DOI or NCT
            number that it names must be that of the record.
        evidence: The record cited, or the records of a run by evidence id. With several, the
            sentence must name those it rests on or is held against each.
        quote: Words of the record that the sentence is said to rest on; by default the one to three
            sentences of the record that fit best are found.

    Returns:
        The outcome with the words it rests on and every check made. `supported` means that none
        failed; what the source says less firmly is supported but `overstated`.
    """
    records = {"": evidence} if isinstance(evidence, Evidence) else dict(evidence)
    keys, wrong = cited_records(sentence, records)
    if wrong or not keys:
        failure = Failure.WRONG_ID if wrong else Failure.NO_SUCH_RECORD
        failed = Check(
            kind=CheckKind.IDS,
            outcome=Outcome.FAILED,
            failure=failure,
            reason=wrong or "no record was given",
        )
        return ClaimCheck(sentence=sentence, supported=False, score=0.0, checks=(failed,))
    found = [_against(sentence, key, records[key], quote) for key in keys]
    retracted = [check for check in found if check.fails_by(Failure.RETRACTED)]
    named = len(keys) < len(records) or len(records) == 1
    if retracted and named:
        return retracted[0]
    return max(found, key=lambda c: (c.supported, -len(c.failures), c.score))


def _against(sentence: str, key: str, record: Evidence, quote: str | None) -> ClaimCheck:
    """The sentence held against one record."""
    said = plain(sentence)
    title = record.citation.title
    body = body_sentences(record.content, title)
    checks = [_ids_check(sentence), _retraction(sentence, record)]
    place = align_quote(quote, record.content, title) if quote is not None else None
    if quote is not None:
        checks.append(_quote_check(quote, record, place))
    support = support_of(said, body, place)
    checks.append(_words_check(support, place))
    if support.spans:
        checks.extend(_content_checks(said, support, body, record))
    failed = any(check.outcome is Outcome.FAILED for check in checks)
    return ClaimCheck(
        sentence=sentence,
        evidence_id=key,
        supported=not failed,
        score=0.0 if failed else round(min(1.0, support.share), 3),
        quotes=_quotes(record, support, place),
        checks=tuple(checks),
    )


def _quotes(
    record: Evidence, support: Support, place: tuple[int, int] | None
) -> tuple[LocatedQuote, ...]:
    if place:
        start, end = place
        return (LocatedQuote(text=record.content[start:end], start=start, end=end),)
    return tuple(
        LocatedQuote(text=record.content[s.start : s.end], start=s.start, end=s.end)
        for s in support.spans
    )


def _passed(kind: CheckKind, reason: str = "") -> Check:
    return Check(kind=kind, outcome=Outcome.PASSED, reason=reason)


def _failed(kind: CheckKind, failure: Failure, reason: str = "") -> Check:
    return Check(kind=kind, outcome=Outcome.FAILED, failure=failure, reason=reason)


def _ids_check(sentence: str) -> Check:
    named = ids_in(sentence)
    if not named and not keys_in(sentence):
        return Check(kind=CheckKind.IDS, outcome=Outcome.NOT_APPLICABLE, reason="no id is named")
    return _passed(CheckKind.IDS, "the ids named are those of the record")


def _retraction(sentence: str, record: Evidence) -> Check:
    taken_back = is_retracted(record) or record.metadata.integrity == "retracted"
    if taken_back and not _SAYS_RETRACTED.search(sentence):
        return _failed(CheckKind.RETRACTION, Failure.RETRACTED, "it supports nothing")
    return _passed(CheckKind.RETRACTION)


def _quote_check(quote: str, record: Evidence, place: tuple[int, int] | None) -> Check:
    if place:
        return _passed(CheckKind.QUOTE, f"at {place[0]}-{place[1]} of the text")
    title = record.citation.title
    if in_references(quote, record.content, title) and fold(quote) not in fold(title):
        failure = Failure.QUOTE_IN_REFERENCES
    elif locate_quote(quote, title):
        failure = Failure.QUOTE_IN_TITLE
    else:
        failure = Failure.QUOTE_NOT_FOUND
    return _failed(CheckKind.QUOTE, failure, f"“{quote[:80]}”")


def _words_check(support: Support, place: tuple[int, int] | None) -> Check:
    share = support.share
    told = f"{share:.0%} of its words are in the text"
    if not support.spans or share < _ENOUGH or support.rest < _ENOUGH_OF_REST:
        return _failed(CheckKind.WORDS, Failure.NO_SUPPORT, told)
    if place and support.quoted < _QUOTE_ENOUGH:
        return _failed(CheckKind.WORDS, Failure.QUOTE_UNRELATED, told)
    return _passed(CheckKind.WORDS, told)


def _content_checks(
    said: str, support: Support, body: Sequence[Span], record: Evidence
) -> Iterator[Check]:
    first = support.spans[0].text
    close = close_changes(said, support)
    yield from _numbers(said, support, body, record, close)
    yield _names(said, first, body, record, close)
    bearing = bearing_sentences(said, body)
    yield _polarity(CheckKind.NEGATION, said, bearing, negation_conflict)
    telling = [s for s in body if has_direction(s.text)] if has_direction(said) else []
    directed = bearing_sentences(said, telling) if len(telling) < len(body) else bearing
    yield _polarity(CheckKind.DIRECTION, said, directed, direction_conflict)
    yield _strength(said, bearing, support)


def _numbers(
    said: str,
    support: Support,
    body: Sequence[Span],
    record: Evidence,
    close: Sequence[Change] | None,
) -> Iterator[Check]:
    order = [s.text for s in support.spans] + [s.text for s in body if s not in support.spans]
    faults = list(number_faults(said, order, _known(record), closely=close is not None))
    for fault in faults:
        outcome = Outcome.WEAK if fault.weak else Outcome.FAILED
        yield Check(
            kind=CheckKind.NUMBERS, outcome=outcome, failure=fault.failure, reason=fault.reason
        )
    if not faults:
        yield _passed(CheckKind.NUMBERS, _KINDS[CheckKind.NUMBERS])


def _known(record: Evidence) -> frozenset[float]:
    """Numbers of the entry itself: its year, and what a registry says of enrolment."""
    meta = record.metadata
    years = re.findall(
        r"\b(?:19|20)\d{2}\b", f"{record.citation.date} {meta.completion_date or ''}"
    )
    counts = (meta.enrollment, meta.planned_enrollment)
    return frozenset({float(y) for y in years} | {float(c) for c in counts if c is not None})


def _names(
    said: str,
    first: str,
    body: Sequence[Span],
    record: Evidence,
    close: Sequence[Change] | None,
) -> Check:
    meta = record.metadata
    entry = " . ".join((record.citation.title, *meta.conditions, *meta.interventions))
    text = " ".join(span.text for span in body)
    missing = missing_names(said, names_in(f"{text}\n{entry}"))
    if missing:
        return _failed(CheckKind.NAMES, Failure.NAME_MISSING, ", ".join(missing))
    if put_in := other_people(said, f"{text}\n{entry}"):
        return _failed(CheckKind.NAMES, Failure.NAME_SWAPPED, put_in)
    if close is not None and (swapped := swapped_name(said, first, close)):
        return _failed(CheckKind.NAMES, Failure.NAME_SWAPPED, swapped)
    return _passed(CheckKind.NAMES, _KINDS[CheckKind.NAMES])


def _polarity(
    kind: CheckKind,
    said: str,
    bearing: Sequence[Bearing],
    conflict_of: Callable[[str, str, Sequence[Change] | None], str],
) -> Check:
    """Whether one of the sentences that say most of what the claim says agrees with it."""
    conflicts = [conflict_of(said, b.text, b.close) for b in bearing]
    if not conflicts or not all(conflicts):
        return _passed(kind)
    negation = kind is CheckKind.NEGATION
    failure = Failure.NEGATION_CHANGED if negation else Failure.DIRECTION_CHANGED
    return _failed(kind, failure, conflicts[0])


def _strength(said: str, bearing: Sequence[Bearing], support: Support) -> Check:
    if not bearing and is_aim(support.spans[0].text) and states_finding(said):
        return _of_an_aim(said, support)
    stronger = [stronger_outcome(said, b.text) for b in bearing]
    if stronger and all(stronger):
        reason = f"the source does not say “{stronger[0]}”"
        return _failed(CheckKind.STRENGTH, Failure.OVERSTATED, reason)
    told = [overstatement(said, b.text) for b in bearing if b.weight == bearing[0].weight]
    if told and all(told):
        return _weak(Failure.OVERSTATED, told[0])
    return _passed(CheckKind.STRENGTH)


def _of_an_aim(said: str, support: Support) -> Check:
    """What is told of an aim holds, not firmly, if a result in other words goes the same way."""
    results = [s.text for s in support.spans if not is_aim(s.text) and finds_something(s.text)]
    agree = [r for r in results if finds_nothing(r) == finds_nothing(said)]
    if agree and not any(direction_conflict(said, result, None) for result in results):
        return _weak(Failure.NOT_A_FINDING, "the source asks it, and tells the result otherwise")
    return _failed(CheckKind.STRENGTH, Failure.NOT_A_FINDING, "the source only asks it")


def _weak(failure: Failure, reason: str) -> Check:
    return Check(kind=CheckKind.STRENGTH, outcome=Outcome.WEAK, failure=failure, reason=reason)
