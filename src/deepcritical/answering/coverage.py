"""Measures how far the facts of a run cover its checklist."""

from __future__ import annotations

from deepcritical.domain.appraisal.checklist import Checklist, ItemCoverage, ItemFact, cover
from deepcritical.domain.evidence.kinds import is_retracted
from deepcritical.services.evidence_store import EvidenceStore


def checklist_in(store: EvidenceStore) -> Checklist:
    """The run's checklist; a programmer's error before it is made."""
    if store.checklist is None:
        raise ValueError("generate_checklist must run first")
    return store.checklist


def covered(store: EvidenceStore) -> tuple[ItemCoverage, ...]:
    """Return how far each item is covered by the facts of records that count by now.

    A record may have turned out to be retracted since it was read.
    """
    study_of = store.study_of
    facts = counting(store)
    return tuple(cover(item, facts, study_of) for item in checklist_in(store).items)


def counting(store: EvidenceStore) -> tuple[ItemFact, ...]:
    """The facts of records that are not retracted."""
    records = store.evidence
    return tuple(f for f in store.item_facts if not is_retracted(records[f.fact.evidence_id]))
