"""Conducts the runs that a worker was given, each built anew if another process began it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deepcritical.domain import errors
from deepcritical.domain.events import RunCancelled, RunFailed
from deepcritical.domain.recipe import Begun, Recipe
from deepcritical.jobs.conduct import (
    Held,
    Hosted,
    OpenSources,
    Tool,
    failed,
    forget_causes,
    resolve,
    session_of,
    settle,
    show,
)
from deepcritical.jobs.engine import LostRun, OutOfOrder, RunJournal
from deepcritical.jobs.recorder import Host
from deepcritical.reasoning.base import Reasoner
from deepcritical.services.event_log import EventLog
from deepcritical.services.job_board import JobBoard
from deepcritical.services.model_answers import AnswerBook, RunAnswers
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_writer import TraceWriter

if TYPE_CHECKING:
    from deepcritical.jobs.dbos_engine import DbosEngine

_LOG = logging.getLogger(__name__)
_GOES_ON = "going on with the run %s of another process; `deepcritical traces cancel %s` ends it"
AWAY_S = 1.0
"""Interval at which a database that is away is tried again."""
MOST_TAKEOVERS = 1
"""How often a run is retried at the place where it was lost with a worker that had it alone."""
MOST_WITH_OTHERS = 1
"""How often a run is retried beside others where a worker was lost with it and others. From then on
it is conducted alone, which shows whether it is the cause."""


class Parts(NamedTuple):
    """What a run needs beside its recipe."""

    reasoner: Reasoner
    open_sources: OpenSources


PartsFor = Callable[[Recipe], Parts]
"""Makes the parts of a run that another process began; may raise DeepCriticalError, may block."""


@dataclass
class Hosting:
    """Conducts the runs of one process."""

    board: JobBoard
    traces: ToolTraceService
    engine: DbosEngine
    parts_for: PartsFor
    tools: dict[str, Tool]
    slots: int
    """Concurrent runs, without those that a command takes in and waits for."""
    follow: Callable[[str, Held], None]
    """Shows those who wait here a run that continues elsewhere."""
    held: dict[str, Held]
    """The runs that this process took in."""
    one_shot: bool = False
    """Whether the process exists for its own runs only."""
    hosted: dict[str, Hosted] = field(default_factory=dict)
    resumed: set[str] = field(default_factory=set)
    """Runs that this process was asked to resume."""
    closing: bool = False
    """Whether the process is ending: runs that the engine only now begins are left to the next
    one, and nobody waits here any more."""

    def __post_init__(self) -> None:
        self._gate = asyncio.Semaphore(self.slots)
        # Runs with a user's key wait in no queue: some slots are reserved for those that do.
        self._apart = asyncio.Lock()
        self._own_gate = asyncio.Semaphore(max(1, self.slots - self.slots // 4))

    async def conduct(self, run_id: str, journal: RunJournal) -> None:
        """See `jobs.engine.Conduct`."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        before = self.hosted.get(run_id)
        hosted = self.hosted[run_id] = Hosted(task)
        if self.closing:
            hosted.stop(leaving=not self.ends_here(run_id))
        try:
            try:
                if before is not None:  # this process was given its own run once more
                    before.stop(leaving=True)
                    await before.gone.wait()
                await asyncio.sleep(0)  # where a run that was stopped above ends
                async with self._turn(run_id):
                    begun = partial(self._begun, run_id, hosted, journal)
                    await self._patiently(run_id, hosted, begun)
            except asyncio.CancelledError:
                if hosted.leaving or hosted.session is not None:
                    raise
                task.uncancel()
                hosted.stopped = True
                await self._patiently(run_id, hosted, partial(self._end, run_id, RunCancelled()))
        except asyncio.CancelledError:
            if hosted.leaving:
                if hosted.writer:  # before the next process reads how far the run is
                    await hosted.writer.flush()
                await self._left(run_id)
                raise
            task.uncancel()
        except LostRun:
            await self._left(run_id)
            raise
        finally:
            hosted.gone.set()
            if self.hosted.get(run_id) is hosted:
                del self.hosted[run_id]

    @contextlib.asynccontextmanager
    async def _turn(self, run_id: str) -> AsyncIterator[None]:
        """Hold a slot, when it is the run's turn; a command's own run waits for none."""
        held = self.held.get(run_id)
        if held and self.one_shot and not held.followed:
            yield
            return
        own_key = held is not None and held.recipe.own_key
        gates = [self._own_gate, self._gate] if own_key else [self._gate]
        async with contextlib.AsyncExitStack() as passed:
            if await self._is_suspected(run_id):
                await passed.enter_async_context(self._apart)
                gates = [self._gate] * self.slots
            for gate in gates:
                await passed.enter_async_context(gate)
            yield

    async def _is_suspected(self, run_id: str) -> bool:
        """Whether a run must be conducted alone, since workers were lost with it and others."""
        try:
            return await self.board.lost_with_others(run_id) > MOST_WITH_OTHERS
        except errors.StorageError as error:  # the run waits below until the database is back
            _LOG.warning("whether the run %s was lost often is not known: %s", run_id, error)
            return False

    def ends_here(self, run_id: str) -> bool:
        """Whether nobody could continue a run when this process ends, or nobody waits for it."""
        held = self.held.get(run_id)
        return held is not None and (self.one_shot or held.recipe.own_key)

    async def _left(self, run_id: str) -> None:
        """Show those who wait here for a run how it continues elsewhere."""
        held = self.held.get(run_id)
        if held is None or held.followed:
            return
        if self.closing:
            await held.session.log.leave()
            held.ending.cancel()
            return
        held.begun_here, held.followed = False, True
        self.follow(run_id, held)

    async def _patiently(
        self, run_id: str, hosted: Hosted, work: Callable[[], Awaitable[None]]
    ) -> None:
        """Begin with a run, or end it; retry while the database is away, as nobody else would."""
        tried, refused = False, 0
        while True:
            try:
                if tried:
                    await self.board.hand_back(run_id, self.engine.worker)  # no worker was lost
                await work()
                break
            except errors.StorageError as error:
                if hosted.session is not None:
                    raise
                _LOG.warning("the run %s cannot begin for the moment: %s", run_id, error)
                tried, refused = True, refused + 1 if await self.traces.database.answers() else 0
                if refused > 1:  # the first time, it may have come back just now
                    work = partial(self._end, run_id, failed(error))
            await asyncio.sleep(AWAY_S)

    async def _begun(self, run_id: str, hosted: Hosted, journal: RunJournal) -> None:
        try:
            row = self.engine.row_of(run_id)
            begun = await self.board.begin(run_id, self.engine.worker, row)
        except errors.TraceNotFoundError:
            return  # deleted: there is nobody to tell
        except errors.TraceTakenError:
            raise LostRun from None
        if begun.ended:
            await self._show_end(run_id)
            return
        held_here = self.held.get(run_id)
        if begun.signals.cancel or (held_here and held_here.cancelled):
            await self._end(run_id, RunCancelled())
            return
        hosted.write_now = begun.signals.write_now
        try:
            held = await self._held(run_id, begun)
        except errors.StorageError:
            raise
        except errors.DeepCriticalError as error:
            if isinstance(error, errors.ConfigurationError) and self._is_for_others(run_id, begun):
                await self.board.hand_back(run_id, self.engine.worker)
                raise LostRun from None
            await self._end(run_id, failed(error))
            return
        answers = await RunAnswers.of(self.traces.database, run_id)
        hosted.session, hosted.writer = held.session, held.writer
        await self._conducted(held, hosted, journal, answers)

    def _is_for_others(self, run_id: str, begun: Begun) -> bool:
        """Whether a worker may have the parts that a command lacks which took the run up."""
        asked_here = run_id in self.held or run_id in self.resumed
        return self.one_shot and not asked_here and not begun.recipe.own_key

    async def _held(self, run_id: str, begun: Begun) -> Held:
        """Return the run, ready to be conducted; raise DeepCriticalError if it cannot be."""
        if begun.late:
            raise errors.BudgetExceeded(
                "The run waited too long for its turn.",
                "Ask again later, or raise DEEPCRITICAL_QUEUE_LIMIT_S.",
            )
        lost = begun.takeovers + begun.lost_with_others
        suspected = begun.lost_with_others > MOST_WITH_OTHERS
        if begun.takeovers > MOST_TAKEOVERS or (begun.takeovers and suspected):
            raise errors.ReasoningError(
                f"The process that conducted the run was lost {lost} times at the same place of "
                "it, with no other run there: this run is taken for the cause.",
                f"See what ends the process, and then: deepcritical traces resume {run_id}",
            )
        held = self.held.get(run_id)
        if held and not held.followed:
            held.begun_here = True
            return held
        if begun.recipe.own_key and held is None:
            raise errors.ConfigurationError(
                "The run needs a key that was in the memory of a process that has ended.",
                "Keys are never stored: ask the question again with the key.",
            )
        return await self._rebuilt(run_id, begun, held)

    async def _rebuilt(self, run_id: str, begun: Begun, held: Held | None) -> Held:
        recipe, user_id, key = begun.recipe, begun.user_id, held.key if held else None
        if held:  # it began here, and comes back from elsewhere
            parts = Parts(held.session.reasoner, held.open_sources)
        else:
            parts = await asyncio.to_thread(self.parts_for, recipe)
            if self.one_shot:
                # It takes time and may cost money, which whoever runs this process did not ask for.
                _LOG.warning(_GOES_ON, run_id, run_id)
        writer = TraceWriter(
            self.traces, run_id, tool_name=recipe.tool, input_params={}, user_id=user_id
        )
        log = EventLog(run_id, writer=writer, told=await self.traces.events(run_id))
        session = session_of(recipe, log, parts.reasoner, time.monotonic, user_id)
        ending: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        ending.add_done_callback(forget_causes)  # nobody waits for it here
        return Held(recipe, user_id, session, parts.open_sources, writer, ending, key)

    async def _conducted(
        self, held: Held, hosted: Hosted, journal: RunJournal, answers: AnswerBook
    ) -> None:
        tool = self.tools[held.recipe.tool]

        def lets_go() -> bool:
            return hosted.leaving or journal.lost

        host = Host(
            journal, lambda: hosted.write_now, lets_go, telemetry=tool.telemetry, answers=answers
        )
        if writer := held.writer:
            writer.worker = self.engine.worker
            writer.may_leave = not self.ends_here(held.run_id)
        try:
            await held.conduct(tool, host)
        except errors.TraceTakenError:
            raise LostRun from None
        except (asyncio.CancelledError, errors.ResearchCancelled):
            if not lets_go():
                held.ending.cancel()
            raise
        except errors.DeepCriticalError as error:
            resolve(held.ending, error)
        except (Exception, OutOfOrder) as error:  # noqa: BLE001 - it is raised for those who wait
            _LOG.error("a run failed by a defect", exc_info=error)
            resolve(held.ending, error)

    async def _end(self, run_id: str, ending: RunFailed | RunCancelled) -> None:
        """Write the end of a run that was not begun here, unless it has one."""
        # Somebody else ended or deleted it first.
        with contextlib.suppress(errors.TraceEndedError, errors.TraceNotFoundError):
            await self.traces.append_event(run_id, ending)
        await self._show_end(run_id)

    async def _show_end(self, run_id: str) -> None:
        held = self.held.get(run_id)
        if held is None or held.followed:
            return
        for logged in await self.traces.events(run_id, len(held.session.log.events)):
            await show(self.traces, held, logged)
        settle(held)
