"""Services on a database of each kind, for tests of durable runs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.conftest import paper, snapshot
from tests.integration.durably import Services


@pytest.fixture
async def service(url: str, tmp_path: Path) -> AsyncIterator[Services]:
    services = Services(url, snapshot(tmp_path / "records.jsonl", paper(1), paper(2)))
    yield services
    for made in services.made:
        await made.close()
