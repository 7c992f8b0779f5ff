"""The reasoner, the search and the look-up of retractions of a run, with every call recorded.

Steps, agents and orchestrators know nothing of it. Each call here is one record; whatever it does
at once within itself, such as reading in batches, is done or repeated as a whole.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar

from deepcritical.domain.appraisal import Reading
from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.question import ResearchQuestion, SearchQuery
from deepcritical.jobs.outcomes import (
    CHECK_INTEGRITY,
    DRUG_FACTS,
    EXECUTE,
    FULL_TEXTS,
    LOOK_UP_NAMES,
    RANK_RECORDS,
    READ_ALL,
    Form,
    Read,
    RecordedError,
    form_of,
)
from deepcritical.jobs.recorder import Recorder
from deepcritical.models.desk import RunDesk
from deepcritical.reasoning.base import ManagerModel, Reasoner, Unread
from deepcritical.research.session import RunSources
from deepcritical.tools.base import RankRecords
from deepcritical.tools.search_handler import Searches, SourceAnswer

__all__ = ["DurableManager", "DurableReasoner", "durable_sources"]

P = ParamSpec("P")
T = TypeVar("T")
Asked = TypeVar("Asked")


class _Durable:
    """Has calls of another one recorded, each with what the reasoner keeps for later ones."""

    def __init__(self, other: object, recorder: Recorder, keeper: Reasoner) -> None:
        self._other = other
        self._recorder = recorder
        self._keeper = keeper


def _recorded(
    method: Callable[Concatenate[Any, P], Awaitable[T]],
) -> Callable[Concatenate[_Durable, P], Coroutine[Any, Any, T]]:
    """The method of this name of the other one, each call of it one record."""
    form = form_of(method)

    async def call(self: _Durable, /, *args: P.args, **kwargs: P.kwargs) -> T:
        effect = partial(getattr(self._other, form.name), *args, **kwargs)
        return await self._recorder.call(form, effect, self._keeper)

    return call


class DurableReasoner(_Durable):
    """Implements `Reasoner` over another one.

    What the other one keeps between calls, such as what it has spent, is recorded with each and
    given back to it by a replay, so that its limits hold across processes.

    Args:
        reasoner: Makes the judgements.
        recorder: Records them.
    """

    def __init__(self, reasoner: Reasoner, recorder: Recorder) -> None:
        super().__init__(reasoner, recorder, reasoner)

    @property
    def name(self) -> str:
        """That of the other one."""
        return self._keeper.name

    async def warm_up(self) -> None:
        """Load what every judgement needs; nothing of it is recorded."""
        await self._keeper.warm_up()

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
        async with self._keeper.for_run(own) as reasoner:
            yield DurableReasoner(reasoner, recorder)

    def manager_model(self) -> ManagerModel | None:
        """That of the other one, with every answer recorded."""
        model = self._keeper.manager_model()
        return DurableManager(model, self._recorder, self._keeper) if model else None

    def remembered(self) -> dict[str, Any]:
        """What the other one keeps."""
        return self._keeper.remembered()

    def remember(self, left: Any) -> None:
        """Give it back to the other one."""
        self._keeper.remember(left)

    refine_question = _recorded(Reasoner.refine_question)
    generate_queries = _recorded(Reasoner.generate_queries)
    name_candidates = _recorded(Reasoner.name_candidates)
    read_studies = _recorded(Reasoner.read_studies)
    read_evidence = _recorded(Reasoner.read_evidence)
    propose_hypotheses = _recorded(Reasoner.propose_hypotheses)
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
        """One record for all: the batches of a model share a budget, the strongest records first.

        Readings that were given before an error are a part of it.
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
        except DeepCriticalError as error:
            return Read(readings=tuple(readings), error=RecordedError.of(error))
        return Read(readings=tuple(readings))


class DurableManager(_Durable):
    """Implements `ManagerModel` over another one, whose costs the reasoner keeps."""

    note = _recorded(ManagerModel.note)
    ledger = _recorded(ManagerModel.ledger)
    overruled = _recorded(ManagerModel.overruled)


class DurableSearch:
    """Implements `Searches` over another one.

    Args:
        handler: Searches.
        recorder: Records all answers to a call together, found in the time that is really left.
    """

    def __init__(self, handler: Searches, recorder: Recorder) -> None:
        self.sources = handler.sources
        """The names of the sources."""
        self._handler = handler
        self._recorder = recorder

    async def execute(
        self, queries: Sequence[SearchQuery], max_results: int, within_s: float | None = None
    ) -> tuple[SourceAnswer, ...]:
        """One record."""

        async def effect() -> tuple[SourceAnswer, ...]:
            search_s = self._recorder.search_s
            given_s = search_s if within_s is None else min(within_s, search_s)
            return await self._handler.execute(queries, max_results, given_s)

        return await self._recorder.call(EXECUTE, effect)


class DurableRanking:
    """Implements `RankRecords` over another one.

    Args:
        records: Ranks.
        recorder: Records the rankings: a run that is taken up elsewhere goes by those it had.
    """

    def __init__(self, records: RankRecords, recorder: Recorder) -> None:
        self.begin = records.begin
        """Have the other one make itself ready; nothing of it is recorded."""
        self.rank = _durable(RANK_RECORDS, records.rank, recorder)


def durable_sources(sources: RunSources, recorder: Recorder) -> RunSources:
    """The sources of a run with every search and look-up recorded, in the time really left."""
    check, look_up = sources.check_integrity, sources.look_up
    records, facts, full_texts = sources.records, sources.facts, sources.full_texts
    if check:
        check = _in_time(check, lambda: recorder.left_s / 2)
    if facts:
        facts = _in_time(facts, lambda: recorder.search_s)
    return sources._replace(
        handler=DurableSearch(sources.handler, recorder),
        check_integrity=_durable(CHECK_INTEGRITY, check, recorder) if check else None,
        look_up=_durable(LOOK_UP_NAMES, look_up, recorder) if look_up else None,
        records=DurableRanking(records, recorder) if records else None,
        facts=_durable(DRUG_FACTS, facts, recorder) if facts else None,
        full_texts=_durable(FULL_TEXTS, full_texts, recorder) if full_texts else None,
    )


def _in_time(
    ask: Callable[[Asked, float], Awaitable[T]], left_s: Callable[[], float]
) -> Callable[[Asked, float], Awaitable[T]]:
    async def asked(what: Asked, within_s: float) -> T:
        return await ask(what, min(within_s, left_s()))

    return asked


def _durable(
    form: Form[T], ask: Callable[P, Awaitable[T]], recorder: Recorder
) -> Callable[P, Coroutine[Any, Any, T]]:
    """The same, each call of it one record."""

    async def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        return await recorder.call(form, partial(ask, *args, **kwargs))

    return asked
