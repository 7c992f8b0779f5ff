"""Re-checks a finished report: every reference, every claim and every sentence that cites.

The texts are those that the report carries with its references, or those of a snapshot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from deepcritical.domain.citation_validator import UNSUPPORTED
from deepcritical.domain.claim_checks import Failure
from deepcritical.domain.claims import claim_holds
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.identity import canonical_ids
from deepcritical.domain.ledger import EntryKind, Ledger, LedgerEntry
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.domain.text import fold, sentences
from deepcritical.reasoning.verifying import verify_claim

__all__ = ["audit", "records_of"]

_NUMBERS = r"\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*"
_MARKER = re.compile(rf"(?<!\\)\[({_NUMBERS})\](?!\()")
_BEHIND_STOP = re.compile(rf"([.!?][”\"]?)\s*((?:\[{_NUMBERS}\])+)")
_LEAD = re.compile(
    rf"^\s*-\s+(?:\*\*.*?\*\*(?: \([^)]*\))?(?:, (?:summary of|quoted from) "
    rf"(?:\[{_NUMBERS}\])+)?: )?"
)
_INTRODUCED = re.compile(
    rf"^(?:(?:Summary of|Quoted from) (?:\[{_NUMBERS}\])+|Increases|Decreases|Does not change): "
)
_NOTE = "Note kept with the record: "
_RATING = re.compile(
    r"^(?:For|Against|Both ways): |^No sentence with a direction was recognised|"
    r"^The drug is (?:the comparator|compared with another|given in one combination)|"
    r"^Stopped for futility, lack of effect or harm, of a treatment|"
    r"^Clinical studies of the condition with a direction: |^Mechanism chains without a gap: |"
    r"^Ways through what was asked about: |: \*\*[a-z ()]+\*\*, [a-z ]+ certainty: |"
    r"^The evidence found (?:supports|is promising for|does not settle whether|is insufficient to "
    r"say|does not support|speaks against) |^Certainty is (?:very low|low|moderate|high)|"
    r"^.{3,90}: (?:retracted|mechanism only|no sentence with a direction was recognised|"
    r"the drug is (?:the comparator|compared with another|given in one combination)[^:]*)\.?$|"
    r"^Registered trials that could change this verdict|^Further registered trials: "
)
"""Sentences that tell what the project's rules make of the records, and quote none."""
_ESCAPE = re.compile(r"\\(?=[^\w\s])")


class _Cited(NamedTuple):
    """A sentence of the prose with the numbers that it cites."""

    text: str
    numbers: tuple[int, ...]


def records_of(report: ResearchReport) -> dict[str, Evidence]:
    """The records as the report carries them, by evidence id."""
    return {reference.evidence_id: _record(reference) for reference in report.references}


def _record(reference: Reference) -> Evidence:
    ids = dict(identifier.split(":", 1) for identifier in reversed(reference.ids))
    return Evidence(
        content=reference.text,
        citation=Citation(
            source=reference.source,
            title=reference.title or "-",
            url=reference.url,
            date=reference.date,
            authors=reference.authors,
        ),
        metadata=EvidenceMetadata(
            pmid=ids.get("pmid"),
            pmcid=ids.get("pmcid"),
            doi=ids.get("doi"),
            nct_id=ids.get("nct") or ids.get("registry"),
            publication_types=("Retracted Publication",) if reference.retracted else (),
            note=reference.note or None,
        ),
    )


def audit(report: ResearchReport, snapshot: Sequence[Evidence] | None = None) -> Ledger:
    """The claim ledger of a report, what does not hold first.

    Args:
        report: A finished report.
        snapshot: Records to check against in the place of the texts that the report carries; a
            reference is the record that shares an id with it.
    """
    records = records_of(report)
    references = list(_references(report, records, snapshot))
    entries = [*references, *_Audit(report, records).entries()]
    return Ledger(entries=tuple(sorted(entries, key=lambda entry: entry.holds)))


def _references(
    report: ResearchReport, records: dict[str, Evidence], snapshot: Sequence[Evidence] | None
) -> Iterator[LedgerEntry]:
    """Each reference; with a snapshot, its record takes the place of the report's text."""
    known = {i: r for r in snapshot or () for i in canonical_ids(r)}
    for number, reference in enumerate(report.references, 1):
        reason, holds = "", True
        if snapshot is not None:
            found = next((known[i] for i in reference.ids if i in known), None)
            if found is None:
                reason, holds = "no record of the snapshot has its ids", False
            else:
                records[reference.evidence_id] = found
                same = fold(found.content) == fold(reference.text)
                reason = "" if same else "the snapshot has another text than the report"
        elif not reference.ids:
            reason, holds = "it has no id", False
        yield LedgerEntry(
            kind=EntryKind.REFERENCE,
            text=reference.title,
            numbers=(number,),
            source=_named(reference),
            holds=holds,
            reason=reason,
        )


def _named(reference: Reference) -> str:
    return ", ".join((reference.short_name, *reference.public_ids))


class _Audit:
    """The entries of one report's claims and prose."""

    def __init__(self, report: ResearchReport, records: Mapping[str, Evidence]) -> None:
        self._report = report
        self._records = records
        self._numbers = {r.evidence_id: n for n, r in enumerate(report.references, 1)}
        self._prose = tuple(_cited(report))
        self._printed: dict[str, tuple[int, ...]] = {}
        for cited in self._prose:  # two records may say the same words
            key = _plain(cited.text)
            self._printed[key] = (*self._printed.get(key, ()), *cited.numbers)

    def entries(self) -> Iterator[LedgerEntry]:
        """Each claim, then each sentence with a citation that no claim stands for."""
        claimed: set[str] = set()
        for claim in dict.fromkeys(self._report.claims):
            claimed.add(_plain(claim.sentence))
            yield self._claim(claim)
        for cited in dict.fromkeys(self._prose):
            if _plain(cited.text) not in claimed:
                yield self._sentence(cited)

    def _claim(self, claim: Claim) -> LedgerEntry:
        number = self._numbers.get(claim.evidence_id)
        if number is None:
            return _entry(EntryKind.CLAIM, claim.sentence, reason="its record is not in the list")
        shown = self._printed.get(_plain(claim.sentence))
        holds, reason = self._bears(claim)
        if shown is not None and number not in shown:
            holds, reason = False, f"it is printed with {list(shown)}, not [{number}]"
        return _entry(
            EntryKind.CLAIM,
            claim.sentence,
            numbers=(number,),
            quote=claim.quote,
            start=claim.start,
            source=_named(self._report.references[number - 1]),
            holds=holds,
            reason=reason,
        )

    def _bears(self, claim: Claim) -> tuple[bool, str]:
        """Whether the record bears a claim: word by word, or else by every check."""
        if claim_holds(claim, self._records):
            return True, ""
        record = self._records[claim.evidence_id]
        check = verify_claim(claim.sentence, record, claim.quote)
        return check.supported, check.reason

    def _sentence(self, cited: _Cited) -> LedgerEntry:
        listed = [n for n in cited.numbers if 1 <= n <= len(self._report.references)]
        if len(listed) < len(cited.numbers):
            reason = "it cites a number that is not in the list"
            return _entry(EntryKind.SENTENCE, cited.text, numbers=cited.numbers, reason=reason)
        if _RATING.search(cited.text):
            return _entry(EntryKind.RATING, cited.text, numbers=cited.numbers, holds=True)
        if cited.text.startswith(_NOTE):
            return self._note(cited)
        return self._verified(cited)

    def _note(self, cited: _Cited) -> LedgerEntry:
        note = _plain(cited.text.removeprefix(_NOTE))
        references = [self._report.references[n - 1] for n in cited.numbers]
        holds = any(_plain(r.note) == note for r in references)
        return _entry(
            EntryKind.SENTENCE,
            cited.text,
            numbers=cited.numbers,
            source=_named(references[0]),
            holds=holds,
            reason="" if holds else "the record has no such note",
        )

    def _verified(self, cited: _Cited) -> LedgerEntry:
        """A sentence borne out by one of the records that it cites, none of them retracted."""
        references = [self._report.references[n - 1] for n in cited.numbers]
        checks = [(verify_claim(cited.text, self._records[r.evidence_id]), r) for r in references]
        taken_back = [c for c in checks if c[0].fails_by(Failure.RETRACTED)]
        check, reference = max(taken_back or checks, key=lambda c: (c[0].supported, c[0].score))
        return _entry(
            EntryKind.SENTENCE,
            cited.text,
            numbers=cited.numbers,
            quote=check.quote.text if check.quote else "",
            start=check.quote.start if check.quote else None,
            source=_named(reference),
            holds=check.supported,
            reason=check.reason,
        )


def _entry(
    kind: EntryKind, text: str, *, holds: bool = False, reason: str = "", **told: object
) -> LedgerEntry:
    return LedgerEntry.model_validate(
        {"kind": kind, "text": _ESCAPE.sub("", text), "holds": holds, "reason": reason, **told}
    )


def _plain(text: str) -> str:
    return fold(_ESCAPE.sub("", text)).strip('"“” ').rstrip('.!? "”')


def _cited(report: ResearchReport) -> Iterator[_Cited]:
    """The sentences of the prose that cite a record; tables and headings are structured data."""
    sections = (
        report.methodology,
        report.mechanistic_findings,
        report.clinical_findings,
        report.contradictions,
        report.safety,
    )
    texts = (report.executive_summary, report.conclusion, *report.limitations)
    for text in (*texts, *(section.content for section in sections)):
        for line in text.splitlines():
            if not line.lstrip().startswith(("|", "#")):
                yield from _of_line(line)


def _of_line(line: str) -> Iterator[_Cited]:
    bare = _BEHIND_STOP.sub(r" \2\1", _LEAD.sub("", line))
    for span in sentences(bare):
        told = _INTRODUCED.sub("", span.text)
        numbers = tuple(dict.fromkeys(n for m in _MARKER.findall(told) for n in _expanded(m)))
        text = " ".join(_MARKER.sub("", told).split()).replace(" .", ".").replace(" ,", ",")
        if numbers and text and UNSUPPORTED not in text:
            yield _Cited(text.strip(), numbers)


def _expanded(group: str) -> Iterator[int]:
    for part in re.split(r"\s*[,;]\s*", group):
        first, *rest = (int(n) for n in re.split(r"\s*[–-]\s*", part))
        yield from range(first, max([first, *rest]) + 1)
