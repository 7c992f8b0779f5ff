"""The reasoner without a model: rules over words.

Same store, same bytes; it writes only sentences of records.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from deepcritical.answering.coverage import checklist_in, covered
from deepcritical.answering.drafting import draft_of
from deepcritical.answering.needs import checklist_of, read_inquiry
from deepcritical.answering.passages import read_passages
from deepcritical.answering.queries import need_queries
from deepcritical.answering.weighing import candidates
from deepcritical.answering.writing import synthesize
from deepcritical.appraisal.asked import asked_of
from deepcritical.appraisal.records import read_for
from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.appraisal import Reading
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.checklist import Checklist, Inquiry, ItemCoverage, ItemFact
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import QuestionFrame
from deepcritical.domain.grading import grade
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.named import Condition, Drug
from deepcritical.domain.question import ResearchQuestion, SearchQuery
from deepcritical.domain.report import ResearchReport
from deepcritical.mechanism.chains import chains_of
from deepcritical.models.desk import RunDesk
from deepcritical.questions.forms import research_question
from deepcritical.questions.reading import read_frame
from deepcritical.questions.searching import posed_queries
from deepcritical.reading.library import Library
from deepcritical.reasoning.base import ManagerModel, Reasoner, Studies, Unread
from deepcritical.reasoning.judging import assess, graph_of, last_assessment, next_sides
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.writing.context import ReportContext
from deepcritical.writing.report import write

BY_RULES = "extractive (no model)"
"""Name of what writes without a model."""


class Rules:
    """The judgements of a `Reasoner` by rules.

    The work is done in threads, so that nothing blocks the event loop.

    Args:
        library: Holds the readings of studies.
    """

    def __init__(self, library: Library | None = None) -> None:
        self._library = library or Library()

    async def warm_up(self) -> None:
        """Load the vocabularies, which the first question would wait for."""
        await calculated(read_frame, "Can aspirin be repurposed for asthma?")

    async def refine_question(self, frame: QuestionFrame) -> ResearchQuestion:
        """Form, drug, condition and mechanism terms of the question."""
        return research_question(frame)

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
        """The drug asked about, or the drugs that most records on the condition name."""
        if question.drug:
            return (question.drug,)
        return await calculated(candidates, _condition(question), store.evidence)

    async def read_studies(self, records: Mapping[str, Evidence], owner: str) -> Studies:
        """What registry, curators, the operator's model or rules read."""
        outcome = await self._library.read(records, owner=owner)
        return Studies(readings=dict(outcome.readings), problem=outcome.problem)

    async def read_evidence(self, question: ResearchQuestion, unread: Unread) -> Reading:
        """What one record says about one drug, in whole sentences of the record."""
        return await calculated(_read, question, unread)

    async def read_all(
        self, question: ResearchQuestion, unread: Sequence[Unread]
    ) -> AsyncIterator[Reading]:
        """One record after the other."""
        for one in unread:
            yield await self.read_evidence(question, one)

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """Chains over curated facts and what the studies found."""
        graph = await calculated(graph_of, question, store)
        return await calculated(chains_of, graph, question.mechanism_terms) if graph else ()

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """Scores and gaps by rule."""
        return await calculated(assess, question, store)

    async def refine_inquiry(self, frame: QuestionFrame, context: str = "") -> Inquiry:
        """Its kind, names and phrases, and what a sentence must name."""
        return await calculated(read_inquiry, frame, context)

    async def generate_checklist(self, inquiry: Inquiry) -> Checklist:
        """The items of a question of its kind."""
        return checklist_of(inquiry)

    async def generate_item_queries(
        self, inquiry: Inquiry, store: EvidenceStore, *, web: bool
    ) -> tuple[SearchQuery, ...]:
        """The next wording for each item that is not satisfied."""
        return await calculated(need_queries, inquiry, store, web=web)

    async def find_facts(
        self, inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]
    ) -> tuple[ItemFact, ...]:
        """Results of readings, and sentences that speak to a need."""
        return await calculated(_facts, inquiry, store, unread)

    async def check_completeness(
        self,
        inquiry: Inquiry,  # noqa: ARG002 - a model is told of it
        store: EvidenceStore,
    ) -> tuple[ItemCoverage, ...]:
        """By the rule over number, level and agreement."""
        return covered(store)

    async def synthesize_answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext
    ) -> DeepAnswer:
        """What the readings come to, and located sentences, need by need."""
        return await calculated(_answer, inquiry, store, context, BY_RULES)

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """A report of located sentences."""
        assessment = await calculated(last_assessment, question, store)
        return await calculated(write, question, store, context, assessment, BY_RULES)


class ExtractiveReasoner(Rules):
    """Implements `Reasoner` by rules alone."""

    @property
    def name(self) -> str:
        """Name shown to the reader."""
        return BY_RULES

    @asynccontextmanager
    async def for_run(self, _desk: RunDesk) -> AsyncIterator[Reasoner]:
        """Itself: rules cost nothing and keep nothing."""
        yield self

    def manager_model(self) -> ManagerModel | None:
        """None: code manages."""
        return None

    def remembered(self) -> dict[str, Any]:
        """Nothing."""
        return {}

    def remember(self, _left: Mapping[str, Any]) -> None:
        """There is nothing to go on with."""


def _facts(inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]) -> tuple[ItemFact, ...]:
    records = {key: store.evidence[key] for key in unread}
    found = list(store.evidence.values())
    checklist = checklist_in(store)
    return read_passages(inquiry, checklist, records, store.readings, found, store.relevance)


def _answer(
    inquiry: Inquiry, store: EvidenceStore, context: ReportContext, author: str
) -> DeepAnswer:
    return synthesize(inquiry, store, context, author, draft_of(inquiry, store))


def _read(question: ResearchQuestion, one: Unread) -> Reading:
    frame = question.frame
    own = frame if frame and one.drug.name in {drug.name for drug in frame.drugs} else None
    asked = asked_of(one.drug, _condition(question), own)
    return read_for(asked, one.evidence_id, one.evidence, one.study, grade(one.evidence))


def _condition(question: ResearchQuestion) -> Condition:
    if question.condition is None:
        raise ReasoningError(
            "The question names no condition.", "Name the condition to be treated."
        )
    return question.condition
