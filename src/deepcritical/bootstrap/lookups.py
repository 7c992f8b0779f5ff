"""Looks records up in the live sources outside of any run: by a query, or by their ids."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

from deepcritical.bootstrap.live import open_sources
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.identity import canonical_ids
from deepcritical.domain.question import SearchQuery
from deepcritical.settings import Settings
from deepcritical.tools.base import CheckIntegrity
from deepcritical.tools.crossref import check_all
from deepcritical.tools.registry import SOURCES
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.searching import Found, search
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

_FIELD = {kind: (source.key, form) for source in SOURCES for kind, form in source.by_id.items()}
"""Which source knows a kind of id, and how it is asked for one."""
_FEW = 3
"""Records that are read to find the one of an id: a registry also finds those that name it."""


class Lookups:
    """Searches live sources, and finds records by their ids.

    Args:
        settings: Addresses, keys and limits of the sources.
        snapshot: Name or path of the snapshot that ids are looked up in instead; None for live.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
    """

    def __init__(self, settings: Settings, snapshot: str | None = None) -> None:
        self._settings = settings
        self._local = SnapshotSource(snapshot_path(snapshot)) if snapshot is not None else None

    async def search(self, names: Sequence[str], query: str, most: int) -> Found:
        """The records that live sources find, at most `most` of each.

        Raises:
            SearchError: None of them could be reached.
        """
        async with self._opened(names) as (handler, check):
            asked = [SearchQuery(text=query)]
            return await search(handler, asked, most, self._settings.source_deadline_s, check)

    async def records_of(self, ids: Sequence[str]) -> dict[str, Evidence]:
        """The records of canonical ids, such as ``pmid:26890736``; those not found are left out.

        Raises:
            SearchError: A source that would know could not be reached.
            SnapshotCorruptError: The snapshot cannot be read.
            ValueError: An id is of no kind that can be looked up.
        """
        if unknown := [i for i in ids if i.partition(":")[0] not in _FIELD]:
            raise ValueError(f"no source knows ids like {unknown[0]}")
        local = await self._local.contents() if self._local else None
        records = local.records if local else await self._live(ids)
        known = {i: record for record in records for i in canonical_ids(record)}
        return {i: known[i] for i in ids if i in known}

    async def _live(self, ids: Sequence[str]) -> tuple[Evidence, ...]:
        wanted: dict[str, list[str]] = {}
        for one in ids:
            kind, _, value = one.partition(":")
            source, form = _FIELD[kind]
            wanted.setdefault(source, []).append(form.format(value))
        found: list[Evidence] = []
        for source, queries in wanted.items():
            found += await self._asked(source, queries)
        return tuple(found)

    async def _asked(self, source: str, queries: Sequence[str]) -> Sequence[Evidence]:
        async with self._opened([source]) as (handler, check):
            answers = await handler.execute([SearchQuery(text=q) for q in queries], _FEW)
            if unread := next((a.error for a in answers if a.error), None):
                raise unread
            found = [record for answer in answers for record in answer.result.evidence]
            return await check(found, self._settings.source_deadline_s)

    @asynccontextmanager
    async def _opened(
        self, names: Sequence[str]
    ) -> AsyncIterator[tuple[SearchHandler, CheckIntegrity]]:
        async with open_sources(self._settings, names) as live:
            handler = SearchHandler(live.tools, deadline_s=self._settings.source_deadline_s)
            yield handler, partial(check_all, client=live.crossref)
