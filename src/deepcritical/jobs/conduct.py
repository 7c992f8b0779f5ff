"""Conducts one run to its end: whatever happens, its log gets exactly one terminal event.

Every call of the reasoner and of a source is on record. Each is one record, done or repeated as a
whole, with all that it does at once, such as reading in batches. Steps, agents and orchestrators
know nothing of it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from deepcritical.domain import errors
from deepcritical.domain.appraisal.findings import Reading
from deepcritical.domain.errors import RecordedError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import ResearchQuestion, SearchQuery
from deepcritical.domain.report.answer import Document
from deepcritical.domain.run import events
from deepcritical.domain.tool.traces import TraceResult, knowledge_of
from deepcritical.jobs.recorder import (
    CHECK_INTEGRITY,
    DRUG_FACTS,
    EXECUTE,
    FULL_TEXTS,
    LOOK_UP_NAMES,
    RANK_RECORDS,
    READ_ALL,
    Form,
    Host,
    Read,
    Recorder,
    form_of,
)
from deepcritical.jobs.run import RunOf
from deepcritical.models.desk import RunDesk
from deepcritical.reasoning.base import ManagerModel, Reasoner, Unread
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.tasks import calculated, to_the_end, within
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.tools.base import Ranking, RankRecords
from deepcritical.tools.search_handler import Searches, SourceAnswer

P = ParamSpec("P")
T = TypeVar("T")
Asked = TypeVar("Asked")


class _Durable:
    """Records calls of another object, each with what the reasoner keeps for later ones."""

    def __init__(self, other: object, recorder: Recorder, keeper: Reasoner) -> None:
        self._other = other
        self._recorder = recorder
        self._keeper = keeper


def _recorded(
    method: Callable[Concatenate[Any, P], Awaitable[T]],
) -> Callable[Concatenate[_Durable, P], Coroutine[Any, Any, T]]:
    """Return the other object's method of this name, each call of it one record."""
    form = form_of(method)

    async def call(self: _Durable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        effect = partial(getattr(self._other, form.name), *args, **kwargs)
        return await self._recorder.call(form, effect, self._keeper)

    return call


def _passed_on(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[_Durable, P], T]:
    """Return the other object's method of this name; its calls are not recorded."""

    def call(self: _Durable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        answer: T = getattr(self._other, method.__name__)(*args, **kwargs)
        return answer

    return call


class DurableReasoner(_Durable, Reasoner):
    """Records the calls of another reasoner.

    What the other one keeps between calls, such as what it has spent, is recorded with each and
    given back to it by a replay, so that its limits hold across processes.
    """

    def __init__(self, reasoner: Reasoner, recorder: Recorder) -> None:
        super().__init__(reasoner, recorder, reasoner)

    @property
    def name(self) -> str:
        """Name of the other one."""
        return self._keeper.name

    @asynccontextmanager
    async def for_run(self, desk: RunDesk) -> AsyncIterator[Reasoner]:
        """Yield the reasoner of one run, by the time that really passes."""
        recorder = self._recorder
        own = replace(
            desk, elapsed_s=lambda: recorder.elapsed_s, tell=recorder.tell, book=recorder.answers
        )
        async with self._keeper.for_run(own) as reasoner:
            yield DurableReasoner(reasoner, recorder)

    def manager_model(self) -> ManagerModel | None:
        """Return the other one's manager model, with every answer recorded."""
        model = self._keeper.manager_model()
        return DurableManager(model, self._recorder, self._keeper) if model else None

    by_rules = _passed_on(Reasoner.by_rules)
    warm_up = _passed_on(Reasoner.warm_up)
    remembered = _passed_on(Reasoner.remembered)
    remember = _passed_on(Reasoner.remember)
    refine_question = _recorded(Reasoner.refine_question)
    generate_queries = _recorded(Reasoner.generate_queries)
    name_candidates = _recorded(Reasoner.name_candidates)
    read_studies = _recorded(Reasoner.read_studies)
    read_evidence = _recorded(Reasoner.read_evidence)
    propose_hypotheses = _recorded(Reasoner.propose_hypotheses)
    match_results = _recorded(Reasoner.match_results)
    assess_evidence = _recorded(Reasoner.assess_evidence)
    write_report = _recorded(Reasoner.write_report)
    refine_inquiry = _recorded(Reasoner.refine_inquiry)
    generate_checklist = _recorded(Reasoner.generate_checklist)
    generate_item_queries = _recorded(Reasoner.generate_item_queries)
    find_facts = _recorded(Reasoner.find_facts)
    check_completeness = _recorded(Reasoner.check_completeness)
    synthesize_answer = _recorded(Reasoner.synthesize_answer)

    async def read_all(
        self, question: ResearchQuestion, unread: Sequence[Unread]
    ) -> AsyncIterator[Reading]:
        """Yield all readings from one record, because the batches of a model share a budget.

        The record keeps the readings that were given before an error.
        """
        effect = partial(self._read, question, unread)
        read = await self._recorder.call(READ_ALL, effect, self._keeper)
        for reading in read.readings:
            yield reading
        if read.error:
            raise read.error.restored()

    async def _read(self, question: ResearchQuestion, unread: Sequence[Unread]) -> Read:
        readings: list[Reading] = []
        try:
            async for reading in self._keeper.read_all(question, unread):
                readings.append(reading)  # noqa: PERF401 - those before an error are kept
        except errors.DeepCriticalError as error:
            return Read(readings=tuple(readings), error=RecordedError.of(error))
        return Read(readings=tuple(readings))


class DurableManager(_Durable):
    """Implements `ManagerModel` over another one, whose costs the reasoner keeps."""

    note = _recorded(ManagerModel.note)
    ledger = _recorded(ManagerModel.ledger)
    overruled = _recorded(ManagerModel.overruled)


class DurableSearch:
    """Implements `Searches` over another one; the answers to a call are one record."""

    def __init__(self, handler: Searches, recorder: Recorder) -> None:
        self.sources = handler.sources
        self._handler = handler
        self._recorder = recorder

    async def execute(
        self, queries: Sequence[SearchQuery], max_results: int, within_s: float | None = None
    ) -> tuple[SourceAnswer, ...]:
        """Return the answers, found in the time that is really left."""

        async def effect() -> tuple[SourceAnswer, ...]:
            search_s = self._recorder.search_s
            given_s = search_s if within_s is None else min(within_s, search_s)
            return await self._handler.execute(queries, max_results, given_s)

        return await self._recorder.call(EXECUTE, effect)


class DurableRanking:
    """Implements `RankRecords` over another one; a replay ranks as before."""

    def __init__(self, records: RankRecords, recorder: Recorder) -> None:
        self.begin = records.begin
        self._records = records
        self._recorder = recorder

    async def rank(
        self, text: str, records: Mapping[str, Evidence], *, sentences: bool = False
    ) -> Ranking:
        """Return one record."""
        effect = partial(self._records.rank, text, records, sentences=sentences)
        return await self._recorder.call(RANK_RECORDS, effect)


def durable_sources(sources: RunSources, recorder: Recorder) -> RunSources:
    """Return the sources of a run with every call recorded, in the time that is really left."""
    check = _in_time(sources.check_integrity, lambda: recorder.left_s / 2)
    facts = _in_time(sources.facts, lambda: recorder.search_s)
    return sources._replace(
        handler=DurableSearch(sources.handler, recorder),
        check_integrity=_durable(CHECK_INTEGRITY, check, recorder),
        look_up=_durable(LOOK_UP_NAMES, sources.look_up, recorder),
        records=DurableRanking(sources.records, recorder) if sources.records else None,
        facts=_durable(DRUG_FACTS, facts, recorder),
        full_texts=_durable(FULL_TEXTS, sources.full_texts, recorder),
    )


def _in_time(
    ask: Callable[[Asked, float], Awaitable[T]] | None, left_s: Callable[[], float]
) -> Callable[[Asked, float], Awaitable[T]] | None:
    if ask is None:
        return None

    async def asked(what: Asked, within_s: float) -> T:
        return await ask(what, min(within_s, left_s()))

    return asked


def _durable(
    form: Form[T], ask: Callable[P, Awaitable[T]] | None, recorder: Recorder
) -> Callable[P, Coroutine[Any, Any, T]] | None:
    if ask is None:
        return None

    async def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        return await recorder.call(form, partial(ask, *args, **kwargs))

    return asked


Orchestrate = Callable[[ResearchSession], Awaitable[None]]
Close = Callable[[ResearchSession, errors.DeepCriticalError], Awaitable[None]]

_HERE = Host()
DEFECT = events.RunFailed(
    error="InternalError",
    message="The run ended unexpectedly.",
    advice="Please report this with the run's events.",
)
"""The end of a run by a defect of ours."""


class Tool(NamedTuple):
    """The way that the runs of one tool are conducted."""

    schedule: Orchestrate
    closing: Close
    """Writes by rules, from what is there, where the deadline ends the schedule."""
    outcome: Callable[[EvidenceStore], Document | None]
    """Function that reads what the schedule ends with from where it leaves it."""
    telemetry: Telemetry = OFF


async def conduct(run: RunOf[Any], tool: Tool, host: Host = _HERE) -> None:
    """Run to the end, from where the journal of a former process ends; see the module.

    Raises:
        DeepCriticalError: The run failed; TraceTakenError: another worker has it.
        ResearchCancelled, CancelledError: It was stopped; the log gets no end if the host lets go.
    """
    session = run.session
    recorder = Recorder(session, host)
    ending: events.Event | None = DEFECT
    try:
        with host.telemetry.of_run(run.run_id):
            await _schedule(run, tool, recorder)
        ended: Document | None = tool.outcome(session.store)
        if ended is None:
            raise ValueError("the schedule ended without a report")
        if run.writer:
            run.writer.result = await calculated(_as_result, ended)
        ending = _completed(session, ended)
    except errors.TraceTakenError:
        ending = None  # the other worker writes the end
        raise
    except (asyncio.CancelledError, errors.ResearchCancelled):
        ending = None if host.lets_go() else events.RunCancelled()
        raise
    except errors.DeepCriticalError as error:
        ending = failed(error)
        raise
    finally:
        if ending:
            await _tell(session, ending)
            recorder.ended(ending)
    run.resolve(ended)


async def _tell(session: ResearchSession, ending: events.Event) -> None:
    """Store the end before anything else: a cancellation from now on is too late."""
    with contextlib.suppress(asyncio.CancelledError):
        await to_the_end(session.emit(ending, events.Stage.DONE))
    if not session.log.ended:  # the loop is closing, and the write with it
        raise asyncio.CancelledError


async def _schedule(run: RunOf[Any], tool: Tool, recorder: Recorder) -> None:
    """Follow the schedule; at the deadline, close it with what was found.

    The close is on no record: another process that takes the run up has the report's time anew.
    """
    session = run.session
    await recorder.begin()
    await session.emit(events.RunStarted(question=session.text, reasoner=session.reasoner.name))
    told = recorder.telemetry
    desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, run.key, told)
    without_key = session.reasoner
    try:
        async with (
            within(lambda: session.limits, recorder.left_s) as recorder.deadline,
            run.open_sources() as sources,
            DurableReasoner(without_key, recorder).for_run(desk) as session.reasoner,
        ):
            session.sources = durable_sources(sources, recorder)
            await session.emit(events.SourcesOpened(sources=session.sources.described))
            await tool.schedule(session)
    except errors.BudgetExceeded as error:
        if not (recorder.deadline and recorder.deadline.expired() and session.store.evidence):
            raise
        session.reasoner = without_key.by_rules()
        await tool.closing(session, error)
    finally:
        # The session outlives the run in memory; a key must not.
        session.reasoner = without_key


def failed(error: errors.DeepCriticalError) -> events.RunFailed:
    """Return the terminal event of a run that ends with this error."""
    return events.RunFailed(error=type(error).__name__, message=error.message, advice=error.advice)


def _as_result(ended: Document) -> TraceResult:
    return TraceResult(ended.model_dump(mode="json"), knowledge_of(ended))


def _completed(session: ResearchSession, ended: Document) -> events.RunCompleted:
    reason = session.stop_reason or events.StopReason.SUFFICIENT_EVIDENCE
    if not ended.references and reason not in (
        events.StopReason.USER_STOP,
        events.StopReason.DEADLINE,
    ):
        reason = events.StopReason.NO_EVIDENCE
    return events.RunCompleted(
        stop_reason=reason, verdict=ended.headline, references=len(ended.references)
    )
