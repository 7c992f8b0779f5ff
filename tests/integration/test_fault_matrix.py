"""Every fault at every source: the outcome is typed, the others' records survive, nothing hangs."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple, get_args

import pytest

from deepcritical.tools import registry
from deepcritical.tools.base import SourceOutcome
from deepcritical.tools.search_handler import SearchHandler
from tests.conftest import TABLE, queries
from tests.servers.faults import Fault, Faults
from tests.servers.world import SOURCES as SERVED
from tests.servers.world import fast_tools, world

NAMES = {registry.BY_KEY[key].name: key for key in SERVED}
SOURCES = tuple(NAMES)
DEADLINE_S = 6.0
LATE_S = 5.0
"""What a busy machine may take to notice; a source that drips does so for 20 s."""


class Setting(NamedTuple):
    """A handler over three sources, and their faults."""

    handler: SearchHandler
    faults: dict[str, Faults]


@asynccontextmanager
async def setting(folder: Path, source: str) -> AsyncIterator[Setting]:
    """The one source is given up soon; the others have time while it keeps the machine busy."""
    others = [key for name, key in NAMES.items() if name != source]
    async with (
        world(folder) as site,
        fast_tools(site, [NAMES[source]], timeout_s=0.6, attempt_s=0.6) as failing,
        fast_tools(site, others) as sound,
    ):
        faults = {name: site.faults[key] for name, key in NAMES.items()}
        yield Setting(SearchHandler((*failing, *sound), deadline_s=DEADLINE_S), faults)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["huge", "bomb", "xml bomb"])
@pytest.mark.parametrize("source", SOURCES)
async def test_what_a_body_takes_is_bounded(source: str, fault: Fault, tmp_path: Path) -> None:
    async with setting(tmp_path, source) as w:
        w.faults[source].on(fault)
        await w.handler.execute(queries("examplol"), 10)  # what is made once is made
        tracemalloc.start()
        try:
            await w.handler.execute(queries("examplol"), 10)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < 250_000_000


@pytest.mark.slow
@pytest.mark.parametrize("fault", get_args(Fault))
@pytest.mark.parametrize("source", SOURCES)
async def test_a_fault_of_one_source_costs_no_other_its_records(
    source: str, fault: Fault, record_property: Callable[[str, object], None], tmp_path: Path
) -> None:
    async with setting(tmp_path, source) as w:
        w.faults[source].on(fault)
        began = time.monotonic()
        answers = await w.handler.execute(queries("examplol"), 10)
        took = time.monotonic() - began
    outcomes = {answer.source: answer.result for answer in answers}
    told = f"{outcomes[source].outcome.value} {took:.1f} s"
    record_property(f"{TABLE}sources under faults", (fault, source, told))
    assert took < DEADLINE_S + LATE_S
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
