"""Hands out to the page, part by part, what a run has brought."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from deepcritical.interfaces.api import REPORT_POLICY, Known
from deepcritical.interfaces.page.views import has_part, rendered

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run_id}/views/{name}", response_class=Response)
async def show_view(run: Known, name: Annotated[str, Path(max_length=64)]) -> Response:
    """One part as an HTML fragment."""
    document = run.report or run.answer
    if document is None:
        raise HTTPException(409, "There is nothing to show: the run has no report.")
    if not has_part(document, name):
        raise HTTPException(404, "This run has no such part.")
    shown = await rendered(run, document, name)
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(shown, media_type="text/html", headers=headers)
