"""The events of a run as they go over HTTP: as a stream, or those so far as JSON."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime

from deepcritical.domain.errors import StorageError
from deepcritical.domain.events import LoggedEvent
from deepcritical.domain.markdown import visible
from deepcritical.interfaces.render import describe
from deepcritical.jobs.stored_runs import RunView

__all__ = ["PING_S", "RECONNECT_MS", "STREAM_HEADERS", "event_stream", "kept_alive", "told"]

_LOG = logging.getLogger(__name__)
RECONNECT_MS = 1500
"""How long a browser waits before it takes up a broken stream."""
PING_S = 15.0
"""Silence after which a comment is sent, so that no proxy closes the stream."""
STREAM_HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
"""With them no proxy collects events before it hands them on."""


def told(logged: LoggedEvent) -> str:
    """What happened, in a line for people."""
    return visible(describe(logged.event))


async def event_stream(run: RunView, after: int) -> AsyncIterator[str]:
    """Server-sent events above a number, as they come, up to the terminal one."""
    yield f"retry: {RECONNECT_MS}\n\n"
    async for block in kept_alive(_blocks(run, after)):
        yield block


async def _blocks(run: RunView, after: int) -> AsyncIterator[str]:
    """Each event; they end where the database gives no more of them."""
    try:
        async for logged in run.tail(after):
            yield f"id: {logged.seq}\ndata: {_as_data(logged)}\n\n"
    except StorageError as error:
        # The browser asks again in a moment, and then learns why by the status of the answer.
        _LOG.warning("a stream of events ended: %s", error)


async def kept_alive(blocks: AsyncIterator[str]) -> AsyncIterator[str]:
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


def _as_data(logged: LoggedEvent) -> str:
    fields = logged.model_dump(mode="json", exclude={"run_id"})
    shown = {"text": told(logged), "now": datetime.now(UTC).isoformat()}
    return json.dumps(fields | shown, ensure_ascii=False)
