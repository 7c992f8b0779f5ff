"""Servers of every source on loopback, and the environment in which the command finds them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from starlette.types import ASGIApp

from deepcritical.tools import registry
from deepcritical.tools.base import Means, SearchTool
from deepcritical.tools.http import SourceClient
from deepcritical.tools.network import RequestsTransport
from deepcritical.tools.rate_limiter import new_limiter
from tests.environment import without_settings
from tests.servers.clinicaltrials import ClinicalTrialsServer
from tests.servers.commands import forked_command
from tests.servers.crossref import CrossrefServer
from tests.servers.europepmc import EuropePMCServer
from tests.servers.faults import Faults
from tests.servers.pubmed import PubMedServer
from tests.servers.running import running

SOURCES = tuple(source.key for source in registry.SOURCES if not source.fixed)
"""Those with a server here."""


def given(client: SourceClient) -> Means:
    """Return the means to open a source with in a test."""
    return Means(lambda: client, lambda: new_limiter(1000))


class World(NamedTuple):
    """The servers, each behind its faults, and the environment."""

    faults: dict[str, Faults]
    """By the keys of the sources."""
    pubmed: PubMedServer
    clinicaltrials: ClinicalTrialsServer
    europepmc: EuropePMCServer
    crossref: CrossrefServer
    environment: dict[str, str]


@asynccontextmanager
async def world(
    folder: Path,
    pubmed: PubMedServer | None = None,
    trials: ClinicalTrialsServer | None = None,
    europepmc: EuropePMCServer | None = None,
) -> AsyncIterator[World]:
    """Serve all sources within the loop of the test; the cache is in the folder."""
    pubmed = pubmed or PubMedServer()
    trials = trials or ClinicalTrialsServer()
    europepmc = europepmc or EuropePMCServer()
    apps = {"pubmed": pubmed.app, "clinicaltrials": trials.app, "europepmc": europepmc.app}
    faults = {name: Faults(app) for name, app in apps.items()}
    crossref = CrossrefServer()
    kept = without_settings()
    kept["DEEPCRITICAL_HTTP_CACHE"] = str(folder / "cache" / "http.sqlite")
    kept["DEEPCRITICAL_SOURCE_DEADLINE_S"] = "8"
    kept["DEEPCRITICAL_DRUG_FACTS"] = "off"  # whoever tests them serves them
    async with AsyncExitStack() as stack:
        served: dict[str, ASGIApp] = {**faults, "crossref": crossref.app}
        for name, app in served.items():
            url = await stack.enter_async_context(running(app))
            path = "api/v2/" if name == "clinicaltrials" else ""
            kept[f"DEEPCRITICAL_{name.upper()}_URL"] = url + path
        yield World(faults, pubmed, trials, europepmc, crossref, kept)


@asynccontextmanager
async def fast_tools(
    site: World, names: Sequence[str] = SOURCES, **options: Any
) -> AsyncIterator[tuple[SearchTool, ...]]:
    """The sources with limiters that hold up no test; options are those of `SourceClient`."""
    async with AsyncExitStack() as stack:
        tools = []
        for name in names:
            source = registry.BY_KEY[name]
            client = SourceClient(
                name,
                site.environment[f"DEEPCRITICAL_{source.url_setting.upper()}"],
                limiter=new_limiter(1000),
                network=RequestsTransport() if source.by_requests else None,
                **{"wait_s": 0.01, **options},
            )
            stack.push_async_callback(client.aclose)
            tools.append(source.open(given(client)))
        yield tuple(tools)


class Ended(NamedTuple):
    """The exit code and the output of a call of the command."""

    code: int
    out: str
    err: str


async def call(site: World, *args: str, **more: str) -> Ended:
    """Call the command as a process; `more` are variables of its environment."""
    process = await asyncio.create_subprocess_exec(
        forked_command(),
        *args,
        env=site.environment | more,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return Ended(process.returncode or 0, out.decode(), err.decode())


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
        assert ready.wait(timeout=60)
        yield made[0]
    finally:
        done.set()
        thread.join()
