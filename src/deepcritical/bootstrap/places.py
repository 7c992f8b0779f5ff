"""Where runs search: live sources, or one snapshot; and how those are opened for a run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial

from deepcritical.bootstrap.live import LiveSources, open_sources
from deepcritical.domain.live_sources import SourceKey
from deepcritical.domain.plan import Place
from deepcritical.jobs.conduct import OpenSources
from deepcritical.research.session import RunSources
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.settings import Settings
from deepcritical.tools.crossref import check_all
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path
from deepcritical.tools.spanned import SpannedTool

__all__ = ["open_sources_of", "place_of"]

BROAD_FACTOR = 10
"""How many times `results_per_query` the query for drug and condition brings of a live source."""


def place_of(
    settings: Settings, *, snapshot: str | None = None, sources: Sequence[SourceKey] = ()
) -> Place:
    """Where runs search: as for `build_runs`.

    Raises:
        ValueError: Both a snapshot and sources are given.
    """
    if snapshot is not None and sources:
        raise ValueError("a run searches either a snapshot or live sources")
    chosen = snapshot if snapshot is not None or sources else settings.snapshot
    if chosen is not None:
        return Place(snapshot=chosen)
    return Place(sources=tuple(sources or settings.sources))


def open_sources_of(settings: Settings, place: Place, telemetry: Telemetry = OFF) -> OpenSources:
    """Opens the sources of one run at that place.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
    """
    if place.snapshot is not None:
        return _over_snapshot(place.snapshot, telemetry)
    return _over_live(settings, place.sources, telemetry)


def _over_snapshot(name: str, telemetry: Telemetry) -> OpenSources:
    """One source for every run: the file is read once."""
    source = SnapshotSource(snapshot_path(name))

    @asynccontextmanager
    async def opened() -> AsyncIterator[RunSources]:
        yield RunSources(
            SearchHandler([SpannedTool(source, telemetry)]),
            (await source.describe(),),
            look_up=source.look_up,
        )

    return opened


def _over_live(settings: Settings, names: Sequence[SourceKey], telemetry: Telemetry) -> OpenSources:
    """Sources of its own for every run; they share limiters and the cache's file."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[RunSources]:
        async with open_sources(settings, names) as live:
            handler = SearchHandler(
                [SpannedTool(tool, telemetry) for tool in live.tools],
                deadline_s=settings.source_deadline_s,
                broad_factor=BROAD_FACTOR,
                now=lambda: datetime.now(UTC),
            )
            check = partial(check_all, client=live.crossref) if live.crossref else None
            described = tuple(_described(settings, live))
            yield RunSources(handler, described, check, live.mesh.look_up)

    return opened


def _described(settings: Settings, live: LiveSources) -> Iterator[str]:
    kept = f", answers kept for {settings.http_cache_ttl_s / 3600:g} h" if live.caches else ""
    yield from (f"{tool.name}: searched live{kept}" for tool in live.tools)
    if live.crossref:
        yield "Crossref: asked for retractions of the records used that have a DOI"
