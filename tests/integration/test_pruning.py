"""Pruning removes the journal of ended runs and keeps the rest, on both databases."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from deepcritical.domain.errors import StorageError, TraceNotFoundError
from deepcritical.domain.tool.traces import TraceStatus
from deepcritical.jobs.runs import RunService
from deepcritical.jobs.upkeep import Upkeep
from deepcritical.services.storage.schema import tool_traces
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from tests.conftest import QUESTION, ended
from tests.integration.doubles import hanging
from tests.integration.durably import Services, status
from tests.integration.modelled import records
from tests.integration.test_resuming import _steps


@pytest.fixture
def service(url: str, tmp_path: Path) -> Services:
    return Services(url, records(tmp_path))


def upkeep_of(runs: RunService) -> Upkeep:
    durable = runs.durable
    assert durable is not None
    return Upkeep(durable)


@pytest.mark.slow
async def test_the_journal_of_a_completed_run_goes_and_its_report_stays(
    service: Services, traces: ToolTraceService
) -> None:
    runs = service()
    run = runs.submit(QUESTION)
    await run.result()
    await status(traces, run, TraceStatus.COMPLETED)
    upkeep = upkeep_of(runs)
    await upkeep.prune()
    assert "testitis" in _steps(service.url)  # it may still be looked into
    while "testitis" in _steps(service.url):
        await upkeep.prune(ended_s=0.0)
    assert await upkeep._board.prunable(0.0) == ()
    kept = await runs.find(run.run_id)
    assert kept is not None
    assert kept.report is not None
    assert [logged.event.type for logged in await kept.events()][-1] == "run_completed"
    with pytest.raises(StorageError, match="is completed"):
        await runs.resume(run.run_id)
    await runs.delete(run.run_id)
    await runs.close()


@pytest.mark.slow
async def test_the_journal_of_one_that_can_go_on_stays(service: Services) -> None:
    reached = asyncio.Event()
    runs = service(hanging("assess_evidence", reached))
    run = runs.submit(QUESTION)
    await reached.wait()
    run.cancel()
    await ended(run)
    await upkeep_of(runs).prune(ended_s=0.0)
    assert "testitis" in _steps(service.url)
    await runs.close()


@pytest.mark.slow
async def test_what_is_older_than_the_operator_wants_is_removed(
    service: Services, traces: ToolTraceService
) -> None:
    runs = service(keeping=(30.0, 90.0))
    run = runs.submit(QUESTION)
    await ended(run)
    await status(traces, run, TraceStatus.COMPLETED)
    upkeep = upkeep_of(runs)
    everything = len(await traces.events(run.run_id))
    await upkeep.prune()
    assert len(await traces.events(run.run_id)) == everything
    await _aged(traces, 31)
    await upkeep.prune()
    left = [logged.event.type for logged in await traces.events(run.run_id)]
    assert left == ["run_started", "sources_opened", "run_completed"]
    assert (await traces.get_trace(run.run_id)).result
    await _aged(traces, 91)
    await upkeep.prune()
    with pytest.raises(TraceNotFoundError):
        await traces.get_trace(run.run_id)
    assert "testitis" not in _steps(service.url)
    await runs.close()


async def _aged(traces: ToolTraceService, days: int) -> None:
    then = datetime.now(UTC) - timedelta(days=days)
    old = sa.update(tool_traces).values(completed_at=then)
    await traces.database.write(lambda connection: connection.execute(old).close())
