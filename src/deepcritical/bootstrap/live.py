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
from deepcritical.tools.drug_facts.base import FactSource
from deepcritical.tools.drug_facts.mychem import MyChem
from deepcritical.tools.drug_facts.openfda import AdverseEvents, Labels
from deepcritical.tools.drug_facts.opentargets import OpenTargets
from deepcritical.tools.drug_facts.pubtator import PubTator
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
    facts: tuple[FactSource, ...]
    """Who curates what is known of drugs; () where nobody is to be asked."""
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
            facts=opening.facts() if settings.drug_facts else (),
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
                called = "ClinicalTrials.gov"
                network = RequestsTransport(called)
                return ClinicalTrials(self.client(called, url, 1, network=network))
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

    def facts(self) -> tuple[FactSource, ...]:
        """The curated sources, the drug's own substance first."""
        settings, key = self._settings, self._settings.openfda_api_key
        secrets = {"api_key": key.get_secret_value()} if key else {}
        fda = self.client("openFDA", settings.openfda_url, 4, secrets)
        return (
            MyChem(self.client("MyChem.info", settings.mychem_url)),
            OpenTargets(self.client("Open Targets", settings.opentargets_url)),
            Labels(fda),
            AdverseEvents(fda),
            PubTator(self.client("PubTator3", settings.pubtator_url, 3)),
        )

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
            setting=_setting_of(self._settings, base_url),
        )
        self._stack.push_async_callback(client.aclose)
        return client


def _setting_of(settings: Settings, url: str) -> str:
    """The setting that a source's address comes from, where it is not the one that we give.

    Not that of Crossref, which answers with status 404 for a DOI that it does not know.
    """
    for name in ("pubmed_url", "clinicaltrials_url", "europepmc_url"):
        default = type(settings).model_fields[name].default
        if getattr(settings, name) == url != default:
            return f"DEEPCRITICAL_{name.upper()}"
    return ""
