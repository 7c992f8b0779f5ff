"""Jobs in the database: which runs are to be conducted, by whom, and what their users want of them.

The engine records steps and hands runs out; what it does not know stands here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from deepcritical.domain.jobs import Begun, EngineRow, Signals
from deepcritical.domain.recipe import Recipe
from deepcritical.domain.traces import ToolTrace
from deepcritical.services.database import Database
from deepcritical.services.imports import Later
from deepcritical.services.uploads import delete_expired

if TYPE_CHECKING:
    from deepcritical.services import job_queries
else:  # a process that only shows itself must not wait for the database's library
    job_queries = Later("deepcritical.services.job_queries")


class JobBoard:
    """Writes and reads jobs. Every method may be called from any event loop.

    Every method raises StorageError when the database cannot be used.

    Args:
        database: Where they are, with the traces.
        queue_limit_s: Seconds that a run may wait for its first step.
        most_of_user: Runs of one user that may wait or be under way.
        keeping: Days for which the events of runs that have ended are kept, and the runs; None for
            ever.
    """

    def __init__(
        self,
        database: Database,
        *,
        queue_limit_s: float = 1800.0,
        most_of_user: int = 500,
        keeping: tuple[float | None, float | None] = (None, None),
    ) -> None:
        self._database = database
        self._queue_limit_s = queue_limit_s
        self._keeping = keeping
        self.most_of_user = most_of_user

    async def add(
        self, run_id: str, recipe: Recipe, asked: Mapping[str, Any], user_id: str, worker: str
    ) -> bool:
        """Take in a run, with its trace; False for one that another process has taken in.

        Raises:
            CapacityError: Its user has too many.
        """
        trace = ToolTrace(
            id=run_id,
            user_id=user_id,
            tool_name=recipe.tool,
            input_params=dict(asked),
            created_at=datetime.now(UTC),
        )
        limit_s, most = self._queue_limit_s, self.most_of_user
        return await self._database.write(
            lambda c: job_queries.insert_job(
                c, trace, recipe, worker, queue_limit_s=limit_s, most=most
            )
        )

    async def has(self, run_id: str) -> bool:
        """Whether an engine conducts, or conducted, the run."""
        return not (await self.signals([run_id]))[run_id].deleted

    async def begin(self, run_id: str, worker: str, given: EngineRow | None = None) -> Begun:
        """Take a run up.

        Args:
            run_id: The run.
            worker: Who does.
            given: What says that he was given the run, and still has it.

        Raises:
            TraceNotFoundError: It was deleted.
            TraceTakenError: It is another worker's by now.
        """
        return await self._database.write(lambda c: job_queries.begin(c, run_id, worker, given))

    async def hand_back(self, run_id: str, worker: str) -> None:
        """A worker gives a run out of its hands in good order."""
        await self._database.write(lambda c: job_queries.hand_back(c, run_id, worker))

    async def note_losses(self, live: Collection[str]) -> None:
        """Count the workers that are none of these against the runs that may have ended them."""
        await self._database.write(lambda c: job_queries.note_losses(c, live))

    async def lost_with_others(self, run_id: str) -> int:
        """How often a run was lost where it is, with a worker that had others, too."""
        return await self._database.read(lambda c: job_queries.lost_with_others(c, run_id))

    async def request(self, run_id: str, what: Literal["cancel", "write_now"]) -> bool:
        """Note what a user wants of a run; whether a worker has begun with it."""
        return await self._database.write(
            lambda c: job_queries.request(c, run_id, f"{what}_requested")
        )

    async def signals(self, run_ids: Collection[str]) -> dict[str, Signals]:
        """What users want of these runs."""
        return await self._database.read(lambda c: job_queries.select_signals(c, run_ids))

    async def queue_position(self, run_id: str) -> int | None:
        """The place of a run among those that wait, from 1 on; None for one that does not wait."""
        return await self._database.read(lambda c: job_queries.queue_position(c, run_id))

    async def overdue(self) -> tuple[str, ...]:
        """Runs that have waited for their first step for longer than they may."""
        return await self._database.read(lambda c: job_queries.select_overdue(c))

    async def left_by(self, live: Collection[str]) -> tuple[str, ...]:
        """Runs that have not ended, of workers that are none of these."""
        return await self._database.read(lambda c: job_queries.select_left(c, live))

    async def beat(self, worker: str, ttl_s: float, *, conducts: bool = True) -> frozenset[str]:
        """Give a sign of life; the workers that are alive.

        Args:
            worker: Who gives it.
            ttl_s: Seconds for which one counts.
            conducts: Whether he takes runs that wait.
        """
        return await self._database.write(
            lambda c: job_queries.beat(c, worker, ttl_s, conducts=conducts)
        )

    async def anybody_conducts(self, ttl_s: float) -> bool:
        """Whether a worker is alive that takes runs that wait."""
        return await self._database.read(lambda c: job_queries.anybody_conducts(c, ttl_s))

    async def leave(self, worker: str) -> None:
        """A worker ends in good order."""
        await self._database.write(lambda c: job_queries.leave(c, worker))

    async def reopen(self, run_id: str, worker: str) -> None:
        """Take the end off a run that failed or was cancelled; one without an end stays as it is.

        Args:
            run_id: The run.
            worker: Who sees to it that it goes on.

        Raises:
            TraceNotFoundError: Nothing is recorded of it.
            StorageError: It is completed.
        """
        limit = self._queue_limit_s
        await self._database.write(
            lambda c: job_queries.reopen(c, run_id, worker, queue_limit_s=limit)
        )

    async def prunable(self, ended_s: float) -> tuple[str, ...]:
        """Runs that were completed so many seconds ago, and whose journal is still there."""
        return await self._database.read(lambda c: job_queries.select_prunable(c, ended_s))

    async def pruned(self, run_ids: Sequence[str]) -> None:
        """The journal of these runs is removed."""
        await self._database.write(lambda c: job_queries.note_pruned(c, run_ids))

    async def outlived(self) -> tuple[str, ...]:
        """Runs that ended longer ago than runs are kept; removes what else is kept no longer."""
        events_days, runs_days = self._keeping
        await self._database.write(lambda c: delete_expired(c))
        if events_days is not None:
            await self._database.write(lambda c: job_queries.delete_old_events(c, events_days))
        if runs_days is None:
            return ()
        return await self._database.read(lambda c: job_queries.select_outlived(c, runs_days))
