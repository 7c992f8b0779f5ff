"""Documents of the user's own as a source of one run: all of them, once, at the first query."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from deepcritical.domain.errors import DocumentError
from deepcritical.domain.evidence import Evidence
from deepcritical.tools.base import SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.documents import SUFFIXES, read_document

__all__ = ["MAX_DOCUMENTS", "OwnDocuments", "documents_in"]

MAX_DOCUMENTS = 20
"""Of one run."""
RecordsOf = Callable[[Sequence[str]], Awaitable[Mapping[str, Evidence]]]


class OwnDocuments:
    """A search tool over files and ids that the user named; see `SearchTool`.

    Args:
        named: Paths of files, or canonical ids such as ``pmid:26890736``.
        records_of: Finds the records of ids.
    """

    def __init__(self, named: Sequence[str], records_of: RecordsOf) -> None:
        self._named = tuple(named)
        self._records_of = records_of
        self._given = False

    @property
    def name(self) -> str:
        """What a reader calls it."""
        return "your documents"

    async def fetch(self, _query: SourceQuery) -> SourceResult:
        """All documents at the first query; `not_applicable` from then on.

        Raises:
            DocumentError: A file cannot be read any more.
            SearchError: A source that would know an id could not be reached.
        """
        if self._given:
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        self._given = True
        files = [name for name in self._named if is_path(name)]
        ids = [name for name in self._named if not is_path(name)]
        found = [await asyncio.to_thread(read_document, Path(name)) for name in files]
        known = await self._records_of(ids) if ids else {}
        lost = tuple(f"{i}: no source knows it" for i in ids if i not in known)
        told = [Path(name).name for name in files] + ids
        evidence = (*found, *(known[i] for i in ids if i in known))
        return SourceResult(
            outcome=SourceOutcome.DEGRADED if lost else SourceOutcome.DATA,
            evidence=evidence,
            query_as_run=", ".join(told),
            total=len(evidence),
            skipped=lost,
        )

    async def search(self, query: str, max_results: int = 10) -> list[Evidence]:
        """The documents, whatever is asked."""
        found = await self.fetch(SourceQuery(text=query, max_results=max_results))
        return list(found.evidence)


def is_path(name: str) -> bool:
    """Whether a document is named by its path, and not by an id."""
    return Path(name).is_absolute()


def documents_in(path: Path) -> tuple[str, ...]:
    """The absolute paths of a file, or of the documents of a folder, each read once. Blocks.

    Raises:
        DocumentError: One of them cannot be read, or a folder has none.
    """
    files = (
        sorted(p for p in path.iterdir() if p.suffix.lower() in SUFFIXES)
        if path.is_dir()
        else [path]
    )
    if not files:
        advice = f"Put files in it that end in {', '.join(SUFFIXES)}."
        raise DocumentError(f"{path.name} has no document that can be read.", advice)
    if len(files) > MAX_DOCUMENTS:
        raise DocumentError(f"{path.name} has more than {MAX_DOCUMENTS} documents.", "Choose some.")
    for file in files:
        read_document(file)
    return tuple(str(file.resolve()) for file in files)
