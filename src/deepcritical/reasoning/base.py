"""The seam of reasoning: one typed method per judgement. Code decides what follows from them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol, runtime_checkable

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.appraisal import Reading
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.base import Model
from deepcritical.domain.checklist import Checklist, Inquiry, ItemCoverage, ItemFact
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.named import Drug
from deepcritical.domain.question import ResearchQuestion, SearchQuery
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.study import StudyReading
from deepcritical.models.desk import RunDesk
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.context import ReportContext


class Studies(Model):
    """What records say of their studies."""

    readings: dict[str, StudyReading]
    """By the ids of the records."""
    problem: str = ""
    """Why readings could not be looked up or kept, in a sentence for the reader."""


class Unread(NamedTuple):
    """A record that is to be read for a drug."""

    drug: Drug
    evidence_id: str
    evidence: Evidence
    study: StudyReading | None = None
    """The study that it tells of, as far as that was read."""


class ManagerModel(Protocol):
    """What a manager that asks a model speaks through."""

    async def note(self, said: Sequence[str], request: str) -> str:
        """Lines on a request that ends a conversation.

        Raises:
            ReasoningError: There is no answer, which is told already.
        """

    async def ledger(self, said: Sequence[str], request: str) -> str:
        """Who speaks next, as JSON in the framework's form; raises as `note` does."""

    async def overruled(self, why: str) -> None:
        """Say that code decided in the model's place."""


@runtime_checkable
class Reasoner(Protocol):
    """Judgements. An implementation reads the store and never writes it.

    Every method may raise ReasoningError.
    """

    @property
    def name(self) -> str:
        """Name shown to the reader."""

    async def warm_up(self) -> None:
        """Load what every judgement needs; asks no model."""

    def for_run(self, desk: RunDesk) -> AbstractAsyncContextManager[Reasoner]:
        """The reasoner of one run, with a budget and a key of its own, until the context ends."""

    def manager_model(self) -> ManagerModel | None:
        """What manages the team beside code; None where code alone does."""

    def remembered(self) -> dict[str, Any]:
        """What the calls so far left for later ones, as JSON: what was spent, a plan made ahead."""

    def remember(self, left: Mapping[str, Any]) -> None:
        """Go on with what `remembered` gave in another process; see `for_run`."""

    async def refine_question(self, frame: QuestionFrame) -> ResearchQuestion:
        """What is asked, in terms that can be searched.

        Raises:
            QuestionError: It is none for a report with a verdict.
        """

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        """Queries for the next search; one whose text was run before is not run again."""

    async def name_candidates(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[Drug, ...]:
        """The drugs that the records are to be read for."""

    async def read_studies(self, records: Mapping[str, Evidence], owner: str) -> Studies:
        """What each record says of its study, whatever is asked.

        Args:
            records: By their ids.
            owner: Whose readings may be used and are made; '' for those that all users share.
        """

    async def read_evidence(self, question: ResearchQuestion, unread: Unread) -> Reading:
        """What one record says about one drug, from the reading of its study."""

    def read_all(
        self, question: ResearchQuestion, unread: Sequence[Unread]
    ) -> AsyncIterator[Reading]:
        """What each record says, in the same order; a reading that was given is not lost later."""

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """Mechanism chains, best supported first."""

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """Scores, gaps and the queries that would close them."""

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """The report; its references and claims are checked afterwards by code."""

    async def refine_inquiry(self, frame: QuestionFrame, context: str = "") -> Inquiry:
        """A free question in terms that can be searched.

        Raises:
            QuestionError: It names nothing to look for, or is none that literature answers.
        """

    async def generate_checklist(self, inquiry: Inquiry) -> Checklist:
        """What must be known to answer it, 3-7 items."""

    async def generate_item_queries(
        self, inquiry: Inquiry, store: EvidenceStore, *, web: bool
    ) -> tuple[SearchQuery, ...]:
        """The next searches for the items that are not satisfied; the web's are its own."""

    async def find_facts(
        self, inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]
    ) -> tuple[ItemFact, ...]:
        """The sentences of records, by their ids, that speak to items of the checklist."""

    async def check_completeness(
        self, inquiry: Inquiry, store: EvidenceStore
    ) -> tuple[ItemCoverage, ...]:
        """How far each item is covered; never further than the rule over its facts allows."""

    async def synthesize_answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext
    ) -> DeepAnswer:
        """The answer; its references and claims are checked afterwards by code."""
