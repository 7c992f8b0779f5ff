"""Checks a sentence against the record that it cites: supported, contradicted or cannot tell.

Code alone does not understand a paraphrase. A sentence is supported only in the record's own
words, and contradicted only by what code can be sure of: an id, a figure or a name that the record
does not have, or its own words turned round (a negation, a direction, parts exchanged). Everything
else it cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.claims import (
    Check,
    CheckKind,
    ClaimCheck,
    ClaimVerdict,
    Failure,
    LocatedQuote,
    Outcome,
)
from deepcritical.domain.text.abbreviations import expand_abbreviations
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import (
    align_quote,
    body_sentences,
    fold,
    in_references,
    locate_quote,
)
from deepcritical.verification.aligning import (
    COMPARING,
    DEGREE,
    NEGATING,
    OPPOSITES,
    PAIRS,
    follows,
    is_free_opening,
    opening_of,
    orders_of,
    without_frame,
)
from deepcritical.verification.ids import cited_records, ids_in, keys_in, plain
from deepcritical.verification.names import unknown_figures, unknown_names
from deepcritical.verification.words import Word, expanded, words
from deepcritical.vocabulary.words import is_english

_SAYS_RETRACTED = bounded(r"\bretract(?:ed|ion)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d{2}\b")
_ORDER = (ClaimVerdict.SUPPORTED, ClaimVerdict.CANNOT_TELL, ClaimVerdict.CONTRADICTED)


def verify_claim(
    sentence: str, evidence: Evidence | Mapping[str, Evidence], quote: str | None = None
) -> ClaimCheck:
    """Return whether the record that a sentence cites bears it out; no model is asked.

    Args:
        sentence: One sentence, with or without its citation: ``[E12]``, a PMID, PMCID, DOI or NCT
            number that it names must be that of the record.
        evidence: The record cited, or the records of a run by evidence id. With several, the
            sentence is checked against those that it names, else against each.
        quote: Words of the record that the sentence is said to rest on.

    Returns:
        The verdict with its reasons, the words compared with, and every check made. Of several
        records, the one that bears most.
    """
    records = {"": evidence} if isinstance(evidence, Evidence) else dict(evidence)
    keys, wrong = cited_records(sentence, records)
    if wrong or not keys:
        failure = Failure.WRONG_ID if wrong else Failure.NO_SUCH_RECORD
        outcome = Outcome.FAILED if wrong else Outcome.OPEN
        reason = wrong or "no record was given"
        return _judged(sentence, "", [_check(CheckKind.IDS, outcome, failure, reason)])
    found = [_against(sentence, key, records[key], quote) for key in keys]
    return min(found, key=lambda check: (_ORDER.index(check.verdict), -check.score))


def _judged(
    sentence: str,
    key: str,
    checks: Sequence[Check],
    quotes: tuple[LocatedQuote, ...] = (),
    score: float = 0.0,
) -> ClaimCheck:
    outcomes = {check.outcome for check in checks}
    verdict = ClaimVerdict.SUPPORTED
    if Outcome.FAILED in outcomes:
        verdict = ClaimVerdict.CONTRADICTED
    elif Outcome.OPEN in outcomes:
        verdict = ClaimVerdict.CANNOT_TELL
    decisive = Outcome.FAILED if Outcome.FAILED in outcomes else Outcome.OPEN
    reasons = tuple(
        f"{c.failure.value}: {c.reason}" for c in checks if c.failure and c.outcome is decisive
    )
    return ClaimCheck(
        sentence=sentence,
        evidence_id=key,
        verdict=verdict,
        reasons=reasons,
        score=round(score, 3),
        quotes=quotes,
        checks=tuple(checks),
    )


def _against(sentence: str, key: str, record: Evidence, quote: str | None) -> ClaimCheck:
    """Return the check against one record."""
    title = record.citation.title
    place = align_quote(quote, record.content, title) if quote is not None else None
    compared = _Comparison(plain(sentence), record, place)
    checks = [_ids(sentence), _retraction(sentence, record)]
    if quote is not None:
        checks.append(_quote(quote, record, place))
    wording = compared.wording()
    checks.append(wording)
    if wording.outcome is not Outcome.PASSED:
        checks.extend(compared.strange())
    return _judged(sentence, key, checks, compared.quotes(), compared.score(wording))


class _Comparison:
    """A sentence beside the sentences of one record."""

    def __init__(self, said: str, record: Evidence, place: tuple[int, int] | None) -> None:
        self._record = record
        title, content = record.citation.title, record.content
        self._spans = body_sentences(content, title)
        spans = [(s.start, s.end) for s in self._spans]
        if place:
            spans = [s for s in spans if s[0] < place[1] and place[0] < s[1]]
        self._shorts = expand_abbreviations(f"{title}\n{content}")
        self._said = expanded(said, self._shorts)
        self._texts: dict[tuple[int, int], str] = {}
        self._windows = [*spans, *((one[0], other[1]) for one, other in pairwise(spans))]
        if place:
            self._windows.append(place)
        self._known = frozenset(
            w.key for start, end in spans for w in words(self._text(start, end))
        ) | {w.key for w in words(title)}
        self._nearest = max(
            self._windows, key=lambda w: share_in_order(self._said, self._text(*w)), default=None
        )

    def _text(self, start: int, end: int) -> str:
        if (start, end) not in self._texts:
            text = self._record.content[start:end]
            self._texts[start, end] = expanded(text, self._shorts)
        return self._texts[start, end]

    def wording(self) -> Check:
        """Return whether the sentence follows one of the record, or turns one round."""
        kind = CheckKind.WORDS
        for window in self._windows:
            if any(follows(self._said, t, self._known) for t in _clauses(self._text(*window))):
                self._nearest = window
                return _check(kind, Outcome.PASSED)
        for window in self._windows:
            text = self._text(*window)
            if told := is_turned(self._said, text, self._known):
                self._nearest = window
                swapped = "places" in told
                failure = Failure.SWAPPED if swapped else Failure.TURNED
                failure = Failure.NUMBER_MISSING if "figure in its" in told else failure
                return _check(kind, Outcome.FAILED, failure, told)
            new = replaced_name(self._said, text, self._known)
            if new and not is_english(new):
                return _check(kind, Outcome.FAILED, Failure.NAME_MISSING, new)
        reason = "it may be right, but code cannot tell a paraphrase from a mistake"
        return _check(kind, Outcome.OPEN, Failure.NOT_VERBATIM, reason)

    def strange(self) -> Iterator[Check]:
        """Yield the checks of figures and names."""
        record, meta = self._record, self._record.metadata
        text = "\n".join((record.citation.title, *(span.text for span in self._spans)))
        counts = [c for c in (meta.enrollment, meta.planned_enrollment) if c is not None]
        dates = f"{record.citation.date} {meta.completion_date or ''}"
        entry = [float(n) for n in (*counts, *_YEAR.findall(dates))]
        figures = unknown_figures(self._said, text, entry, (s.text for s in self._spans))
        yield _found(CheckKind.NUMBERS, Failure.NUMBER_MISSING, figures)
        fields = (*meta.conditions, *meta.interventions, *meta.chemicals, *meta.mesh_terms)
        source = expanded("\n".join((text, *fields)), self._shorts)
        names = unknown_names(self._said, f"{source}\n{text}")
        yield _found(CheckKind.NAMES, Failure.NAME_MISSING, names)

    def quotes(self) -> tuple[LocatedQuote, ...]:
        """Return the place in the text that is nearest to the sentence."""
        if self._nearest is None:
            return ()
        start, end = self._nearest
        return (LocatedQuote(text=self._record.content[start:end], start=start, end=end),)

    def score(self, wording: Check) -> float:
        """Return the share of the sentence's words that the nearest place has in order."""
        if wording.outcome is Outcome.PASSED:
            return 1.0
        return share_in_order(self._said, self._text(*self._nearest)) if self._nearest else 0.0


def _clauses(text: str) -> tuple[str, ...]:
    """The sentence, and its clauses unless one of them qualifies another."""
    parts = [part.strip() for part in text.split(";")]
    if len(parts) == 1 and not _APPLIES_TO_ALL.match(text):
        parts = [part.strip() for part in _NEXT_CLAUSE.split(text)]
    balanced = all(part.count("(") == part.count(")") for part in parts)
    qualified = any(_QUALIFIES.match(part) for part in parts[1:])
    return (text, *parts) if len(parts) > 1 and balanced and not qualified else (text,)


_NEXT_CLAUSE = bounded(r",\s(?:and|while|whereas)\s", re.IGNORECASE)
_APPLIES_TO_ALL = bounded(
    r"^(?:in|among|for|with|after|at|within|during|when|if|although|compared)\s[^,]*,|^neither\b|"
    r"^(?:only|no|none|nobody)\b",
    re.IGNORECASE,
)
"""An opening that holds for all clauses behind it."""
_QUALIFIES = bounded(
    r"(?:but|only|however|except|although|this|these|it|they|both|the effects?|the differences?)\b",
    re.IGNORECASE,
)


def _check(
    kind: CheckKind, outcome: Outcome, failure: Failure | None = None, reason: str = ""
) -> Check:
    return Check(kind=kind, outcome=outcome, failure=failure, reason=reason)


def _found(kind: CheckKind, failure: Failure, strange: Sequence[str]) -> Check:
    if strange:
        return _check(kind, Outcome.FAILED, failure, ", ".join(strange))
    return _check(kind, Outcome.PASSED)


def _ids(sentence: str) -> Check:
    named = ids_in(sentence) or keys_in(sentence)
    return _check(CheckKind.IDS, Outcome.PASSED if named else Outcome.NOT_APPLICABLE)


def _retraction(sentence: str, record: Evidence) -> Check:
    retracted = is_retracted(record) or record.metadata.integrity == "retracted"
    if retracted and not _SAYS_RETRACTED.search(sentence):
        reason = "a retracted record supports nothing"
        return _check(CheckKind.RETRACTION, Outcome.OPEN, Failure.RETRACTED, reason)
    return _check(CheckKind.RETRACTION, Outcome.PASSED)


def _quote(quote: str, record: Evidence, place: tuple[int, int] | None) -> Check:
    if place:
        return _check(CheckKind.QUOTE, Outcome.PASSED)
    title = record.citation.title
    failure = Failure.QUOTE_NOT_FOUND
    if in_references(quote, record.content, title) and fold(quote) not in fold(title):
        failure = Failure.QUOTE_IN_REFERENCES
    elif locate_quote(quote, title):
        failure = Failure.QUOTE_IN_TITLE
    return _check(CheckKind.QUOTE, Outcome.OPEN, failure, f"“{quote[:80]}”")


_LONGEST_PART = 4
_FEWEST = 3
_CLOSE = 0.6


def is_turned(said: str, source: str, known: frozenset[str]) -> str:
    """Return how a sentence turns one of the record round; '' if not, or for another sentence."""
    claim, there = (without_frame(words(text), known) for text in (said, source))
    opening = opening_of(there)
    orders = list(orders_of(there, source))
    if opening and is_free_opening(opening, source):
        orders.append(there[len(opening) :])
    figures = frozenset(word.key for word in there if word.is_figure)
    for inner in (True, False):
        for one in orders_of(claim, said):
            for other in orders:
                told = _turn(_compared(one, inner=inner), _compared(other, inner=inner), figures)
                if told:
                    return told
    return ""


def _compared(told: Sequence[Word], *, inner: bool) -> list[str]:
    """The keys of the words, with those in parentheses or without."""
    return [w.key for w in told if (inner or not w.depth) and w.key not in DEGREE]


def _turn(claim: Sequence[str], there: Sequence[str], known: frozenset[str]) -> str:
    if len(claim) < _FEWEST:
        return ""
    matcher = SequenceMatcher(None, there, claim, autojunk=False)
    if matcher.real_quick_ratio() < _CLOSE or matcher.ratio() < _CLOSE:
        return ""
    if sorted(claim) == sorted(there):
        return _swap(claim, there)
    turns, figures = 0, 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = there[i1:i2], claim[j1:j2]
        denials = sum(w in NEGATING for w in (*old, *new))
        old, new = _asserted(old), _asserted(new)
        if len(old) != len(new):
            return ""
        pairs = list(zip(old, new, strict=True))
        opposite = all(pair in PAIRS for pair in pairs)
        changed = all(o[0] == n[0] == "#" for o, n in pairs)
        if not (opposite or changed) or (changed and set(new) & known):
            return ""  # "30 % of 90" of "27 (30 %) of 90" is no other figure
        turns += denials + (len(old) if opposite and old else 0)
        figures += len(old) if changed and not opposite else 0
    if figures and not turns:
        return "the record gives another figure in its place"
    return "direction or negation is the opposite one" if turns % 2 and not figures else ""


def _asserted(keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key not in NEGATING]


def _swap(claim: Sequence[str], there: Sequence[str]) -> str:
    """Two figures, or two parts of a comparison, that changed places."""
    moved = [(o, n) for o, n in zip(there, claim, strict=True) if o != n]
    if moved and all(o[0] == n[0] == "#" for o, n in moved):
        return "figures have changed places"
    if not moved:
        return ""
    places = [n for n, (o, c) in enumerate(zip(there, claim, strict=True)) if o != c]
    old, new = there[places[0] : places[-1] + 1], claim[places[0] : places[-1] + 1]
    sizes = range(1, _LONGEST_PART + 1)
    swapped = any(_exchanged(old, new, x, y) for x in sizes for y in sizes)
    return "names or groups have changed places" if swapped else ""


def _exchanged(old: Sequence[str], new: Sequence[str], x: int, y: int) -> bool:
    """Return whether the first and last words changed places around a comparison."""
    middle = old[x : len(old) - y]
    if not any(k in COMPARING or k in OPPOSITES or k[0] == "#" for k in middle):
        return False  # of a list, any order is right
    return [*old[len(old) - y :], *middle, *old[:x]] == list(new)


def replaced_name(said: str, source: str, known: frozenset[str]) -> str:
    """The only word that is another one than the record's, if it is nowhere in it; else ''."""
    claim, there = (
        [w for w in without_frame(words(text), known) if not w.depth] for text in (said, source)
    )
    if len(claim) != len(there):
        return ""
    pairs = [(o, n) for o, n in zip(there, claim, strict=True) if o.key != n.key]
    if len(pairs) != 1 or len(claim) < 4:
        return ""
    new = pairs[0][1]
    return "" if new.is_figure or new.key in known else new.raw


def share_in_order(said: str, source: str) -> float:
    """Share of a sentence's words that another one has in the same order, 0-1."""
    claim, there = ([w.key for w in words(text)] for text in (said, source))
    if not set(claim) & set(there):
        return 0.0
    blocks = SequenceMatcher(None, there, claim, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(1, len(claim))
