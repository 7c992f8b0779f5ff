"""Builds single parts from the settings: model servers, telemetry, stores, sources, retrieval."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from deepcritical.bootstrap.live import LiveSources, Lookups, open_sources
from deepcritical.domain.errors import ConfigurationError, StorageError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import Depth, RunLimits, Step
from deepcritical.domain.run.plan import Place
from deepcritical.domain.run.recipe import OwnDocument
from deepcritical.jobs.hosting import MOST_TAKEOVERS
from deepcritical.jobs.run import OpenSources
from deepcritical.jobs.upkeep import TTL_S
from deepcritical.research.session import RunSources
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import SHIPPED_VECTORS, EmbeddingService
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.study_readings import StudyReadings
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

if TYPE_CHECKING:
    from deepcritical.models.providers import ModelServer
    from deepcritical.services.storage.operations import Operations


def build_model_server(settings: Settings, model: str) -> ModelServer:
    """The server of the settings' model, with those of its steps and its fallback."""
    server = _own_server(settings, model)
    beside = {step: settings.of_step(step) for step in get_args(Step)}
    made = {name: _server_beside(settings, name) for name in beside.values() if name}
    server.steps = {step: made[name] for step, name in beside.items() if name}
    if settings.fallback_model:
        server.fallback = _server_beside(settings, settings.fallback_model)
    return server


def _server_beside(settings: Settings, model: str) -> ModelServer:
    """The server of another model; what is set for the model of the run is not meant for it."""
    own = settings.with_model(model)
    if model != settings.model:
        unset = {"model_profile": "auto", "model_context": None, "model_at_once": None}
        own = own.model_copy(update=unset)
    return _own_server(own, model)


def _own_server(settings: Settings, model: str) -> ModelServer:
    with libraries_of(model):
        from deepcritical.models.providers import model_server
    key = settings.model_key
    server = model_server(
        model,
        base_url=settings.model_base_url,
        api_key=key.value.get_secret_value() if key else None,
        profile=settings.model_profile,
        context=settings.model_context,
        effort=settings.reasoning_effort,
        timeout_s=settings.model_timeout_s,
    )
    if settings.model_at_once:
        server.profile = server.profile._replace(at_once=settings.model_at_once)
    return server


def users_server(settings: Settings, model: str) -> ModelServer:
    """The server of a model that a user chose, which is its provider's own."""
    with libraries_of(model):
        from deepcritical.models.providers import hosted_model_server
    return hosted_model_server(model, timeout_s=settings.model_timeout_s)


@contextmanager
def libraries_of(model: str) -> Iterator[None]:
    """Imports that are late: without a model nobody waits for its libraries, or needs them."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The model {model} needs a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[llm]'",
        ) from error


_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


def open_operations(settings: Settings) -> Operations | None:
    """A look at the database of the settings; None when nothing is kept. Nothing is opened yet."""
    if settings.database_url is None:
        return None
    # Imported late, with the library of the database.
    from deepcritical.services.storage.operations import Operations, ReadOnlyDatabase

    database = ReadOnlyDatabase(settings.database_url.get_secret_value())
    return Operations(database, ttl_s=TTL_S, most_takeovers=MOST_TAKEOVERS + 1)


def open_readings(settings: Settings) -> StudyReadings | None:
    """The store of readings; None when nothing is kept. Nothing is opened yet. Close it."""
    url = settings.database_url
    return StudyReadings(Database(url.get_secret_value())) if url else None


def open_telemetry() -> Telemetry:
    """Return the exporter of spans that OpenTelemetry's variables ask for; by default none.

    Raises:
        ConfigurationError: They ask for what cannot be done, or a library is not installed.
    """
    if not _is_wanted():
        return OFF
    protocol = next((os.environ[name] for name in _PROTOCOLS if os.environ.get(name)), "")
    if protocol not in ("", "http/protobuf"):
        raise ConfigurationError(
            f"Spans cannot be sent by the protocol {protocol}.",
            "Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf, or unset it.",
        )
    try:
        # Imported late: nobody waits for it, or needs it, who collects nothing.
        from deepcritical.services.otel import OtelTelemetry
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"Spans need a library that is not installed: {error.name}.",
            "Install it in a checkout with: pip install '.[telemetry]'",
        ) from error
    return OtelTelemetry()


def _is_wanted() -> bool:
    """Return whether spans are to be sent."""
    exporter = os.environ.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if exporter not in ("", "none", "otlp"):
        raise ConfigurationError(
            f"Spans cannot be sent to the exporter {exporter}.",
            "Set OTEL_TRACES_EXPORTER to otlp or none.",
        )
    if exporter == "none" or os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    return exporter == "otlp" or any(os.environ.get(name) for name in _ENDPOINTS)


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
    settings: Settings, *, snapshot: str | None = None, sources: Sequence[str] = ()
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
    settings: Settings, place: Place, telemetry: Telemetry = OFF, open_rag: OpenRag | None = None
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
    settings: Settings, live: LiveSources, handler: SearchHandler, records: RagTool | None
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


LOCAL_RESULTS = 30
"""Records that a query takes from a snapshot: a local file costs no request, so it may be many."""


def limits_of(settings: Settings, depth: Depth, *, local: bool = False) -> RunLimits:
    """The limits of a depth, as far as no setting overrides them; `local` for a snapshot."""
    chosen = {
        "paced": None if settings.deadline_s is None else False,
        "max_iterations": settings.max_iterations,
        "deadline_s": settings.deadline_s,
        "results_per_query": LOCAL_RESULTS if local else None,
        "max_calls": settings.max_calls,
        "max_tokens": settings.max_tokens,
        "max_cost_usd": settings.max_cost_usd,
    }
    return RunLimits.for_depth(depth).model_copy(
        update={name: value for name, value in chosen.items() if value is not None}
    )


@asynccontextmanager
async def open_retrieval(
    settings: Settings, run_id: str, tell: Callable[[str], None]
) -> AsyncIterator[LlamaIndexRAGService]:
    """Retrieval over the records of one run, until the context ends.

    `tell` gets what the reader must know at the end: vectors not kept, rows not removed.
    """
    embeddings, index = retrieval_parts(settings)
    rag = LlamaIndexRAGService(run_id, embeddings, index)
    try:
        yield rag
    finally:
        try:
            await rag.close()
        except StorageError as error:
            tell(str(error))
        await asyncio.to_thread(index.close)
        if embeddings and embeddings.cache_problem:
            tell(f"Vectors are not kept: {embeddings.cache_problem}")


def retrieval_parts(settings: Settings) -> tuple[EmbeddingService | None, ChromaIndex]:
    """The embedding model, if one is set, and the index of vectors. Neither is opened yet."""
    kept = settings.vector_cache.expanduser() if settings.vector_cache else None
    model = settings.embedding_model.strip()
    embeddings = _embeddings(model, kept) if model else None
    return embeddings, ChromaIndex(settings.chroma_url, settings.chroma_headers)


@cache
def _embeddings(model: str, vectors: Path | None) -> EmbeddingService:
    """One for all parts of a process: a model takes seconds to load, and 100 MB."""
    return EmbeddingService(model, cache=vectors, shipped=SHIPPED_VECTORS)
