"""Opens the live sources of the settings, and looks up records in them outside of runs."""

import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from deepcritical.domain.errors import ConfigurationError
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.question.question import SearchQuery
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import sqlite_file
from deepcritical.services.storage.shared_limiter import SharedLimits
from deepcritical.services.tasks import SOON_S, to_the_end
from deepcritical.settings import Settings
from deepcritical.tools.base import CheckIntegrity, Means, SearchTool, SourceDescription
from deepcritical.tools.crossref import check_all
from deepcritical.tools.drug_facts.base import FactSource
from deepcritical.tools.drug_facts.mychem import MyChem
from deepcritical.tools.drug_facts.openfda import AdverseEvents, Labels
from deepcritical.tools.drug_facts.opentargets import OpenTargets
from deepcritical.tools.drug_facts.pubtator import PubTator
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import AsyncBaseStorage, RequestsTransport, open_cache
from deepcritical.tools.pubmed.search import MeshNames
from deepcritical.tools.rate_limiter import Limiter, limiter_for
from deepcritical.tools.registry import BY_KEY, FULL_TEXTS, MESH, SOURCES
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.searching import Found, search
from deepcritical.tools.snapshot import SnapshotSource, snapshot_path

LimiterOf = Callable[[str, int], Limiter]
"""The limiter of a host, for so many requests a second."""

_open: dict[str, tuple[SharedLimits, int]] = {}
"""With their users, by the address of the database: the runs of a process share connections."""
# Runs may open and close their sources in several event loops.
_counting = threading.Lock()


@asynccontextmanager
async def _open_limits(settings: Settings) -> AsyncIterator[LimiterOf]:
    """Limiters until the context ends; in PostgreSQL if runs are kept there."""
    url = settings.database_url.get_secret_value() if settings.database_url else None
    if url is None or sqlite_file(url):
        yield limiter_for
        return
    with _counting:
        # A worker that goes on beside newer ones opens it again and again: whenever it has runs.
        limits, users = _open.get(url) or (SharedLimits(Database(url, of_newer=True)), 0)
        _open[url] = limits, users + 1
    try:
        yield limits.of
    finally:
        with _counting:
            limits, users = _open.pop(url)
            if users > 1:
                _open[url] = limits, users - 1
        if users == 1:
            await to_the_end(limits.close(), SOON_S)


class LiveSources(NamedTuple):
    """Sources that are open, and the client that looks retractions up."""

    tools: tuple[SearchTool, ...]
    crossref: SourceClient | None
    """None unless the setting asks for it."""
    mesh: MeshNames
    """Knows names that no table here has."""
    facts: tuple[FactSource, ...]
    """The curated sources of facts on drugs; () where none is to be asked."""
    full_texts: SourceClient | None
    """Asks for full texts; None if the setting switches that off."""
    caches: bool
    """True if answers are kept."""


@asynccontextmanager
async def open_sources(settings: Settings, names: Sequence[str]) -> AsyncIterator[LiveSources]:
    """The named sources, until the context ends; clients of one host share one limiter."""
    async with AsyncExitStack() as stack:
        storage = (
            await open_cache(settings.http_cache.expanduser()) if settings.http_cache else None
        )
        if storage is not None:
            stack.push_async_callback(storage.close)
        limiter_of = await stack.enter_async_context(_open_limits(settings))
        opening = _Opening(settings, stack, storage, limiter_of)
        yield LiveSources(
            tools=tuple(opening.tool(name) for name in names),
            crossref=opening.crossref() if settings.check_integrity else None,
            mesh=MeshNames(opening.of(MESH, "MeSH"), email=settings.contact_email),
            facts=opening.facts() if settings.drug_facts else (),
            full_texts=opening.of(FULL_TEXTS) if settings.full_text else None,
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
        self.settings = settings
        self._stack = stack
        self._storage = storage
        self._limiter_of = limiter_of

    def tool(self, key: str) -> SearchTool:
        """The source of that key."""
        if key not in BY_KEY:
            raise ConfigurationError(
                f"There is no source {key}.", f"Choose of: {', '.join(BY_KEY)}."
            )
        source = BY_KEY[key]
        email = self.settings.contact_email
        return source.open(Means(partial(self.of, source), partial(self.limiter, source), email))

    def facts(self) -> tuple[FactSource, ...]:
        """The curated sources, the drug's own substance first."""
        settings, key = self.settings, self.settings.openfda_api_key
        secrets = {"api_key": key.get_secret_value()} if key else {}
        fda = self.client("openFDA", settings.openfda_url, 4, secrets)
        return (
            MyChem(self.client("MyChem.info", settings.mychem_url)),
            OpenTargets(self.client("Open Targets", settings.opentargets_url)),
            Labels(fda),
            AdverseEvents(fda),
            PubTator(self.client("PubTator3", settings.pubtator_url, 3)),
        )

    def of(self, source: SourceDescription, name: str = "") -> SourceClient:
        """A client for a source, with the address and the key of the settings."""
        called, url = name or source.name, self.settings.url_of(source)
        return self.client(
            called,
            url,
            self.pace_of(source),
            self._key_of(source),
            network=RequestsTransport(called) if source.by_requests else None,
            setting=f"DEEPCRITICAL_{source.url_setting.upper()}" if url != source.url else "",
        )

    def limiter(self, source: SourceDescription) -> Limiter:
        """The limiter of a source's host."""
        return self._limiter_of(urlsplit(self.settings.url_of(source)).netloc, self.pace_of(source))

    def pace_of(self, source: SourceDescription) -> int:
        """Requests a second that its host allows here."""
        return source.per_second_with_key if self._key_of(source) else source.per_second

    def _key_of(self, source: SourceDescription) -> dict[str, str]:
        key: SecretStr | None = getattr(self.settings, source.api_key) if source.api_key else None
        return {"api_key": key.get_secret_value()} if key else {}

    def crossref(self) -> SourceClient:
        """The client for retractions; who names an address gets Crossref's polite pool."""
        email = self.settings.contact_email
        return self.client(
            "Crossref", self.settings.crossref_url, secrets={"mailto": email} if email else {}
        )

    def client(
        self,
        name: str,
        base_url: str,
        per_second: int = 5,
        secrets: Mapping[str, str] | None = None,
        network: RequestsTransport | None = None,
        setting: str = "",
    ) -> SourceClient:
        """A client that shares the limiter of its host and the cache.

        Without `setting` an address that leads nowhere counts as down. So it is for Crossref, which
        answers with status 404 for a DOI that it does not know.
        """
        client = SourceClient(
            name,
            base_url,
            limiter=self._limiter_of(urlsplit(base_url).netloc, per_second),
            network=network,
            storage=self._storage,
            ttl_s=self.settings.http_cache_ttl_s,
            secrets=secrets,
            setting=setting,
        )
        self._stack.push_async_callback(client.aclose)
        return client


_FIELD = {kind: (source.key, form) for source in SOURCES for kind, form in source.by_id.items()}
"""The source that knows each kind of id, and the request for one."""
_FEW = 3
"""Records that are read to find the one of an id: a registry also finds those that name it."""


class Lookups:
    """Searches live sources, and finds records by their ids, in a snapshot where one is named.

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
