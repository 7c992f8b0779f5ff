"""Rate limits that all processes on one PostgreSQL share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import NamedTuple, TypeVar

from deepcritical.domain.errors import SearchError, StorageError
from deepcritical.services.storage.database import Database, Stored, engines, sa, schema

T = TypeVar("T")

_WINDOW_S = 1.05
"""Seconds for which a request counts, as `WINDOW_S` of the limiter of one process."""
_ON_ITS_WAY_S = 0.25
_LEASE_S = 5.0
"""How long a place is kept for a request that may not be sent yet. One that takes longer, or whose
process died, loses it."""
_LOOKED_AGAIN_S = 0.1
_FREED_WITHIN_S = 1.0


class SharedLimits(Stored):
    """The limits in one database, by its clock. Close them."""

    def of(self, host: str, per_second: int) -> SharedLimiter:
        """The limiter of a host, for so many requests within any second."""
        return SharedLimiter(self.database, f"{host} {per_second}/s", per_second)


class SharedLimiter:
    """Gives the places at one host; made by `SharedLimits`.

    Who asks has a turn first: a moment at an even distance from the one before, so that the runs of
    all processes go in the order in which they asked. Then he takes a place, a row whose time has
    come. It is free again a second after the request was surely there, as within one process (see
    `tools/rate_limiter`). Nothing is held while anything is waited for.
    """

    def __init__(self, database: Database, name: str, per_second: int) -> None:
        self._database = database
        self._name = name
        self._distance_s = _WINDOW_S / per_second
        self._places = tuple(f"{name} #{number}" for number in range(per_second))

    async def place(self) -> SharedPlace:
        """Wait until one request may be sent; raises SearchError without the database."""
        turn = partial(_turn, name=self._name, distance_s=self._distance_s)
        await asyncio.sleep(await self._asked(turn))
        while True:
            taken = await self._asked(partial(_take, places=self._places))
            if isinstance(taken, _Held):
                return SharedPlace(self._database, taken)
            await asyncio.sleep(min(max(taken, 0.0), _LOOKED_AGAIN_S))

    async def _asked(self, work: Callable[[sa.Connection], T]) -> T:
        try:
            return await self._database.at_once(work)
        except StorageError as error:
            raise SearchError(
                f"Nothing is asked without the limit that all workers share. {error.message}",
                error.advice,
            ) from error


class _Held(NamedTuple):
    """A place that is taken, and until when: who comes back after that finds another time there."""

    name: str
    until: float


class SharedPlace:
    """A request's place at its host. Where the database is away, the place ends with its lease."""

    def __init__(self, database: Database, held: _Held) -> None:
        self._database = database
        self._held = held

    async def sent(self) -> None:
        """The request is written."""
        await self._free_in(_ON_ITS_WAY_S + _WINDOW_S)

    async def ended(self) -> None:
        """An answer was read, or it failed."""
        await self._free_in(_WINDOW_S)

    async def _free_in(self, seconds: float) -> None:
        work = partial(_free, held=self._held, seconds=seconds)
        with suppress(StorageError, TimeoutError):
            async with asyncio.timeout(_FREED_WITHIN_S):
                until = await self._database.at_once(work)
                self._held = self._held._replace(until=until)


def _turn(connection: sa.Connection, *, name: str, distance_s: float) -> float:
    """Seconds until the next moment, which is reserved."""
    given = {"name": name, "distance_s": distance_s}
    moment, now = connection.execute(_turns(), given).one()
    return max(0.0, float(moment) - float(now))


def _take(connection: sa.Connection, *, places: tuple[str, ...]) -> _Held | float:
    """A place that was free, taken; else seconds until one is, as far as is known."""
    rate_limits = schema.rate_limits
    mine = rate_limits.c.name.in_(places)
    free = (
        sa.select(rate_limits.c.name)
        .where(mine, rate_limits.c.free_at <= _now())
        .order_by(rate_limits.c.free_at)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    taking = sa.update(rate_limits).where(rate_limits.c.name == free)
    taking = taking.values(free_at=_now() + _LEASE_S).returning(
        rate_limits.c.name, rate_limits.c.free_at
    )
    if row := connection.execute(taking).one_or_none():
        return _Held(*row)
    known = sa.select(sa.func.count(), sa.func.min(rate_limits.c.free_at) - _now()).where(mine)
    number, wait_s = connection.execute(known).one()
    if number < len(places):
        rows = [{"name": place, "free_at": 0.0} for place in places]
        connection.execute(
            engines.inserting(connection, rate_limits).on_conflict_do_nothing(), rows
        )
        return 0.0
    return float(wait_s)


def _free(connection: sa.Connection, *, held: _Held, seconds: float) -> float:
    """Let a place be free after some seconds, or when it already was to be; until when it is held.

    One that was lost meanwhile stays as it is.
    """
    rate_limits = schema.rate_limits
    free_at = sa.func.least(rate_limits.c.free_at, _now() + seconds)
    row = sa.and_(rate_limits.c.name == held.name, rate_limits.c.free_at == held.until)
    changed = sa.update(rate_limits).where(row).values(free_at=free_at)
    until = connection.execute(changed.returning(rate_limits.c.free_at)).scalar_one_or_none()
    return held.until if until is None else float(until)


def _now() -> sa.ColumnElement[float]:
    """The database's time: clock_timestamp(), as now() is when the transaction began."""
    return sa.func.extract("epoch", sa.func.clock_timestamp()).cast(sa.Double)


@cache
def _turns() -> sa.Executable:
    from sqlalchemy.dialects.postgresql import insert

    rate_limits = schema.rate_limits
    distance = sa.bindparam("distance_s", type_=sa.Double)
    row = insert(rate_limits).values(name=sa.bindparam("name"), free_at=_now() + distance)
    taken = row.on_conflict_do_update(
        index_elements=[rate_limits.c.name],
        set_={"free_at": sa.func.greatest(rate_limits.c.free_at, _now()) + distance},
    )
    return taken.returning(rate_limits.c.free_at - distance, _now())
