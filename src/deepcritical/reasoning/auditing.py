"""The claim ledger: what makes a sentence of a report stand, for a draft and for a finished report.

A sentence that cites a record stands if it is word for word a claim whose quote is at its place in
a record that it cites, or a caution kept with such a record, or if `verify_claim` answers
"supported" by one; "cannot tell" does not hold. A retracted record bears nothing. What does not
stand is marked in a draft, and told of a finished report. Ratings by the project's own rules quote
no record and are not counted; what is told of the verdict must agree, and a figure about the
evidence must cite a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from deepcritical.domain.answer import ANSWER_SCHEMA, DeepAnswer
from deepcritical.domain.citation_validator import AnyDocument
from deepcritical.domain.claim_checks import ClaimVerdict, Failure
from deepcritical.domain.claims import claim_holds
from deepcritical.domain.documents import Document
from deepcritical.domain.drug_fact_records import fact_records
from deepcritical.domain.evidence import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.identity import canonical_ids
from deepcritical.domain.ledger import EntryKind, Ledger, LedgerEntry
from deepcritical.domain.markdown import unescape_markdown
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import Claim, Reference
from deepcritical.domain.text import fold
from deepcritical.reasoning.agreeing import disagreements
from deepcritical.reasoning.cited import Cited, Prose, marked_prose
from deepcritical.verification.claims import verify_claim
from deepcritical.writing.checking import answer_entries, brief_entries
from deepcritical.writing.citing import NOTE

__all__ = ["audit", "check_sentences", "records_of"]


def records_of(report: Document) -> dict[str, Evidence]:
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


def check_sentences(report: AnyDocument) -> tuple[AnyDocument, Ledger]:
    """The draft with ``[unsupported]`` for the markers of what does not stand, and its ledger.

    The claims behind such sentences are taken out; the ledger tells of them. It is the one that
    `audit` gives of the marked report, but for the reasons.
    """
    if isinstance(report, DeepAnswer) and report.schema_version >= ANSWER_SCHEMA:
        return report, Ledger(entries=tuple(answer_entries(report)))  # its sentences are objects
    auditing = _Audit(report, records_of(report))
    entries = tuple(auditing.entries())
    sound = tuple(c for c in report.claims if auditing.stands(c))
    marked = marked_prose(report, lambda cited: not cited.marked and not auditing.holds(cited))
    return marked.model_copy(update={"claims": sound}), Ledger(entries=entries)


def audit(report: Document, snapshot: Sequence[Evidence] | None = None) -> Ledger:
    """The claim ledger of a report, what does not hold first.

    Args:
        report: A finished report.
        snapshot: Records to check against in the place of the texts that the report carries; a
            reference is the record that shares an id with it.
    """
    records = records_of(report)
    misplaced = list(_misplaced(report, records))
    references = list(_references(report, records, snapshot))
    entries = [*references, *_told(report, records), *misplaced]
    return Ledger(entries=tuple(sorted(entries, key=lambda entry: entry.holds)))


def _told(report: Document, records: Mapping[str, Evidence]) -> Iterator[LedgerEntry]:
    """Each sentence; those of answers are objects, those of a report's parts stand in Markdown."""
    if isinstance(report, DeepAnswer) and report.schema_version >= ANSWER_SCHEMA:
        yield from answer_entries(report)
        return
    yield from _Audit(report, records).entries()
    yield from _unfounded(report)


def _references(
    report: Document, records: dict[str, Evidence], snapshot: Sequence[Evidence] | None
) -> Iterator[LedgerEntry]:
    """Each reference; with a snapshot, its record takes the place of the report's text."""
    curated = _curated(report)
    known = {i: r for r in (*curated, *(snapshot or ())) for i in canonical_ids(r)}
    for number, reference in enumerate(report.references, 1):
        reason, holds = "", True
        if snapshot is not None or reference.source == "curated":
            found = next((known[i] for i in reference.ids if i in known), None)
            if found is None:
                which = "snapshot" if snapshot is not None else "report's curated facts"
                reason, holds = f"no record of the {which} has its ids", False
            else:
                records[reference.evidence_id] = found
                holds, reason = _compared(reference, found)
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


def _curated(report: Document) -> tuple[Evidence, ...]:
    """The records of the report's own curated facts, which no search and no snapshot has."""
    facts = report.drug_facts if isinstance(report, ResearchReport) else None
    return tuple(fact_records(facts or ()).values())


def _compared(reference: Reference, found: Evidence) -> tuple[bool, str]:
    """Whether a reference is its record of the snapshot; another text is told, and no fault."""
    if fold(reference.title).rstrip(". ") != fold(found.citation.title).rstrip(". "):
        return False, f"the snapshot calls it “{found.citation.title}”"
    same = fold(found.content) == fold(reference.text)
    return True, "" if same else "the snapshot has another text than the report"


def _misplaced(report: Document, records: Mapping[str, Evidence]) -> Iterator[LedgerEntry]:
    """Each claim whose quote does not stand at its offsets in the text that the report carries."""
    for claim in report.claims:
        record = records.get(claim.evidence_id)
        there = record.content[claim.start : claim.end] if record else claim.quote
        if fold(there) != fold(claim.quote):
            reason = f"its quote does not stand at characters {claim.start}-{claim.end}"
            yield _entry(EntryKind.PLACE, claim.sentence, quote=claim.quote, reason=reason)


def _unfounded(report: Document) -> Iterator[LedgerEntry]:
    """What tells another verdict than the report's own, and figures that cite nothing."""
    if isinstance(report, ResearchReport):  # an answer has no verdict
        yield from brief_entries(report)
        for text, reason in disagreements(report):
            yield _entry(EntryKind.VERDICT, text, reason=reason)
    for text in dict.fromkeys(Prose(report).uncited_figures()):
        yield _entry(EntryKind.UNCITED, text, reason="it tells a figure and cites no record")


def _named(reference: Reference) -> str:
    return ", ".join((reference.short_name, *reference.public_ids))


class _Audit:
    """The entries of one report's prose and of claims that its prose does not tell."""

    def __init__(self, report: Document, records: Mapping[str, Evidence]) -> None:
        self._report = report
        self._records = records
        self._numbers = {r.evidence_id: n for n, r in enumerate(report.references, 1)}
        self._claims: dict[str, list[Claim]] = {}
        for claim in dict.fromkeys(report.claims):  # two records may say the same words
            self._claims.setdefault(_plain(claim.sentence), []).append(claim)
        self._judged: dict[Cited, LedgerEntry] = {}
        self._standing: dict[Claim, bool] = {}

    def entries(self) -> Iterator[LedgerEntry]:
        """Each sentence that cites a record, then each claim that is told nowhere."""
        for cited in dict.fromkeys(Prose(self._report).cited()):
            yield self._entry(cited)
        for claims in self._claims.values():
            yield from (self._claim(claim) for claim in claims if claim not in self._standing)

    def holds(self, cited: Cited) -> bool:
        """Whether a sentence stands."""
        return self._entry(cited).holds

    def stands(self, claim: Claim) -> bool:
        """Whether a claim is borne out where it is told."""
        return self._standing.get(claim, False)

    def _entry(self, cited: Cited) -> LedgerEntry:
        if cited not in self._judged:
            self._judged[cited] = self._sentence(cited)
        return self._judged[cited]

    def _sentence(self, cited: Cited) -> LedgerEntry:
        text, numbers = cited.text, cited.numbers
        if cited.marked:
            reason = "it is marked as unsupported"
            return _entry(EntryKind.MARKED, text, numbers=numbers, reason=reason)
        if claims := self._claims.get(_plain(text)):
            return self._told_claim(cited, claims)
        listed = [n for n in numbers if 1 <= n <= len(self._report.references)]
        if len(listed) < len(numbers):
            reason = "it cites a number that is not in the list"
            return _entry(EntryKind.SENTENCE, text, numbers=numbers, reason=reason)
        if cited.is_rating:
            return _entry(EntryKind.RATING, text, numbers=numbers, holds=True)
        return self._note(cited) if text.startswith(NOTE) else self._verified(cited)

    def _told_claim(self, cited: Cited, claims: Sequence[Claim]) -> LedgerEntry:
        """The claim that a sentence tells, if it cites the claim's record."""
        meant = [c for c in claims if self._numbers.get(c.evidence_id) in cited.numbers]
        entries = [self._claim(claim) for claim in meant]
        if not entries:
            self._standing.update(dict.fromkeys(claims, False))
            wanted = [n for c in claims if (n := self._numbers.get(c.evidence_id))]
            reason = f"it is printed with {list(cited.numbers)}, not {wanted}"
            return _entry(EntryKind.CLAIM, cited.text, numbers=cited.numbers, reason=reason)
        return max(entries, key=lambda entry: entry.holds)

    def _claim(self, claim: Claim) -> LedgerEntry:
        number = self._numbers.get(claim.evidence_id)
        if number is None:
            self._standing[claim] = False
            reason = "its record is not in the list"
            return _entry(EntryKind.CLAIM, claim.sentence, reason=reason)
        holds, reason = self._bears(claim)
        self._standing[claim] = holds
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
        return check.verdict is ClaimVerdict.SUPPORTED, check.reason

    def _note(self, cited: Cited) -> LedgerEntry:
        note = _plain(cited.text.removeprefix(NOTE))
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

    def _verified(self, cited: Cited) -> LedgerEntry:
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
            holds=check.verdict is ClaimVerdict.SUPPORTED,
            reason=check.reason,
        )


def _entry(kind: EntryKind, text: str, *, holds: bool = False, **told: object) -> LedgerEntry:
    fields = {"kind": kind, "text": unescape_markdown(text), "holds": holds, **told}
    return LedgerEntry.model_validate(fields)


def _plain(text: str) -> str:
    return fold(unescape_markdown(text)).strip('"“” ').rstrip('.!? "”')
