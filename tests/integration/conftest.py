"""Services on a database of each kind, for tests of durable runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import paper, snapshot
from tests.databases import fresh_database, migrated_database
from tests.integration.durably import Services


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Returns the address of a database of a kind that has all tables, to be copied."""
    with ExitStack() as made:

        @cache
        def of_kind(kind: str) -> str:
            folder = tmp_path_factory.mktemp("migrated")
            return made.enter_context(migrated_database(kind, folder))

        yield of_kind


@pytest.fixture(params=["sqlite", "postgresql"])
def url(
    request: pytest.FixtureRequest, tmp_path: Path, migrated: Callable[[str], str]
) -> Iterator[str]:
    """A database without a run, of one kind after the other."""
    with fresh_database(request.param, tmp_path, like=migrated(request.param)) as url:
        yield url


@pytest.fixture
async def service(url: str, tmp_path: Path) -> AsyncIterator[Services]:
    services = Services(url, snapshot(tmp_path / "records.jsonl", paper(1), paper(2)))
    yield services
    for made in services.made:
        await made.close()
