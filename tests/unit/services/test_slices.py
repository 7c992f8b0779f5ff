from __future__ import annotations

import asyncio
from collections.abc import Sequence

from deepcritical.services.tasks import in_slices


async def test_slices_are_in_order_and_whole() -> None:
    assert await in_slices(list, "abcde", 2) == [["a", "b"], ["c", "d"], ["e"]]
    assert await in_slices(list, "", 2) == []


async def test_the_loop_has_its_turn_before_every_slice() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def turns_so_far(part: Sequence[int]) -> int:
        del part
        return turns

    counting = asyncio.create_task(count())
    seen = await in_slices(turns_so_far, range(10), 1)
    counting.cancel()
    assert seen == sorted(set(seen))
