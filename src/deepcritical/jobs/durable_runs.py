"""Runs that outlive their process: joins the engine, the jobs and what conducts a run."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from deepcritical.domain.errors import StorageError, TraceNotFoundError
from deepcritical.domain.run.events import LoggedEvent, RunCancelled, Stage
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs import requests
from deepcritical.jobs.conduct import Tool
from deepcritical.jobs.engine import Journal
from deepcritical.jobs.hosting import AWAY_S, Hosted, PartsFor, Worker, cancel_begun
from deepcritical.jobs.run import RunOf
from deepcritical.jobs.upkeep import TTL_S, Upkeep
from deepcritical.services.storage.database_url import sqlite_file
from deepcritical.services.storage.job_board import JobBoard, WorkerName
from deepcritical.services.storage.tool_trace_service import ToolTraceService

if TYPE_CHECKING:
    from deepcritical.jobs.dbos_engine import DbosEngine

_LOG = logging.getLogger(__name__)
POLL_S = 0.1
CLOSE_S = 10.0
"""Time that runs that were stopped get to let go."""


class DurableRuns(Worker):
    """The durable runs of one process, of which others take over what it leaves.

    Nothing is imported or opened before the first run.
    """

    def __init__(
        self,
        board: JobBoard,
        traces: ToolTraceService,
        *,
        slots: int,
        most: tuple[int | None, int | None] = (None, None),
        conducts: bool = True,
        one_shot: bool = False,
        ttl_s: float = TTL_S,
    ) -> None:
        super().__init__(board, traces, slots, one_shot=one_shot)
        self.takes_runs = conducts
        """True where this worker takes runs from the queue."""
        self.ttl_s = ttl_s
        self._most = most[0] or slots - slots // 4, most[1]
        """Runs of one user, and of all, that all workers conduct at once."""
        self._start: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    async def start(self, parts_for: PartsFor, tools: dict[str, Tool]) -> None:
        """Begin to conduct runs, those of dead workers included.

        Raises:
            EngineBusyError: Another service of this process does so.
            StorageError: The database cannot be used.
        """
        if self._closing:
            await asyncio.wait([self._closing])
        if self._start is None or (self._start.done() and self._engine is None):
            self.parts_for, self.tools = parts_for, tools
            self._start = asyncio.create_task(self._started())
            self._start.add_done_callback(lambda start: start.cancelled() or start.exception())
        # A caller that stops waiting must not leave the engine half started.
        await asyncio.shield(self._start)

    async def _started(self) -> None:
        engine = await asyncio.to_thread(self._made)
        self.closing, self.begun_at = False, time.monotonic()
        # When it starts, the engine takes up those of its own name: a process had it before.
        live = await self.board.alive(self.ttl_s)
        await self.board.note_losses(live - {engine.worker})
        # Before the engine starts, so that this one does not count as dead.
        await self.beat(engine.worker)
        self._engine = engine
        try:
            await engine.start(self._conduct)
            upkeep = Upkeep(self)
            await upkeep.sweep(first=True)
        except BaseException:
            self._engine = None
            raise
        self._keep(upkeep.forever())

    def _made(self) -> DbosEngine:
        # Imported late: it is the heaviest part of a process that has a database.
        from deepcritical.jobs.dbos_engine import DbosEngine
        from deepcritical.jobs.dbos_setup import Shares

        url = self.traces.database.url
        # A command goes by the limits of the servers and workers beside it, if there are any.
        shares = Shares(self.slots, *self._most, settles=not self.one_shot)
        return DbosEngine(url, WorkerName(sqlite_file(url)), shares if self.takes_runs else None)

    async def _conduct(self, run_id: str, journal: Journal) -> None:
        """See `jobs.engine.Conduct`."""
        before = self.hosted.get(run_id)
        hosted = self.hosted[run_id] = Hosted(self, run_id, journal)
        if self.closing:
            hosted.stop(leaving=not self.ends_here(run_id))
        try:
            await hosted.conduct(before)
        finally:
            if self.hosted.get(run_id) is hosted:
                del self.hosted[run_id]

    def hold(self, run: RunOf[Any]) -> None:
        """Keep what only this process has of a run until the run has ended."""
        self.held[run.run_id] = run
        run.ending.add_done_callback(lambda _ending: self.held.pop(run.run_id, None))

    async def submit(self, run: RunOf[Any]) -> None:
        """Store a run, and begin or queue it.

        Raises:
            CapacityError: Its user has too many.
            StorageError: The database cannot take it.
        """
        run_id, engine = run.run_id, self.engine
        run.taken_in = True
        if not await self.board.add(run_id, run.recipe, run.asked, run.user_id, engine.worker):
            self._show(run)  # the same start reached another server first
            return
        if run.session.log.ended:
            await self._cancel(run_id)
            return
        if self.one_shot or run.recipe.own_key:
            await engine.begin(run_id)
            return
        await engine.enqueue(run_id, run.user_id)
        self._show(run)
        # Requests made before it was stored are known here alone: another worker may begin.
        if run.session.stop_asked:
            try:
                await self.board.request(run_id, "write_now")
            except StorageError as error:  # if it begins here, the session knows
                _LOG.warning("the run %s may not be written now: %s", run_id, error)
        if run.cancelled:
            await self._cancel(run_id)

    def stop(self, run_id: str) -> None:
        """Cancel a run of this process at once, and note it for any other process that has it."""
        if run := self.held.get(run_id):
            run.cancelled = True
            if not run.taken_in:
                self._keep(_end_unbegun(run))
                return
        if hosted := self.hosted.get(run_id):
            hosted.stop(leaving=False)
        self._keep(self._cancel(run_id))

    async def _cancel(self, run_id: str) -> None:
        """Note it, if need be when the database is back: another worker may begin."""
        while True:
            try:
                await requests.cancel(self.traces, self.board, run_id)
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
        engine = self.engine
        trace = await self.traces.get_trace(run_id)
        if trace.status is TraceStatus.COMPLETED:
            await self.board.reopen(run_id, engine.worker)  # which says that it cannot be
        if trace.status.ended:
            await self._closed(run_id)
        elif await self._elsewhere(run_id):
            return True
        await engine.check(run_id)
        self.resumed.add(run_id)
        await self.board.reopen(run_id, engine.worker)
        await engine.resume(run_id, trace.user_id)
        return False

    async def _elsewhere(self, run_id: str) -> bool:
        """Return whether a run that has not ended is another living worker's."""
        others = await self.beat(self.engine.worker) - {self.engine.worker}
        return await self.board.has(run_id) and run_id not in await self.board.left_by(others)

    async def _closed(self, run_id: str) -> None:
        """Wait until the engine, too, knows that a run has ended; its worker may have died."""
        for _ in range(round(CLOSE_S / POLL_S)):
            if not (await self.engine.open([run_id])).get(run_id):
                return
            await asyncio.sleep(POLL_S)

    def let_go(self) -> None:
        """Stop every run of this process, and everything that follows runs of other processes.

        The runs that can continue elsewhere do so.
        """
        self.traces.end_tails()
        self.closing = self.closing or self._engine is not None
        for following in list(self._following):
            cancel_begun(following)
        for run_id, hosted in list(self.hosted.items()):
            hosted.stop(leaving=not self.ends_here(run_id))

    async def close(self) -> None:
        """Hand over what is under way, and end; a second call waits for the same end."""
        if self._closing is None or self._closing.done():
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._start:
            await asyncio.wait([self._start])
        if self._engine is None:
            return
        engine, stopped = self._engine, dict(self.hosted)
        self.let_go()
        if stopped:
            await asyncio.wait([hosted.task for hosted in stopped.values()], timeout=CLOSE_S)
        for run_id in filter(self.ends_here, list(self.held)):
            with contextlib.suppress(StorageError):  # one that the engine has not begun with
                await requests.cancel(self.traces, self.board, run_id)
        for task in list(self._tasks):
            cancel_begun(task)
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await engine.close(partial(self.board.hand_back, worker=engine.worker))
            await self.board.leave(engine.worker)
        except StorageError as error:
            _LOG.warning("runs could not be handed over, and are taken up later: %s", error)
        finally:
            self._engine = None


async def _end_unbegun(run: RunOf[Any]) -> None:
    """End a run for those who wait here; the database is told when it can be."""
    log = run.session.log
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
        run.settle()
