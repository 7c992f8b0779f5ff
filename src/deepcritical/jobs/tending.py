"""What a worker does beside its runs: signs of life, users, and what others left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from deepcritical.domain.errors import (
    BudgetExceeded,
    DeepCriticalError,
    StorageError,
    TraceEndedError,
    TraceNotFoundError,
)
from deepcritical.jobs.hosting import Hosting
from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService

if TYPE_CHECKING:
    from deepcritical.jobs.dbos_engine import DbosEngine

__all__ = ["TTL_S", "Tending"]

_LOG = logging.getLogger(__name__)
TTL_S = 15.0
"""Seconds without a sign of life after which a worker is taken for dead."""
TICK_S = 0.2
"""How often users are heard: what they stop is stopped within a second."""
PRUNE_EVERY_S = 10.0
PRUNE_AFTER_S = 600.0
"""How long the journal of a completed run is left, for whoever wants to look into it."""
AWAY_S = 1.0
"""How long a database that is away is left alone."""


@dataclass
class Tending:
    """Tends the runs of one worker.

    Args:
        board: The jobs.
        traces: The runs.
        engine: Hands runs out.
        hosting: Conducts those of this worker.
        ttl_s: See TTL_S.
        conducts: Whether this worker takes runs that wait.
    """

    board: JobBoard
    traces: ToolTraceService
    engine: DbosEngine
    hosting: Hosting
    ttl_s: float = TTL_S
    conducts: bool = True
    _beaten: float = field(default_factory=time.monotonic)
    _patient_until: float = 0.0
    _idle: frozenset[str] = frozenset()
    """Runs that the last sweep found handed to this worker, which has not begun with them."""

    async def forever(self) -> None:
        """Until it is cancelled; a database that is away for a while ends nothing.

        Nothing waits for anything else here: the engine asks a database that was away for long only
        now and then, and signs of life must not wait for that.
        """
        async with asyncio.TaskGroup() as together:
            for every_s, work in (
                (TICK_S, self._hear),
                (TICK_S, self._leave_lost),
                (self.ttl_s / 5, self._beat),
                (self.ttl_s / 5, self.sweep),
                (PRUNE_EVERY_S, self.prune),
            ):
                together.create_task(_repeated(every_s, work))

    async def _hear(self) -> None:
        here = dict(self.hosting.hosted)
        if not here:
            return
        for run_id, signals in (await self.board.signals(tuple(here))).items():
            here[run_id].write_now |= signals.write_now
            if signals.cancel or signals.deleted:
                here[run_id].stop(leaving=False)

    async def _leave_lost(self) -> None:
        here = dict(self.hosting.hosted)
        if not here:
            return
        for run_id in await self.engine.lost(tuple(here)):
            here[run_id].stop(leaving=True)

    async def _beat(self) -> frozenset[str]:
        """Give a sign of life; the workers that are alive."""
        worker = self.engine.worker
        live = await self.board.beat(worker, self.ttl_s, conducts=self.conducts)
        now = time.monotonic()
        if now - self._beaten > self.ttl_s / 2:
            # The database was away, perhaps for all, or this process was suspended: whoever is
            # there gets the time for a sign of life before he is taken for dead.
            self._patient_until = now + self.ttl_s
        self._beaten = now
        return live

    async def sweep(self, *, first: bool = False) -> None:
        """Give a sign of life, and have the runs of dead workers taken up.

        Args:
            first: Whether this worker has no runs yet, so that those of its name are of a former
                process.
        """
        # Before it is asked who is alive: a worker that begins meanwhile is then known to be.
        under_way = await self.engine.under_way()
        live = await self._beat()
        if time.monotonic() < self._patient_until:
            return
        others = live - {self.engine.worker} if first else live
        await self.board.note_losses(live)
        left = await self.board.left_by(others)
        idle = self._still_idle(under_way)
        for run_id in idle:
            await self.board.hand_back(run_id, self.engine.worker)  # no worker was lost
        # Those of its name the engine takes up itself: twice, they would count as lost twice.
        await self.engine.take_over(
            {i: worker for i, worker in under_way.items() if worker not in live or i in idle}
        )
        await self._recover(left)
        for run_id in await self.board.overdue():
            if run_id not in self.hosting.hosted:
                late = BudgetExceeded(
                    "The run waited too long for its turn.", "Ask the question again later."
                )
                await self._fail(run_id, late)

    async def prune(self, ended_s: float = PRUNE_AFTER_S) -> None:
        """Remove what is of no use any more: journals of completed runs, and what is too old.

        Args:
            ended_s: How long ago a run must have been completed.
        """
        standings = await self.engine.standings(await self.board.prunable(ended_s))
        over = [run_id for run_id, standing in standings.items() if standing != "open"]
        for run_id in over:
            await self.engine.forget(run_id)
        if over:
            await self.board.pruned(over)
        for run_id in await self.board.outlived():
            await self.engine.forget(run_id)
            with contextlib.suppress(TraceNotFoundError):  # another one was faster
                user_id = (await self.traces.get_trace(run_id)).user_id
                await self.traces.delete(run_id, user_id=user_id)

    def _still_idle(self, under_way: Mapping[str, str]) -> frozenset[str]:
        """Runs that this worker was given for a whole sweep without beginning with them.

        The database took that they are its own, and went away before it said so.
        """
        given = {i for i, worker in under_way.items() if worker == self.engine.worker}
        now = frozenset() if self.hosting.closing else frozenset(given - self.hosting.hosted.keys())
        before, self._idle = self._idle, now
        return now & before

    async def _recover(self, left: Collection[str]) -> None:
        """Hand out runs whose worker died before it did, or end those that cannot go on."""
        for run_id, standing in (await self.engine.standings(left)).items():
            if standing == "unknown":
                user_id = (await self.traces.get_trace(run_id)).user_id
                await self.engine.enqueue(run_id, user_id)
            elif standing == "ended":
                lost = StorageError(
                    "The database did not take how the run ended.",
                    f"`deepcritical traces resume {run_id}` goes on with what is recorded.",
                )
                await self._fail(run_id, lost)

    async def _fail(self, run_id: str, error: DeepCriticalError) -> None:
        with contextlib.suppress(TraceEndedError, TraceNotFoundError):  # somebody was faster
            await self.traces.fail_trace(run_id, type(error).__name__, error.message, error.advice)


async def _repeated(every_s: float, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            await work()
        except StorageError as error:
            _LOG.warning("runs are not tended for the moment: %s", error)
            await asyncio.sleep(AWAY_S)
        except Exception as error:  # noqa: BLE001 - without signs of life all its runs would be lost
            _LOG.error("runs are not tended for the moment, by a defect", exc_info=error)
            await asyncio.sleep(AWAY_S)
