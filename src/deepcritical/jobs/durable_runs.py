"""Runs that outlive their process: joins the engine, the jobs and what conducts a run."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from deepcritical.domain.errors import DeepCriticalError, StorageError, TraceNotFoundError
from deepcritical.domain.events import LoggedEvent, RunCancelled, Stage
from deepcritical.domain.traces import TraceStatus
from deepcritical.jobs import requests
from deepcritical.jobs.conduct import Held, Tool, forget_causes, resolve, settle, show
from deepcritical.jobs.hosting import AWAY_S, Hosting, PartsFor
from deepcritical.jobs.tending import TTL_S, Tending
from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService

if TYPE_CHECKING:
    from deepcritical.jobs.dbos_engine import DbosEngine

_LOG = logging.getLogger(__name__)
POLL_S = 0.1
CLOSE_S = 10.0
"""How long runs that were stopped get to let go."""


class DurableRuns:
    """The durable runs of one process; see `bootstrap.durable.build_durable`.

    Nothing is imported or opened before the first run.
    """

    def __init__(
        self,
        board: JobBoard,
        traces: ToolTraceService,
        make_engine: Callable[[], DbosEngine],
        *,
        slots: int,
        conducts: bool = True,
        one_shot: bool = False,
        ttl_s: float = TTL_S,
    ) -> None:
        self.board = board
        self._traces = traces
        self._make_engine = make_engine
        self._slots = slots
        self._conducts = conducts
        self._one_shot = one_shot
        self.ttl_s = ttl_s
        self._start: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._engine: DbosEngine | None = None
        self._hosting: Hosting | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._following: set[asyncio.Task[Any]] = set()
        """Tasks that show runs which are not, or not yet, conducted here."""
        self._held: dict[str, Held] = {}

    async def start(self, parts_for: PartsFor, tools: dict[str, Tool]) -> None:
        """Begin to conduct runs, those of dead workers included.

        Raises:
            EngineBusyError: Another service of this process does so.
            StorageError: The database cannot be used.
        """
        if self._closing:
            await asyncio.wait([self._closing])
        if self._start is None or (self._start.done() and self._engine is None):
            self._start = asyncio.create_task(self._started(parts_for, tools))
            self._start.add_done_callback(forget_causes)
        # A caller that stops waiting must not leave the engine half started.
        await asyncio.shield(self._start)

    async def _started(self, parts_for: PartsFor, tools: dict[str, Tool]) -> None:
        engine = await asyncio.to_thread(self._make_engine)
        board, traces, slots = self.board, self._traces, self._slots
        shown = self._show, self._held, self._one_shot
        hosting = Hosting(board, traces, engine, parts_for, tools, slots, *shown)
        # Before the engine starts, so that this one does not count as dead.
        live = await board.beat(engine.worker, self.ttl_s, conducts=self._conducts)
        # When it starts, the engine takes up those of its own name.
        await board.note_losses(live - {engine.worker})
        await engine.start(hosting.conduct)
        tending = Tending(board, traces, engine, hosting, self.ttl_s, self._conducts)
        await tending.sweep(first=True)
        self._engine, self._hosting = engine, hosting
        self._keep(tending.forever())

    def _keep(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _show(self, run_id: str, held: Held) -> None:
        task = self._keep(self._follow(run_id, held))
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        if self._hosting and self._hosting.closing:  # since the run was taken in
            _cancel_begun(task)

    def hold(self, held: Held) -> None:
        """Keep what only this process has of a run until the run has ended."""
        self._held[held.run_id] = held
        held.ending.add_done_callback(lambda _ending: self._held.pop(held.run_id, None))

    async def submit(self, held: Held) -> None:
        """Store a run, and begin or queue it.

        Raises:
            CapacityError: Its user has too many.
            StorageError: The database cannot take it.
        """
        engine = self._engine
        assert engine is not None  # noqa: S101 - started before
        run_id, recipe, user_id = held.run_id, held.recipe, held.user_id
        held.taken_in = True
        if not await self.board.add(run_id, recipe, held.asked, user_id, engine.worker):
            self._show(run_id, held)  # the same start reached another server first
            return
        if held.session.log.ended:
            await self._cancel(run_id)
            return
        if self._one_shot or recipe.own_key:
            await engine.begin(run_id)
            return
        await engine.enqueue(run_id, user_id)
        self._show(run_id, held)
        # Requests made before it was stored are known here alone: another worker may begin.
        if held.session.stop_asked:
            try:
                await self.board.request(run_id, "write_now")
            except StorageError as error:  # if it begins here, the session knows
                _LOG.warning("the run %s may not be written now: %s", run_id, error)
        if held.cancelled:
            await self._cancel(run_id)

    async def _follow(self, run_id: str, held: Held) -> None:
        """Show a run that another worker begins or takes over."""
        try:
            while not await self._shown(run_id, held):  # noqa: ASYNC110 - a database calls nobody
                await asyncio.sleep(AWAY_S)
        except asyncio.CancelledError:  # the process is ending
            await held.session.log.leave()
            held.ending.cancel()
            raise
        except DeepCriticalError as error:
            await held.session.log.leave()
            resolve(held.ending, error)

    async def _shown(self, run_id: str, held: Held) -> bool:
        """Show a run to its end; return False if the database is away for a while."""
        try:
            async for logged in self._traces.tail(run_id):
                if held.begun_here:
                    return True
                held.followed = True
                await show(self._traces, held, logged)
            if not held.session.log.ended:
                raise asyncio.CancelledError  # the process is ending
            settle(held)
        except TraceNotFoundError:
            raise
        except StorageError as error:
            _LOG.warning("the run %s is not shown for the moment: %s", run_id, error)
            return held.begun_here
        return True

    def stop(self, run_id: str) -> None:
        """Cancel a run of this process at once, and note it for any other process that has it."""
        if held := self._held.get(run_id):
            held.cancelled = True
            if not held.taken_in:
                self._keep(_end_unbegun(held))
                return
        if self._hosting and (hosted := self._hosting.hosted.get(run_id)):
            hosted.stop(leaving=False)
        self._keep(self._cancel(run_id))

    async def _cancel(self, run_id: str) -> None:
        """Note it, if need be when the database is back: another worker may begin."""
        while True:
            try:
                await requests.cancel(self._traces, self.board, run_id)
            except TraceNotFoundError:
                return  # of one that is not there yet, `held` knows
            except StorageError as error:
                _LOG.warning("the run %s cannot be cancelled for the moment: %s", run_id, error)
                await asyncio.sleep(AWAY_S)
            else:
                return

    async def resume(self, run_id: str) -> bool:
        """Queue a run again that failed, was cancelled, or whose worker died.

        Returns:
            Whether another worker has it, which is left to continue it.

        Raises:
            TraceNotFoundError: Nothing is recorded of it.
            StorageError: It is completed, or the database cannot be used.
        """
        engine, hosting = self._engine, self._hosting
        assert engine is not None and hosting is not None  # noqa: PT018, S101 - started before
        trace = await self._traces.get_trace(run_id)
        if trace.status is TraceStatus.COMPLETED:
            await self.board.reopen(run_id, engine.worker)  # which says that it cannot be
        if trace.status.ended:
            await self._closed(engine, run_id)
        elif await self._elsewhere(engine.worker, run_id):
            return True
        await engine.check(run_id)
        hosting.resumed.add(run_id)
        await self.board.reopen(run_id, engine.worker)
        await engine.resume(run_id, trace.user_id)
        return False

    async def _elsewhere(self, worker: str, run_id: str) -> bool:
        """Whether a run that has not ended is another living worker's."""
        live = await self.board.beat(worker, self.ttl_s, conducts=self._conducts)
        others = live - {worker}
        return await self.board.has(run_id) and run_id not in await self.board.left_by(others)

    def conducts(self, run_id: str) -> bool:
        """Whether this process conducts a run."""
        return self._hosting is not None and run_id in self._hosting.hosted

    @staticmethod
    async def _closed(engine: DbosEngine, run_id: str) -> None:
        """Wait until the engine, too, knows that a run has ended; its worker may have died."""
        for _ in range(round(CLOSE_S / POLL_S)):
            if not (await engine.open([run_id])).get(run_id):
                return
            await asyncio.sleep(POLL_S)

    def let_go(self) -> None:
        """Stop every run of this process, and everything that follows runs of other processes.

        The runs that can continue elsewhere do so.
        """
        self._traces.end_tails()
        if self._hosting is None:
            return
        self._hosting.closing = True
        for following in list(self._following):
            _cancel_begun(following)
        for run_id, hosted in list(self._hosting.hosted.items()):
            hosted.stop(leaving=not self._hosting.ends_here(run_id))

    async def close(self) -> None:
        """Hand over what is under way, and end; a second call waits for the same end."""
        if self._closing is None or self._closing.done():
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._start:
            await asyncio.wait([self._start])
        engine, hosting = self._engine, self._hosting
        if engine is None or hosting is None:
            return
        self._engine, hosting.closing = None, True
        stopped = dict(hosting.hosted)
        self.let_go()
        if stopped:
            await asyncio.wait([hosted.task for hosted in stopped.values()], timeout=CLOSE_S)
        for run_id in filter(hosting.ends_here, list(self._held)):
            with contextlib.suppress(StorageError):  # one that the engine has not begun with
                await requests.cancel(self._traces, self.board, run_id)
        for task in list(self._tasks):
            _cancel_begun(task)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await engine.close(partial(self.board.hand_back, worker=engine.worker))
            await self.board.leave(engine.worker)
        except StorageError as error:
            _LOG.warning("runs could not be handed over, and are taken up later: %s", error)


def _cancel_begun(task: asyncio.Task[Any]) -> None:
    """Cancel a task after its first step, without which it cannot clean up; signal handlers may."""
    task.get_loop().call_soon_threadsafe(task.cancel)


async def _end_unbegun(held: Held) -> None:
    """End a run for those who wait here; the database is told when it can be."""
    log = held.session.log
    end = LoggedEvent(
        run_id=log.run_id,
        seq=len(log.events) + 1,
        at=datetime.now(UTC),
        stage=Stage.DONE,
        progress=1.0,
        event=RunCancelled(),
    )
    try:
        await log.mirror(end)
    except StorageError as error:
        _LOG.warning("the end of the run %s is not in its file: %s", log.run_id, error)
    finally:
        settle(held)
