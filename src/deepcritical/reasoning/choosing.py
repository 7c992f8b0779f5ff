"""Chooses the records that a model is shown if not all fit: by retrieval, quality, and stance."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.answering.drafting import WEIGHED
from deepcritical.answering.weighing import appraised, drugs_asked
from deepcritical.appraisal.pico.asked import Asked, asked_of
from deepcritical.appraisal.votes.records import (
    is_of_other_drugs,
    may_have_given,
    results_to_match,
)
from deepcritical.domain.appraisal.checklist import Inquiry
from deepcritical.domain.appraisal.findings import Appraisal, Stance
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import ResearchQuestion
from deepcritical.models.desk import RunDesk
from deepcritical.prompts.evidence import ShownRecords, by_grade, shown_studies
from deepcritical.questions.forms import research_question
from deepcritical.questions.searching import condition_of
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.ranking import Candidate, select_diverse_evidence
from deepcritical.services.tasks import calculated

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ChooseEvidence = Callable[[ResearchQuestion, EvidenceStore, str], Awaitable[Sequence[str]]]
"""Ids of the records for a prompt on one drug, the most wanted first."""
OpenChoosing = Callable[[RunDesk], AbstractAsyncContextManager[ChooseEvidence]]
"""Opener of the chooser of one run, which serves until the context ends."""


_FEWEST_SHOWN, _MOST_UNRECOGNISED = 12, 4
"""Studies that a model is shown for matching, and of them those in which rules recognised nothing
of what is asked about, where there are more of the others."""
_UNGRADED = 9


def with_unrecognised(
    question: ResearchQuestion,
    store: EvidenceStore,
    ids: Sequence[str],
    relevance: Mapping[str, float],
) -> list[str]:
    """The studies among chosen records, then the most fitting with results among the others.

    Of these, studies of other drugs that are known are left out; of the chosen ones, those that
    gave nobody what is asked about, unless few did.
    """
    asked, records = _asked(question), store.evidence
    read = {key: one for key, one in store.readings.items() if key in records}
    known = question.drug is not None and question.drug.known
    there = [key for key in ids if key in read]
    chosen = [key for key in there if may_have_given(asked, read[key])]
    beside = [key for key in there if key not in chosen]
    chosen += beside[: max(_FEWEST_SHOWN - len(chosen), 0)]
    rest = [
        key
        for key, one in read.items()
        if one.results
        and key not in there
        and not is_of_other_drugs(asked, records[key], one, known=known)
    ]
    rest.sort(key=lambda key: -relevance.get(key, 0.0))
    more = rest[: max(_FEWEST_SHOWN - len(chosen), _MOST_UNRECOGNISED)]
    return [key for key in there if key in chosen] + more


def _asked(question: ResearchQuestion) -> Asked:
    if question.drug is None:
        raise ValueError("results are matched to a question on a drug")
    return asked_of(question.drug, condition_of(question), question.frame)


def studies_to_match(
    question: ResearchQuestion, store: EvidenceStore, ids: Sequence[str], limit_chars: int
) -> ShownRecords:
    """The studies as a model is shown them that matches their results to a question on a drug.

    A result that code refuses, whatever is said of it, is left out.
    """
    read, records, asked = store.readings, store.evidence, _asked(question)
    wanted = {
        key: results_to_match(asked, records[key], read[key], grade(records[key])) for key in ids
    }
    return shown_studies(ids, records, read, limit_chars, wanted)


class StudiesAsked(NamedTuple):
    """A free question on what a drug does in a condition, and the studies to match to it."""

    question: ResearchQuestion
    shown: ShownRecords


def studies_asked(inquiry: Inquiry, store: EvidenceStore, limit_chars: int) -> StudiesAsked | None:
    """The studies whose results decide a free question; None where no verdict is asked for."""
    drugs, condition = drugs_asked(inquiry)
    if inquiry.kind not in WEIGHED or not (drugs and condition and inquiry.frame):
        return None
    found = appraised(inquiry, drugs[0], condition, store.evidence, store.readings)
    ids = [key for key in store.best_first(found) if found[key].counts]
    ids.sort(key=lambda key: found[key].grade.level or _UNGRADED)
    question = research_question(inquiry.frame)
    shown = with_unrecognised(question, store, ids, store.relevance)
    return StudiesAsked(question, studies_to_match(question, store, shown, limit_chars))


async def choose_by_grade(
    _question: ResearchQuestion, store: EvidenceStore, drug: str
) -> Sequence[str]:
    """By level, findings against and for in turn; see `by_grade`."""
    return await calculated(by_grade, store, drug)


class DiverseEvidence:
    """Chooses by hybrid retrieval and by quality in equal parts, with seats for every stance."""

    def __init__(self, rag: LlamaIndexRAGService) -> None:
        self._rag = rag

    async def __call__(
        self, question: ResearchQuestion, store: EvidenceStore, drug: str
    ) -> Sequence[str]:
        """Ids of all records that bear on the question, the most wanted first."""
        included = {i: a for i, a in store.appraisals(drug).items() if a.reading.included}
        records = {i: store.evidence[i] for i in included}
        await self._rag.ingest(records)
        found = await self._rag.query(question.text, len(records), among=records)
        candidates = [_candidate(i, a, records[i], found) for i, a in included.items()]
        vectors = await self._rag.vectors(list(included))
        return await calculated(_ordered, candidates, vectors)


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
