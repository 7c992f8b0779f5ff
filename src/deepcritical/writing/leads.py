"""Says first what a question asks beyond whether the drug helps: how it acts, whether licensed."""

from __future__ import annotations

from itertools import islice

from deepcritical.domain.frame import QuestionFrame, QuestionKind
from deepcritical.domain.sentences import Sentence
from deepcritical.domain.text import fold
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.quoting import edge_words

__all__ = ["lead_of"]

_MOST_EDGES = 4
_EFFECT_FOLLOWS = "What studies found of its effect follows."


def lead_of(
    frame: QuestionFrame, drug: str, store: EvidenceStore, *, licensed: bool
) -> Sentence | None:
    """Return the sentence before the answer on the effect; None where the effect was asked about.

    Args:
        frame: The question.
        drug: The drug asked about.
        store: With the edges of the mechanism.
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
    return None


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
