"""Opens the live sources of the settings: clients, limits and the cache of answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

from deepcritical.bootstrap.limits import LimiterOf, open_limits
from deepcritical.domain.live_sources import SourceKey
from deepcritical.settings import Settings
from deepcritical.tools.base import SearchTool
from deepcritical.tools.clinicaltrials import ClinicalTrials
from deepcritical.tools.europepmc import EuropePMC
from deepcritical.tools.http import RequestsTransport, SourceClient
from deepcritical.tools.http_cache import AsyncBaseStorage, open_cache
from deepcritical.tools.mesh import MeshNames
from deepcritical.tools.pubmed import PubMed
from deepcritical.tools.web_search import DUCKDUCKGO_URL, WebSearch

__all__ = ["LiveSources", "open_sources"]


class LiveSources(NamedTuple):
    """Sources that are open, and the client that looks retractions up."""

    tools: tuple[SearchTool, ...]
    crossref: SourceClient | None
    """None unless the setting asks for it."""
    mesh: MeshNames
    """Knows names that no table here has."""
    full_texts: SourceClient | None
    """Asks Europe PMC for full texts; None if the setting switches that off."""
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
        limiter_of = await stack.enter_async_context(open_limits(settings))
        opening = _Opening(settings, stack, storage, limiter_of)
        yield LiveSources(
            tools=tuple(opening.tool(name) for name in names),
            crossref=opening.crossref() if settings.check_integrity else None,
            mesh=opening.mesh(),
            full_texts=opening.europepmc() if settings.full_text else None,
            caches=storage is not None,
        )


class _Opening:
    """Makes clients and sources that close with the stack."""

    def __init__(
        self,
        settings: Settings,
        stack: AsyncExitStack,
        storage: AsyncBaseStorage | None,
        limiter_of: LimiterOf,
    ) -> None:
        self._settings = settings
        self._stack = stack
        self._storage = storage
        self._limiter_of = limiter_of

    def tool(self, name: SourceKey) -> SearchTool:
        """The source of that name."""
        settings = self._settings
        match name:
            case "pubmed":
                return PubMed(self._ncbi("PubMed"), email=settings.contact_email)
            case "clinicaltrials":
                url = settings.clinicaltrials_url
                # Not by httpx, whose TLS fingerprint its firewall rejects.
                network = RequestsTransport()
                return ClinicalTrials(self.client("ClinicalTrials.gov", url, 1, network=network))
            case "europepmc":
                return EuropePMC(self.europepmc())
            case "web":
                return WebSearch(limiter=self._limiter_of(urlsplit(DUCKDUCKGO_URL).netloc, 1))

    def europepmc(self) -> SourceClient:
        """A client for the REST service of Europe PMC."""
        return self.client("Europe PMC", self._settings.europepmc_url, 5)

    def mesh(self) -> MeshNames:
        """Look-ups in MeSH, which is at the same host as PubMed."""
        return MeshNames(self._ncbi("MeSH"), email=self._settings.contact_email)

    def _ncbi(self, name: str) -> SourceClient:
        key = self._settings.ncbi_api_key
        secrets = {"api_key": key.get_secret_value()} if key else {}
        return self.client(name, self._settings.pubmed_url, 10 if key else 3, secrets)

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
            limiter=self._limiter_of(urlsplit(base_url).netloc, per_second),
            network=network,
            storage=self._storage,
            ttl_s=self._settings.http_cache_ttl_s,
            secrets=secrets,
        )
        self._stack.push_async_callback(client.aclose)
        return client
