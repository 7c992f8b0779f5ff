"""Europe PMC with a made-up article, on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import open_cache
from deepcritical.tools.rate_limiter import limiter_for
from tests.jats import article
from tests.servers.europepmc import EuropePMCServer
from tests.servers.faults import Faults
from tests.servers.running import running

_hosts = count()
PMCID = "PMC99000001"


class Site(NamedTuple):
    """A running service, its faults, and a client of it."""

    server: EuropePMCServer
    faults: Faults
    client: SourceClient


@asynccontextmanager
async def opened_site(cache: Path | None = None) -> AsyncIterator[Site]:
    """Serve one article, with a client that holds up no test."""
    server = EuropePMCServer()
    server.articles[PMCID] = article()
    faults = Faults(server.app)
    storage = await open_cache(cache) if cache else None
    async with running(faults) as url:
        limiter = limiter_for(f"full-text-{next(_hosts)}", 1000)
        client = SourceClient(
            "Europe PMC", url, limiter=limiter, storage=storage, timeout_s=1.0, wait_s=0.01
        )
        try:
            yield Site(server, faults, client)
        finally:
            await client.aclose()
            if storage:
                await storage.close()
