"""Does a worker's tasks beside its runs: heartbeats, requests of users, runs of dead workers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Mapping

from deepcritical.domain import errors
from deepcritical.jobs.hosting import AWAY_S, Worker

_LOG = logging.getLogger(__name__)
TTL_S = 15.0
"""Seconds without a heartbeat after which a worker counts as dead."""
TICK_S = 0.2
"""Interval at which requests of users are read: a cancelled run stops within a second."""
PRUNE_EVERY_S = 10.0
PRUNE_AFTER_S = 600.0
"""Time that the journal of a completed run is kept for inspection."""


class Upkeep:
    """The repeated tasks of one worker."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._board, self._traces, self._engine = worker.board, worker.traces, worker.engine
        self._beaten = time.monotonic()
        self._patient_until = 0.0
        self._idle: frozenset[str] = frozenset()
        """Runs that the last sweep found given to this worker, which has not begun with them."""

    async def forever(self) -> None:
        """Repeat the tasks until cancelled; a database that is away for a while ends nothing.

        The tasks are separate because the engine retries a database that was away only now and
        then, and heartbeats must not wait for that.
        """
        async with asyncio.TaskGroup() as together:
            for every_s, work in (
                (TICK_S, self._hear),
                (TICK_S, self._leave_lost),
                (self._worker.ttl_s / 5, self._beat),
                (self._worker.ttl_s / 5, self.sweep),
                (PRUNE_EVERY_S, self.prune),
            ):
                together.create_task(_repeated(every_s, work))

    async def _hear(self) -> None:
        if here := dict(self._worker.hosted):
            for run_id, signals in (await self._board.signals(tuple(here))).items():
                here[run_id].write_now |= signals.write_now
                if signals.cancel or signals.deleted:
                    here[run_id].stop(leaving=False)

    async def _leave_lost(self) -> None:
        here = dict(self._worker.hosted)
        for run_id in await self._engine.lost(tuple(here)):
            here[run_id].stop(leaving=True)

    async def _beat(self) -> frozenset[str]:
        """Send a heartbeat; return the workers that are alive."""
        live = await self._worker.beat(self._engine.worker)
        now = time.monotonic()
        if now - self._beaten > self._worker.ttl_s / 2:
            # The database was away, perhaps for all, or this process was suspended: every worker
            # gets the time for a heartbeat before it counts as dead.
            self._patient_until = now + self._worker.ttl_s
        self._beaten = now
        return live

    async def sweep(self, *, first: bool = False) -> None:
        """Send a heartbeat, and have the runs of dead workers taken over.

        At `first` this worker has no runs, and those under its name belong to a former process.
        """
        # Read before the live workers: a worker that begins meanwhile is then among those.
        under_way = await self._engine.under_way()
        live = await self._beat()
        if time.monotonic() < self._patient_until:
            return
        others = live - {self._engine.worker} if first else live
        await self._board.note_losses(live)
        left = await self._board.left_by(others)
        idle = self._still_idle(under_way)
        for run_id in idle:
            await self._board.hand_back(run_id, self._engine.worker)  # no worker was lost
        # The engine takes up those of its own name: twice, they would count as lost twice.
        await self._engine.take_over(
            {i: worker for i, worker in under_way.items() if worker not in live or i in idle}
        )
        await self._recover(left)
        for run_id in await self._board.overdue():
            if run_id not in self._worker.hosted:
                late = errors.BudgetExceeded(
                    "The run waited too long for its turn.", "Ask the question again later."
                )
                await self._fail(run_id, late)

    async def prune(self, ended_s: float = PRUNE_AFTER_S) -> None:
        """Remove journals of runs completed `ended_s` seconds ago, and what is past its keeping."""
        completed = await self._board.prunable(ended_s)
        states = await self._engine.open(completed)
        if over := [run_id for run_id in completed if not states.get(run_id)]:
            await self._engine.forget(over)
            await self._board.pruned(over)
        for run_id in await self._board.outlived():
            await self._engine.forget([run_id])
            with contextlib.suppress(errors.TraceNotFoundError):  # another worker was faster
                user_id = (await self._traces.get_trace(run_id)).user_id
                await self._traces.delete(run_id, user_id=user_id)

    def _still_idle(self, under_way: Mapping[str, str]) -> frozenset[str]:
        """Return runs given to this worker for a whole sweep that it has not begun.

        The database noted that they are its own, and went away before it answered.
        """
        given = {i for i, worker in under_way.items() if worker == self._engine.worker}
        now = frozenset() if self._worker.closing else frozenset(given - self._worker.hosted.keys())
        before, self._idle = self._idle, now
        return now & before

    async def _recover(self, left: Collection[str]) -> None:
        """Queue runs whose worker died before it did so, or end those that cannot continue."""
        states = await self._engine.open(left)
        for run_id in left:
            if run_id not in states:
                user_id = (await self._traces.get_trace(run_id)).user_id
                await self._engine.enqueue(run_id, user_id)
            elif not states[run_id]:
                lost = errors.StorageError(
                    "The database did not take how the run ended.",
                    f"`deepcritical traces resume {run_id}` goes on with what is recorded.",
                )
                await self._fail(run_id, lost)

    async def _fail(self, run_id: str, error: errors.DeepCriticalError) -> None:
        with contextlib.suppress(
            errors.TraceEndedError, errors.TraceNotFoundError
        ):  # somebody was faster
            await self._traces.fail_trace(run_id, type(error).__name__, error.message, error.advice)


async def _repeated(every_s: float, work: Callable[[], Awaitable[object]]) -> None:
    while True:
        await asyncio.sleep(every_s)
        try:
            await work()
        except errors.StorageError as error:
            _LOG.warning("a task of the worker failed and is tried again: %s", error)
            await asyncio.sleep(AWAY_S)
        except Exception as error:  # noqa: BLE001 - without heartbeats all its runs would be lost
            _LOG.error("a task of the worker failed by a defect and is tried again", exc_info=error)
            await asyncio.sleep(AWAY_S)
