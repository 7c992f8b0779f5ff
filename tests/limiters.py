"""Limiters of tests: one that notes its places, and one that has few of them."""

from __future__ import annotations

import asyncio

from deepcritical.tools.rate_limiter import Limiter, Place, new_limiter


class Noted:
    """Notes when it gives a place: what comes after may be long on its way."""

    def __init__(self, limiter: Limiter) -> None:
        self.asked = 0
        self.times: list[float] = []
        self._limiter = limiter

    async def place(self) -> Place:
        self.asked += 1
        place = await self._limiter.place()
        self.times.append(asyncio.get_running_loop().time())
        return place


class Once:
    """Gives one place, and no other for as long as any test takes."""

    def __init__(self) -> None:
        self._given = False

    async def place(self) -> Place:
        if self._given:
            await asyncio.Event().wait()
        self._given = True
        return await new_limiter(1).place()
