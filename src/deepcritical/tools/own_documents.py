"""Documents of the user's own as a source of one run: all of them, once, at the first query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from deepcritical.domain.errors import DocumentError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.own_documents import MAX_DOCUMENTS, OwnDocument
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.documents import SUFFIXES, read_document

__all__ = ["OwnDocuments", "documents_in"]

RecordsOf = Callable[[Sequence[str]], Awaitable[Mapping[str, Evidence]]]


class OwnDocuments(SearchTool):
    """A search tool over documents that the user gave.

    Args:
        documents: Records, or canonical ids such as ``pmid:26890736``.
        records_of: Finds the records of ids.
    """

    name = "your documents"

    def __init__(self, documents: Sequence[OwnDocument], records_of: RecordsOf) -> None:
        self._documents = tuple(documents)
        self._records_of = records_of
        self._given = False

    async def fetch(self, _query: SourceQuery) -> SourceResult:
        """All documents at the first query; `not_applicable` from then on.

        Raises:
            SearchError: A source that would know an id could not be reached.
        """
        if self._given:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        self._given = True
        ids = [document.name for document in self._documents if document.record is None]
        known = await self._records_of(ids) if ids else {}
        lost = tuple(f"{i}: no source knows it" for i in ids if i not in known)
        found = [document.record or known.get(document.name) for document in self._documents]
        evidence = tuple(filter(None, found))
        return SourceResult(
            outcome=SourceOutcome.DEGRADED if lost else SourceOutcome.DATA,
            evidence=evidence,
            query_as_run=", ".join(document.name for document in self._documents),
            total=len(evidence),
            skipped=lost,
        )


def documents_in(path: Path) -> tuple[OwnDocument, ...]:
    """The document that a file is, or those of a folder. Blocks.

    Raises:
        DocumentError: One of them cannot be read, or a folder has none.
    """
    try:
        inside = sorted(path.iterdir()) if path.is_dir() else None
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror}.") from error
    files = [path] if inside is None else [p for p in inside if p.suffix.lower() in SUFFIXES]
    if not files:
        advice = f"Put files in it that end in {', '.join(SUFFIXES)}."
        raise DocumentError(f"{path.name} has no document that can be read.", advice)
    if len(files) > MAX_DOCUMENTS:
        raise DocumentError(f"{path.name} has more than {MAX_DOCUMENTS} documents.", "Choose some.")
    return tuple(OwnDocument(name=file.name, record=read_document(file)) for file in files)
