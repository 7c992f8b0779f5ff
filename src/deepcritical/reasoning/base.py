"""The seam of reasoning: one typed method per judgement. Code decides what follows from them."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.base import Model
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.question import Drug, ResearchQuestion, SearchQuery
from deepcritical.domain.report import ResearchReport
from deepcritical.services.evidence_store import EvidenceStore

__all__ = ["Reasoner", "ReportContext"]


class ReportContext(Model):
    """What the writer must say of the run itself."""

    stop_reason: str
    iterations: int
    searched_on: str
    """ISO date, UTC."""
    sources: tuple[str, ...]
    """One line on each source."""
    notices: tuple[str, ...] = ()


@runtime_checkable
class Reasoner(Protocol):
    """Judgements. An implementation reads the store and never writes it.

    Every method may raise ReasoningError.
    """

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        ...

    async def refine_question(self, text: str) -> ResearchQuestion:
        """What is asked, in terms that can be searched."""
        ...

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        """Queries for the next search; one whose text was run before is not run again."""
        ...

    async def name_candidates(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[Drug, ...]:
        """The drugs that the records are to be read for."""
        ...

    async def read_evidence(
        self, question: ResearchQuestion, drug: Drug, evidence_id: str, evidence: Evidence
    ) -> Reading:
        """What one record says about one drug."""
        ...

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """Mechanism chains, best supported first."""
        ...

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """Scores, gaps and the queries that would close them."""
        ...

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """The report; its references and claims are checked afterwards by code."""
        ...
