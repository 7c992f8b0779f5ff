"""Stores documents that users uploaded, until no run has used them for an hour."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from deepcritical.domain.errors import DocumentNotFoundError
from deepcritical.domain.run.recipe import OwnDocument
from deepcritical.services.storage.database import Stored, schema, writes

if TYPE_CHECKING:
    import sqlalchemy as sa

KEPT_S = 3600.0
"""Seconds for which an upload is kept after it was made or used last."""
UPLOAD_ID = re.compile(r"doc_[0-9a-f]{32}")


def _unknown(upload_id: str) -> DocumentNotFoundError:
    hours = f"{KEPT_S / 3600:g}"
    return DocumentNotFoundError(
        f"There is no upload {upload_id} of yours.",
        f"Upload the document again: it is kept for {hours} h after its last use.",
    )


def _insert(connection: sa.Connection, document: OwnDocument, user_id: str) -> OwnDocument:
    """Keep a document for its user, and return it with the id by which he names it."""
    delete_expired(connection)
    kept = document.model_copy(update={"upload_id": f"doc_{uuid4().hex}"})
    row = {"id": kept.upload_id, "user_id": user_id, "record": kept.model_dump_json()}
    connection.execute(schema.uploads.insert().values(**row, until=time.time() + KEPT_S))
    return kept


def _use(connection: sa.Connection, *, ids: Sequence[str], user_id: str) -> dict[str, OwnDocument]:
    uploads = schema.uploads
    delete_expired(connection)
    own = uploads.c.id.in_(ids) & (uploads.c.user_id == user_id)
    connection.execute(uploads.update().where(own).values(until=time.time() + KEPT_S))
    rows = connection.scalars(uploads.select().with_only_columns(uploads.c.record).where(own))
    return {one.upload_id: one for one in map(OwnDocument.model_validate_json, rows)}


def _delete(connection: sa.Connection, upload_id: str, user_id: str) -> None:
    """Delete a document of a user; raises DocumentNotFoundError."""
    uploads = schema.uploads
    own = (uploads.c.id == upload_id) & (uploads.c.user_id == user_id)
    if not connection.execute(uploads.delete().where(own)).rowcount:
        raise _unknown(upload_id)


def delete_expired(connection: sa.Connection) -> None:
    """Delete the uploads that have not been used for too long, within the caller's transaction."""
    uploads = schema.uploads
    connection.execute(uploads.delete().where(uploads.c.until < time.time()))


class Uploads(Stored):
    """Uploads in the database of runs, which every process that serves or conducts shares."""

    add = writes(_insert)
    remove = writes(_delete)

    async def find(self, ids: Sequence[str], user_id: str) -> dict[str, OwnDocument]:
        """Return a user's documents by their ids, and keep them for longer.

        Raises DocumentNotFoundError for one that is not there, not any more, or another user's.
        """
        work = partial(_use, ids=ids, user_id=user_id)
        found = await self.database.write(work) if ids else {}
        # Not within the transaction, which deletes what is kept no longer.
        if unknown := next((one for one in ids if one not in found), None):
            raise _unknown(unknown)
        return found
