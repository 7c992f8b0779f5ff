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

__all__ = ["PING_S", "RECONNECT_MS", "event_stream", "told"]

_LOG = logging.getLogger(__name__)
RECONNECT_MS = 1500
"""How long a browser waits before it takes up a broken stream."""
PING_S = 15.0
"""Silence after which a comment is sent, so that no proxy closes the stream."""


def told(logged: LoggedEvent) -> str:
    """What happened, in a line for people."""
    return visible(describe(logged.event))


async def event_stream(run: RunView, after: int) -> AsyncIterator[str]:
    """Server-sent events above a number, as they come, up to the terminal one."""
    yield f"retry: {RECONNECT_MS}\n\n"
    tail = run.tail(after)
    ahead = asyncio.ensure_future(anext(tail, None))
    try:
        while True:
            await asyncio.wait([ahead], timeout=PING_S)
            if not ahead.done():
                yield ": ping\n\n"
                continue
            if (logged := _next_of(ahead)) is None:
                return
            yield f"id: {logged.seq}\ndata: {_as_data(logged)}\n\n"
            ahead = asyncio.ensure_future(anext(tail, None))
    finally:
        ahead.cancel()


def _next_of(ahead: asyncio.Future[LoggedEvent | None]) -> LoggedEvent | None:
    """The next event; None at the end, and where the database gives no more of them."""
    try:
        return ahead.result()
    except StorageError as error:
        # The browser asks again in a moment, and then learns why by the status of the answer.
        _LOG.warning("a stream of events ended: %s", error)
        return None


def _as_data(logged: LoggedEvent) -> str:
    fields = logged.model_dump(mode="json", exclude={"run_id"})
    shown = {"text": told(logged), "now": datetime.now(UTC).isoformat()}
    return json.dumps(fields | shown, ensure_ascii=False)
