"""Puts the sentences that a model chose at the head of a section; every word stays the record's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deepcritical.domain.appraisal import Appraisal
from deepcritical.domain.evidence import Fact, FactRole
from deepcritical.domain.grading import is_retracted
from deepcritical.domain.markdown import escape_markdown
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.report_parts import ReportSection
from deepcritical.models.answers import Section
from deepcritical.prompts.asks import SectionName
from deepcritical.reasoning.citing import FOLLOWS, Citer
from deepcritical.reasoning.quoting import is_own_finding, quoted_sentence, sentence_fact
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["ChosenSentence", "balanced", "chosen_sentences", "section_records", "with_sections"]

_MOST = 8

ChosenSentence = tuple[str, Fact]
"""How it follows on the sentence before, and the sentence."""


def section_records(store: EvidenceStore, drug: str) -> dict[SectionName, tuple[str, ...]]:
    """The records that each section may draw on; none for a section without anything to tell."""
    counted = {i: a for i, a in store.appraisals(drug).items() if a.counts}
    edges = {f.evidence_id for h in store.hypotheses for e in h.edges for f in e.facts}
    both = any(a.reading.supporting for a in counted.values()) and any(
        a.reading.refuting for a in counted.values()
    )
    chosen: dict[SectionName, list[str]] = {
        "clinical_findings": [i for i, a in counted.items() if a.clinical],
        "mechanistic_findings": [i for i, a in counted.items() if a.grade.level == 5 or i in edges],
        "contradictions": [i for i, a in counted.items() if both and _directed(a)],
        "safety": [i for i, a in counted.items() if _harms(a)],
    }
    return {name: tuple(ids) for name, ids in chosen.items()}


def _directed(appraisal: Appraisal) -> bool:
    return bool(appraisal.reading.supporting or appraisal.reading.refuting)


def _harms(appraisal: Appraisal) -> bool:
    return any(fact.role is FactRole.HARM for fact in appraisal.reading.context)


def chosen_sentences(
    answer: Section, store: EvidenceStore, shown: Sequence[str]
) -> tuple[tuple[ChosenSentence, ...], int]:
    """The model's choice as located sentences, each once, and how many are in no shown record.

    Passed over is what a retracted record states, and what is an aim, background or a wish for more
    research.
    """
    kept: dict[tuple[str, int], ChosenSentence] = {}
    dropped = 0
    for chosen in answer.sentences[: 5 * _MOST]:
        record = store.evidence.get(chosen.evidence_id) if chosen.evidence_id in shown else None
        span = quoted_sentence(chosen.quote, record) if record else None
        if record is None or span is None:
            dropped += 1
            continue
        if is_retracted(record) or not is_own_finding(span):
            continue
        fact = sentence_fact(span, chosen.evidence_id, FactRole.RESULT)
        kept.setdefault((chosen.evidence_id, span.start), (chosen.follows, fact))
    return tuple(kept.values())[:_MOST], dropped


def balanced(
    sentences: Sequence[ChosenSentence], store: EvidenceStore, drug: str
) -> tuple[ChosenSentence, ...]:
    """The choice with what it leaves out against the drug: no selection hides a negative finding.

    Behind a record's sentences comes its first finding against the drug if none of them is one; at
    the end that of the strongest record that speaks against the drug, if no such finding was told.
    """
    if not sentences:
        return ()
    against = {
        i: a.reading.refuting
        for i, a in store.appraisals(drug).items()
        if a.counts and a.clinical and a.reading.refuting
    }
    ids = dict.fromkeys(fact.evidence_id for _, fact in sentences)
    told: list[ChosenSentence] = []
    for evidence_id in ids:
        own = [one for one in sentences if one[1].evidence_id == evidence_id]
        told += own
        told += _missing(own, against.get(evidence_id, ()))
    strongest = sorted(against, key=lambda i: (store.appraisals(drug)[i].grade.level or 9, i))
    if strongest and not any(i in against for i in ids):
        told += _missing([], against[strongest[0]])
    return tuple(told)


def _missing(told: Sequence[ChosenSentence], against: Sequence[Fact]) -> list[ChosenSentence]:
    """The first finding against the drug, unless one of them is told."""
    starts = {fact.start for _, fact in told}
    return [] if any(f.start in starts for f in against) else [("however", f) for f in against[:1]]


def with_sections(
    report: ResearchReport,
    store: EvidenceStore,
    sections: Mapping[SectionName, Sequence[ChosenSentence]],
    model: str,
) -> ResearchReport:
    """The report with the chosen sentences before what each section says already."""
    citer = Citer(store)
    citer.cite(reference.evidence_id for reference in report.references)
    changes: dict[str, ReportSection] = {}
    for name, sentences in sections.items():
        if sentences:
            part: ReportSection = getattr(report, name)
            head = (
                f"Key sentences as {escape_markdown(model)} chose them; findings against the drug "
                "that it left out are added by rule:"
            )
            lines = [_line(citer, follows, fact) for follows, fact in sentences]
            content = "\n\n".join((head, "\n".join(lines), part.content))
            changes[name] = part.model_copy(update={"content": content})
    claims = tuple(dict.fromkeys((*report.claims, *citer.claims)))
    return report.model_copy(update={**changes, "references": citer.references, "claims": claims})


def _line(citer: Citer, follows: str, fact: Fact) -> str:
    name, source = citer.name(fact.evidence_id), citer.source(fact.evidence_id)
    return f"- {FOLLOWS[follows]}**{name}**, {source}: {citer.sentence(fact)}"
