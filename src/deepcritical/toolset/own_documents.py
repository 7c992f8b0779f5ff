"""The documents that a user gives to a run: uploads, pasted texts, files, and ids of records."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from deepcritical.domain import errors
from deepcritical.domain.markdown import one_line
from deepcritical.domain.recipe import MAX_DOCUMENTS, OwnDocument, PastedText
from deepcritical.services.uploads import UPLOAD_ID, Uploads
from deepcritical.tools.documents import document_of, documents_in
from deepcritical.verification.ids import id_named


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
