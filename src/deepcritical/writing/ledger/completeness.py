"""Finds what was cut from a report or an answer: its parts tell what the others must hold.

Rows follow from the results of the studies, tables have a line for each study or reference, and
references stand in the order in which they are first cited.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import zip_longest

from deepcritical.appraisal.body.rows import outcome_rows
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.evidence_table import VerdictRole
from deepcritical.domain.appraisal.findings import Direction, StudyFinding
from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.appraisal.votes import OutcomeRow
from deepcritical.domain.evidence.record import Citation, Evidence
from deepcritical.domain.report.answer import DeepAnswer, Document
from deepcritical.domain.report.brief import Brief
from deepcritical.domain.report.parts import EntryKind, LedgerEntry, ReportSection
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.report.sentences import Sentence
from deepcritical.writing.ledger.former_words import is_in_present_words, is_kept_whole
from deepcritical.writing.sentences.brief import (
    Put,
    answer_sentences,
    brief_of,
    is_on_results,
    table_rows,
    weak,
)
from deepcritical.writing.sentences.harms import harms_beside
from deepcritical.writing.sentences.main_studies import MOST_STUDIES
from deepcritical.writing.sentences.matter import Matter, leading_rows
from deepcritical.writing.sentences.synthesis import uncontested, with_synthesis
from deepcritical.writing.sentences.words import row_sentence

SECTIONS = (
    "clinical_findings",
    "mechanistic_findings",
    "contradictions",
    "safety",
    "what_would_change",
)
"""The parts of a report that hold what the evidence says."""
_FIRST_KEPT = 13
"""The wording of the first documents that must have all parts."""
_Cut = tuple[str, str]
"""A part that is gone, or stands where it cannot, and how that is known."""
_Rule = tuple[str, Iterable[object], Iterable[object]]
"""Two parts by name, what stands in the first, and what stands there by the second."""
_OLD = (
    "It does not say which version worded it, or is of a version whose reports need not have all "
    "parts: whether parts were cut out of it is not checked."
)
_OTHER_WORDS = (
    "It is in other words than the present ones: whether sentences of its brief were cut is not "
    "checked."
)
_OTHER_RULES = (
    "The present rules rate its studies otherwise than it does: another version rated them, or "
    "verdict, rows or studies were changed."
)
_JUDGED = (
    "That {judges} found its sentences in their records, or results not in theirs, is told by the "
    "file alone. Code checks the sentences again; it does not ask the model."
)
_KEPT = {Direction.NONE: 0, Direction.SUPPORTS: 1, Direction.REFUTES: 1, Direction.MIXED: 2}
"""Sentences of a record that are kept for its direction."""


def notices_of(document: Document) -> Iterator[str]:
    """Yield what the checks of a document could not tell."""
    if not is_kept_whole(document):
        yield _OLD
    elif document.wording and not is_in_present_words(document):  # without one it fails
        yield _OTHER_WORDS
    elif any(decide(studies) != verdict for verdict, studies in _bodies(document)):
        yield _OTHER_RULES
    if judges := dict.fromkeys(_judges(document)):
        yield _JUDGED.format(judges=" and ".join(judges))


def cut_entries(document: Document, records: Mapping[str, Evidence]) -> Iterator[LedgerEntry]:
    """Yield what a document must hold by its other parts, and does not.

    Args:
        document: A report, or an answer.
        records: Those that it carries, by evidence id.
    """
    for text, reason in dict.fromkeys(_cuts(document, records)):
        yield LedgerEntry(kind=EntryKind.VERDICT, text=text, holds=False, reason=reason)


def _cuts(document: Document, records: Mapping[str, Evidence]) -> Iterator[_Cut]:
    if is_kept_whole(document):
        if document.wording < _FIRST_KEPT:
            yield "wording", "it is gone, and every document of its schema has one"
        if len({*_judges(document)}) > 1:
            yield "checks", "more than one model is told to have checked its sentences"
        yield from _in_rows(document)
        yield from _in_references(document)
        yield from _differing(
            _in_report(document) if isinstance(document, ResearchReport) else _in_answer(document)
        )
    if document.brief and document.verdict and document.wording and is_in_present_words(document):
        yield from _in_brief(document, document.brief, document.verdict, records)


def _bodies(document: Document) -> Iterator[tuple[Verdict, Sequence[StudyFinding]]]:
    """Yield each verdict with the studies that it is on."""
    if isinstance(document, ResearchReport):
        yield document.verdict, document.studies
        return
    start = 0
    if document.verdict and document.candidates:
        yield document.verdict, document.studies[: document.candidates[0].studies]
    for one in document.candidates:
        yield one.verdict, document.studies[start : start + one.studies]
        start += one.studies


def main_studies_of(document: Document) -> Sequence[StudyFinding]:
    """Return the studies that the document's own verdict is on."""
    return next(_bodies(document), (None, ()))[1]


def _in_rows(document: Document) -> Iterator[_Cut]:
    """Yield the outcomes that results of studies are on and rows are not, or the other way."""
    for verdict, studies in _bodies(document):
        given, told = _records_of(outcome_rows(studies)), _records_of(verdict.rows)
        for key in (*given, *told):
            if given.get(key) != told.get(key):
                reason = "the rows of the verdict are not those that the results of studies give"
                yield " against ".join(filter(None, key)), reason


def _records_of(rows: Iterable[OutcomeRow]) -> dict[tuple[str, str], frozenset[str]]:
    return {(r.outcome, r.comparator): frozenset((*r.evidence_ids, *r.beside)) for r in rows}


def _differing(rules: Iterable[_Rule]) -> Iterator[_Cut]:
    """Yield each part that does not have what another part gives, and nothing else."""
    for parts, there, due in rules:
        if different := {*there} ^ {*due}:
            told = (", ".join(one) if isinstance(one, tuple) else f"{one}" for one in different)
            yield parts, f"they do not agree on {'; '.join(sorted(told))}"


def _in_references(document: Document) -> Iterator[_Cut]:
    """Yield the first reference that is not the one cited there, and a table of other records."""
    there = [r.evidence_id for r in document.references]
    due = cited_in_order(document)
    # A report also lists what bears on the question and is not cited.
    shown = there[: len(due)] if isinstance(document, ResearchReport) else there
    names = {r.evidence_id: r.short_name for r in document.references}
    for number, (own, cited) in enumerate(zip_longest(shown, due), 1):
        if own != cited:
            is_gone = cited is not None and cited not in names
            lost = "a reference is gone" if is_gone else "what cites it first is gone"
            text = f"reference {number}: {names.get(own or '', cited)}"
            yield text, f"references stand in the order of their citations: {lost}"
            break
    rows = (row.evidence_id for row in document.evidence_table)
    read = (r.evidence_id for r in document.references if r.source != "curated")
    findings = (finding.id for finding in document.findings)
    yield from _differing(
        (
            ("evidence table and references", rows, read),
            ("sentences and findings", cited_findings(document), findings),
        )
    )


def cited_in_order(document: Document) -> tuple[str, ...]:
    """Return the records that a document cites, in the order in which it numbers them."""
    return tuple(dict.fromkeys(_cited(document)))


def _cited(document: Document) -> Iterator[str]:
    brief = document.brief
    if brief:
        results = (study.result for study in brief.studies)
        first, then = (*brief.synthesis, *(row.said for row in brief.told)), brief.harms
        if isinstance(document, DeepAnswer):
            first, then = then, first
        for sentence in (*brief.licensed, *brief.answer, *first, *then, *results):
            yield from sentence.evidence_ids
    if isinstance(document, DeepAnswer):
        for sentence in _said(document):
            yield from sentence.evidence_ids
        return
    if brief:
        yield from (trial.evidence_id for trial in brief.trials)
        yield from (i for sentence in brief.label for i in sentence.evidence_ids)
    for ids in (
        *(one.verdict.deciding_ids for one in document.drug_candidates),
        *(row.evidence_ids for row in document.study_table),
    ):
        yield from ids


def _in_report(report: ResearchReport) -> Iterator[_Rule]:
    stances = [(row.evidence_id, stance) for row in report.evidence_table for stance in row.stances]
    counted = [(i, s) for i, s in stances if s.role is not VerdictRole.RETRACTED]
    main = next((one.name for one in report.drug_candidates), "")
    of_main = (i for i, s in counted if s.drug == main or not main)
    studies = {one.evidence_ids for one in report.studies}
    yield "table of studies and studies", (r.evidence_ids for r in report.study_table), studies
    yield "studies and evidence table", (i for ids in studies for i in ids), of_main
    first = (one.studies for one in report.drug_candidates[:1])
    counts = {report.studies_included, len(report.studies), *first}
    yield "number of studies and studies", counts, [len(report.studies)]
    drugs, named = {s.drug for _, s in counted}, {one.name for one in report.drug_candidates}
    yield "drugs and evidence table", drugs & named, drugs
    included = report.prisma.included if report.prisma else None
    yield "records included and evidence table", [included], [len({i for i, _ in stances})]
    printed = {c for part in printed_parts(report) for one in part.quoted for c in one.claims}
    yield "claims and printed sentences", printed & {*report.claims}, printed
    resting = Counter(i for i, s in counted for _ in range(_KEPT[s.direction]))
    yield "claims and directions", {*resting} & {c.evidence_id for c in report.claims}, resting
    unprinted = Counter(c.evidence_id for c in report.claims if c not in printed)
    yield "sections and claims", (), unprinted - resting


def printed_parts(report: ResearchReport) -> Iterator[ReportSection]:
    """Yield the parts of a report that hold sentences of records."""
    for name in (*SECTIONS, "methodology"):
        yield getattr(report, name)


def _said(answer: DeepAnswer) -> tuple[Sentence, ...]:
    return (*answer.lead, *(s for part in answer.parts for s in part.sentences))


def _told(document: Document) -> Iterator[Sentence]:
    """Yield the sentences that rest on findings."""
    if brief := document.brief:
        yield from (*brief.licensed, *brief.label, *brief.synthesis)
        yield from (row.said for row in brief.told)
    if isinstance(document, DeepAnswer):
        yield from _said(document)


def cited_findings(document: Document) -> set[str]:
    """Return the ids of the findings that sentences of a document rest on."""
    return {i for sentence in _told(document) for i in sentence.finding_ids}


def _judges(document: Document) -> Iterator[str]:
    """Yield the models that are told to have judged a sentence, or a result."""
    for sentence in dict.fromkeys(_told(document)):
        yield from (c.by for c in sentence.checks if c.name == "entailment")
    yield from (one.by for one in (document.brief.contested if document.brief else ()))


def _in_answer(answer: DeepAnswer) -> Iterator[_Rule]:
    findings = {finding.id: finding for finding in answer.findings}
    quotes = {f for s in _said(answer) if s.origin == "quote" for f in s.finding_ids}
    printed = (q for f in quotes & {*findings} for q in findings[f].quotes)
    yield "claims and printed sentences", (claim.quote for claim in answer.claims), printed
    parts, needs = {part.item for part in answer.parts}, {a.item.id for a in answer.checklist}
    yield "checklist and parts", parts - needs if needs else ("every need",), ()
    first = [one.verdict for one in answer.candidates[: 1 if answer.brief else 0]]
    main = [answer.verdict] if answer.brief or answer.verdict else []
    yield "verdict, brief and drugs", (v.rule for v in first), (v.rule if v else "" for v in main)
    named = {one.name for one in answer.candidates[len(first) :]}
    yield "drugs and findings", named & {f.drug for f in answer.findings}, named
    counted = sum(one.studies for one in answer.candidates)
    yield "number of studies and studies", [counted], [len(answer.studies)]


def _in_brief(
    document: Document, brief: Brief, verdict: Verdict, records: Mapping[str, Evidence]
) -> Iterator[_Cut]:
    """Yield what code tells of the verdict, its rows and its studies, and the brief leaves out."""
    whole = by_rule(brief, verdict)
    told = (s.text for s in (*whole.answer, *whole.harms) if s.origin == "template")
    rows = (row_sentence(row, brief.drug) for row in whole.findings if row not in brief.findings)
    there = {s.text for s in (*brief.answer, *brief.harms)}
    for text in (*(text for text in told if text not in there), *rows):
        yield text, "the verdict has it, and the brief leaves it out"
    again = _brief_again(brief, verdict, main_studies_of(document), records)
    said = {text.partition(": ")[0] for text in brief.missing}
    for text in again.missing:
        is_left = brief.is_answered and is_on_results(text)
        is_beside = text in weak(verdict.rows) and said
        if not (is_left or is_beside or text.partition(": ")[0] in said):
            yield text, "the evidence lacks it, and the brief does not say so"
    rated = sum(bool(one.outcome) for one in brief.contested)
    shown, refuted = {one.evidence_ids for one in brief.studies}, len(brief.contested) - rated
    weighed = (one for one in again.studies if one.result.origin == "template")
    lost = [one.name for one in weighed if one.evidence_ids not in shown]
    for name in lost[refuted:] if len(brief.studies) + refuted < MOST_STUDIES else ():
        yield name, "it is a main study, and the brief leaves it out"


def _brief_again(
    brief: Brief,
    verdict: Verdict,
    studies: Sequence[StudyFinding],
    records: Mapping[str, Evidence],
) -> Brief:
    """Return a brief as far as verdict and studies give it, without question and readings."""
    unknown = Evidence(content="", citation=Citation(source="web", title="-"))
    return brief_of(
        Matter(
            drug=brief.drug,
            condition="",
            frame=None,
            verdict=uncontested(verdict, brief.contested),
            studies=studies,
            evidence={i: records.get(i, unknown) for s in studies for i in s.evidence_ids},
            readings={},
            appraisals={},
            searched_on="",
        )
    )


def by_rule(brief: Brief, verdict: Verdict, failed: Set[str] = frozenset()) -> Brief:
    """Return a brief with all that code tells of a verdict, without sentences of some texts."""
    put, verdict = Put.of(brief), uncontested(verdict, brief.contested)
    answer = answer_sentences(verdict, brief.drug, put)
    written_anew = brief.model_copy(
        update={
            "answer": answer,
            "harms": (
                *harms_beside(answer, verdict, brief.drug),
                *(s for s in brief.harms if s.origin == "quote" and s.text not in failed),
            ),
            "findings": tuple(table_rows(verdict.rows, leading_rows(verdict))),
            "studies": tuple(one for one in brief.studies if one.result.text not in failed),
            **{
                name: tuple(s for s in getattr(brief, name) if s.text not in failed)
                for name in ("licensed", "label")
            },
        }
    )
    written = [s for s in brief.synthesis if s.text not in failed]
    rows = [row for row in brief.told if row.said.text not in failed]
    return with_synthesis(written_anew, verdict, written, rows, brief.covered)
