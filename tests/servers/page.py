"""The page over a source that waits: queries are answered once the file ``open`` is there.

Usage: python -m tests.servers.page FOLDER [SLOTS [RUNS]]. FOLDER holds records.jsonl; the address
is printed. With SLOTS runs are kept in a database in the folder, and so many are conducted at once;
with RUNS the page is public, and each visitor may start so many in an hour.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from functools import partial
from pathlib import Path

from deepcritical.bootstrap import Lookups, open_chats, place_of
from deepcritical.interfaces.access import Access, Mode
from deepcritical.interfaces.render import describe
from deepcritical.interfaces.server import Served, serve_page
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.database_url import normalised_url
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from deepcritical.tools.base import SearchTool, SourceQuery, SourceResult
from deepcritical.tools.snapshot import SnapshotSource
from deepcritical.toolset.similar_runs import SimilarRuns
from tests.conftest import opened, run_service
from tests.databases import build_durable


class GatedSource(SearchTool):
    """A snapshot that answers once its gate is open."""

    def __init__(self, folder: Path) -> None:
        self._source = SnapshotSource(folder / "records.jsonl")
        self._gate = folder / "open"

    @property
    def name(self) -> str:
        return self._source.name

    async def fetch(self, query: SourceQuery) -> SourceResult:
        # No thread waits: those of the loop are few, and the page's own work needs them.
        while not await asyncio.to_thread(self._gate.exists):  # noqa: ASYNC110 - a file calls nobody
            await asyncio.sleep(0.02)
        return await self._source.fetch(query)


def main(folder: Path, slots: int = 0, runs_per_hour: int = 0) -> None:
    source, traces, durable = GatedSource(folder), None, None
    if slots:
        url = normalised_url(f"sqlite:///{folder / 'runs.sqlite'}")
        traces = ToolTraceService(Database(url))
        durable = build_durable(traces, slots=slots)
    service = run_service([source], traces=traces, durable=durable)
    similar = SimilarRuns(service, None, partial(opened, source), ttl_days=30)
    # The chat's own searches do not wait.
    settings = Settings(snapshot=str(folder / "records.jsonl"), embedding_model="")
    chats = open_chats(settings, service, place_of(settings), describe)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        access = Access(Mode.PUBLIC, runs_per_hour=runs_per_hour) if runs_per_hour else Access()
        serve_page(Served(service, access, Lookups(settings), similar, chats), listening)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
