"""What is brought to its end: however often the caller is cancelled, and it says so."""

from __future__ import annotations

import asyncio

import pytest

from deepcritical.services.finishing import to_the_end


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
