"""The REST API of uploads: takes documents that a run is to read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import PureWindowsPath
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from starlette.datastructures import UploadFile

from deepcritical.domain.base import Model
from deepcritical.domain.errors import StorageError
from deepcritical.domain.run.recipe import MAX_DOCUMENTS, OwnDocument
from deepcritical.domain.text.markdown import one_line
from deepcritical.interfaces.access import Access, Caller
from deepcritical.interfaces.caller import Rules, Runs, Who
from deepcritical.jobs.runs import RunService
from deepcritical.services.storage.uploads import KEPT_S, Uploads
from deepcritical.tools.documents import MAX_BYTES, document_of

AT_ONCE = 2
"""Documents that a process reads at once: each may take a gigabyte of memory for a while."""
_MAX_NAME = 200
_FILE = {"type": "string", "format": "binary"}


def _form(field: Mapping[str, object]) -> dict[str, object]:
    schema = {"type": "object", "required": ["file"], "properties": {"file": field}}
    return {"required": True, "content": {"multipart/form-data": {"schema": schema}}}


documents_router = APIRouter()


class UploadedDocument(Model):
    """A document whose text is kept for runs of the caller."""

    id: str
    """What `documents` of a run names it by."""
    name: str
    title: str
    doi: str | None
    pages: int | None
    """None for a text."""
    characters: int
    """Of text that are read."""
    expires_at: datetime
    """When it is deleted (UTC), unless a run uses it before: then that long after its use."""
    owner_token: str = ""
    """For an anonymous user who sent none: send it as Bearer token with the run."""


@documents_router.post("/documents", status_code=201, openapi_extra={"requestBody": _form(_FILE)})
async def upload_document(
    caller: Who, rules: Rules, runs: Runs, request: Request
) -> UploadedDocument:
    """Read a PDF, TXT or MD file, and keep its text for a run; the file itself is not kept."""
    (kept,) = await _kept(request, runs, rules, caller, most=1)
    return kept


@documents_router.post(
    "/documents/folder",
    status_code=201,
    openapi_extra={"requestBody": _form({"type": "array", "items": _FILE})},
)
async def upload_folder(
    caller: Who, rules: Rules, runs: Runs, request: Request
) -> list[UploadedDocument]:
    """Read the files of a folder, each in a field `file`; none is kept if one cannot be read."""
    return await _kept(request, runs, rules, caller, most=MAX_DOCUMENTS)


async def _kept(
    request: Request, runs: RunService, rules: Access, caller: Caller, most: int
) -> list[UploadedDocument]:
    rules.admit_upload(caller)
    uploads = _uploads(runs)
    # Only after the caller is admitted does the server take in megabytes.
    async with request.form(max_files=most, max_fields=1) as form:
        sent = [file for file in form.getlist("file") if isinstance(file, UploadFile)]
        if not sent:
            raise HTTPException(422, "The form has no file in its field `file`.")
        for _ in sent[1:]:
            rules.admit_upload(caller)
        async with request.app.state.reading:
            documents = [await _read(file) for file in sent]
    kept = [await uploads.add(document, caller.user_id) for document in documents]
    return [_shown(one, caller.owner_token) for one in kept]


@documents_router.delete("/documents/{document_id}", status_code=204)
async def delete_document(
    document_id: Annotated[str, Path(max_length=64)], caller: Who, runs: Runs
) -> None:
    """Delete an upload of yours; runs that have it keep their copy until they are deleted."""
    await _uploads(runs).remove(document_id, caller.user_id)


def _uploads(runs: RunService) -> Uploads:
    if runs.uploads is None:
        raise StorageError(
            "This server has no database, and keeps no documents.",
            "Put the text into `documents` of the run, or set DATABASE_URL.",
        )
    return runs.uploads


async def _read(sent: UploadFile) -> OwnDocument:
    # Browsers of one system name the whole path, with its own separators.
    name = one_line(PureWindowsPath(sent.filename or "").name)[-_MAX_NAME:]
    data = await sent.read(MAX_BYTES + 1)
    return OwnDocument(name=name, record=await asyncio.to_thread(document_of, name, data))


def _shown(kept: OwnDocument, token: str) -> UploadedDocument:
    record = kept.record
    assert record is not None  # noqa: S101 - an upload has been read
    return UploadedDocument(
        id=kept.upload_id,
        name=kept.name,
        owner_token=token,
        title=record.citation.title,
        doi=record.metadata.doi,
        pages=len(record.metadata.page_starts) or None,
        characters=len(record.content),
        expires_at=datetime.now(UTC) + timedelta(seconds=KEPT_S),
    )
