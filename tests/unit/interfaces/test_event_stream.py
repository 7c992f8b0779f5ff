"""A stream of events leaves nothing behind when its reader goes."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, Iterator, MutableMapping
from typing import Any

import pytest

from deepcritical.interfaces.rest.event_stream import EventStream

SOON_S = 30.0
"""On a busy machine; what is not closed at once never is."""


@pytest.fixture(autouse=True)
def _nothing_is_tidied_up() -> Iterator[None]:
    """The collector of garbage would close a forgotten source, at some time."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("blocks", [0, 1, 2])
@pytest.mark.parametrize("reads", [1, 2, 9])
@pytest.mark.parametrize("version", ["2.3", "2.4"])
async def test_the_source_is_closed_wherever_it_and_its_reader_were(
    blocks: int, reads: int, version: str
) -> None:
    """So many blocks come at once and then no more; the reader takes so many parts, and is gone."""
    closed, gone, all_taken = asyncio.Event(), asyncio.Event(), asyncio.Event()
    expected = min(blocks, reads) + 1
    taken: list[MutableMapping[str, Any]] = []

    async def source() -> AsyncGenerator[str, None]:
        try:
            for number in range(blocks):
                yield f"data: {number}\n\n"
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # closing may take a while
            closed.set()

    async def send(part: MutableMapping[str, Any]) -> None:
        taken.append(part)
        if len(taken) == expected:
            all_taken.set()
        if len(taken) > reads:
            gone.set()
            await asyncio.sleep(0.01)
            raise OSError("the reader is gone")

    async def receive() -> MutableMapping[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    scope = {"type": "http", "asgi": {"spec_version": version}}
    answering = asyncio.create_task(EventStream(source())(scope, receive, send))
    async with asyncio.timeout(SOON_S):
        await all_taken.wait()
    await asyncio.wait([answering], timeout=0.05)
    answering.cancel()
    await asyncio.wait([answering])
    async with asyncio.timeout(SOON_S):
        await closed.wait()
    assert len(taken) == expected
