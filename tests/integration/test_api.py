"""The page's requests over real HTTP: events, files, refusals."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from deepcritical.bootstrap import ChatService, Lookups, open_chats
from deepcritical.domain.errors import ReasoningError
from deepcritical.interfaces.access import Access
from deepcritical.interfaces.guard import REPORT_POLICY
from deepcritical.interfaces.render import describe
from deepcritical.interfaces.rest import event_stream
from deepcritical.interfaces.server import Served as Built
from deepcritical.interfaces.server import build_site
from deepcritical.jobs.run import Run
from deepcritical.jobs.runs import RunService
from deepcritical.settings import Settings
from deepcritical.toolset.similar_runs import SimilarRuns
from tests.conftest import QUESTION, ended, none_similar, paper, run_service, snapshot
from tests.integration.doubles import Interrupted
from tests.servers.running import running


class Served(NamedTuple):
    """A service of runs, and a client of its server."""

    runs: RunService
    client: httpx.AsyncClient


@asynccontextmanager
async def served(
    runs: RunService,
    access: Access | None = None,
    host: str = "127.0.0.1",
    similar: SimilarRuns | None = None,
    chats: AbstractAsyncContextManager[ChatService] | None = None,
) -> AsyncIterator[Served]:
    settings = Settings()
    similar = similar or none_similar(runs)
    opening = chats or open_chats(settings, runs, runs.place, describe)
    served_by = Built(runs, access or Access(), Lookups(settings), similar, opening)
    app = await asyncio.to_thread(build_site, served_by, host)
    async with (
        running(app, host, lifespan="on" if chats else "off") as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as client,
    ):
        yield Served(runs, client)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Served]:
    records = snapshot(tmp_path / "records.jsonl", paper(1), paper(2))
    async with served(run_service(records)) as site:
        yield site


def gated(tmp_path: Path) -> tuple[RunService, asyncio.Event]:
    """A service whose runs wait, after their first events, until the gate is open."""
    gate = asyncio.Event()

    async def wait(_call: int) -> None:
        await gate.wait()

    records = snapshot(tmp_path / "records.jsonl", paper(1), paper(2))
    return run_service(records, Interrupted("generate_queries", wait)), gate


def messages(body: str) -> list[dict[str, Any]]:
    """The data of each event of a stream, with its id."""
    found = []
    for block in body.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if "data" in fields:
            data = json.loads(fields["data"])
            assert datetime.fromisoformat(data.pop("now")) <= datetime.now(UTC)
            found.append(data | {"id": int(fields["id"])})
    return found


async def completed(runs: RunService) -> Run:
    run = runs.submit(QUESTION)
    await ended(run)
    return run


async def test_the_stream_is_the_log_in_order_with_words_for_people(site: Served) -> None:
    run = await completed(site.runs)
    answer = await site.client.get(f"/api/runs/{run.run_id}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.startswith(f"retry: {event_stream.RECONNECT_MS}\n\n")
    events = messages(answer.text)
    log = await ended(run)
    assert [event["id"] for event in events] == [logged.seq for logged in log]
    assert [event["event"]["type"] for event in events] == [logged.event.type for logged in log]
    assert events[0]["text"].startswith(f"Question: {QUESTION}")
    assert events[-1]["event"]["type"] == "run_completed"


async def test_a_stream_is_taken_up_where_it_broke(site: Served) -> None:
    run = await completed(site.runs)
    path = f"/api/runs/{run.run_id}/events"
    whole = messages((await site.client.get(path)).text)
    by_header = await site.client.get(path, headers={"Last-Event-ID": "3"})
    by_query = await site.client.get(path, params={"after": 3})
    assert messages(by_header.text) == messages(by_query.text) == whole[3:]


async def test_events_come_while_the_run_goes_on(tmp_path: Path) -> None:
    runs, gate = gated(tmp_path)
    async with served(runs) as site:
        run = runs.submit(QUESTION)
        path = f"/api/runs/{run.run_id}/events"
        async with site.client.stream("GET", path) as answer:
            lines = answer.aiter_lines()
            first = [await anext(lines) for _ in range(4)]
            assert '"type": "run_started"' in first[3]
            assert not run.ended
            gate.set()
            rest = [line async for line in lines]
        assert '"type": "run_completed"' in rest[-2]


async def test_a_silent_stream_is_kept_alive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "PING_S", 0.02)
    runs, gate = gated(tmp_path)
    async with served(runs) as site:
        run = runs.submit(QUESTION)
        async with site.client.stream("GET", f"/api/runs/{run.run_id}/events") as answer:
            lines = [line async for line in _until_ping(answer.aiter_lines())]
        assert '"type": "run_started"' in "".join(lines)
        gate.set()
        # The client has gone; the run has not.
        assert (await ended(run))[-1].event.type == "run_completed"


async def _until_ping(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    async for line in lines:
        yield line
        if line == ": ping":
            return


async def test_a_finished_report_can_be_had_in_every_format(site: Served) -> None:
    run = await completed(site.runs)
    assert run.report is not None
    for suffix, media_type in (
        ("html", "text/html"),
        ("md", "text/markdown"),
        ("json", "application/json"),
        ("ris", "application/x-research-info-systems"),
        ("evidence.csv", "text/csv"),
        ("csl.json", "application/vnd.citationstyles.csl+json"),
    ):
        answer = await site.client.get(f"/api/runs/{run.run_id}/export/{suffix}")
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(media_type)
        assert answer.headers["content-disposition"] == f'attachment; filename="report.{suffix}"'
        assert answer.headers["content-security-policy"] == REPORT_POLICY
        assert run.report.references[0].title in answer.text


async def test_a_report_can_be_had_as_pdf(site: Served) -> None:
    run = await completed(site.runs)
    answer = await site.client.get(f"/api/runs/{run.run_id}/export/pdf")
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("runs/nobody/events", 404),
        ("runs/nobody/export/md", 404),
        ("runs/{id}/export/docx", 404),
        ("runs/{id}/events?after=-1", 422),
        ("runs/{id}/events?after=soon", 422),
    ],
)
async def test_what_cannot_be_answered_is_refused(site: Served, path: str, status: int) -> None:
    run = await completed(site.runs)
    answer = await site.client.get(f"/api/{path.format(id=run.run_id)}")
    assert answer.status_code == status
    assert answer.json()["detail"]


async def test_there_is_no_report_before_the_end(tmp_path: Path) -> None:
    runs, gate = gated(tmp_path)
    async with served(runs) as site:
        run = runs.submit(QUESTION)
        answer = await site.client.get(f"/api/runs/{run.run_id}/export/md")
        assert answer.status_code == 409
        gate.set()
        await ended(run)


async def test_a_failed_run_has_an_end_and_no_report(tmp_path: Path) -> None:
    async def fail(_call: int) -> None:
        await asyncio.sleep(0)
        raise ReasoningError("It broke.", "Mend it.")

    records = snapshot(tmp_path / "records.jsonl", paper(1))
    async with served(run_service(records, Interrupted("generate_queries", fail))) as site:
        run = site.runs.submit(QUESTION)
        body = (await site.client.get(f"/api/runs/{run.run_id}/events")).text
        assert messages(body)[-1]["text"] == "Failed: It broke. Mend it."
        answer = await site.client.get(f"/api/runs/{run.run_id}/export/md")
        assert answer.status_code == 409
