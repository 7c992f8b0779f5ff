"""Searches a snapshot: a JSONL file of records, ranked by BM25.

For demo, re-runs and tests.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from deepcritical.domain.errors import SnapshotCorruptError, SnapshotNotFoundError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.frame import OutsideName
from deepcritical.domain.patterns import bounded
from deepcritical.domain.question import SearchBlock
from deepcritical.domain.recipe import RUN_RECORDS
from deepcritical.services.lexical import LexicalIndex, searchable, terms
from deepcritical.tools.base import SearchTool, SourceOutcome, SourceQuery, SourceResult, outcome_of
from deepcritical.tools.snapshot_records import Parsed, parse

_DATA = Path(__file__).parent.parent / "data" / "snapshots"
BUNDLED = ("demo",)
"""Names of the snapshots that ship with the package."""


def snapshot_path(name: str) -> Path:
    """The file of a bundled snapshot's name, or of a path.

    The path of a folder that ``research --out`` wrote stands for the records in it.

    Raises:
        SnapshotNotFoundError: Neither a bundled name nor a readable file.
    """
    if path := _existing(name):
        return path
    raise SnapshotNotFoundError(
        f"There is no snapshot {name!r}.",
        f"Give the path of a .jsonl file, a folder written by --out, or: {', '.join(BUNDLED)}.",
    )


def _existing(name: str) -> Path | None:
    try:
        path = _DATA / f"{name}.jsonl" if name in BUNDLED else Path(name).expanduser()
        path = path / RUN_RECORDS if name and path.is_dir() else path
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None  # a name too long for the system, of an unknown home, or with a NUL in it


class SnapshotSource(SearchTool):
    """A search tool over one snapshot file.

    The file is read at the first query, off the event loop.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._index: _Index | None = None
        # Concurrent first queries must not read the file twice.
        self._loading = asyncio.Lock()

    @property
    def name(self) -> str:
        """``snapshot`` with the file's name."""
        return f"snapshot {self._path.stem}"

    async def fetch(self, query: SourceQuery) -> SourceResult:
        """The best records for a query."""
        if query.block in (SearchBlock.RECENT, SearchBlock.CITATIONS):
            return SourceResult(outcome=SourceOutcome.NOT_APPLICABLE, query_as_run="")
        index = await self._loaded()
        found, total = await asyncio.to_thread(index.rank, query)
        return SourceResult(
            outcome=outcome_of(found, index.parsed.skipped),
            evidence=found,
            query_as_run=query.text,
            total=total,
            skipped=index.parsed.skipped,
        )

    async def describe(self) -> str:
        """One line on what the snapshot is, with the start of its SHA-256."""
        index = await self._loaded()
        header, records, _ = index.parsed
        made = f", made on {header.created}" if header.created else ""
        return f"{self.name}: {len(records)} records{made}, SHA-256 {index.digest[:12]}"

    async def look_up(self, names: Sequence[OutsideName]) -> tuple[OutsideName, ...]:
        """Those of the names that any of its records has: they can be searched as they are."""
        index = await self._loaded()
        return await asyncio.to_thread(lambda: tuple(n for n in names if index.names(n.text)))

    async def contents(self) -> Parsed:
        """All that the file holds, in its order."""
        return (await self._loaded()).parsed

    async def _loaded(self) -> _Index:
        async with self._loading:
            if self._index is None:
                self._index = await asyncio.to_thread(_Index.read, self._path)
            return self._index


class _Index:
    """The records of a snapshot with a BM25 index over title, text and registry terms."""

    def __init__(self, parsed: Parsed, digest: str) -> None:
        self.parsed = parsed
        self.digest = digest
        self._ranker = LexicalIndex([terms(searchable(record)) for record in parsed.records])

    @classmethod
    def read(cls, path: Path) -> _Index:
        try:
            payload = path.read_bytes()
        except OSError as error:
            raise SnapshotCorruptError(
                f"The snapshot {path.name} cannot be read: {error.strerror}.",
                "Check the file, or use --snapshot demo.",
            ) from error
        return cls(parse(payload, path.name), hashlib.sha256(payload).hexdigest())

    def names(self, name: str) -> bool:
        """Return whether any record has this name."""
        pattern = bounded(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        return any(pattern.search(searchable(record)) for record in self.parsed.records)

    def rank(self, query: SourceQuery) -> tuple[tuple[Evidence, ...], int]:
        """The best `max_results` records with a score above 0, and how many have one."""
        scores = self._ranker.scores(query.text)
        # Equal scores keep the order of the file, so that two runs give the same bytes.
        order = sorted(
            (i for i in range(len(scores)) if scores[i] > 0), key=lambda i: (-float(scores[i]), i)
        )
        best = float(scores[order[0]]) if order else 1.0
        picked = (
            self.parsed.records[i].model_copy(
                update={"relevance_score": round(float(scores[i]) / best, 4)}
            )
            for i in order[: query.max_results]
        )
        return tuple(picked), len(order)
