"""``POST /api/runs/ID/again``: the question of a finished run once more, to see what is new."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, HTTPException, Response

from deepcritical.domain.errors import DocumentError, DocumentNotFoundError
from deepcritical.domain.recipe import OwnDocument
from deepcritical.interfaces.caller import ModelKey, Own, Rules, Runs, Who
from deepcritical.interfaces.rest.models import AgainRequest, StartedRun, started_run
from deepcritical.jobs.run import RunView
from deepcritical.jobs.runs import RunService

again_router = APIRouter()
AS_IT_IS = AgainRequest()


@again_router.post("/runs/{run_id}/again", status_code=202)
async def ask_again(
    run: Own,
    caller: Who,
    rules: Rules,
    runs: Runs,
    key: ModelKey,
    response: Response,
    asked: AgainRequest = AS_IT_IS,
) -> StartedRun:
    """Start a run of the question of a finished one, with its depth, limits, sources and documents.

    When the new run has ended, its report shows what is new since the finished one.
    """
    if not (run.report or run.answer):
        raise HTTPException(409, "Only a run with a report or an answer can be asked again.")
    reasoner = await asyncio.to_thread(runs.reasoner_of, asked.model.strip(), key)
    documents = await _documents(run, runs, caller.user_id)
    rules.admit_run(caller)
    started = runs.again(
        run, reasoner=reasoner, model_api_key=key, user_id=caller.user_id, documents=documents
    )
    return started_run(started.run_id, caller, response)


async def _documents(run: RunView, runs: RunService, user_id: str) -> tuple[OwnDocument, ...]:
    """Return the user's own documents that a run read.

    Raises:
        DocumentNotFoundError: One is not kept any more, or never was.
    """
    try:
        return await runs.documents_of(run.asked.get("documents", ()), user_id)
    except DocumentError as error:
        raise DocumentNotFoundError(
            "This run read a document that is not kept.",
            "Ask the question anew, and add the document once more.",
        ) from error
