"""Sends the events of a run as server-sent events."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime

from fastapi.responses import StreamingResponse
from starlette.types import Send

from deepcritical.domain.errors import StorageError
from deepcritical.interfaces.render import told
from deepcritical.jobs.run import RunView
from deepcritical.services.tasks import going_on

_LOG = logging.getLogger(__name__)
RECONNECT_MS = 1500
"""Time that a browser waits before it takes up a broken stream."""
PING_S = 15.0
"""Silence after which a comment is sent, so that no proxy closes the stream."""
_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
"""With them no proxy collects events before it hands them on."""


class EventStream(StreamingResponse):
    """Blocks of server-sent events as they come; their source is closed when the reader leaves.

    A source that is only forgotten goes on until the memory is next tidied up, which may be long.
    """

    media_type = "text/event-stream"

    def __init__(self, blocks: AsyncGenerator[str, None]) -> None:
        self._kept = _kept_alive(blocks)
        super().__init__(self._kept, headers=_HEADERS)

    async def stream_response(self, send: Send) -> None:
        """Send the blocks up to the last one, or until the reader is gone."""
        async with aclosing(self._kept):
            await super().stream_response(send)


async def run_blocks(run: RunView, after: int) -> AsyncGenerator[str, None]:
    """The events of a run above a number, as they come, up to the terminal one.

    They end where the database gives no more of them.
    """
    yield f"retry: {RECONNECT_MS}\n\n"
    try:
        async for logged in run.tail(after):
            fields = logged.model_dump(mode="json", exclude={"run_id"})
            shown = {"text": told(logged), "now": datetime.now(UTC).isoformat()}
            data = json.dumps(fields | shown, ensure_ascii=False)
            yield f"id: {logged.seq}\ndata: {data}\n\n"
    except StorageError as error:
        # The browser asks again in a moment, and then learns why by the status of the answer.
        _LOG.warning("a stream of events ended: %s", error)


async def _kept_alive(blocks: AsyncGenerator[str, None]) -> AsyncGenerator[str]:
    """The blocks of a stream as they come, and a ping after `PING_S` without one."""
    ahead = asyncio.ensure_future(anext(blocks, None))
    try:
        while True:
            await asyncio.wait([ahead], timeout=PING_S)
            if not ahead.done():
                yield ": ping\n\n"
                continue
            if (block := ahead.result()) is None:
                return
            yield block
            ahead = asyncio.ensure_future(anext(blocks, None))
    finally:
        ahead.cancel()
        # Not awaited here: who cancels a response does so again at each of its waits.
        going_on(_closed(ahead, blocks))


async def _closed(ahead: asyncio.Future[str | None], blocks: AsyncGenerator[str, None]) -> None:
    await asyncio.wait([ahead])
    await blocks.aclose()
