"""A database of each kind, and services on it, for tests of durable runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from deepcritical.services.database import Database
from deepcritical.services.tool_trace_service import ToolTraceService
from tests.conftest import paper, snapshot
from tests.databases import fresh_database
from tests.integration.durably import Services


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with fresh_database(request.param, tmp_path) as url:
        yield url


@pytest.fixture
async def traces(url: str) -> AsyncIterator[ToolTraceService]:
    """The database as another process sees it."""
    service = ToolTraceService(Database(url))
    yield service
    await service.close()


@pytest.fixture
async def service(url: str, tmp_path: Path) -> AsyncIterator[Services]:
    services = Services(url, snapshot(tmp_path / "records.jsonl", paper(1), paper(2)))
    yield services
    for made in services.made:
        await made.close()
