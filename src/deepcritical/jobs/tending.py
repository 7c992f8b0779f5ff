"""What a worker does beside its runs: signs of life, users, and what others left."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass

from deepcritical.domain.errors import (
    BudgetExceeded,
    DeepCriticalError,
    StorageError,
    TraceEndedError,
    TraceNotFoundError,
)
from deepcritical.jobs.engine import Engine
from deepcritical.jobs.hosting import Hosting
from deepcritical.services.job_board import JobBoard
from deepcritical.services.tool_trace_service import ToolTraceService

__all__ = ["TTL_S", "Tending"]

_LOG = logging.getLogger(__name__)
TTL_S = 15.0
"""Seconds without a sign of life after which a worker is taken for dead."""
TICK_S = 0.2
"""How often users are heard: what they stop is stopped within a second."""


@dataclass
class Tending:
    """Tends the runs of one worker.

    Args:
        board: The jobs.
        traces: The runs.
        engine: Hands runs out.
        hosting: Conducts those of this worker.
        ttl_s: See TTL_S.
    """

    board: JobBoard
    traces: ToolTraceService
    engine: Engine
    hosting: Hosting
    ttl_s: float = TTL_S

    async def forever(self) -> None:
        """Until it is cancelled; a database that is away for a while ends nothing."""
        last = time.monotonic()
        while True:
            await asyncio.sleep(TICK_S)
            try:
                await self._hear()
                if time.monotonic() - last > self.ttl_s / 5:
                    await self.sweep()
                    last = time.monotonic()
            except StorageError as error:
                _LOG.warning("runs are not tended for the moment: %s", error)

    async def _hear(self) -> None:
        here = dict(self.hosting.hosted)
        if not here:
            return
        for run_id, signals in (await self.board.signals(tuple(here))).items():
            here[run_id].write_now |= signals.write_now
            if signals.cancel or signals.deleted:
                here[run_id].stop(leaving=False)
        for run_id in await self.engine.lost(tuple(here)):
            here[run_id].stop(leaving=True)

    async def sweep(self, *, first: bool = False) -> None:
        """Give a sign of life, and have the runs of dead workers taken up.

        Args:
            first: Whether this worker has no runs yet, so that those of its name are of a former
                process.
        """
        live = await self.board.beat(self.engine.worker, self.ttl_s)
        others = live - {self.engine.worker} if first else live
        # Those of its name the engine takes up itself: twice, they would count as lost twice.
        await self.engine.take_over(live)
        for run_id in await self.board.left_by(others):
            await self._recover(run_id)
        for run_id in await self.board.overdue():
            if run_id not in self.hosting.hosted:
                late = BudgetExceeded(
                    "The run waited too long for its turn.", "Ask the question again later."
                )
                await self._fail(run_id, late)

    async def _recover(self, run_id: str) -> None:
        """Hand out a run whose worker died before it did, or end one that nobody can go on with."""
        standing = await self.engine.standing(run_id)
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
