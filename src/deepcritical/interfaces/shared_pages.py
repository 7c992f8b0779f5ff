"""Pages without scripts: a shared run, two runs side by side, a finished sample."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request, Response

from deepcritical.domain.errors import AccessError, OwnershipError, TraceNotFoundError
from deepcritical.domain.report.answer import Document
from deepcritical.domain.report.report import ResearchReport
from deepcritical.export.html import Side, render_brief, render_comparison, render_news, render_page
from deepcritical.export.typeset import Preview, preview_of, render_card
from deepcritical.export.writers import from_json
from deepcritical.interfaces.caller import Known, readable, unknown_run
from deepcritical.interfaces.guard import report_html
from deepcritical.jobs.run import RunView

router = APIRouter(include_in_schema=False)
_HOUR = "public, max-age=3600"
NO_REPORT = "This run has no report: open it on the page to see why."
Id = Annotated[str, Query(max_length=64, description="The id of a run.")]


@router.get("/r/{run_id}")
async def show_run(run: Known, request: Request) -> Response:
    """A run's report or answer as a page, with what a link to it shows."""
    document = _ended(run.report or run.answer)
    shared = f"?{request.url.query}" if request.url.query else ""
    preview = preview_of(document)._replace(
        image=f"{_address(request)}/card.png{shared}",
        page=f"/?run={run.run_id}{shared.replace('?', '&')}",
        leads="Ask about this run, download it",
    )
    return await _page(document, preview, await news_of(request, run))


@router.get("/r/{run_id}/card.png")
async def show_card(run: Known) -> Response:
    """The picture of a run's verdict."""
    # Kept by the reader's browser alone: the run may be private.
    return await _card(_ended(run.report or run.answer), "private, max-age=3600")


@router.get("/sample")
async def show_sample(request: Request) -> Response:
    """A finished report as a page, for whoever has not asked anything yet."""
    report = await asyncio.to_thread(sample_report)
    preview = preview_of(report)._replace(
        image=f"{_address(request)}/card.png",
        page="/",
        leads="A sample, made from the bundled records. Ask a question of your own",
    )
    return await _page(report, preview)


@router.get("/sample/card.png")
async def show_sample_card() -> Response:
    """The picture of the sample's verdict."""
    return await _card(await asyncio.to_thread(sample_report), _HOUR)


@router.get("/sample/brief")
async def show_sample_brief() -> Response:
    """The brief of the sample, to be shown within the page."""
    shown = await asyncio.to_thread(lambda: render_brief(sample_report()))
    return report_html(shown, {"Cache-Control": _HOUR})


def _ended(document: Document | None) -> Document:
    if document is None:
        raise HTTPException(404, NO_REPORT)
    return document


def _address(request: Request) -> str:
    return str(request.url.replace(query=""))


async def _page(document: Document, preview: Preview, above: str = "") -> Response:
    return report_html(await asyncio.to_thread(render_page, document, preview, above))


async def _card(document: Document, kept: str) -> Response:
    picture = await asyncio.to_thread(render_card, document)
    return Response(picture, media_type="image/png", headers={"Cache-Control": kept})


@cache
def sample_report() -> ResearchReport:
    """A report of the bundled snapshot, as the command wrote it."""
    text = (files("deepcritical") / "data" / "samples" / "report.json").read_text("utf-8")
    report, _ = from_json(text)
    assert isinstance(report, ResearchReport)  # noqa: S101 - a file of ours
    return report


@router.get("/compare")
async def show_comparison(request: Request, a: Id, b: Id) -> Response:
    """Two finished runs as a page, for who may read both; a stranger's is told as unknown."""
    try:
        first, second = [_side(await readable(request, run_id)) for run_id in (a, b)]
    except OwnershipError as error:
        raise unknown_run() from error
    if first is None or second is None:
        raise HTTPException(404, NO_REPORT)
    return report_html(await asyncio.to_thread(render_comparison, first, second))


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
