"""Work is brought to its end however often the caller is cancelled, and says so."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence

import pytest

from deepcritical.services.tasks import in_slices, to_the_end


async def _said(text: str) -> str:
    await asyncio.sleep(0.01)
    return text


async def _refused() -> None:
    await asyncio.sleep(0.01)
    raise ValueError("no")


async def test_it_gives_what_the_work_gives_or_raises() -> None:
    assert await to_the_end(_said("done")) == "done"
    with pytest.raises(ValueError, match="no"):
        await to_the_end(_refused())


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_who_is_cancelled_meanwhile_is_so_after_the_work(times: int) -> None:
    going_on, done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await going_on.wait()
        done.set()

    caller = asyncio.create_task(to_the_end(work()))
    for _ in range(times):
        await asyncio.sleep(0)
        caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    going_on.set()
    await asyncio.wait([caller])
    assert done.is_set()
    assert caller.cancelled()


async def test_an_error_of_the_work_comes_before_the_cancellation() -> None:
    caller = asyncio.create_task(to_the_end(_refused()))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(ValueError, match="no"):
        await caller


@pytest.mark.slow
async def test_who_is_cancelled_waits_no_longer_than_he_may_and_the_work_goes_on() -> None:
    going_on, done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await going_on.wait()
        done.set()

    caller = asyncio.create_task(to_the_end(work(), patience_s=0.05))
    await asyncio.sleep(0.2)
    assert not caller.done()  # who is not cancelled has time
    caller.cancel("by whom it is known")
    with pytest.raises(asyncio.CancelledError, match="by whom it is known"):
        await caller
    gc.collect()
    going_on.set()
    async with asyncio.timeout(5):
        await done.wait()


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
