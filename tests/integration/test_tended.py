"""A server that begins before its database answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from deepcritical.bootstrap.durable import build_durable
from deepcritical.interfaces import left_runs
from deepcritical.services.database import Database
from deepcritical.services.database_url import normalised_url
from deepcritical.services.tool_trace_service import ToolTraceService
from tests.conftest import paper, run_service, snapshot


async def test_a_server_conducts_runs_as_soon_as_its_database_is_there(tmp_path: Path) -> None:
    source = snapshot(tmp_path / "made.jsonl", paper(1))
    away = tmp_path / "away"
    away.write_text("a file where the folder of the database is to be", encoding="utf-8")
    traces = ToolTraceService(Database(normalised_url(f"sqlite:///{away / 'runs.sqlite'}")))
    runs = run_service(source, traces=traces, durable=build_durable(traces))
    beginning = asyncio.create_task(left_runs.tended(runs))
    await asyncio.sleep(0.5)
    assert not beginning.done()
    away.unlink()
    async with asyncio.timeout(30):
        await beginning
    await runs.close()
