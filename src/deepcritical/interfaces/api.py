"""What the page fetches: the events of a run as they come, and its report as a file."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query
from fastapi.responses import Response, StreamingResponse

from deepcritical.domain.errors import StorageError
from deepcritical.domain.events import LoggedEvent
from deepcritical.domain.markdown import visible
from deepcritical.export.formats import FORMATS
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.render import describe
from deepcritical.jobs.runs import RunService
from deepcritical.jobs.stored_runs import RunView

__all__ = ["routes"]

_LOG = logging.getLogger(__name__)
RECONNECT_MS = 1500
"""How long a browser waits before it takes up a broken stream."""
PING_S = 15.0
"""Silence after which a comment is sent, so that no proxy closes the stream."""
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Content security policy of a report opened in the browser: it can load and send nothing."""


def routes(runs: RunService) -> APIRouter:
    """The routes under ``/api``. The id of a run is what gives access to it."""
    router = APIRouter(prefix="/api")

    @router.get("/health")
    async def health() -> dict[str, str]:
        """Whether the server answers."""
        return {"status": "ok"}

    @router.get("/runs/{run_id}")
    async def run(run_id: str) -> dict[str, str | bool]:
        """Whether the run is known, and whether it has ended."""
        known = await _known(runs, run_id)
        return {"id": known.run_id, "question": known.question, "ended": known.ended}

    @router.get("/runs/{run_id}/events")
    async def events(
        run_id: str,
        after: Annotated[int, Query(ge=0)] = 0,
        last_event_id: Annotated[int | None, Header(ge=0)] = None,
    ) -> StreamingResponse:
        """The run's events after a sequence number, as server-sent events, up to its end."""
        return StreamingResponse(
            _stream(await _known(runs, run_id), after if last_event_id is None else last_event_id),
            media_type="text/event-stream",
            headers={"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"},
        )

    @router.get("/runs/{run_id}/export/{suffix}")
    async def export(run_id: str, suffix: str) -> Response:
        """The report as a file of one of the formats."""
        return await _exported(await _known(runs, run_id), suffix)

    return router


async def _known(runs: RunService, run_id: str) -> RunView:
    try:
        run = await runs.find(run_id)
    except StorageError as error:
        raise HTTPException(503, str(error)) from error
    if run is None:
        raise HTTPException(404, "There is no run of this id here. Ask the question again.")
    return run


async def _exported(run: RunView, suffix: str) -> Response:
    form = FORMATS.get(suffix)
    if form is None:
        raise HTTPException(404, f"There is no format {suffix!r}; choose {', '.join(FORMATS)}.")
    if run.report is None:
        raise HTTPException(409, "This run has no report (yet).")
    imprint = Imprint(run.run_id, run.ended_at)
    written = await asyncio.to_thread(form.render, run.report, imprint)
    return Response(
        written,
        media_type=form.media_type,
        headers={
            "Content-Disposition": f'attachment; filename="report.{suffix}"',
            "Content-Security-Policy": REPORT_POLICY,
        },
    )


async def _stream(run: RunView, after: int) -> AsyncIterator[str]:
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
    shown = {"text": visible(describe(logged.event)), "now": datetime.now(UTC).isoformat()}
    return json.dumps(fields | shown, ensure_ascii=False)
