"""Says first what a question asks beyond whether the drug helps: how it acts, licence, dose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from deepcritical.appraisal.pico.dosing import doses_of
from deepcritical.domain.appraisal.findings import StudyFinding
from deepcritical.domain.question.frame import QuestionFrame, QuestionKind
from deepcritical.domain.report.sentences import Sentence
from deepcritical.domain.text.patterns import bounded
from deepcritical.domain.text.spans import fold, whole_sentences
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.vocabulary.drugs import lookup_drug
from deepcritical.writing.sections.quoting import edge_words
from deepcritical.writing.sentences.studies import study_name
from deepcritical.writing.sentences.words import listed

_MOST_EDGES = 4
_MOST_DOSED = 6
"""Studies whose doses are told."""
_MEAN = bounded(r"\b(mean|median|average)\b(?:\W{1,3}\w{1,20}){0,6}\W{0,3}$", re.IGNORECASE)
_RANGE = bounded(r"\d ?(?:to|-|–) ?\d", re.IGNORECASE)
_EFFECT_FOLLOWS = "What studies found of its effect follows."


def lead_of(
    frame: QuestionFrame, drug: str, store: EvidenceStore, *, licensed: bool
) -> Sentence | None:
    """Return the sentence before the answer on the effect; None where the effect was asked about.

    Args:
        frame: The question.
        drug: The drug asked about.
        store: With the edges of the mechanism and the studies of the drug.
        licensed: Whether a curated source says so, which then stands at the head by itself.
    """
    if frame.kind is QuestionKind.STATUS and not licensed:
        condition = frame.condition.name if frame.condition else "this"
        told = (
            f"The drug's label was not at hand to say whether {drug} is licensed for {condition}."
        )
        if store.drug_facts:
            told = f"No licence of {drug} for {condition} was recognised in the facts at hand."
        return Sentence(text=f"{told} {_EFFECT_FOLLOWS}")
    if frame.kind is QuestionKind.MECHANISM:
        return _of_mechanism(frame, store)
    return _of_doses(drug, store) if frame.kind is QuestionKind.DOSE else None


def _of_doses(drug: str, store: EvidenceStore) -> Sentence:
    """Return the doses that the studies with a result that counts state, the strongest first."""
    counting = [study for study in store.studies(drug) if study.votes]
    counting.sort(key=lambda study: (study.level or 9, -(study.participants or 0)))
    dosed = ((study, _doses(drug, study, store)) for study in counting)
    told = list(islice((one for one in dosed if one[1]), _MOST_DOSED))
    if not told:
        text = f"No study with a result that counts states the dose of {drug}."
        return Sentence(text=f"{text} {_EFFECT_FOLLOWS}")
    each = "; ".join(f"{d} in {study_name(s, store.evidence)}" for s, d in told)
    ids = dict.fromkeys(i for study, _ in told for i in study.evidence_ids)
    return Sentence(
        text=f"Doses of {drug} in the studies that count: {each}.", evidence_ids=(*ids,)
    )


def _doses(drug: str, study: StudyFinding, store: EvidenceStore) -> str:
    """Return the doses that a study states: of its arms, else in a sentence, else in a registry."""
    known = lookup_drug(drug)
    names = (drug, *known.synonyms) if known else (drug,)
    records = [store.evidence[i] for i in study.evidence_ids]
    read = [store.readings[i] for i in study.evidence_ids if i in store.readings]
    texts = [[arm.label for arm in reading.arms] for reading in read]
    texts += [[s.text for s in whole_sentences(r.content)] for r in records]
    texts += [list(r.metadata.interventions) for r in records]
    found = ([(t, doses) for t in told if (doses := doses_of(t, names))] for told in texts)
    return _by_kind(next((one for one in found if one), ()))


def _by_kind(found: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return doses that were given, and apart from them ranges and means, which are none."""
    kinds: dict[str, dict[str, None]] = {"": {}, "range": {}, "mean": {}, "median": {}}
    for text, doses in found:
        for dose in doses:
            mean = _MEAN.search(text[: text.find(dose)])
            kind = mean[1].lower() if mean else "range" if _RANGE.search(dose) else ""
            kinds["mean" if kind == "average" else kind][dose] = None
    given, *others = ((kind, listed([*doses])) for kind, doses in kinds.items())
    apart = "; ".join(f"{kind} {doses}" for kind, doses in others if doses)
    return f"{given[1]} ({apart})" if given[1] and apart else given[1] or apart


def _of_mechanism(frame: QuestionFrame, store: EvidenceStore) -> Sentence:
    """Return what records show of the steps, those first that the question names."""
    edges = {
        (edge.subject, edge.object): edge
        for chain in store.hypotheses
        for edge in chain.edges
        if edge.facts
    }
    asked = fold(frame.text)
    ordered = sorted(edges.values(), key=lambda e: fold(e.object).split()[0] not in asked)
    told = list(islice(ordered, _MOST_EDGES))
    if not told:
        return Sentence(text=f"No record found shows by which way it acts. {_EFFECT_FOLLOWS}")
    ids = dict.fromkeys(f.evidence_id for edge in told for f in edge.facts)
    steps = "; ".join(f"{e.subject} {edge_words(e)} {e.object}" for e in told)
    return Sentence(
        text=f"Of the way in which it acts, records show: {steps}.", evidence_ids=(*ids,)
    )
