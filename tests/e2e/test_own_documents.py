"""Documents of the user's own over several processes: servers, workers, MCP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import paper, snapshot
from tests.databases import fresh_database
from tests.e2e.test_worker import worker
from tests.environment import LEXICAL
from tests.servers.commands import forked_command
from tests.servers.serving import serving
from tests.servers.tools import ask, status_at_end, without_proxies

COMMAND = forked_command()
QUESTION = "Does examplol help in testitis?"
TITLE = "A made-up trial of our own that stands in no journal"
RESULT = "Examplol significantly improved testitis compared with placebo (p = 0.01)."
TEXT = (
    f"{TITLE}\nMethods: In all, 300 adults with testitis were randomised to examplol or placebo. "
    f"Results: {RESULT}"
)


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    yield from _settings(request.param, tmp_path)


@pytest.fixture
def on_file(tmp_path: Path) -> Iterator[dict[str, str]]:
    yield from _settings("sqlite", tmp_path)


def _settings(kind: str, folder: Path) -> Iterator[dict[str, str]]:
    source = snapshot(folder / "made.jsonl", paper(1))
    with fresh_database(kind, folder) as url:
        yield {"DATABASE_URL": url, "DEEPCRITICAL_SNAPSHOT": str(source)}


def client_of(address: str) -> httpx.Client:
    return httpx.Client(base_url=f"{address}/api", trust_env=False, timeout=60)


def uploaded(client: httpx.Client) -> str:
    answer = client.post("/documents", files={"file": ("own.txt", TEXT.encode())})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.mark.slow
def test_any_worker_reads_what_any_server_took_in(settings: dict[str, str]) -> None:
    server = (COMMAND, "serve", "--no-worker", "--port", "0")
    with (
        serving(server, settings) as one,
        serving(server, settings) as other,
        client_of(one.address) as first,
        client_of(other.address) as second,
        worker(settings),
    ):
        asked: dict[str, Any] = {"question": QUESTION, "documents": [uploaded(first)]}
        deep = {**asked, "tool": "deep_research", "max_iterations": 1}
        started = [
            second.post("/runs", json=given).json()["id"]
            for given in ({**asked, "tool": "research", "depth": "quick"}, deep)
        ]
        for run_id in started:
            assert "run_completed" in second.get(f"/runs/{run_id}/events").text
            told = first.get(f"/runs/{run_id}/export/json").text
            assert TITLE in told
            assert RESULT in told
        for run_id in started:
            assert first.delete(f"/runs/{run_id}").status_code == 204
        again = first.post("/runs", json={**asked, "tool": "research"})
        assert again.status_code == 404  # it was deleted with the first of them


@pytest.mark.slow
async def test_over_stdio_files_and_folders_are_read(
    on_file: dict[str, str], tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "trial.txt").write_text(TEXT, encoding="utf-8")
    (own / "note.md").write_text("# A made-up note\nNothing else.", encoding="utf-8")
    environment = without_proxies(on_file) | LEXICAL
    process = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=environment)
    async with Client(stdio_client(process)) as client:
        given = {"question": QUESTION, "documents": [str(own), {"text": TEXT}]}
        started = await ask(client, "start_research", kind="report", depth="quick", **given)
        trace_id = started.fields["trace_id"]
        assert await status_at_end(client, trace_id) == "completed"
        report = await ask(client, "get_report", trace_id=trace_id, format="json")
        (search,) = json.loads(report.fields["content"])["searches"][:1]
        assert search["query_as_run"] == "note.md, trial.txt, pasted text"
        waited = await ask(
            client, "research_report", question=QUESTION, documents=[str(own / "trial.txt")]
        )
        assert TITLE in {source["title"] for source in waited.fields["sources"]}
        for wrong in (str(tmp_path / "nowhere.pdf"), "own/trial.txt"):
            refused = await ask(client, "start_research", question=QUESTION, documents=[wrong])
            assert refused.is_error
            assert re.search("cannot be read|neither", refused.text)


@pytest.mark.slow
async def test_over_http_uploads_are_read_and_no_files(
    on_file: dict[str, str], tmp_path: Path
) -> None:
    own = tmp_path / "trial.txt"
    own.write_text(TEXT, encoding="utf-8")
    with (
        serving([COMMAND, "serve", "--port", "0"], on_file) as served,
        client_of(served.address) as rest,
    ):
        async with Client(f"{served.address}/mcp") as client:
            refused = await ask(client, "research_report", question=QUESTION, documents=[str(own)])
            assert refused.is_error
            assert "neither" in refused.text
            given = {"question": QUESTION, "depth": "quick", "documents": [uploaded(rest)]}
            report = await ask(client, "research_report", **given)
            assert TITLE in {source["title"] for source in report.fields["sources"]}
