"""The claim ledger: checks the sentences of a report or an answer again, offline.

A sentence of a record stands if it is word for word its quote at its place, or if `verify_claim`
answers "supported"; "cannot tell" does not hold, and a retracted record bears nothing. What code
writes from typed data is written anew and compared. What a model wrote passes its checks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from deepcritical.appraisal.body.verdict import RULES
from deepcritical.domain.evidence.drug_facts import fact_records
from deepcritical.domain.evidence.record import Citation, Evidence, EvidenceMetadata
from deepcritical.domain.report.answer import DeepAnswer, Document
from deepcritical.domain.report.citation_validator import AnyDocument
from deepcritical.domain.report.claims import ClaimVerdict, claim_holds
from deepcritical.domain.report.parts import (
    Claim,
    EntryKind,
    Ledger,
    LedgerEntry,
    Reference,
    ReportSection,
)
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.text.markdown import unescape_markdown
from deepcritical.domain.text.spans import fold, sentences
from deepcritical.verification.claims import verify_claim
from deepcritical.writing.ledger.checking import answer_entries, brief_entries
from deepcritical.writing.ledger.completeness import (
    SECTIONS,
    by_rule,
    cited_findings,
    cited_in_order,
    cut_entries,
    main_studies_of,
    printed_parts,
)
from deepcritical.writing.sections.quoting import SET_PHRASES
from deepcritical.writing.sentences.answers import answer_texts, brief_texts
from deepcritical.writing.sentences.synthesis import covered_by, told_rows


def audit(report: Document, snapshot: Sequence[Evidence] | None = None) -> Ledger:
    """The claim ledger of a report or an answer, what does not hold first.

    The prose of a report before schema 6, and of an answer before schema 2, is Markdown: of these
    the located claims are checked, and no sentence beside them.

    Args:
        report: A finished report.
        snapshot: Records to check against in the place of the texts that the report carries; a
            reference is the record that shares an id with it.
    """
    carried = records_of(report)
    records = dict(carried)
    references = list(_reference_entries(report, records, snapshot))
    entries = (*references, *_sentence_entries(report, carried, records))
    return Ledger(entries=tuple(sorted(entries, key=lambda entry: entry.holds)))


def is_of_markdown(report: Document) -> bool:
    """Return whether a former version wrote it, so that sentences stand in its Markdown alone."""
    return report.schema_version < (2 if isinstance(report, DeepAnswer) else 6)


def check_sentences(report: AnyDocument) -> tuple[AnyDocument, Ledger]:
    """The document without the sentences that do not stand, and the ledger that tells of them.

    What is printed is rendered anew, so that its numbers are those of the references. What an
    answer says is written by code over findings, and is only told of.
    """
    if isinstance(report, DeepAnswer) and not is_of_markdown(report):
        report = report.model_copy(update=answer_texts(report))
    records = records_of(report)
    entries = tuple(_sentence_entries(report, records, records))
    if isinstance(report, ResearchReport):
        report = _without(report, {entry.text for entry in entries if not entry.holds})
    return report, Ledger(entries=entries)


def _without(report: ResearchReport, failed: Set[str]) -> ResearchReport:
    """The report without the sentences of these texts; what rules decide is written anew."""
    kept: dict[str, Any] = {
        "claims": tuple(claim for claim in report.claims if _words(claim) not in failed)
    }
    for name in SECTIONS:
        part: ReportSection = getattr(report, name)
        left = (
            one.model_copy(update={"claims": claims})
            for one in part.quoted
            if (claims := tuple(c for c in one.claims if _words(c) not in failed))
        )
        kept[name] = part.model_copy(update={"quoted": tuple(left)})
    if report.brief:
        kept["brief"] = by_rule(report.brief, report.verdict, failed)
    return _numbered(report.model_copy(update=kept))


def _numbered(report: ResearchReport) -> ResearchReport:
    """Return a report whose references stand in the order in which it cites them, and its texts."""
    order = {i: n for n, i in enumerate(cited_in_order(report))}
    changes: dict[str, Any] = {
        name: tuple(
            sorted(getattr(report, name), key=lambda r: order.get(r.evidence_id, len(order)))
        )
        for name in ("references", "evidence_table")
    }
    if report.brief:
        used = cited_findings(report)
        changes["findings"] = tuple(one for one in report.findings if one.id in used)
        changes |= brief_texts(report.brief, changes["references"])
    return report.model_copy(update=changes)


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


def _reference_entries(
    report: Document, records: dict[str, Evidence], snapshot: Sequence[Evidence] | None
) -> Iterator[LedgerEntry]:
    """Each reference; with a snapshot, its record takes the place of the report's text."""
    facts = report.drug_facts if isinstance(report, ResearchReport) else None
    # No search and no snapshot has the records of curated facts.
    curated = fact_records(facts or ()).values()
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


def _compared(reference: Reference, found: Evidence) -> tuple[bool, str]:
    """Return whether a reference is its record of the snapshot; another text is told, no fault."""
    if fold(reference.title).rstrip(". ") != fold(found.citation.title).rstrip(". "):
        return False, f"the snapshot calls it “{found.citation.title}”"
    same = fold(found.content) == fold(reference.text)
    return True, "" if same else "the snapshot has another text than the report"


def _named(reference: Reference) -> str:
    return ", ".join((reference.short_name, *reference.public_ids))


def _sentence_entries(
    report: Document, carried: Mapping[str, Evidence], records: Mapping[str, Evidence]
) -> Iterator[LedgerEntry]:
    """Each claim, and what is told of the verdict; of an answer each sentence."""
    if isinstance(report, DeepAnswer) and not is_of_markdown(report):
        yield from answer_entries(report)
        yield from _misrated(report, carried)
        misplaced = (e for e in _claim_entries(report, carried, records) if not e.holds)
        yield from misplaced  # a quote is an entry as a sentence already
        yield from cut_entries(report, carried)
        return
    yield from _claim_entries(report, carried, records)
    if isinstance(report, ResearchReport):
        yield from _verdict_entries(report)
        yield from brief_entries(report)
        yield from cut_entries(report, carried)
        yield from _misrated(report, carried)
        yield from _plain_entries(report)


def _misrated(document: Document, records: Mapping[str, Evidence]) -> Iterator[LedgerEntry]:
    """Yield the rows of a model's table that are none of it, or whose certainty is another."""
    brief, verdict = document.brief, document.verdict
    if not (brief and brief.told and verdict):
        return
    doubled = (row.said for n, row in enumerate(brief.told) if row in brief.told[:n])
    for one in (*doubled, *(sentence for sentence in brief.synthesis if sentence.cells)):
        reason = "a row of the table stands twice, or in the text"
        yield LedgerEntry(kind=EntryKind.RATING, text=one.text, holds=False, reason=reason)
    findings = {finding.id: finding for finding in document.findings}
    said = [row.said for row in brief.told]
    studies = main_studies_of(document)
    given = told_rows(said, findings, studies, verdict, records)
    for row in brief.told:
        if row not in given:
            reason = "the table tells its certainty otherwise"
            text = row.said.text
            yield LedgerEntry(kind=EntryKind.RATING, text=text, holds=False, reason=reason)
    if brief.covered != covered_by((*brief.synthesis, *said), findings, studies, records):
        reason = "sentences of the brief quote other results than it says"
        text = brief.synthesis[0].text if brief.synthesis else brief.drug
        yield LedgerEntry(kind=EntryKind.RATING, text=text, holds=False, reason=reason)


def _claim_entries(
    report: Document, carried: Mapping[str, Evidence], records: Mapping[str, Evidence]
) -> Iterator[LedgerEntry]:
    """Each sentence of a record, by its words at their place.

    Args:
        report: The document.
        carried: The records as it carries them, in which the places are counted.
        records: Those to check against.
    """
    numbers = {r.evidence_id: n for n, r in enumerate(report.references, 1)}
    for claim in dict.fromkeys((*report.claims, *_printed(report))):
        number = numbers.get(claim.evidence_id)
        reason = (
            _claim_fault(claim, carried[claim.evidence_id], records[claim.evidence_id])
            if number
            else "its record is not in the list"
        )
        yield LedgerEntry(
            kind=EntryKind.CLAIM,
            text=_words(claim),
            numbers=(number,) if number else (),
            quote=claim.quote if number else "",
            start=claim.start if number else None,
            source=_named(report.references[number - 1]) if number else "",
            holds=not reason,
            reason=reason,
        )


def _printed(report: Document) -> Iterator[Claim]:
    if isinstance(report, ResearchReport):
        for part in printed_parts(report):
            yield from (claim for one in part.quoted for claim in one.claims)


def _words(claim: Claim) -> str:
    return unescape_markdown(claim.sentence)


def _claim_fault(claim: Claim, carried: Evidence, record: Evidence) -> str:
    """Say why a record does not bear a claim: word by word, else by every check; '' if it does."""
    if fold(carried.content[claim.start : claim.end]) != fold(claim.quote):
        return f"its quote does not stand at characters {claim.start}-{claim.end}"
    if claim_holds(claim, {claim.evidence_id: record}):
        return ""
    check = verify_claim(claim.sentence, record, claim.quote)
    return "" if check.verdict is ClaimVerdict.SUPPORTED else check.reason


def _verdict_entries(report: ResearchReport) -> Iterator[LedgerEntry]:
    """Yield what disagrees with the verdict: its rule, its confidence, the first candidate."""
    verdict = report.verdict
    gives = RULES.get(verdict.rule, verdict.label)
    first = report.drug_candidates[0].verdict if report.drug_candidates else verdict
    reasons = (
        f"its rule gives {gives.value}" if gives is not verdict.label else "",
        f"the confidence is {report.confidence_score}, not {verdict.confidence}"
        if report.confidence_score != verdict.confidence
        else "",
        "the verdict on the first candidate is another one" if first != verdict else "",
        _form_fault(report),
    )
    text = f"Verdict: {verdict.label.value}, certainty {verdict.certainty.value}"
    for reason in filter(None, reasons):
        yield LedgerEntry(kind=EntryKind.VERDICT, text=text, holds=False, reason=reason)


def _form_fault(report: ResearchReport) -> str:
    """Return why the parts of a report cannot belong to one; '' where they can."""
    quoted = [one for name in SECTIONS for one in getattr(report, name).quoted]
    if is_of_markdown(report):
        newer = quoted or report.verdict_changes
        return "it holds parts that a report of its schema has not" if newer else ""
    if report.brief is None:
        return "it has no brief that its summary could be of" if report.executive_summary else ""
    if any(row not in report.verdict.rows for row in report.brief.findings):
        return "a row of the brief is none of its verdict"
    if any(claim.evidence_id != one.evidence_id for one in quoted for claim in one.claims):
        return "a sentence is printed as another record's"
    return ""


def _plain_entries(report: ResearchReport) -> Iterator[LedgerEntry]:
    """Yield what is printed beside the sentences that are data, and that code does not write."""
    if report.brief:
        formerly = brief_texts(report.brief, report.references, former=True)
        for name, given in brief_texts(report.brief, report.references).items():
            if (text := getattr(report, name)) in (given, formerly[name]):
                continue
            told = {span.text for span in sentences(given)}
            foreign = [span.text for span in sentences(text) if span.text not in told]
            for one in foreign or [text]:
                reason = "it is not what the brief says"
                yield LedgerEntry(kind=EntryKind.VERDICT, text=one, holds=False, reason=reason)
    for name in () if is_of_markdown(report) else SECTIONS:
        for text in getattr(report, name).content.split("\n\n"):
            if text and text not in SET_PHRASES:
                reason = "it cites no record"
                yield LedgerEntry(kind=EntryKind.UNCITED, text=text, holds=False, reason=reason)
