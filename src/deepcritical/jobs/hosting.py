"""Conducts one run that a worker was given, built anew if another process began it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from deepcritical.domain import errors
from deepcritical.domain.run.events import RunCancelled, RunFailed
from deepcritical.domain.run.recipe import MOST_WITH_OTHERS, Begun, Recipe
from deepcritical.jobs.conduct import Tool, conduct, failed
from deepcritical.jobs.engine import Journal, LostRun, OutOfOrder
from deepcritical.jobs.recorder import Host
from deepcritical.jobs.run import OpenSources, RunOf
from deepcritical.reasoning.base import Reasoner
from deepcritical.research.session import session_of
from deepcritical.services.event_log import EventLog, TraceWriter
from deepcritical.services.storage.job_board import JobBoard
from deepcritical.services.storage.model_answers import RunAnswers
from deepcritical.services.storage.tool_trace_service import ToolTraceService

if TYPE_CHECKING:
    from deepcritical.jobs.dbos_engine import DbosEngine

_LOG = logging.getLogger(__name__)
_GOES_ON = "going on with the run %s of another process; `deepcritical traces cancel %s` ends it"
AWAY_S = 1.0
"""Interval at which a database that is away is tried again."""
STEADY_S = 15.0
"""Seconds that a process must have lived before it begins with a run that may end it: while servers
are restarted again and again, no end of one tells anything."""
MOST_TAKEOVERS = 1
"""Number of retries of a run at the place where it was lost with a worker that had it alone."""
MOST_IN_ALL = 8
"""Number of retries of a run at one place, whatever the losses tell."""


class Parts(NamedTuple):
    """The parts that a run needs beside its recipe."""

    reasoner: Reasoner
    open_sources: OpenSources


PartsFor = Callable[[Recipe], Parts]
"""Makes the parts of a run that another process began; may raise DeepCriticalError, may block."""


class Hosted:
    """A run that this process conducts, from when the engine hands it out."""

    def __init__(self, worker: Worker, run_id: str, journal: Journal) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        self.task = task
        self.leaving = False
        """True where it continues elsewhere or later."""
        self.write_now = False
        self._worker = worker
        self._board, self._traces = worker.board, worker.traces
        self._run_id = run_id
        self._journal = journal
        self._stopped = False
        """True where its user stopped it before it began, so that its end is being written."""
        self._run: RunOf[Any] | None = None
        """Once it has begun."""
        self._gone = asyncio.Event()
        """Set when nothing of it is done here any more."""

    def stop(self, *, leaving: bool) -> None:
        """Cancel its task; once it is leaving, it cannot end here any more."""
        if self.leaving or (self._stopped and not leaving):
            return  # a second cancellation would cut short what it does to leave, or to end
        self.leaving = leaving
        self.task.cancel()

    async def conduct(self, before: Hosted | None) -> None:
        """Conduct the run, or leave it; `before` is the same run, given to this process earlier."""
        try:
            try:
                if before is not None:
                    before.stop(leaving=True)
                    await before._gone.wait()
                await asyncio.sleep(0)  # where a run that was stopped above ends
                async with self._turn():
                    await self._patiently(self._begun)
            except asyncio.CancelledError:
                if self.leaving or self._run is not None:
                    raise
                self.task.uncancel()
                self._stopped = True
                await self._patiently(partial(self._end, RunCancelled()))
        except asyncio.CancelledError:
            if self.leaving:
                if self._run and self._run.writer:  # before the next process reads how far it is
                    await self._run.writer.flush()
                await self._worker.left(self._run_id)
                raise
            self.task.uncancel()
        except LostRun:
            await self._worker.left(self._run_id)
            raise
        finally:
            self._gone.set()

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold a slot, when it is the run's turn; a command's own run waits for none."""
        worker, own = self._worker, self._worker.held.get(self._run_id)
        if own and worker.one_shot and not own.followed:
            yield
            return
        gates = [worker.own_gate, worker.gate] if own and own.recipe.own_key else [worker.gate]
        async with contextlib.AsyncExitStack() as passed:
            if await self._is_suspected():
                await asyncio.sleep(worker.begun_at + STEADY_S - time.monotonic())
                await passed.enter_async_context(worker.apart)
                gates = [worker.gate] * worker.slots
            for gate in gates:
                await passed.enter_async_context(gate)
            yield

    async def _is_suspected(self) -> bool:
        """Return whether a run must go alone, since workers were lost with it and others."""
        try:
            return await self._board.lost_with_others(self._run_id) > MOST_WITH_OTHERS
        except errors.StorageError as error:  # the run waits below until the database is back
            _LOG.warning("whether the run %s was lost often is not known: %s", self._run_id, error)
            return False

    async def _patiently(self, work: Callable[[], Awaitable[None]]) -> None:
        """Begin with a run, or end it; retry while the database is away, as nobody else would."""
        tried, refused = False, 0
        while True:
            try:
                if tried:  # no worker is lost when another one begins with the run
                    await self._board.hand_back(self._run_id, self._worker.engine.worker)
                await work()
                break
            except errors.StorageError as error:
                if self._run is not None:
                    raise
                _LOG.warning("the run %s cannot begin for the moment: %s", self._run_id, error)
                tried, refused = True, refused + 1 if await self._traces.database.answers() else 0
                if refused > 1:  # the first time, it may have come back just now
                    work = partial(self._end, failed(error))
            await asyncio.sleep(AWAY_S)

    async def _begun(self) -> None:
        run_id, engine = self._run_id, self._worker.engine
        try:
            begun = await self._board.begin(run_id, engine.worker, engine.row_of(run_id))
        except errors.TraceNotFoundError:
            return  # deleted: there is nobody to tell
        except errors.TraceTakenError:
            raise LostRun from None
        held = self._worker.held.get(run_id)
        if begun.ended:
            await self._show_end()
            return
        if begun.signals.cancel or (held and held.cancelled):
            await self._end(RunCancelled())
            return
        self.write_now = begun.signals.write_now
        try:
            run = await self._ready(begun, held)
        except errors.StorageError:
            raise
        except errors.DeepCriticalError as error:
            if isinstance(error, errors.ConfigurationError) and self._is_for_others(begun, held):
                await self._board.hand_back(run_id, engine.worker)
                raise LostRun from None
            await self._end(failed(error))
            return
        answers = await RunAnswers.of(self._traces.database, run_id)
        self._run = run
        await self._conducted(run, answers)

    def _is_for_others(self, begun: Begun, held: RunOf[Any] | None) -> bool:
        """Return whether a worker may have the parts that a command which took it up lacks."""
        asked_here = held is not None or self._run_id in self._worker.resumed
        return self._worker.one_shot and not asked_here and not begun.recipe.own_key

    async def _ready(self, begun: Begun, held: RunOf[Any] | None) -> RunOf[Any]:
        """Return the run, ready to be conducted; raise DeepCriticalError if it cannot be."""
        if begun.late:
            raise errors.BudgetExceeded(
                "The run waited too long for its turn.",
                "Ask again later, or raise DEEPCRITICAL_QUEUE_LIMIT_S.",
            )
        lost = begun.takeovers + begun.lost_with_others
        suspected = begun.lost_with_others > MOST_WITH_OTHERS
        many = begun.takeovers > MOST_TAKEOVERS or lost > MOST_IN_ALL
        if many or (begun.takeovers and suspected):
            raise errors.ReasoningError(
                f"The process that conducted the run was lost {lost} times at the same place of "
                "it: this run is taken for the cause.",
                f"See what ends the process, and then: deepcritical traces resume {self._run_id}",
            )
        if held and not held.followed:
            held.begun_here = True
            return held
        if begun.recipe.own_key and held is None:
            raise errors.ConfigurationError(
                "The run needs a key that was in the memory of a process that has ended.",
                "Keys are never stored: ask the question again with the key.",
            )
        return await self._rebuilt(begun, held)

    async def _rebuilt(self, begun: Begun, held: RunOf[Any] | None) -> RunOf[Any]:
        recipe, user_id, run_id = begun.recipe, begun.user_id, self._run_id
        if held:  # it began here, and comes back from elsewhere
            parts = Parts(held.session.reasoner, held.open_sources)
        else:
            parts = await asyncio.to_thread(self._worker.parts_for, recipe)
            if self._worker.one_shot:
                # It takes time and may cost money, which whoever runs this process did not ask for.
                _LOG.warning(_GOES_ON, run_id, run_id)
        writer = TraceWriter(
            self._traces, run_id, tool_name=recipe.tool, input_params={}, user_id=user_id
        )
        log = EventLog(run_id, writer=writer, told=await self._traces.events(run_id))
        return RunOf(
            recipe=recipe,
            session=session_of(recipe, log, parts.reasoner, time.monotonic, user_id),
            open_sources=parts.open_sources,
            ending=asyncio.get_running_loop().create_future(),  # nobody waits for it here
            writer=writer,
            user_id=user_id,
            key=held.key if held else None,
        )

    async def _conducted(self, run: RunOf[Any], answers: RunAnswers) -> None:
        tool = self._worker.tools[run.tool_name]

        def lets_go() -> bool:
            return self.leaving or self._journal.lost

        if writer := run.writer:
            writer.worker = self._worker.engine.worker
            writer.may_leave = not self._worker.ends_here(self._run_id)
        told, wants = tool.telemetry, lambda: self.write_now
        try:
            await conduct(
                run, tool, Host(self._journal, wants, lets_go, telemetry=told, answers=answers)
            )
        except errors.TraceTakenError:
            raise LostRun from None
        except (asyncio.CancelledError, errors.ResearchCancelled):
            if not lets_go():
                run.ending.cancel()
            raise
        except (Exception, OutOfOrder) as error:  # noqa: BLE001 - it is raised for those who wait
            run.resolve(error)

    async def _end(self, ending: RunFailed | RunCancelled) -> None:
        """Write the end of a run that was not begun here, unless it has one."""
        # Somebody else ended or deleted it first.
        with contextlib.suppress(errors.TraceEndedError, errors.TraceNotFoundError):
            await self._traces.append_event(self._run_id, ending)
        await self._show_end()

    async def _show_end(self) -> None:
        held = self._worker.held.get(self._run_id)
        if held is None or held.followed:
            return
        for logged in await self._traces.events(self._run_id, len(held.session.log.events)):
            await held.mirror(self._traces, logged)
        held.settle()


class Worker:
    """The runs that this process took in, and those that it conducts."""

    parts_for: PartsFor
    tools: dict[str, Tool]
    takes_runs: bool
    ttl_s: float

    def __init__(
        self, board: JobBoard, traces: ToolTraceService, slots: int, *, one_shot: bool
    ) -> None:
        self.board = board
        self.traces = traces
        self.slots = slots
        """Concurrent runs, without those that a command takes in and waits for."""
        self.one_shot = one_shot
        """True where the process exists for its own runs only."""
        self.held: dict[str, RunOf[Any]] = {}
        """The runs that this process took in, until they have ended."""
        self.hosted: dict[str, Hosted] = {}
        """The runs that it conducts."""
        self.resumed: set[str] = set()
        """Runs that it was asked to resume."""
        self.closing = False
        """True where the process is ending: runs that the engine only now begins are left to the
        next one, and nobody waits here any more."""
        self.gate = asyncio.Semaphore(slots)
        # Runs with a user's key wait in no queue: some slots are reserved for those that do.
        self.own_gate = asyncio.Semaphore(max(1, slots - slots // 4))
        self.apart = asyncio.Lock()
        """Held by a run that must be conducted alone."""
        self.begun_at = 0.0
        """The moment at which it began to conduct runs, by the monotonic clock."""
        self._engine: DbosEngine | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._following: set[asyncio.Task[Any]] = set()
        """Tasks that show runs which are not, or not yet, conducted here."""

    @property
    def engine(self) -> DbosEngine:
        """The engine, which was started before."""
        assert self._engine is not None  # noqa: S101
        return self._engine

    async def beat(self, worker: str) -> frozenset[str]:
        """Send a heartbeat; return the workers that are alive."""
        return await self.board.beat(worker, self.ttl_s, conducts=self.takes_runs)

    def ends_here(self, run_id: str) -> bool:
        """Return whether at this process's end nobody could continue a run, or waits for it."""
        run = self.held.get(run_id)
        return run is not None and (self.one_shot or run.recipe.own_key)

    async def left(self, run_id: str) -> None:
        """Show those who wait here for a run how it continues elsewhere."""
        run = self.held.get(run_id)
        if run is None or run.followed:
            return
        if self.closing:
            await run.session.log.leave()
            run.ending.cancel()
            return
        run.begun_here, run.followed = False, True
        self._show(run)

    def _keep(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _show(self, run: RunOf[Any]) -> None:
        task = self._keep(self._follow(run))
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        if self.closing:  # since the run was taken in
            cancel_begun(task)

    async def _follow(self, run: RunOf[Any]) -> None:
        """Show a run that another worker begins or takes over."""
        try:
            while not await self._shown(run):  # noqa: ASYNC110 - a database calls nobody
                await asyncio.sleep(AWAY_S)
        except asyncio.CancelledError:  # the process is ending
            await run.session.log.leave()
            run.ending.cancel()
            raise
        except errors.DeepCriticalError as error:
            await run.session.log.leave()
            run.resolve(error)

    async def _shown(self, run: RunOf[Any]) -> bool:
        """Show a run to its end; return False if the database is away for a while."""
        try:
            async for logged in self.traces.tail(run.run_id):
                if run.begun_here:
                    return True
                run.followed = True
                await run.mirror(self.traces, logged)
            if not run.ended:
                raise asyncio.CancelledError  # the process is ending
            run.settle()
        except errors.TraceNotFoundError:
            raise
        except errors.StorageError as error:
            _LOG.warning("the run %s is not shown for the moment: %s", run.run_id, error)
            return run.begun_here
        return True


def cancel_begun(task: asyncio.Task[Any]) -> None:
    """Cancel a task after its first step, without which it cannot clean up; signal handlers may."""
    task.get_loop().call_soon_threadsafe(task.cancel)
