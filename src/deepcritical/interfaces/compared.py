"""Two runs side by side, and what is new in a run that asks a former one's question again."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response

from deepcritical.domain.errors import AccessError, OwnershipError, TraceNotFoundError
from deepcritical.export.comparing import Side, render_comparison, render_news
from deepcritical.interfaces.caller import readable, unknown_run
from deepcritical.interfaces.guard import REPORT_POLICY
from deepcritical.jobs.run import RunView

Id = Annotated[str, Query(max_length=64, description="The id of a run.")]

router = APIRouter(include_in_schema=False)
NO_REPORT = "This run has no report: open it on the page to see why."


@router.get("/compare")
async def show_comparison(request: Request, a: Id, b: Id) -> Response:
    """Two finished runs as a page, for who may read both; a stranger's is told as unknown."""
    try:
        first, second = [_side(await readable(request, run_id)) for run_id in (a, b)]
    except OwnershipError as error:
        raise unknown_run() from error
    if first is None or second is None:
        raise HTTPException(404, NO_REPORT)
    shown = await asyncio.to_thread(render_comparison, first, second)
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(shown, media_type="text/html", headers=headers)


async def news_of(request: Request, run: RunView) -> str:
    """Return what is new since the run whose question this one asks again, as an HTML fragment.

    '' where it asks none again, for a run without a report, and for who may not read the former.
    """
    now = _side(run)
    if now is None or not run.former:
        return ""
    try:
        former = _side(await readable(request, run.former))
    except AccessError:
        return ""
    except TraceNotFoundError:
        former = None
    return await asyncio.to_thread(render_news, former, now)


def _side(run: RunView) -> Side | None:
    document = run.report or run.answer
    return Side(run.run_id, run.question, run.ended_at, document) if document else None
