"""Settings in, a ready application out: the implementations are picked here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from pydantic import SecretStr, ValidationError

from deepcritical.bootstrap.live import LiveSources, open_sources
from deepcritical.bootstrap.lookups import Lookups
from deepcritical.domain.budget import Depth, RunLimits
from deepcritical.domain.errors import ConfigurationError, StorageError
from deepcritical.domain.events import Notice
from deepcritical.domain.live_sources import SourceKey
from deepcritical.domain.plan import Place
from deepcritical.jobs.conduct import OpenSources
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.deep_research import deep_research
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import Reasoner, RunDesk
from deepcritical.reasoning.choosing import ChooseEvidence, DiverseEvidence, OpenChoosing
from deepcritical.reasoning.extractive import ExtractiveReasoner
from deepcritical.research.session import RunSources
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.database import Database
from deepcritical.services.embeddings import EmbeddingService
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from deepcritical.tools.crossref import check_all
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

if TYPE_CHECKING:
    from deepcritical.reasoning.providers import ModelServer

__all__ = [
    "build_lookups",
    "build_model_server",
    "build_reasoner",
    "build_runs",
    "limits_of",
    "open_retrieval",
    "open_sources_of",
    "open_traces",
    "place_of",
    "read_settings",
    "retrieval_parts",
    "users_server",
]

BROAD_FACTOR = 3
"""How many times `results_per_query` the query for drug and condition brings of a live source."""
LOCAL_RESULTS = 30
"""Records that a query takes from a snapshot: a local file costs no request, so it may be many."""


def read_settings(
    model: str | None = None, base_url: str | None = None, api_key: SecretStr | None = None
) -> Settings:
    """Settings of the environment, with another model as far as one is given.

    Args:
        model: As ``provider:name``; empty for rules alone.
        base_url: Address of the model's server.
        api_key: The key for it.

    Raises:
        ConfigurationError: A value is not usable.
    """
    try:
        return Settings().with_model(model, base_url, api_key)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = f"DEEPCRITICAL_{'_'.join(str(part) for part in first['loc']).upper()}"
        raise ConfigurationError(
            f"The setting {name} is not usable: {first['msg']}.",
            "Correct it in the environment or in .env.",
        ) from error


def build_runs(
    settings: Settings, *, snapshot: str | None = None, sources: Sequence[SourceKey] = ()
) -> RunService:
    """The service that runs questions against live sources, or against one snapshot.

    Args:
        settings: Settings of the environment.
        snapshot: Overrides the settings: this snapshot is searched.
        sources: Override the settings: these live sources are searched.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
        StorageError: The database of runs cannot be used.
        ValueError: Both a snapshot and sources are given.
    """
    place = place_of(settings, snapshot=snapshot, sources=sources)
    local = place.snapshot is not None
    choosing = _over_retrieval(settings)
    own = build_reasoner(settings, choosing)
    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=own,
        choose_reasoner=partial(_chosen_reasoner, settings, own, choosing),
        open_sources=open_sources_of(settings, place),
        limits_for=lambda depth: limits_of(settings, depth, local=local),
        traces=open_traces(settings),
        place=place,
    )


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


def open_sources_of(settings: Settings, place: Place) -> OpenSources:
    """Opens the sources of one run at that place.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
    """
    if place.snapshot is not None:
        return _over_snapshot(place.snapshot)
    return _over_live(settings, place.sources)


def build_lookups(
    settings: Settings, *, snapshot: str | None = None, sources: Sequence[SourceKey] = ()
) -> Lookups:
    """Searches and look-ups outside of runs; ids are looked up where the runs search.

    Raises:
        SnapshotNotFoundError: There is no such snapshot.
    """
    return Lookups(settings, place_of(settings, snapshot=snapshot, sources=sources).snapshot)


def open_traces(settings: Settings) -> ToolTraceService | None:
    """The traces in the database of the settings; None when nothing is to be kept.

    Raises:
        ConfigurationError: The database needs a library that is not installed.
        StorageError: The database cannot be used.
    """
    if settings.database_url is None:
        return None
    traces = ToolTraceService(Database(settings.database_url.get_secret_value()))
    traces.check()
    return traces


def build_reasoner(settings: Settings, choosing: OpenChoosing | None = None) -> Reasoner:
    """The reasoner of the settings: rules alone, or with a model. Nothing is sent.

    Raises:
        ConfigurationError: The model cannot be resolved, or its libraries are not installed.
    """
    if settings.model is None:
        if settings.manager == "standard":
            raise ConfigurationError(
                "The standard manager asks a model, and none is set.",
                "Set DEEPCRITICAL_MODEL, or leave DEEPCRITICAL_MANAGER at guided.",
            )
        return ExtractiveReasoner()
    with _libraries_of(settings.model):
        from deepcritical.reasoning.llm import LLMReasoner
    server = build_model_server(settings, settings.model)
    manages = settings.manager == "standard"
    return LLMReasoner(server, choosing=choosing or _over_retrieval(settings), manages=manages)


def _chosen_reasoner(
    settings: Settings, own: Reasoner, choosing: OpenChoosing, model: str, key: SecretStr | None
) -> Reasoner:
    """The reasoner for what a user of the page chose.

    The address of another model is its provider's, and its key the user's: what the settings hold
    is for the model of the settings alone.

    Raises:
        ConfigurationError: The model is none that may be chosen, or key and model do not go
            together.
    """
    if model in ("", settings.model):
        if key and settings.model is None:
            raise ConfigurationError(
                "A key was given, but no model.", "Name one, such as anthropic:claude-opus-4-6."
            )
        return own
    with _libraries_of(model):
        from deepcritical.reasoning.llm import LLMReasoner
    server = users_server(settings, model)
    if key is None:
        raise ConfigurationError(
            f"The model {model} needs a key of yours.", "Give it beside the model's name."
        )
    return LLMReasoner(server, choosing=choosing, manages=settings.manager == "standard")


def users_server(settings: Settings, model: str) -> ModelServer:
    """The server of a model that a user chose, which is its provider's own.

    Raises:
        ConfigurationError: The model is none that may be chosen.
    """
    with _libraries_of(model):
        from deepcritical.reasoning.providers import hosted_model_server
    return hosted_model_server(model, timeout_s=settings.model_timeout_s)


@contextmanager
def _libraries_of(model: str) -> Iterator[None]:
    """Imports that are late: without a model nobody waits for its libraries, or needs them."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The model {model} needs a library that is not installed: {error.name}.",
            "Install it with: pip install 'deepcritical[llm]'",
        ) from error


def _over_retrieval(settings: Settings) -> OpenChoosing:
    """Retrieval for every run, over one embedding model and one index for all."""
    embeddings, index = retrieval_parts(settings)

    @asynccontextmanager
    async def opened(desk: RunDesk) -> AsyncIterator[ChooseEvidence]:
        rag = LlamaIndexRAGService(uuid4().hex, embeddings, index)
        try:
            yield DiverseEvidence(rag, desk)
        finally:
            try:
                await rag.close()
            except StorageError as error:
                await desk.tell(Notice(message=str(error)))

    return opened


def build_model_server(settings: Settings, model: str) -> ModelServer:
    """The server of the settings' model with its address, its key and its profile.

    Raises:
        ConfigurationError: The model cannot be resolved.
    """
    with _libraries_of(model):
        from deepcritical.reasoning.providers import model_server
    key = settings.model_key
    return model_server(
        model,
        base_url=settings.model_base_url,
        api_key=key.value.get_secret_value() if key else None,
        profile=settings.model_profile,
        timeout_s=settings.model_timeout_s,
    )


def limits_of(settings: Settings, depth: Depth, *, local: bool = False) -> RunLimits:
    """The limits of a depth, as far as no setting overrides them; `local` for a snapshot."""
    chosen = {
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


def _over_snapshot(name: str) -> OpenSources:
    """One source for every run: the file is read once."""
    source = SnapshotSource(snapshot_path(name))

    @asynccontextmanager
    async def opened() -> AsyncIterator[RunSources]:
        yield RunSources(SearchHandler([source]), (await source.describe(),))

    return opened


def _over_live(settings: Settings, names: Sequence[SourceKey]) -> OpenSources:
    """Sources of its own for every run; they share limiters and the cache's file."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[RunSources]:
        async with open_sources(settings, names) as live:
            handler = SearchHandler(
                live.tools,
                deadline_s=settings.source_deadline_s,
                broad_factor=BROAD_FACTOR,
                now=lambda: datetime.now(UTC),
            )
            check = partial(check_all, client=live.crossref) if live.crossref else None
            yield RunSources(handler, tuple(_described(settings, live)), check)

    return opened


def _described(settings: Settings, live: LiveSources) -> Iterator[str]:
    kept = f", answers kept for {settings.http_cache_ttl_s / 3600:g} h" if live.caches else ""
    yield from (f"{tool.name}: searched live{kept}" for tool in live.tools)
    if live.crossref:
        yield "Crossref: asked for retractions of the records used that have a DOI"


@asynccontextmanager
async def open_retrieval(
    settings: Settings, run_id: str, tell: Callable[[str], None]
) -> AsyncIterator[LlamaIndexRAGService]:
    """Retrieval over the records of one run, until the context ends.

    Args:
        settings: Settings of the environment.
        run_id: The run.
        tell: Gets what the reader must know and what ends nothing, at the end: vectors that could
            not be kept, rows that could not be removed.
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
    cache = settings.vector_cache.expanduser() if settings.vector_cache else None
    model = settings.embedding_model.strip()
    embeddings = EmbeddingService(model, cache=cache) if model else None
    return embeddings, ChromaIndex(settings.chroma_url.strip())
