"""The runs and the workers of a database as whoever operates them sees them; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepcritical.domain.errors import StorageError
from deepcritical.services.database import BUSY_S, Database

if TYPE_CHECKING:
    import sqlalchemy as sa

    from deepcritical.domain.operations import RunCount, StuckRun, WaitingRuns, WorkerState

__all__ = ["Operations", "ReadOnlyDatabase"]

DAY_S = 86_400.0


class ReadOnlyDatabase(Database):
    """A database that is neither made nor migrated here, and that refuses to be written."""

    def _migrated(self) -> sa.Engine:
        from deepcritical.services import engines
        from deepcritical.services.migrations.runner import check

        if self._file and not self._file.exists():
            raise StorageError(
                f"There is no database {self.name}: no run was kept there yet.",
                "Name another one in DATABASE_URL.",
            )
        engine = engines.reading_engine_of(self._url, busy_s=BUSY_S)

        def attempt() -> None:
            with engine.connect() as connection:
                check(connection)

        try:
            self._retried(attempt)
        except BaseException:
            engine.dispose()
            raise
        return engine


class Operations:
    """Reads what there is to see of runs and workers, of all users.

    Every method raises StorageError when the database cannot be read, or is of another version.

    Args:
        database: Where they are.
        ttl_s: Seconds without a sign of life after which a worker is taken for dead.
        most_takeovers: Take-overs of a run after which it ends as failed.
    """

    def __init__(self, database: ReadOnlyDatabase, *, ttl_s: float, most_takeovers: int) -> None:
        self._database = database
        self._ttl_s = ttl_s
        self._most_takeovers = most_takeovers

    async def waiting(self) -> tuple[WaitingRuns, ...]:
        """The runs that wait for their first step, by user; the longest wait first."""
        from deepcritical.services import operations_queries

        return await self._database.read(operations_queries.select_waiting)

    async def workers(self) -> tuple[WorkerState, ...]:
        """The workers that were alive within the last minutes, the latest sign of life first."""
        from deepcritical.services import operations_queries

        return await self._database.read(
            lambda connection: operations_queries.select_workers(connection, self._ttl_s)
        )

    async def stuck(self, silent_s: float) -> tuple[StuckRun, ...]:
        """Runs to look at, one for each reason, the longest silent first.

        Args:
            silent_s: Seconds without an event from which on a run under way counts.
        """
        from deepcritical.services import operations_queries

        def work(connection: sa.Connection) -> tuple[StuckRun, ...]:
            known = operations_queries.select_workers(connection, self._ttl_s)
            return operations_queries.select_stuck(
                connection,
                {worker.name for worker in known if worker.alive},
                many_takeovers=self._most_takeovers - 1,
                silent_s=silent_s,
            )

        return await self._database.read(work)

    async def counts(self) -> tuple[RunCount, ...]:
        """How many runs that were asked within the last day are in which state, by tool."""
        from deepcritical.services import operations_queries

        return await self._database.read(
            lambda connection: operations_queries.select_counts(connection, DAY_S)
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._database.close()
