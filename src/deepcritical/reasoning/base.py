"""The seam of reasoning: the judgements over the store, and the rules that need no model for them.

Of the same store rules make the same bytes, and write only sentences of records.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol

from deepcritical.answering.coverage import checklist_in, covered
from deepcritical.answering.drafting import draft_of
from deepcritical.answering.needs import checklist_of, read_inquiry
from deepcritical.answering.passages import read_passages
from deepcritical.answering.queries import need_queries
from deepcritical.answering.weighing import candidates
from deepcritical.answering.writing import synthesize
from deepcritical.appraisal.pico.asked import asked_of
from deepcritical.appraisal.votes.records import read_for
from deepcritical.domain.appraisal.assessment import JudgeAssessment
from deepcritical.domain.appraisal.checklist import Checklist, Inquiry, ItemCoverage, ItemFact
from deepcritical.domain.appraisal.findings import Matched, Reading
from deepcritical.domain.appraisal.hypotheses import MechanismHypothesis
from deepcritical.domain.base import Model
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.evidence.grading import grade
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.frame import Condition, Drug, QuestionFrame
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.report.answer import DeepAnswer
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.study.reading import StudyReading
from deepcritical.mechanism.graph import chains_of
from deepcritical.models.desk import RunDesk
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame
from deepcritical.questions.searching import posed_queries
from deepcritical.reading.library import Library
from deepcritical.reasoning.judging import assess, graph_of, last_assessment, next_sides
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.tasks import calculated
from deepcritical.writing.sections.context import ReportContext
from deepcritical.writing.sections.report import write

BY_RULES = "extractive (no model)"
"""Name of what writes without a model."""


class Studies(Model):
    """The readings of studies, from their records."""

    readings: dict[str, StudyReading]
    """By the ids of the records."""
    problem: str = ""
    """Reason why readings could not be looked up or kept, in a sentence for the reader."""


class Unread(NamedTuple):
    """A record that is to be read for a drug."""

    drug: Drug
    evidence_id: str
    evidence: Evidence
    study: StudyReading | None = None
    """The study that it tells of, as far as that was read."""
    matched: Matched | None = None
    """The results that it tells of the question, as a model found; None where none was asked."""


class ManagerModel(Protocol):
    """The channel through which a manager asks a model."""

    async def note(self, said: Sequence[str], request: str) -> str:
        """Lines on a request that ends a conversation.

        Raises:
            ReasoningError: There is no answer, which is told already.
        """

    async def ledger(self, said: Sequence[str], request: str) -> str:
        """Return who speaks next, as JSON in the framework's form; raises as `note` does."""

    async def overruled(self, why: str) -> None:
        """Say that code decided in the model's place."""


class Reasoner:
    """Judgements, one typed method each, by rules; code decides what follows from them.

    A reasoner reads the store and never writes it; every method may raise ReasoningError. Rules
    work in threads, so that nothing blocks the event loop.
    """

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or Library()

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return BY_RULES

    @asynccontextmanager
    async def for_run(self, desk: RunDesk) -> AsyncIterator[Reasoner]:  # noqa: ARG002 - of models
        """Yield the reasoner of one run, with a budget and a key of its own, if it needs any."""
        yield self

    def by_rules(self) -> Reasoner:
        """Return rules alone, with the readings that this one would use."""
        return ExtractiveReasoner(self._library)

    def manager_model(self) -> ManagerModel | None:
        """Return the model that manages the team beside code; None where code alone does."""
        return None

    def remembered(self) -> dict[str, Any]:
        """Return what past calls left for later ones, as JSON: sums spent, a plan made ahead."""
        return {}

    def remember(self, left: Mapping[str, Any]) -> None:
        """Go on with what `remembered` gave in another process; see `for_run`."""

    async def warm_up(self) -> None:
        """Load the vocabularies, which the first question would wait for."""
        await calculated(read_frame, "Can aspirin be repurposed for asthma?")

    async def refine_question(self, frame: QuestionFrame) -> ResearchQuestion:
        """Return what is asked, in terms that can be searched.

        Raises:
            QuestionError: It is none for a report with a verdict.
        """
        return await calculated(research_question, frame)

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        """First the question from several sides, then what hypotheses and judge ask for."""
        if not store.searches:
            return (*next_sides(question, store), *posed_queries(question))
        wanted = [
            query for hypothesis in store.hypotheses for query in hypothesis.search_suggestions
        ]
        if store.assessments:
            wanted += store.assessments[-1].next_queries
        return tuple(dict.fromkeys(wanted))

    async def name_candidates(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[Drug, ...]:
        """The drugs that the records are to be read for: the one asked about, or the most named."""
        if question.drug:
            return (question.drug,)
        return await calculated(candidates, _condition(question), store.evidence)

    async def read_studies(self, records: Mapping[str, Evidence], owner: str) -> Studies:
        """Return what each record says of its study, whatever is asked.

        Args:
            records: By their ids.
            owner: Whose readings may be used and are made; '' for those that all users share.
        """
        outcome = await self._library.read(records, owner=owner)
        return Studies(readings=dict(outcome.readings), problem=outcome.problem)

    async def read_evidence(self, question: ResearchQuestion, unread: Unread) -> Reading:
        """Return what one record says about one drug, from the reading of its study."""
        return await calculated(_read, question, unread)

    async def read_all(
        self, question: ResearchQuestion, unread: Sequence[Unread]
    ) -> AsyncIterator[Reading]:
        """Yield what each record says, in the same order; a reading given is not lost later."""
        for one in unread:
            yield await self.read_evidence(question, one)

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """Mechanism chains over curated facts and what the studies found, best supported first."""
        graph = await calculated(graph_of, question, store)
        return await calculated(chains_of, graph, question.mechanism_terms) if graph else ()

    async def match_results(
        self,
        question: ResearchQuestion,  # noqa: ARG002 - of models
        store: EvidenceStore,  # noqa: ARG002
    ) -> dict[str, Matched]:
        """Return what records tell of the question, by ids; nothing of those left to the rules."""
        return {}

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """Scores, gaps and the queries that would close them."""
        return await calculated(assess, question, store)

    async def refine_inquiry(self, frame: QuestionFrame, context: str = "") -> Inquiry:
        """A free question in terms that can be searched.

        Raises:
            QuestionError: It names nothing to look for, or is none that literature answers.
        """
        return await calculated(read_inquiry, frame, context)

    async def generate_checklist(self, inquiry: Inquiry) -> Checklist:
        """Return what must be known to answer it, 3-7 items."""
        return checklist_of(inquiry)

    async def generate_item_queries(
        self, inquiry: Inquiry, store: EvidenceStore, *, web: bool
    ) -> tuple[SearchQuery, ...]:
        """The next searches for the items that are not satisfied; the web's are its own."""
        return await calculated(need_queries, inquiry, store, web=web)

    async def find_facts(
        self, inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]
    ) -> tuple[ItemFact, ...]:
        """Results of readings, and sentences of records that speak to items of the checklist."""
        return await calculated(rule_facts, inquiry, store, unread)

    async def check_completeness(
        self,
        inquiry: Inquiry,  # noqa: ARG002 - a model is told of it
        store: EvidenceStore,
    ) -> tuple[ItemCoverage, ...]:
        """Return how far each item is covered, never further than the rule on its facts allows."""
        return covered(store)

    async def synthesize_answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext
    ) -> DeepAnswer:
        """The answer, need by need; its references and claims are checked afterwards by code."""
        return await calculated(_answer, inquiry, store, context, BY_RULES)

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """The report; its references and claims are checked afterwards by code."""
        assessment = await calculated(last_assessment, question, store)
        return await calculated(write, question, store, context, assessment, BY_RULES)


class ExtractiveReasoner(Reasoner):
    """Rules alone."""


def rule_facts(
    inquiry: Inquiry, store: EvidenceStore, ids: Sequence[str], *, by_words: bool = True
) -> tuple[ItemFact, ...]:
    """The facts of records by rule, or only the results of their readings."""
    records = {key: store.evidence[key] for key in ids}
    return read_passages(
        inquiry,
        checklist_in(store),
        records,
        store.readings,
        list(store.evidence.values()),
        store.relevance,
        store.likeness,
        by_words=by_words,
    )


def _answer(
    inquiry: Inquiry, store: EvidenceStore, context: ReportContext, author: str
) -> DeepAnswer:
    return synthesize(inquiry, store, context, author, draft_of(inquiry, store))


def _read(question: ResearchQuestion, one: Unread) -> Reading:
    asked = asked_of(one.drug, _condition(question), question.frame)
    graded = grade(one.evidence)
    return read_for(asked, one.evidence_id, one.evidence, one.study, graded, one.matched)


def _condition(question: ResearchQuestion) -> Condition:
    if question.condition is None:
        raise ReasoningError(
            "The question names no condition.", "Name the condition to be treated."
        )
    return question.condition
