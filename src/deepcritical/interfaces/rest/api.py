"""The REST API of runs: starts, follows, stops and exports them.

Who may read a run, and who may do more, is decided by `access`.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Header, HTTPException, Path, Query, Request, Response

from deepcritical.domain.appraisal.verdict import Verdict
from deepcritical.domain.errors import DocumentError, DocumentNotFoundError, TraceNotFoundError
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.domain.report.answer import DeepAnswer, Document, ToolOutput
from deepcritical.domain.report.claims import ClaimCheck, check_size
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import Depth
from deepcritical.domain.run.recipe import Once, OwnDocument
from deepcritical.domain.tool.registry import ToolCaller
from deepcritical.export.formats import FORMATS, formats_of
from deepcritical.export.imprint import Imprint
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.caller import Known, ModelKey, Own, Rules, Runs, Who, part, readable
from deepcritical.interfaces.guard import REPORT_POLICY
from deepcritical.interfaces.problems import PROBLEM_RESPONSES, DescribedApi, add_handlers
from deepcritical.interfaces.rest import models
from deepcritical.interfaces.rest.chat import ChatSessions, chat_router
from deepcritical.interfaces.rest.documents import AT_ONCE, documents_router
from deepcritical.interfaces.rest.event_stream import EventStream, run_blocks
from deepcritical.jobs.run import RunView
from deepcritical.jobs.runs import RESEARCH, RunService
from deepcritical.toolset.research_tools import failed_output
from deepcritical.toolset.similar_runs import SimilarRuns
from deepcritical.toolset.starting import checked, documents_of, started

WEEK = models.ShareRequest()
AS_IT_IS = models.AgainRequest()
MAX_NUMBER = 2**53
"""Above it a number of JSON is not exact everywhere."""

router = APIRouter()


def build_api(runs: RunService, access: Access, similar: SimilarRuns) -> FastAPI:
    """The application that answers under ``/api``; ``app.state.chats`` is to be set."""
    app = DescribedApi(
        title="DeepCritical",
        version=version("deepcritical"),
        summary="Can an old drug treat a new disease? Answers you can trace to the source.",
        openapi_url="/openapi.json",
        docs_url=None,  # its scripts would be fetched from elsewhere
        redoc_url=None,
        responses=PROBLEM_RESPONSES,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.runs, app.state.access = runs, access
    app.state.research = "loading"
    app.state.similar, app.state.sessions = similar, ChatSessions()
    app.state.reading = asyncio.Semaphore(AT_ONCE)
    add_handlers(app)
    app.include_router(router)
    app.include_router(chat_router)
    app.include_router(documents_router)
    return app


@router.get("/health")
async def health(request: Request) -> dict[str, str]:
    """Confirm that the server answers, and say whether what research needs is loaded."""
    return {"status": "ok", "research": request.app.state.research}


@router.get("/sources")
async def sources(runs: Runs) -> models.ServerShown:
    """List what answers here: the reasoner and the sources."""
    return models.ServerShown(reasoner=runs.reasoner.name, sources=await runs.sources())


@router.post("/runs", status_code=202)
async def start_run(
    asked: models.StartRequest,
    caller: Who,
    request: Request,
    response: Response,
    runs: Runs,
    key: ModelKey,
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=200)] = None,
) -> models.StartedRun:
    """Start a run, and answer at once with its id.

    A request that is repeated with the same `Idempotency-Key` starts no second run.
    """
    who = ToolCaller(caller.user_id, key, asked.model.strip())
    given = await checked(runs, asked, who)
    once = Once.of(caller.user_id, idempotency_key, asked) if idempotency_key else None
    if once and await runs.began(once):
        run_id = once.run_id
    else:
        given["documents"] = await documents_of(runs.uploads, asked.documents, caller.user_id)
        request.app.state.access.admit_run(caller)
        given["once"] = once
        run_id = started(runs, asked, given).run_id
        if once:  # another server may have been faster, with another request
            await runs.began(once)
    return models.started_run(run_id, caller, response)


@router.get("/runs")
async def list_runs(
    caller: Who,
    runs: Runs,
    tool: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    before: Annotated[str | None, Query(max_length=64, description="Id of a run.")] = None,
    words: Annotated[str, Query(max_length=200, description="All are in the question.")] = "",
) -> models.RunPage:
    """Your own runs, the newest first."""
    wanted = words.replace("\0", " ").split()  # no database takes a NUL in a text
    found = await runs.runs_of(
        caller.user_id, tool_name=tool, most=limit + 1, before=before, words=wanted
    )
    shown = tuple(map(models.run_listed, found[:limit]))
    asked = {"limit": limit, "tool": tool, "words": words}
    given = {name: value for name, value in asked.items() if value}
    more = len(found) > limit
    following = f"/api/runs?{urlencode({**given, 'before': shown[-1].id})}" if more else None
    return models.RunPage(runs=shown, next=following)


@router.get("/similar")
async def list_similar(
    caller: Who,
    request: Request,
    rules: Rules,
    similar: Annotated[SimilarRuns, part("similar")],
    question: Annotated[str, Query(min_length=1, max_length=MAX_QUESTION_CHARS)],
    tool: Literal["research", "deep_research"] = "deep_research",
    context: Annotated[str, Query(max_length=MAX_QUESTION_CHARS)] = "",
    depth: Depth = "standard",
    max_iterations: Annotated[int | None, Query(ge=1, le=10)] = None,
) -> models.SimilarPage:
    """Your own former runs of nearly this question, with what is new since; nothing is started."""
    rules.admit_heavy(request)
    limits: dict[str, Any] = {"context": context, "depth": depth, "max_iterations": max_iterations}
    found = await similar.similar(question, tool, user_id=caller.user_id, **limits)
    return models.similar_shown(found)


@router.get("/runs/{run_id}")
async def show_run(run: Known, runs: Runs) -> models.RunShown:
    """Show the state of a run, with links to its parts."""
    return await models.run_shown(run, runs)


@router.get(
    "/runs/{run_id}/events",
    responses={
        200: {"model": models.EventPage, "content": {"text/event-stream": {}}},
        204: {"description": "The run has ended, and nothing follows that number."},
    },
)
async def read_events(
    run: Known,
    after: Annotated[int, Query(ge=0, le=MAX_NUMBER)] = 0,
    last_event_id: Annotated[int | None, Header(ge=0, le=MAX_NUMBER)] = None,
    *,
    request: Request,
) -> Response:
    """The events above a number: with `Accept: application/json` those so far.

    Else a stream of server-sent events up to the run's end, which `Last-Event-ID` takes up again.
    """
    start = after if last_event_id is None else last_event_id
    accept = request.headers.get("accept", "")
    if "json" in accept and "text/event-stream" not in accept:
        # What is asked first can only be too old: then more events follow than it says.
        ended, events = run.ended, await run.events(start)
        page = models.events_shown(events, start, ended)
        return Response(page.model_dump_json(), media_type="application/json")
    if start and run.ended and not await run.events(start):
        return Response(status_code=204)  # which tells an EventSource to ask no more
    return EventStream(run_blocks(run, start))


@router.post("/runs/{run_id}/cancel", status_code=202)
async def cancel_run(run: Own, runs: Runs) -> models.RunShown:
    """Stop a run; one that has ended stays as it is."""
    await runs.cancel(run.run_id)
    return await models.run_shown(run, runs)


@router.post("/runs/{run_id}/write-now", status_code=202)
async def write_now(run: Own, runs: Runs) -> models.RunShown:
    """Have a run end its search with the step in hand, and write from what there is."""
    if run.ended:
        raise HTTPException(409, "This run has ended.")
    try:
        await runs.write_now(run.run_id)
    except TraceNotFoundError as error:
        raise HTTPException(409, str(error)) from error
    return await models.run_shown(run, runs)


@router.post("/runs/{run_id}/resume", status_code=202)
async def resume_run(
    run: Own, caller: Who, rules: Rules, runs: Runs, request: Request
) -> models.RunShown:
    """Go on with a run that failed or was cancelled; what it has done already is not done again."""
    if not run.ended or run.report or run.answer:
        raise HTTPException(409, "Only a run that failed or was cancelled can be resumed.")
    rules.admit_run(caller)
    try:
        await runs.resume(run.run_id)
    except TraceNotFoundError as error:
        raise HTTPException(409, str(error)) from error
    return await models.run_shown(await readable(request, run.run_id), runs)


@router.post("/runs/{run_id}/share", status_code=201)
async def share_run(run: Own, rules: Rules, asked: models.ShareRequest = WEEK) -> models.SharedRun:
    """Make a link that lets others read a run until it expires; nothing else ends it."""
    if not rules.keeps_private:
        raise HTTPException(409, "Runs are not private here: the address of a run is its link.")
    link = rules.shares.make(run.run_id, asked.hours)
    return models.SharedRun(page=f"/?{link.query}", share=link.value, expires_at=link.expires_at)


@router.post("/runs/{run_id}/again", status_code=202)
async def ask_again(
    run: Own,
    caller: Who,
    rules: Rules,
    runs: Runs,
    key: ModelKey,
    response: Response,
    asked: models.AgainRequest = AS_IT_IS,
) -> models.StartedRun:
    """Start a run of the question of a finished one, with its depth, limits, sources and documents.

    When the new run has ended, its report shows what is new since the finished one.
    """
    if not (run.report or run.answer):
        raise HTTPException(409, "Only a run with a report or an answer can be asked again.")
    reasoner = await asyncio.to_thread(runs.reasoner_of, asked.model.strip(), key)
    documents = await _documents_again(run, runs, caller.user_id)
    rules.admit_run(caller)
    started = runs.again(
        run, reasoner=reasoner, model_api_key=key, user_id=caller.user_id, documents=documents
    )
    return models.started_run(started.run_id, caller, response)


async def _documents_again(run: RunView, runs: RunService, user_id: str) -> tuple[OwnDocument, ...]:
    """Return the user's own documents that a run read."""
    try:
        return await documents_of(runs.uploads, run.asked.get("documents", ()), user_id)
    except DocumentError as error:
        raise DocumentNotFoundError(
            "This run read a document that is not kept.",
            "Ask the question anew, and add the document once more.",
        ) from error


@router.delete("/runs/{run_id}", status_code=204)
async def delete_run(run: Own, runs: Runs) -> None:
    """Delete a run for good, with its events and its report."""
    if not run.ended:
        raise HTTPException(409, "This run has not ended. Cancel it first.")
    await runs.delete(run.run_id)


Ended = TypeVar("Ended", bound=Document)


def _ended(document: Ended | None, run: RunView) -> Ended:
    if document is None:
        why = "ended without one" if run.ended else "has not ended"
        raise HTTPException(409, f"There is no report: the run {why}. Its events say more.")
    return document


@router.get("/runs/{run_id}/output")
async def read_output(run: Known) -> ToolOutput:
    """Return the result of a `deep_research` run as the tool does; without an answer `error`."""
    if run.tool_name == RESEARCH:
        raise HTTPException(409, "This run ends with a report. Read one of its `files`.")
    if run.ended and run.answer is None:
        return await failed_output(run)
    return _ended(run.answer, run).tool_output(run.run_id)


@router.get(
    "/runs/{run_id}/export/{suffix}",
    response_class=Response,
    responses={200: {"content": {form.media_type: {} for form in FORMATS.values()}}},
)
async def export_run(
    run: Known,
    suffix: Annotated[str, Path(max_length=64, examples=["md"])],
    request: Request,
    rules: Rules,
) -> Response:
    """The report, or the answer, as a file of one of its formats."""
    if suffix not in FORMATS:
        raise HTTPException(404, f"There is no such format; choose {', '.join(FORMATS)}.")
    document = _ended(run.report or run.answer, run)
    form = formats_of(document).get(suffix)
    if form is None:
        raise HTTPException(404, f"An answer has {', '.join(formats_of(document))}.")
    rules.admit_heavy(request)
    imprint = Imprint(run.run_id, run.ended_at)
    written = await asyncio.to_thread(form.render, document, imprint)
    name = "answer" if isinstance(document, DeepAnswer) else "report"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}.{suffix}"',
        "Content-Security-Policy": REPORT_POLICY,
    }
    return Response(written, media_type=form.media_type, headers=headers)


@router.post("/runs/{run_id}/verdict")
async def recompute_verdict(
    run: Known, changed: models.ChangedEvidence, request: Request, rules: Rules
) -> Verdict:
    """The verdict of a report by the same rules, without some studies or on trials alone."""
    if run.tool_name != RESEARCH:
        raise HTTPException(409, "This run ends with an answer, which has no verdict.")
    rules.admit_heavy(request)
    report = _ended(run.report, run)
    if not report.studies:
        raise HTTPException(409, "This report holds no studies to recompute its verdict from.")
    return await asyncio.to_thread(_recomputed, report, changed)


def _recomputed(report: ResearchReport, changed: models.ChangedEvidence) -> Verdict:
    # Imported late: the dictionaries take seconds.
    from deepcritical.appraisal.body.what_if import recomputed

    ids = {i: r.evidence_id for r in report.references for i in (*r.ids, r.evidence_id)}
    known = {i for study in report.studies for i in study.evidence_ids}
    asked = {i: ids.get(i, i) for i in changed.without}
    if strange := sorted(i for i, evidence_id in asked.items() if evidence_id not in known):
        raise HTTPException(422, f"The report has no study with {', '.join(strange)}.")
    return recomputed(report.studies, tuple(asked.values()), changed.only)


@router.post("/verify")
async def verify(
    given: models.ClaimToVerify, _caller: Who, request: Request, rules: Rules
) -> ClaimCheck:
    """Check a sentence against the records that it cites; no model is asked.

    Supported only in the record's own words; contradicted by a wrong id, figure or name, or by its
    words turned round; else "cannot tell".
    """
    # Imported late: the dictionaries take seconds.
    from deepcritical.verification.claims import verify_claim

    rules.admit_heavy(request)
    check_size(given.claim, (reference.text for reference in given.references))
    return await asyncio.to_thread(verify_claim, given.claim, given.records(), given.quote)
