"""The composition root: settings in, a ready application out.

Implementations are picked here and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit
from uuid import uuid4

from pydantic import SecretStr, ValidationError

from deepcritical.domain.budget import Depth, RunLimits
from deepcritical.domain.errors import ConfigurationError, StorageError
from deepcritical.domain.events import Notice
from deepcritical.domain.live_sources import SourceKey
from deepcritical.jobs.runs import OpenSources, RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import Reasoner, RunDesk
from deepcritical.reasoning.choosing import ChooseEvidence, DiverseEvidence, OpenChoosing
from deepcritical.reasoning.extractive import ExtractiveReasoner
from deepcritical.research.session import RunSources
from deepcritical.services.chroma import ChromaIndex
from deepcritical.services.embeddings import EmbeddingService
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.settings import Settings
from deepcritical.tools.base import SearchTool
from deepcritical.tools.clinicaltrials import ClinicalTrials
from deepcritical.tools.crossref import check_all
from deepcritical.tools.europepmc import EuropePMC
from deepcritical.tools.http import RequestsTransport, SourceClient
from deepcritical.tools.http_cache import AsyncBaseStorage, open_cache
from deepcritical.tools.pubmed import PubMed
from deepcritical.tools.rate_limiter import limiter_for
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path
from deepcritical.tools.web_search import DUCKDUCKGO_URL, WebSearch

if TYPE_CHECKING:
    from deepcritical.reasoning.providers import ModelServer

__all__ = [
    "LiveSources",
    "build_model_server",
    "build_reasoner",
    "build_runs",
    "limits_of",
    "open_retrieval",
    "open_sources",
    "read_settings",
]

BROAD_FACTOR = 3
"""How many times `results_per_query` the query for drug and condition brings of a live source."""
LOCAL_RESULTS = 30
"""Records that a query takes from a snapshot: a local file costs no request, so it may be many."""


def read_settings() -> Settings:
    """Settings of the environment.

    Raises:
        ConfigurationError: A value is not usable.
    """
    try:
        return Settings()
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
        ValueError: Both a snapshot and sources are given.
    """
    if snapshot is not None and sources:
        raise ValueError("a run searches either a snapshot or live sources")
    chosen = snapshot if snapshot is not None or sources else settings.snapshot
    local = chosen is not None
    return RunService(
        orchestrate=run_team,
        reasoner=build_reasoner(settings),
        open_sources=_over_snapshot(chosen)
        if chosen is not None
        else _over_live(settings, sources or settings.sources),
        limits_for=lambda depth: limits_of(settings, depth, local=local),
    )


def build_reasoner(settings: Settings) -> Reasoner:
    """The reasoner of the settings: rules alone, or with a model. Nothing is sent.

    Raises:
        ConfigurationError: The model cannot be resolved, or its libraries are not installed.
    """
    if settings.model is None:
        return ExtractiveReasoner()
    try:
        # Late: without a model nobody waits for its libraries, or needs them.
        from deepcritical.reasoning.llm import LLMReasoner
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"The model {settings.model} needs a library that is not installed: {error.name}.",
            "Install it with: pip install 'deepcritical[llm]'",
        ) from error
    server = build_model_server(settings, settings.model)
    return LLMReasoner(server, choosing=_over_retrieval(settings))


def _over_retrieval(settings: Settings) -> OpenChoosing:
    """Retrieval for every run, over one embedding model and one index for all."""
    embeddings, index = _retrieval_parts(settings)

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
    """The server of a model with the address, the key and the profile of the settings.

    Raises:
        ConfigurationError: The model cannot be resolved.
    """
    from deepcritical.reasoning.providers import model_server

    key = _model_key(settings, model)
    return model_server(
        model,
        base_url=settings.model_base_url,
        api_key=key.get_secret_value() if key else None,
        profile=settings.model_profile,
        timeout_s=settings.model_timeout_s,
    )


def _model_key(settings: Settings, model: str) -> SecretStr | None:
    """The key for the model's server; a provider's own key is sent to no other address."""
    if settings.model_api_key or settings.model_base_url:
        return settings.model_api_key
    provider = model.partition(":")[0]
    own = {
        "openai": settings.openai_api_key,
        "openai-chat": settings.openai_api_key,
        "anthropic": settings.anthropic_api_key,
        "huggingface": settings.hf_token,
    }
    return own.get(provider)


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


class LiveSources(NamedTuple):
    """Sources that are open, and the client that looks retractions up."""

    tools: tuple[SearchTool, ...]
    crossref: SourceClient | None
    """None unless the setting asks for it."""
    caches: bool
    """Whether answers are kept."""


@asynccontextmanager
async def open_sources(
    settings: Settings, names: Sequence[SourceKey]
) -> AsyncIterator[LiveSources]:
    """The named sources, until the context ends; clients of one host share one limiter."""
    async with AsyncExitStack() as stack:
        storage = (
            await open_cache(settings.http_cache.expanduser()) if settings.http_cache else None
        )
        if storage is not None:
            stack.push_async_callback(storage.close)
        opening = _Opening(settings, stack, storage)
        yield LiveSources(
            tools=tuple(opening.tool(name) for name in names),
            crossref=opening.crossref() if settings.check_integrity else None,
            caches=storage is not None,
        )


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
    embeddings, index = _retrieval_parts(settings)
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


def _retrieval_parts(settings: Settings) -> tuple[EmbeddingService | None, ChromaIndex]:
    cache = settings.vector_cache.expanduser() if settings.vector_cache else None
    model = settings.embedding_model.strip()
    embeddings = EmbeddingService(model, cache=cache) if model else None
    return embeddings, ChromaIndex(settings.chroma_url.strip())


class _Opening:
    """Makes clients and sources that close with the stack."""

    def __init__(
        self, settings: Settings, stack: AsyncExitStack, storage: AsyncBaseStorage | None
    ) -> None:
        self._settings = settings
        self._stack = stack
        self._storage = storage

    def tool(self, name: SourceKey) -> SearchTool:
        """The source of that name."""
        settings = self._settings
        match name:
            case "pubmed":
                key = settings.ncbi_api_key
                secrets = {"api_key": key.get_secret_value()} if key else {}
                client = self.client("PubMed", settings.pubmed_url, 10 if key else 3, secrets)
                return PubMed(client, email=settings.contact_email)
            case "clinicaltrials":
                url = settings.clinicaltrials_url
                # Not by httpx, whose TLS fingerprint its firewall rejects.
                network = RequestsTransport()
                return ClinicalTrials(self.client("ClinicalTrials.gov", url, 1, network=network))
            case "europepmc":
                return EuropePMC(self.client("Europe PMC", settings.europepmc_url, 5))
            case "web":
                return WebSearch(limiter=limiter_for(urlsplit(DUCKDUCKGO_URL).netloc, 1))

    def crossref(self) -> SourceClient:
        """The client for retractions; who names an address gets Crossref's polite pool."""
        email = self._settings.contact_email
        return self.client(
            "Crossref", self._settings.crossref_url, secrets={"mailto": email} if email else {}
        )

    def client(
        self,
        name: str,
        base_url: str,
        per_second: int = 5,
        secrets: Mapping[str, str] | None = None,
        network: RequestsTransport | None = None,
    ) -> SourceClient:
        """A client that shares the limiter of its host and the cache."""
        client = SourceClient(
            name,
            base_url,
            limiter=limiter_for(urlsplit(base_url).netloc, per_second),
            network=network,
            storage=self._storage,
            ttl_s=self._settings.http_cache_ttl_s,
            secrets=secrets,
        )
        self._stack.push_async_callback(client.aclose)
        return client
