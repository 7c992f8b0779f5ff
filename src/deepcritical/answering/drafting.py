"""Chooses what an answer tells: weighs what was read, ranks what was found, lists findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from deepcritical.answering.coverage import checklist_in, counting
from deepcritical.answering.weighing import Weighed, drugs_asked, weigh
from deepcritical.appraisal.body.verdict import decide
from deepcritical.domain.appraisal.checklist import (
    Aspect,
    ChecklistItem,
    Inquiry,
    InquiryKind,
    ItemFact,
    facts_of,
)
from deepcritical.domain.appraisal.findings import Matched, Stance
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.report.sentences import Finding, Sentence
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.domain.text.spans import Span
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.vocabulary.drugs import find_drugs
from deepcritical.writing.sections.sources import ranked, sources_of
from deepcritical.writing.sentences.findings import findings_of
from deepcritical.writing.sentences.passages import passage_finding
from deepcritical.writing.sentences.synthesis import as_told_by, told_rows

_MOST_OF_MAIN, _MOST_OF_OTHERS = 6, 3
_AGAIN = 0.1
"""Amount that each sentence of a study told already takes from the relevance of the next."""
WEIGHED = (
    InquiryKind.EFFECT,
    InquiryKind.COMPARISON,
    InquiryKind.TREATMENT,
    InquiryKind.SAFETY,
    InquiryKind.MECHANISM,
)
"""Kinds of questions on which studies can decide."""
_MOST_WEIGHED = 6
"""Candidates whose results sentences may rest on."""
_UNGRADED = 9
_STRENGTH = {1: 0.25, 2: 0.2, 3: 0.1, 4: 0.05}
"""Amount that an OCEBM level adds to the relevance of a sentence."""
SPEAKS_AGAINST = (VerdictLabel.REFUTED, VerdictLabel.UNSUPPORTED, VerdictLabel.HARMFUL)
"""Verdicts by which a candidate is no treatment to name."""


WITH_VERDICT = (InquiryKind.EFFECT, InquiryKind.COMPARISON)
"""Kinds of questions that the verdict on a drug answers."""


class Draft(NamedTuple):
    """The material that an answer is written from, before a model has written anything."""

    weighed: tuple[Weighed, ...]
    picked: Mapping[str, tuple[ItemFact, ...]]
    """Of each item the facts that are told, by its id."""
    findings: Mapping[str, Finding]
    """Findings that sentences may rest on, by id: results over studies, of one study, passages."""
    passages: Mapping[str, str]
    """Fact id -> id of its finding."""
    by_model: bool = False
    """True where a model chose the facts, and no word rules."""
    sources: Mapping[str, Finding] = MappingProxyType({})
    """Of the findings, the sentences that a model may write about."""


def as_told(draft: Draft, written: Sequence[Sentence], evidence: Mapping[str, Evidence]) -> Draft:
    """Return a draft whose first drug is rated no higher than in the rows that a model wrote."""
    first, *others = draft.weighed or (None,)
    if first is None:
        return draft
    rows = told_rows(written, draft.findings, first.studies, first.verdict, evidence)
    studies = as_told_by(first.studies, first.verdict, rows, written)
    rated = first._replace(studies=studies, verdict=decide(studies))
    return draft._replace(weighed=(rated, *others))


def draft_of(
    inquiry: Inquiry, store: EvidenceStore, matched: Mapping[str, Matched] | None = None
) -> Draft:
    """Weigh what was read, choose what is told, and list what a sentence may rest on.

    `matched` is what a model found records to tell of the drug asked about; None where rules chose.
    """
    is_weighed = inquiry.kind in WEIGHED
    weighed = weigh(inquiry, store.evidence, store.readings, matched) if is_weighed else ()
    weighed = weighed[:_MOST_WEIGHED]
    facts = counting(store)
    order = _Order(store, newest=is_newest(inquiry, store))
    items = checklist_in(store).items
    told = [fact for fact in facts if fact.direct] or facts
    failed = _failed(inquiry, weighed) if matched is None else frozenset()
    picked = {
        item.id: tuple(
            order.best(
                [f for f in facts_of(item, told) if _may_tell(item, f, failed)],
                _MOST_OF_OTHERS if number else _MOST_OF_MAIN,
            )
        )
        for number, item in enumerate(items)
    }
    findings = _found(weighed, store)
    passages: dict[str, str] = {}
    for fact in dict.fromkeys(f for facts in picked.values() for f in facts):
        key = f"P{len(passages) + 1}"
        passages[fact.id] = key
        evidence_id = fact.fact.evidence_id
        record, reading = store.evidence[evidence_id], store.readings.get(evidence_id)
        span = Span(fact.fact.quote, fact.fact.start, fact.fact.end)
        findings[key] = passage_finding(key, evidence_id, span, record, reading)
    return Draft(weighed, picked, findings, passages, matched is not None)


def _found(weighed: Sequence[Weighed], store: EvidenceStore) -> dict[str, Finding]:
    """Return what the studies show together of each drug, by new ids."""
    found: dict[str, Finding] = {}
    for one in weighed:
        made = findings_of(one.drug.name, one.verdict, one.studies, store.evidence, store.readings)
        for finding in made.values():
            key = f"F{len(found) + 1}"
            found[key] = finding.model_copy(update={"id": key})
    return found


def _failed(inquiry: Inquiry, weighed: Sequence[Weighed]) -> frozenset[str]:
    """Of candidates those that the weighed evidence speaks against."""
    if inquiry.kind is not InquiryKind.TREATMENT:
        return frozenset()
    return frozenset(one.drug.name for one in weighed if one.verdict.label in SPEAKS_AGAINST)


def _may_tell(item: ChecklistItem, fact: ItemFact, failed: frozenset[str]) -> bool:
    """Return whether a fact may be told for a need: of a failed treatment only that it failed."""
    if not failed or item.aspect in (Aspect.AGAINST, Aspect.SAFETY):
        return True
    named = {mention.drug.name for mention in find_drugs(fact.fact.quote)}
    return not named or not named <= failed


def with_sources(draft: Draft, inquiry: Inquiry, store: EvidenceStore) -> Draft:
    """Return a draft with the records that a model may write about, sentence by sentence.

    First those that decide, then those that are told, and the others by their relevance.
    """
    facts = {fact.id: fact.fact.evidence_id for fact in store.item_facts}
    told = [facts[i] for i in draft.passages if i in facts]
    studies = [study for one in draft.weighed for study in one.studies]
    decided = [i for one in draft.weighed for i in one.verdict.deciding_ids]
    ids = (*decided, *told, *ranked(studies, (), {}, store, inquiry.frame))
    drugs, _ = drugs_asked(inquiry)
    drug = drugs[0].name if drugs else ""
    sources = sources_of(drug, ids, studies, store.evidence, store.readings)
    return draft._replace(findings={**draft.findings, **sources}, sources=sources)


def is_newest(inquiry: Inquiry, store: EvidenceStore) -> bool:
    """Return whether the newest goes first: that is asked for, and records have dates."""
    asked = inquiry.frame is not None and inquiry.frame.latest
    return asked and any(record.citation.date for record in store.evidence.values())


class _Order:
    """The order in which facts are told: of the question itself, strong and fitting; or newest."""

    def __init__(self, store: EvidenceStore, *, newest: bool) -> None:
        self._study_of = store.study_of
        self._records = store.evidence
        self._newest = newest

    def best(self, facts: Sequence[ItemFact], most: int) -> list[ItemFact]:
        """The best facts, both sides among them; each further one of a study counts for less."""
        ranked = sorted(facts, key=self._key)
        studies = [self._study_of[fact.fact.evidence_id] for fact in ranked]
        again = {f.id: studies[:at].count(studies[at]) for at, f in enumerate(ranked)}
        own = sorted(ranked, key=lambda f: self._key(f, again[f.id]))
        sides = (Stance.SUPPORTS, Stance.REFUTES)
        first = {f.id for side in sides for f in [x for x in own if x.side is side][: most // 3]}
        kept = sorted(own, key=lambda f: f.id not in first)[:most]
        return sorted(kept, key=self._key)

    def _key(self, fact: ItemFact, again: int = 0) -> tuple[bool, str, float, int, str, str, int]:
        """Behind what counts, ties go by design, date and id: not by what was found first."""
        record = self._records[fact.fact.evidence_id]
        level = fact.level or _UNGRADED
        date = "".join(chr(0x10FFFF - ord(c)) for c in (record.citation.date or "")[:10])
        return (
            not fact.direct,
            date if self._newest else "",
            round(_AGAIN * again - (fact.relevance + _STRENGTH.get(level, 0.0)), 3),
            level,
            date,
            min(canonical_ids(record), default=record.citation.title),
            fact.fact.start,
        )
