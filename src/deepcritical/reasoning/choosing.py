"""Which records a model is shown when not all fit: by retrieval, quality, and for every stance."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from deepcritical.domain.appraisal import Appraisal, Stance
from deepcritical.domain.events import Notice
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.question import ResearchQuestion
from deepcritical.models.desk import RunDesk
from deepcritical.prompts.evidence import by_grade
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.selection import Candidate, select_diverse_evidence

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ChooseEvidence = Callable[[ResearchQuestion, EvidenceStore, str], Awaitable[Sequence[str]]]
"""Ids of the records for a prompt on one drug, the most wanted first."""
OpenChoosing = Callable[[RunDesk], AbstractAsyncContextManager[ChooseEvidence]]
"""What chooses for one run, until the context ends."""


async def choose_by_grade(
    _question: ResearchQuestion, store: EvidenceStore, drug: str
) -> Sequence[str]:
    """By level, findings against and for in turn; see `by_grade`."""
    return await calculated(by_grade, store, drug)


class DiverseEvidence:
    """Chooses by hybrid retrieval and by quality in equal parts, with seats for every stance."""

    def __init__(self, rag: LlamaIndexRAGService, desk: RunDesk) -> None:
        self._rag = rag
        self._desk = desk
        self._told = False

    async def __call__(
        self, question: ResearchQuestion, store: EvidenceStore, drug: str
    ) -> Sequence[str]:
        """Ids of all records that bear on the question, the most wanted first."""
        included = {i: a for i, a in store.appraisals(drug).items() if a.reading.included}
        records = {i: store.evidence[i] for i in included}
        await self._rag.ingest(records)
        await self._tell_of_words()
        found = await self._rag.query(question.text, len(records), among=records)
        candidates = [_candidate(i, a, records[i], found) for i, a in included.items()]
        vectors = await self._rag.vectors(list(included))
        return await calculated(_ordered, candidates, vectors)

    async def _tell_of_words(self) -> None:
        because = (await self._rag.retrieval()).lexical_because
        if because and not self._told:
            self._told = True
            message = f"Records are ranked for the model by words alone: {because}"
            await self._desk.tell(Notice(message=message))


def _ordered(candidates: Sequence[Candidate], vectors: NDArray[np.float32] | None) -> Sequence[str]:
    """The best of each stance before all others, so that no cut for lack of room removes one."""
    stances = {candidate.stance for candidate in candidates}
    seated = select_diverse_evidence(candidates, len(stances), vectors)
    rest = select_diverse_evidence(candidates, len(candidates), vectors)
    return tuple(dict.fromkeys(candidate.evidence_id for candidate in (*seated, *rest)))


def _candidate(
    evidence_id: str, appraisal: Appraisal, record: Evidence, found: Mapping[str, Evidence]
) -> Candidate:
    """A record with its relevance and its quality; findings both ways sit with those against."""
    relevance = found[evidence_id].relevance_score if evidence_id in found else 0.0
    wanted = (relevance + appraisal.grade.quality) / 2
    return Candidate(
        evidence_id,
        record.model_copy(update={"relevance_score": wanted}),
        Stance.REFUTES if appraisal.reading.refuting else appraisal.reading.stance,
        appraisal.grade.design,
    )
