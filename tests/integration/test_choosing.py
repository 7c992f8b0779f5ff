"""Retrieval within a real run chooses the records that a model is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from deepcritical.domain.appraisal import Appraisal
from deepcritical.domain.grading import grade
from deepcritical.domain.question import ResearchQuestion
from deepcritical.questions.reading import literal_frame
from deepcritical.reasoning.base import ExtractiveReasoner, Unread
from deepcritical.reasoning.choosing import DiverseEvidence, choose_by_grade
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.tasks import calculated
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import QUESTION, paper, snapshot
from tests.indexes import new_index
from tests.vectors import WordVectors

AGAINST = paper(
    9, text="Results: Examplol did not improve testitis symptoms compared with placebo (p = 0.8)."
)


async def store_of(path: Path) -> tuple[ResearchQuestion, EvidenceStore]:
    """Five trials in favour, one against, read by rules."""
    reasoner = ExtractiveReasoner()
    records = await SnapshotSource(path).search("examplol testitis", 30)
    question, store = (
        await reasoner.refine_question(await calculated(literal_frame, QUESTION)),
        EvidenceStore(),
    )
    store.add(records)
    assert question.drug
    studies = await reasoner.read_studies(store.evidence, "")
    for key, record in store.evidence.items():
        unread = Unread(question.drug, key, record, studies.readings[key])
        reading = await reasoner.read_evidence(question, unread)
        store.add_appraisal(Appraisal.weighed(reading, grade(record)))
    return question, store


@pytest.mark.slow
@pytest.mark.parametrize("dense", [True, False])
async def test_what_speaks_against_the_drug_is_never_cut_off_and_nothing_is_lost(
    tmp_path: Path, dense: bool
) -> None:
    records = snapshot(tmp_path / "records.jsonl", *(paper(n) for n in range(1, 6)), AGAINST)
    question, store = await store_of(records)
    (against,) = (i for i, r in store.evidence.items() if r.metadata.pmid == "99000009")
    embeddings = WordVectors() if dense else None
    async with LlamaIndexRAGService("a run", embeddings, new_index()) as rag:
        choose = DiverseEvidence(rag)
        chosen = await choose(question, store, "examplol")
        assert await choose(question, store, "examplol") == chosen
    assert against in chosen[:2]
    assert sorted(chosen) == sorted(await choose_by_grade(question, store, "examplol"))


async def test_records_of_another_drug_and_former_ids_take_no_place(tmp_path: Path) -> None:
    records = snapshot(tmp_path / "records.jsonl", *(paper(n) for n in range(1, 6)), AGAINST)
    _, store = await store_of(records)
    async with LlamaIndexRAGService("a run", WordVectors(), new_index()) as rag:
        await rag.ingest(store.evidence)
        for wanted in store.evidence:
            assert [*await rag.query("examplol testitis", 1, among=[wanted])] == [wanted]
        assert await rag.query("examplol testitis", 1, among=["E99"]) == {}
