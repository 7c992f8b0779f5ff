"""The reasoner, the search and the look-up of retractions of a run, with every call recorded.

Steps, agents and orchestrators know nothing of it. Each call here is one record; whatever it does
at once within itself, such as reading in batches, is done or repeated as a whole.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.appraisal import Reading
from deepcritical.domain.assessment import JudgeAssessment
from deepcritical.domain.checklist import Checklist, Inquiry, ItemCoverage, ItemFact
from deepcritical.domain.drug_facts import DrugFacts
from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import OutsideName, QuestionFrame
from deepcritical.domain.hypotheses import MechanismHypothesis
from deepcritical.domain.question import Drug, ResearchQuestion, SearchQuery
from deepcritical.domain.report import ResearchReport
from deepcritical.jobs import outcomes
from deepcritical.jobs.outcomes import Form, Read, RecordedError
from deepcritical.jobs.recorder import Recorder
from deepcritical.models.desk import RunDesk
from deepcritical.reasoning.base import ManagerModel, Reasoner, Studies, Unread
from deepcritical.research.session import RunSources
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import (
    CheckIntegrity,
    LookUpFacts,
    LookUpNames,
    Ranking,
    RankRecords,
)
from deepcritical.tools.fulltext import FetchFullTexts, FullTextAnswer
from deepcritical.tools.search_handler import Searches, SourceAnswer
from deepcritical.writing.context import ReportContext

__all__ = [
    "DurableManager",
    "DurableRanking",
    "DurableReasoner",
    "DurableSearch",
    "durable_sources",
]

T = TypeVar("T")


class DurableReasoner:
    """Implements `Reasoner` over another one.

    What the other one keeps between calls, such as what it has spent, is recorded with each and
    given back to it by a replay, so that its limits hold across processes.

    Args:
        reasoner: Makes the judgements.
        recorder: Records them.
    """

    def __init__(self, reasoner: Reasoner, recorder: Recorder) -> None:
        self._reasoner = reasoner
        self._recorder = recorder

    @property
    def name(self) -> str:
        """That of the other one."""
        return self._reasoner.name

    async def warm_up(self) -> None:
        """Load what every judgement needs; nothing of it is recorded."""
        await self._reasoner.warm_up()

    @asynccontextmanager
    async def for_run(self, desk: RunDesk) -> AsyncIterator[Reasoner]:
        """The reasoner of one run, by the time that really passes; what it tells is recorded."""
        recorder = self._recorder
        own = replace(
            desk,
            elapsed_s=lambda: recorder.elapsed_s,
            tell=recorder.tell,
            book=recorder.answers,
        )
        async with self._reasoner.for_run(own) as reasoner:
            yield DurableReasoner(reasoner, recorder)

    def manager_model(self) -> ManagerModel | None:
        """That of the other one, with every answer recorded."""
        model = self._reasoner.manager_model()
        return DurableManager(model, self._recorder, self._reasoner) if model else None

    def remembered(self) -> dict[str, Any]:
        """What the other one keeps."""
        return self._reasoner.remembered()

    def remember(self, left: Any) -> None:
        """Give it back to the other one."""
        self._reasoner.remember(left)

    async def refine_question(self, frame: QuestionFrame) -> ResearchQuestion:
        """One record."""
        return await self._call(
            outcomes.REFINE_QUESTION, lambda: self._reasoner.refine_question(frame)
        )

    async def generate_queries(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[SearchQuery, ...]:
        """One record."""
        return await self._call(
            outcomes.GENERATE_QUERIES, lambda: self._reasoner.generate_queries(question, store)
        )

    async def name_candidates(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[Drug, ...]:
        """One record."""
        return await self._call(
            outcomes.NAME_CANDIDATES, lambda: self._reasoner.name_candidates(question, store)
        )

    async def read_studies(self, records: Mapping[str, Evidence], owner: str) -> Studies:
        """One record."""
        return await self._call(
            outcomes.READ_STUDIES, lambda: self._reasoner.read_studies(records, owner)
        )

    async def read_evidence(self, question: ResearchQuestion, unread: Unread) -> Reading:
        """One record."""
        return await self._call(
            outcomes.READ_EVIDENCE, lambda: self._reasoner.read_evidence(question, unread)
        )

    async def read_all(
        self, question: ResearchQuestion, unread: Sequence[Unread]
    ) -> AsyncIterator[Reading]:
        """One record for all: the batches of a model share a budget, the strongest records first.

        Readings that were given before an error are a part of it.
        """
        read = await self._call(outcomes.READ_ALL, lambda: self._read(question, unread))
        for reading in read.readings:
            yield reading
        if read.error:
            raise read.error.restored()

    async def _read(self, question: ResearchQuestion, unread: Sequence[Unread]) -> Read:
        readings: list[Reading] = []
        try:
            async for reading in self._reasoner.read_all(question, unread):
                readings.append(reading)  # noqa: PERF401 - those before an error are kept
        except DeepCriticalError as error:
            return Read(readings=tuple(readings), error=RecordedError.of(error))
        return Read(readings=tuple(readings))

    async def propose_hypotheses(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> tuple[MechanismHypothesis, ...]:
        """One record."""
        return await self._call(
            outcomes.PROPOSE_HYPOTHESES, lambda: self._reasoner.propose_hypotheses(question, store)
        )

    async def assess_evidence(
        self, question: ResearchQuestion, store: EvidenceStore
    ) -> JudgeAssessment:
        """One record."""
        return await self._call(
            outcomes.ASSESS_EVIDENCE, lambda: self._reasoner.assess_evidence(question, store)
        )

    async def write_report(
        self, question: ResearchQuestion, store: EvidenceStore, context: ReportContext
    ) -> ResearchReport:
        """One record."""
        return await self._call(
            outcomes.WRITE_REPORT, lambda: self._reasoner.write_report(question, store, context)
        )

    async def refine_inquiry(self, frame: QuestionFrame, context: str = "") -> Inquiry:
        """One record."""
        return await self._call(
            outcomes.REFINE_INQUIRY, lambda: self._reasoner.refine_inquiry(frame, context)
        )

    async def generate_checklist(self, inquiry: Inquiry) -> Checklist:
        """One record."""
        return await self._call(
            outcomes.GENERATE_CHECKLIST, lambda: self._reasoner.generate_checklist(inquiry)
        )

    async def generate_item_queries(
        self, inquiry: Inquiry, store: EvidenceStore, *, web: bool
    ) -> tuple[SearchQuery, ...]:
        """One record."""
        return await self._call(
            outcomes.GENERATE_ITEM_QUERIES,
            lambda: self._reasoner.generate_item_queries(inquiry, store, web=web),
        )

    async def find_facts(
        self, inquiry: Inquiry, store: EvidenceStore, unread: Sequence[str]
    ) -> tuple[ItemFact, ...]:
        """One record."""
        return await self._call(
            outcomes.FIND_FACTS, lambda: self._reasoner.find_facts(inquiry, store, unread)
        )

    async def check_completeness(
        self, inquiry: Inquiry, store: EvidenceStore
    ) -> tuple[ItemCoverage, ...]:
        """One record."""
        return await self._call(
            outcomes.CHECK_COMPLETENESS, lambda: self._reasoner.check_completeness(inquiry, store)
        )

    async def synthesize_answer(
        self, inquiry: Inquiry, store: EvidenceStore, context: ReportContext
    ) -> DeepAnswer:
        """One record."""
        return await self._call(
            outcomes.SYNTHESIZE_ANSWER,
            lambda: self._reasoner.synthesize_answer(inquiry, store, context),
        )

    async def _call(self, form: Form[T], effect: Callable[[], Awaitable[T]]) -> T:
        return await self._recorder.call(form, effect, self._reasoner)


class DurableManager:
    """Implements `ManagerModel` over another one.

    Args:
        model: Answers.
        recorder: Records the answers.
        reasoner: Keeps what they cost.
    """

    def __init__(self, model: ManagerModel, recorder: Recorder, reasoner: Reasoner) -> None:
        self._model = model
        self._recorder = recorder
        self._reasoner = reasoner

    async def note(self, said: Sequence[str], request: str) -> str:
        """One record."""
        return await self._call(outcomes.NOTE, lambda: self._model.note(said, request))

    async def ledger(self, said: Sequence[str], request: str) -> str:
        """One record."""
        return await self._call(outcomes.LEDGER, lambda: self._model.ledger(said, request))

    async def overruled(self, why: str) -> None:
        """One record."""
        await self._call(outcomes.OVERRULED, lambda: self._model.overruled(why))

    async def _call(self, form: Form[T], effect: Callable[[], Awaitable[T]]) -> T:
        return await self._recorder.call(form, effect, self._reasoner)


class DurableSearch:
    """Implements `Searches` over another one.

    Args:
        handler: Searches.
        recorder: Records what is found.
    """

    def __init__(self, handler: Searches, recorder: Recorder) -> None:
        self._handler = handler
        self._recorder = recorder

    @property
    def sources(self) -> tuple[str, ...]:
        """The names of the sources."""
        return self._handler.sources

    async def execute(
        self, queries: Sequence[SearchQuery], max_results: int, within_s: float | None = None
    ) -> tuple[SourceAnswer, ...]:
        """One record of all answers, found in the time that is really left."""

        async def effect() -> tuple[SourceAnswer, ...]:
            search_s = self._recorder.search_s
            given_s = search_s if within_s is None else min(within_s, search_s)
            return await self._handler.execute(queries, max_results, given_s)

        return await self._recorder.call(outcomes.EXECUTE, effect)


class DurableRanking:
    """Implements `RankRecords` over another one.

    Args:
        records: Ranks.
        recorder: Records the rankings.
    """

    def __init__(self, records: RankRecords, recorder: Recorder) -> None:
        self._records = records
        self._recorder = recorder

    def begin(self) -> None:
        """Have the other one make itself ready; nothing of it is recorded."""
        self._records.begin()

    async def rank(self, text: str, records: Mapping[str, Evidence]) -> Ranking:
        """One record: a run that is taken up elsewhere goes by the ranking it had."""
        return await self._recorder.call(
            outcomes.RANK_RECORDS, lambda: self._records.rank(text, records)
        )


def durable_sources(sources: RunSources, recorder: Recorder) -> RunSources:
    """The sources of a run with every search and look-up recorded."""
    check, look_up = sources.check_integrity, sources.look_up
    records, facts, full_texts = sources.records, sources.facts, sources.full_texts
    return sources._replace(
        handler=DurableSearch(sources.handler, recorder),
        check_integrity=_durable_check(check, recorder) if check else None,
        look_up=_durable_look_up(look_up, recorder) if look_up else None,
        records=DurableRanking(records, recorder) if records else None,
        facts=_durable_facts(facts, recorder) if facts else None,
        full_texts=_durable_full_texts(full_texts, recorder) if full_texts else None,
    )


def _durable_facts(look_up: LookUpFacts, recorder: Recorder) -> LookUpFacts:
    async def looked_up(drugs: Sequence[Drug], within_s: float) -> tuple[DrugFacts, ...]:
        async def effect() -> tuple[DrugFacts, ...]:
            return await look_up(drugs, min(within_s, recorder.search_s))

        return await recorder.call(outcomes.DRUG_FACTS, effect)

    return looked_up


def _durable_full_texts(fetch: FetchFullTexts, recorder: Recorder) -> FetchFullTexts:
    async def fetched(records: Sequence[Evidence], within_s: float) -> tuple[FullTextAnswer, ...]:
        return await recorder.call(outcomes.FULL_TEXTS, lambda: fetch(records, within_s))

    return fetched


def _durable_look_up(look_up: LookUpNames, recorder: Recorder) -> LookUpNames:
    async def looked_up(names: Sequence[OutsideName]) -> tuple[OutsideName, ...]:
        return await recorder.call(outcomes.LOOK_UP_NAMES, lambda: look_up(names))

    return looked_up


def _durable_check(check: CheckIntegrity, recorder: Recorder) -> CheckIntegrity:
    async def checked(records: Sequence[Evidence], within_s: float) -> tuple[Evidence, ...]:
        async def effect() -> tuple[Evidence, ...]:
            return await check(records, min(within_s, recorder.left_s / 2))

        return await recorder.call(outcomes.CHECK_INTEGRITY, effect)

    return checked
