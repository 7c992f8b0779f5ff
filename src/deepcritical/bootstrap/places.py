"""Opens the sources of runs: live sources, or one snapshot."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial

from deepcritical.bootstrap.live import LiveSources, Lookups, open_sources
from deepcritical.domain.errors import StorageError
from deepcritical.domain.evidence import Evidence
from deepcritical.domain.plan import Place
from deepcritical.domain.recipe import OwnDocument
from deepcritical.jobs.run import OpenSources
from deepcritical.research.session import RunSources
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.tasks import SOON_S, to_the_end
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.settings import Settings
from deepcritical.tools.base import SearchTool
from deepcritical.tools.crossref import check_all
from deepcritical.tools.documents import OwnDocuments
from deepcritical.tools.drug_facts.base import DrugFactsLookUp
from deepcritical.tools.fulltext import fetch_full_texts
from deepcritical.tools.rag_tool import RagTool
from deepcritical.tools.registry import FULL_TEXTS, known
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

OpenRag = Callable[[], LlamaIndexRAGService]
"""Makes the retrieval over the records of one run."""
OpenBeside = Callable[..., AbstractAsyncContextManager[RunSources]]
"""Opens the sources of one run, and documents of the user's own beside them."""
OpenAt = Callable[[Place, Sequence[OwnDocument]], OpenSources]
"""Opens the sources of a place, and documents of the user's own beside them."""


BROAD_FACTOR = 10
"""Factor on `results_per_query` for the query for drug and condition of a live source."""
READ_FACTOR = 5
"""The same where a model reads each record, which costs some 600 tokens."""


def place_of(
    settings: Settings,
    *,
    snapshot: str | None = None,
    sources: Sequence[str] = (),
) -> Place:
    """Return the place that runs search, chosen as for `build_runs`.

    Raises:
        ValueError: Both a snapshot and sources are given, or one of them is unknown.
    """
    if snapshot is not None and sources:
        raise ValueError("a run searches either a snapshot or live sources")
    chosen = snapshot if snapshot is not None or sources else settings.snapshot
    if chosen is not None:
        return Place(snapshot=chosen)
    return Place(sources=known(sources) or settings.sources)


def open_sources_of(
    settings: Settings,
    place: Place,
    telemetry: Telemetry = OFF,
    open_rag: OpenRag | None = None,
) -> OpenBeside:
    """Opens the sources of one run at that place, and what ranks that which they find.

    A snapshot is read once for every run; live sources are a run's own, and share limiters and the
    cache's file.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
    """
    source = SnapshotSource(snapshot_path(place.snapshot)) if place.snapshot is not None else None

    async def records_of(ids: Sequence[str]) -> dict[str, Evidence]:
        # In a thread, for it looks for the snapshot.
        lookups = await asyncio.to_thread(Lookups, settings, place.snapshot)
        return await lookups.records_of(ids)

    @asynccontextmanager
    async def opened(documents: Sequence[OwnDocument] = ()) -> AsyncIterator[RunSources]:
        own = [OwnDocuments(documents, records_of)] if documents else []
        async with _ranking(open_rag) as records:
            if source:
                handler = SearchHandler((*own, source), telemetry=telemetry)
                told = (await source.describe(),)
                yield RunSources(handler, told, None, source.look_up, records)
                return
            async with open_sources(settings, place.sources) as live:
                handler = _live_handler(settings, (*own, *live.tools), telemetry)
                yield _of_live(settings, live, handler, records)

    return opened


def sources_at(
    settings: Settings, telemetry: Telemetry = OFF, open_rag: OpenRag | None = None
) -> OpenAt:
    """Opens the sources of any place; a snapshot is found and read once for all of its runs."""
    opener = cache(partial(open_sources_of, settings, telemetry=telemetry, open_rag=open_rag))

    def opening(place: Place, documents: Sequence[OwnDocument] = ()) -> OpenSources:
        return partial(opener(place), tuple(documents))

    return opening


@asynccontextmanager
async def _ranking(open_rag: OpenRag | None) -> AsyncIterator[RagTool | None]:
    if open_rag is None:
        yield None
        return
    rag = open_rag()
    try:
        async with RagTool(rag).used() as tool:
            yield tool
    finally:
        # Rows on a server that cannot be reached are seen by no other run, and go within a week.
        with suppress(StorageError):
            await to_the_end(rag.close(), SOON_S)


def _live_handler(
    settings: Settings, tools: Sequence[SearchTool], telemetry: Telemetry
) -> SearchHandler:
    return SearchHandler(
        tools,
        deadline_s=settings.source_deadline_s,
        broad_factor=READ_FACTOR if settings.model else BROAD_FACTOR,
        now=lambda: datetime.now(UTC),
        telemetry=telemetry,
    )


def _of_live(
    settings: Settings,
    live: LiveSources,
    handler: SearchHandler,
    records: RagTool | None,
) -> RunSources:
    facts = DrugFactsLookUp(
        live.facts,
        deadline_s=settings.source_deadline_s,
        today=lambda: datetime.now(UTC).date().isoformat(),
    )
    return RunSources(
        handler,
        tuple(_described(settings, live)),
        partial(check_all, client=live.crossref) if live.crossref else None,
        live.mesh.look_up,
        records,
        facts.look_up if live.facts else None,
        partial(fetch_full_texts, client=live.full_texts) if live.full_texts else None,
    )


def _described(settings: Settings, live: LiveSources) -> Iterator[str]:
    kept = f", answers kept for {settings.http_cache_ttl_s / 3600:g} h" if live.caches else ""
    yield from (f"{tool.name}: searched live{kept}" for tool in live.tools)
    if live.full_texts:
        yield f"{FULL_TEXTS.name}: asked for open full texts where an abstract gives no result"
    if live.crossref:
        yield "Crossref: asked for retractions of the records used that have a DOI"
