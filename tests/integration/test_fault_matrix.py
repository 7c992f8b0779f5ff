"""Every fault at every source: the outcome is typed, the others' records survive, nothing hangs."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from typing import NamedTuple, get_args

import pytest

from deepcritical.tools.base import SearchTool, SourceOutcome
from deepcritical.tools.clinicaltrials import ClinicalTrials
from deepcritical.tools.europepmc import EuropePMC
from deepcritical.tools.http import RequestsTransport, SourceClient
from deepcritical.tools.pubmed import PubMed
from deepcritical.tools.rate_limiter import limiter_for
from deepcritical.tools.search_handler import SearchHandler
from tests.conftest import queries
from tests.servers.clinicaltrials import ClinicalTrialsServer
from tests.servers.europepmc import EuropePMCServer
from tests.servers.faults import Fault, Faults
from tests.servers.pubmed import PubMedServer
from tests.servers.running import running

SOURCES = ("PubMed", "ClinicalTrials.gov", "Europe PMC")
DEADLINE_S = 6.0
_hosts = count()


class World(NamedTuple):
    """A handler over three sources, and their faults."""

    handler: SearchHandler
    faults: dict[str, Faults]


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    faults = {
        "PubMed": Faults(PubMedServer().app),
        "ClinicalTrials.gov": Faults(ClinicalTrialsServer().app),
        "Europe PMC": Faults(EuropePMCServer().app),
    }
    async with AsyncExitStack() as stack:
        tools: list[SearchTool] = []
        for name, app in faults.items():
            url = await stack.enter_async_context(running(app))
            client = SourceClient(
                name,
                url + ("api/v2/" if name == "ClinicalTrials.gov" else ""),
                limiter=limiter_for(f"matrix-{next(_hosts)}", 1000),
                network=RequestsTransport() if name == "ClinicalTrials.gov" else None,
                timeout_s=0.6,
                attempt_s=0.6,
                wait_s=0.01,
            )
            stack.push_async_callback(client.aclose)
            tools.append(_tool(name, client))
        yield World(SearchHandler(tools, deadline_s=DEADLINE_S), faults)


def _tool(name: str, client: SourceClient) -> SearchTool:
    if name == "PubMed":
        return PubMed(client)
    return ClinicalTrials(client) if name == "ClinicalTrials.gov" else EuropePMC(client)


@pytest.fixture(scope="module")
def table(request: pytest.FixtureRequest) -> Iterator[dict[tuple[str, str], str]]:
    """What each fault came to; printed at the end."""
    found: dict[tuple[str, str], str] = {}
    yield found
    lines = [f"{'fault':12}" + "".join(f"{source:>22}" for source in SOURCES)]
    for fault in get_args(Fault):
        cells = (found.get((source, fault), "-") for source in SOURCES)
        lines.append(f"{fault:12}" + "".join(f"{cell:>22}" for cell in cells))
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        sys.stdout.write("\n".join(["", *lines, ""]))


@pytest.mark.parametrize("fault", get_args(Fault))
@pytest.mark.parametrize("source", SOURCES)
async def test_a_fault_of_one_source_costs_no_other_its_records(
    source: str, fault: Fault, table: dict[tuple[str, str], str]
) -> None:
    async with world() as w:
        w.faults[source].on(fault)
        began = time.monotonic()
        answers = await w.handler.execute(queries("examplol"), 10)
        took = time.monotonic() - began
    outcomes = {answer.source: answer.result for answer in answers}
    table[source, fault] = f"{outcomes[source].outcome.value} {took:.1f} s"
    assert took < DEADLINE_S + 1
    for other in SOURCES:
        if other != source:
            assert outcomes[other].outcome is SourceOutcome.DATA
            assert outcomes[other].evidence
    failed = outcomes[source]
    if fault == "wrong type":
        assert failed.outcome in (SourceOutcome.DATA, SourceOutcome.UNAVAILABLE)
    else:
        assert failed.outcome is SourceOutcome.UNAVAILABLE
        assert failed.skipped
        assert not failed.evidence
