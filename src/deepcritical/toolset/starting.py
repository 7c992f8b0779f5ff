"""Starts the run of a request: checks its question, chooses its model, reads its documents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deepcritical.domain import errors
from deepcritical.domain.run.recipe import MAX_DOCUMENTS, OwnDocument, PastedText
from deepcritical.domain.text.markdown import one_line
from deepcritical.domain.tool.registry import DeepResearchInput, ReportInput, ToolCaller
from deepcritical.jobs.run import RunOf
from deepcritical.jobs.runs import DEEP_RESEARCH, RESEARCH, Given, RunService
from deepcritical.services.storage.uploads import UPLOAD_ID, Uploads
from deepcritical.tools.documents import document_of, documents_in
from deepcritical.verification.ids import id_named

Request = DeepResearchInput | ReportInput
"""The question of a run, with its depth or its rounds."""


async def begun(runs: RunService, asked: Request, caller: ToolCaller) -> RunOf[Any]:
    """Start the run of a request, with the caller's model, key and documents.

    Raises:
        DeepCriticalError: Nothing is started, and why.
    """
    given = await checked(runs, asked, caller)
    given["documents"] = await documents_of(
        runs.uploads, asked.documents, caller.user_id, reads_files=caller.reads_files
    )
    return started(runs, asked, given)


async def checked(runs: RunService, asked: Request, caller: ToolCaller) -> Given:
    """Return the caller's model and key for a question with which a run can begin.

    Raises:
        ConfigurationError: There is no such model, or it needs a key.
        QuestionError: No run can begin with the question.
    """
    tool, context = RESEARCH, ""
    if isinstance(asked, DeepResearchInput):
        tool, context = DEEP_RESEARCH, asked.context
    # Loading a model may load libraries.
    reasoner = await asyncio.to_thread(runs.reasoner_of, caller.model, caller.model_api_key)
    await runs.check(asked.question, tool, context=context, reasoner=reasoner)
    return Given(reasoner=reasoner, model_api_key=caller.model_api_key, user_id=caller.user_id)


def started(runs: RunService, asked: Request, given: Given) -> RunOf[Any]:
    """Start the run of a request that was checked."""
    if isinstance(asked, ReportInput):
        return runs.submit(asked.question, depth=asked.depth, **given)
    rounds = asked.rounds
    return runs.ask(asked.question, context=asked.context, max_iterations=rounds, **given)


async def documents_of(
    uploads: Uploads | None,
    given: Sequence[str | PastedText],
    user_id: str,
    *,
    reads_files: bool = False,
) -> tuple[OwnDocument, ...]:
    """Return the documents that a user names for a run; the run looks up ids of records.

    `given` are ids of records and of the user's uploads, texts, and with `reads_files` paths;
    `uploads` are None without a database, where none can be.

    Raises:
        DocumentError: One cannot be read or found, or there are too many.
    """
    ids = [one for one in given if isinstance(one, str) and UPLOAD_ID.fullmatch(one)]
    uploaded = await uploads.find(ids, user_id) if uploads else {}
    found: list[OwnDocument] = []
    for one in given:
        if isinstance(one, PastedText):
            found.append(await asyncio.to_thread(_pasted, one))
        elif one in uploaded:
            found.append(uploaded[one])
        elif reads_files and Path(one).is_absolute():
            found += await asyncio.to_thread(documents_in, Path(one))
        else:
            found.append(_looked_up(one))
    if len(found) > MAX_DOCUMENTS:
        raise errors.DocumentError(
            f"A run reads at most {MAX_DOCUMENTS} documents.", "Choose some."
        )
    return tuple(found)


def _pasted(given: PastedText) -> OwnDocument:
    text = "\n".join(filter(None, (one_line(given.title), given.text)))
    record = document_of("pasted text.txt", text.encode("utf-8", "replace"))
    return OwnDocument(name="pasted text", record=record)


def _looked_up(given: str) -> OwnDocument:
    if named := id_named(given):
        return OwnDocument(name=named)
    raise errors.DocumentError(
        f"“{one_line(given)[:80]}” is neither a PMID, PMCID, DOI or NCT number nor an upload.",
        "Correct it, or leave it out.",
    )
