"""Limits on requests that all processes of one PostgreSQL share."""

from __future__ import annotations

import asyncio
import time
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from deepcritical.domain.errors import SearchError, StorageError
from deepcritical.services.database import Database

if TYPE_CHECKING:
    import sqlalchemy as sa

__all__ = ["SharedLimiter", "SharedLimits"]

_WINDOW_S = 1.1
"""What is above a second is for the way to the host: more than within one process, as machines with
several workers are busy ones."""
_SLACK_S = 0.05
"""How late a permit may be used: the next ones keep so much distance from it."""
_COMPARED = 50
"""Answers of the database by which its clock is known; clocks drift apart by less meanwhile."""


class SharedLimits:
    """The limits in one database, by its clock. Close them.

    Args:
        database: PostgreSQL.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._clock = _Clock()

    def of(self, host: str, per_second: int) -> SharedLimiter:
        """The limiter of a host, for so many requests within any second."""
        return SharedLimiter(self._database, self._clock, f"{host} {per_second}/s", per_second)

    async def close(self) -> None:
        """Close the database."""
        await self._database.close()


class SharedLimiter:
    """Gives permits at even distances, to who asks first; made by `SharedLimits`.

    A permit is a moment that one statement reserves, so nothing is held while it is waited for, and
    who dies leaves one moment unused. Who comes too late for it, by more than was reserved, asks
    for another one with more room: the rate is kept, however slow database and process are.
    """

    def __init__(self, database: Database, clock: _Clock, name: str, per_second: int) -> None:
        self._database = database
        self._clock = clock
        self._name = name
        self._distance_s = (_WINDOW_S + _SLACK_S) / per_second

    async def try_acquire_async(self, _name: str = "") -> bool:
        """Return True when one request may be sent at once; a name changes nothing.

        Raises:
            SearchError: The database cannot be used.
        """
        slack_s = _SLACK_S
        while (late_s := await self._missed(slack_s)) > slack_s:
            slack_s = 2 * late_s
        return True

    async def _missed(self, slack_s: float) -> float:
        """Wait for a moment that is reserved; by how many seconds it was missed, at most."""
        moment = await self._reserved(slack_s)
        await asyncio.sleep(moment - self._clock.earliest())
        return self._clock.latest() - moment

    async def _reserved(self, slack_s: float) -> float:
        """From when on a permit may be used; seconds of the database's clock."""
        distance_s = self._distance_s + slack_s - _SLACK_S
        work = partial(_reserve, name=self._name, distance_s=distance_s)
        try:
            answer = await self._database.at_once(work)
        except StorageError as error:
            raise SearchError(
                f"Nothing is asked without the limit that all workers share. {error.message}",
                error.advice,
            ) from error
        self._clock.compare(answer)
        return answer.moment


class _Answer(NamedTuple):
    """A moment that is reserved, and what the clocks said."""

    moment: float
    database_s: float
    asked_s: float
    """Of this process's monotonic clock, before `database_s`."""
    answered_s: float
    """After it."""


class _Clock:
    """The clock of the database, between two bounds: by each answer, and by all of the last ones.

    One answer alone may have been long on its way.
    """

    def __init__(self) -> None:
        # Replaced as a whole: runs may be in several event loops.
        self._bounds: tuple[tuple[float, float], ...] = ()

    def compare(self, answer: _Answer) -> None:
        """Take in what an answer says."""
        now = answer.database_s - answer.answered_s, answer.database_s - answer.asked_s
        bounds = self._bounds[1 - _COMPARED :]
        if any(now[1] < low or now[0] > high for low, high in bounds):
            bounds = ()  # one of the clocks was set
        self._bounds = (*bounds, now)

    def earliest(self) -> float:
        """What it shows at least."""
        return time.monotonic() + self._lowest()

    def latest(self) -> float:
        """What it shows at most."""
        return time.monotonic() + self._highest()

    def _lowest(self) -> float:
        return max(low for low, _ in self._bounds)

    def _highest(self) -> float:
        return min(high for _, high in self._bounds)


def _reserve(connection: sa.Connection, *, name: str, distance_s: float) -> _Answer:
    asked_s = time.monotonic()
    given = {"name": name, "distance_s": distance_s}
    moment, database_s = connection.execute(_statement(), given).one()
    return _Answer(moment, database_s, asked_s, time.monotonic())


@cache
def _statement() -> sa.Executable:
    import sqlalchemy as sa
    from sqlalchemy.dialects.postgresql import insert

    from deepcritical.services.trace_tables import rate_limits

    # clock_timestamp(), as now() is when the statement began and not when it got the row.
    now = sa.func.extract("epoch", sa.func.clock_timestamp()).cast(sa.Double)
    distance = sa.bindparam("distance_s", type_=sa.Double)
    row = insert(rate_limits).values(name=sa.bindparam("name"), free_at=now + distance)
    taken = row.on_conflict_do_update(
        index_elements=[rate_limits.c.name],
        set_={"free_at": sa.func.greatest(rate_limits.c.free_at, now) + distance},
    )
    return taken.returning(rate_limits.c.free_at - distance, now)
