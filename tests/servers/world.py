"""Servers of every source on loopback, and the environment in which the command finds them."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

from starlette.types import ASGIApp

from tests.servers.clinicaltrials import ClinicalTrialsServer
from tests.servers.crossref import CrossrefServer
from tests.servers.europepmc import EuropePMCServer
from tests.servers.faults import Faults
from tests.servers.pubmed import PubMedServer
from tests.servers.running import running


class World(NamedTuple):
    """The servers, each behind its faults, and the environment."""

    faults: dict[str, Faults]
    """By the names of the sources: ``pubmed``, ``clinicaltrials``, ``europepmc``."""
    pubmed: PubMedServer
    clinicaltrials: ClinicalTrialsServer
    europepmc: EuropePMCServer
    crossref: CrossrefServer
    environment: dict[str, str]


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    """Serve all sources within the loop of the test; the cache is in the folder."""
    pubmed, trials, europepmc = PubMedServer(), ClinicalTrialsServer(), EuropePMCServer()
    apps = {"pubmed": pubmed.app, "clinicaltrials": trials.app, "europepmc": europepmc.app}
    faults = {name: Faults(app) for name, app in apps.items()}
    crossref = CrossrefServer()
    kept = {name: v for name, v in os.environ.items() if not name.startswith("DEEPCRITICAL_")}
    kept["DEEPCRITICAL_HTTP_CACHE"] = str(folder / "cache" / "http.sqlite")
    kept["DEEPCRITICAL_SOURCE_DEADLINE_S"] = "8"
    async with AsyncExitStack() as stack:
        served: dict[str, ASGIApp] = {**faults, "crossref": crossref.app}
        for name, app in served.items():
            url = await stack.enter_async_context(running(app))
            path = "api/v2/" if name == "clinicaltrials" else ""
            kept[f"DEEPCRITICAL_{name.upper()}_URL"] = url + path
        yield World(faults, pubmed, trials, europepmc, crossref, kept)


@contextmanager
def world_beside(folder: Path) -> Iterator[World]:
    """The same from a thread with a loop of its own, for a test that has none."""
    ready, done = threading.Event(), threading.Event()
    made: list[World] = []

    async def serve() -> None:
        async with world(folder) as one:
            made.append(one)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        ready.wait(timeout=10)
        yield made[0]
    finally:
        done.set()
        thread.join()
