"""The documents that a request names, read or looked for before a run of them begins."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from deepcritical.domain.errors import DocumentError
from deepcritical.domain.markdown import one_line
from deepcritical.domain.own_documents import MAX_DOCUMENTS, OwnDocument, PastedText
from deepcritical.services.uploads import UPLOAD_ID, Uploads
from deepcritical.tools.documents import document_of, documents_in
from deepcritical.verification.ids import id_named

__all__ = ["given_documents"]


async def given_documents(
    given: Sequence[str | PastedText],
    user_id: str,
    uploads: Uploads | None,
    *,
    reads_files: bool = False,
) -> tuple[OwnDocument, ...]:
    """Return the documents, in order; one named by the id of a record is looked up by its run.

    Args:
        given: Ids of records and of uploads, and texts.
        user_id: Whose uploads may be named.
        uploads: Where they are; None where none are kept.
        reads_files: Whether absolute paths may be named, too.

    Raises:
        DocumentError: One cannot be read, or is not there, or there are too many.
        StorageError: The database cannot be used.
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
        raise DocumentError(f"A run reads at most {MAX_DOCUMENTS} documents.", "Choose some.")
    return tuple(found)


def _pasted(given: PastedText) -> OwnDocument:
    text = "\n".join(filter(None, (one_line(given.title), given.text)))
    record = document_of("pasted text.txt", text.encode("utf-8", "replace"))
    return OwnDocument(name="pasted text", record=record)


def _looked_up(given: str) -> OwnDocument:
    if named := id_named(given):
        return OwnDocument(name=named)
    raise DocumentError(
        f"“{one_line(given)[:80]}” is neither a PMID, PMCID, DOI or NCT number nor an upload.",
        "Correct it, or leave it out.",
    )
