"""Stores jobs in the database: the runs to execute, their workers and the users' signals.

The engine records steps and hands runs out; what it does not know stands here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.recipe import Recipe
from deepcritical.domain.tool.traces import ToolTrace
from deepcritical.services.imports import Later
from deepcritical.services.storage.database import Database, Stored, reads, writes
from deepcritical.services.storage.uploads import delete_expired

if TYPE_CHECKING:
    from deepcritical.services.storage import job_queries
else:  # a process that only shows itself must not wait for the database's library
    job_queries = Later("deepcritical.services.storage.job_queries")


class JobBoard(Stored):
    """Writes and reads jobs. Every method may be called from any event loop.

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
        super().__init__(database)
        self._queue_limit_s = queue_limit_s
        self._keeping = keeping
        self.most_of_user = most_of_user

    alive = reads(job_queries.alive)
    anybody_conducts = reads(job_queries.anybody_conducts)
    beat = writes(job_queries.beat)
    begin = writes(job_queries.begin)
    hand_back = writes(job_queries.hand_back)
    leave = writes(job_queries.leave)
    left_by = reads(job_queries.select_left)
    lost_with_others = reads(job_queries.lost_with_others)
    note_losses = writes(job_queries.note_losses)
    overdue = reads(job_queries.select_overdue)
    prunable = reads(job_queries.select_prunable)
    pruned = writes(job_queries.note_pruned)
    queue_position = reads(job_queries.queue_position)
    request = writes(job_queries.request)
    signals = reads(job_queries.select_signals)

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
        return await self.database.write(
            lambda c: job_queries.insert_job(
                c, trace, recipe, worker, queue_limit_s=limit_s, most=most
            )
        )

    async def has(self, run_id: str) -> bool:
        """Return whether an engine conducts, or conducted, the run."""
        return not (await self.signals([run_id]))[run_id].deleted

    async def reopen(self, run_id: str, worker: str) -> None:
        """Take the end off a run; see `job_queries.reopen`."""
        limit = self._queue_limit_s
        await self.database.write(
            lambda c: job_queries.reopen(c, run_id, worker, queue_limit_s=limit)
        )

    async def outlived(self) -> tuple[str, ...]:
        """Runs that ended longer ago than runs are kept; removes what else is kept no longer."""
        events_days, runs_days = self._keeping
        await self.database.write(lambda c: delete_expired(c))
        if events_days is not None:
            await self.database.write(lambda c: job_queries.delete_old_events(c, events_days))
        if runs_days is None:
            return ()
        return await self.database.read(lambda c: job_queries.select_outlived(c, runs_days))


LOCAL_WORKER = "local"
"""The first process on a file: the next one of this name goes on at once with what it left."""


class WorkerName:
    """The name of a worker, for as long as it lives.

    A second process of the same name would take the runs of the first away from it, so the name of
    a file's first process is bound to a lock, which the system lifts even when a process is killed.
    """

    def __init__(self, file: Path | None) -> None:
        self._lock = _locked(file.with_name(f"{file.name}.lock")) if file else None
        self.name = str(uuid4()) if self._lock is None else LOCAL_WORKER

    def close(self) -> None:
        """Give the name back."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(path: Path) -> int | None:
    """The descriptor of a file that is locked; None where another process has it."""
    try:
        import fcntl
    except ImportError:  # not a system with such locks: every process has a name of its own
        return None
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(
            f"The database of runs cannot be locked: {path}: {error.strerror}.",
            "Name a file in a folder that can be written in DATABASE_URL.",
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
