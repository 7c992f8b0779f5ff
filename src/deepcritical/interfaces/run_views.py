"""Hands out to the page, part by part, what a run has brought."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from deepcritical.interfaces.api import REPORT_POLICY
from deepcritical.interfaces.api_caller import Known
from deepcritical.interfaces.page.views import rendered

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run_id}/views/{name}", response_class=Response)
async def show_view(run: Known, name: Annotated[str, Path(max_length=64)]) -> Response:
    """One part as an HTML fragment."""
    shown = await rendered(run, name)
    if shown is None:
        raise HTTPException(404, "This run has no such part.")
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(shown, media_type="text/html", headers=headers)
