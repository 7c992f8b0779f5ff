"""Documents of the user's own: as he names them for a run, and as the run reads them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from deepcritical.domain.base import Model
from deepcritical.domain.evidence import MAX_TEXT_CHARS, Evidence

MAX_DOCUMENTS = 20
"""Of one run."""


class PastedText(Model):
    """A text of the user's own, such as an abstract."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]
    title: Annotated[str, Field(max_length=300)] = ""
    """By default its first line."""


GivenDocuments = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=1000)] | PastedText, ...],
    Field(max_length=MAX_DOCUMENTS),
]
"""Ids of records and of uploads, and texts, as a request names them."""


class OwnDocument(Model):
    """A document that a run reads beside what it finds; its text is kept with the run."""

    name: str
    """The name of its file, or the canonical id under which sources know it."""
    upload_id: str = ""
    """The id under which it was uploaded, if it was."""
    record: Evidence | None = None
    """None for one that is looked up by its id."""
