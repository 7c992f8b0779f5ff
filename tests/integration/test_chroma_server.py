"""A server of Chroma that is away, refuses, is none, or serves many; and what a dead run leaves."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from deepcritical.domain.checks import CheckState
from deepcritical.domain.errors import StorageError
from deepcritical.interfaces.cli.checks import check_index
from deepcritical.services.chroma import ChromaIndex, index_address, token_headers
from deepcritical.services.llamaindex_rag import LlamaIndexRAGService
from deepcritical.settings import Settings
from tests.conftest import ROOT, make_evidence
from tests.indexes import chroma_server, new_index
from tests.ports import lasting_port
from tests.servers.commands import forked_module
from tests.servers.running import running
from tests.vectors import WordVectors

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("chromadb") is None, reason="needs the extra embeddings"
)
RECORDS = {"E1": make_evidence("Examplol in testitis", "A made-up trial of examplol.")}


def guarded(chroma: str, header: str, value: str) -> ASGIApp:
    """A gate before a server of Chroma, which wants a token."""

    async def gate(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.headers.get(header) != value:
            await Response("who are you?", 403)(scope, receive, send)
            return
        async with httpx.AsyncClient() as client:
            asked = {k: v for k, v in request.headers.items() if k not in ("host", header.lower())}
            answer = await client.request(
                request.method,
                f"{chroma}{request.url.path.removeprefix('/vectors')}",
                headers=asked,
                content=await request.body(),
            )
        kind = answer.headers.get("content-type")
        await Response(answer.content, answer.status_code, media_type=kind)(scope, receive, send)

    return gate


@pytest.mark.parametrize("header", ["Authorization", "X-Chroma-Token"])
async def test_a_token_opens_a_server_behind_a_path(chroma: str, header: str) -> None:
    settings = Settings.model_validate(
        {"chroma_token": "made-up-token", "chroma_token_header": header}
    )
    headers = settings.chroma_headers
    async with running(guarded(chroma, header, headers[header])) as gate:
        url = f"{gate}vectors/"
        refused = await check_index(url)
        assert refused.state is CheckState.PROBLEM
        assert "status 403" in refused.model_dump_json()
        assert "CHROMA_TOKEN" in refused.advice
        index = ChromaIndex(url, headers)
        async with LlamaIndexRAGService("one", WordVectors(), index) as rag:
            await rag.ingest(RECORDS)
            assert (await rag.retrieval()).label == "hybrid (BM25 + words)"
            assert list(await rag.query("examplol", method="dense")) == ["E1"]
        await asyncio.to_thread(index.close)
    assert "made-up-token" not in repr(settings)


def answers(status: int, body: object) -> ASGIApp:
    return Response(json.dumps(body), status, media_type="application/json")


@pytest.mark.parametrize(
    ("app", "why"),
    [
        (answers(200, "0.4.24"), "it says 0.4.24"),
        (answers(200, {"version": "1.0"}), "it says {"),
        (answers(410, {"error": "gone"}), "status 410"),
        (Response("<html>hello</html>"), "something else"),
    ],
    ids=["old", "another", "older", "a page"],
)
async def test_what_is_no_server_of_ours_is_told(app: ASGIApp, why: str) -> None:
    async with running(app) as url:
        check = await check_index(url)
    assert check.state is CheckState.PROBLEM
    assert "no Chroma server of version 1.x" in check.model_dump_json()
    assert why in check.model_dump_json()
    assert "CHROMA_URL" in check.advice


IDENTITY = {"user_id": "", "tenant": "default_tenant", "databases": ["default_database"]}


@pytest.mark.parametrize("said", [1, 2, 3, 4])
async def test_a_server_that_falls_silent_holds_nobody(
    monkeypatch: pytest.MonkeyPatch, said: int
) -> None:
    monkeypatch.setattr("deepcritical.services.chroma._HEARD_S", 0.2)
    asked: list[str] = []

    async def silent(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(scope["path"])
        if len(asked) > said:
            await asyncio.Event().wait()
        body: object = "1.5.9" if scope["path"].endswith("/version") else IDENTITY
        if "/tenants/" in scope["path"]:
            body = {"name": "default_tenant"}
        await answers(200, body)(scope, receive, send)

    async with running(silent) as url:
        index = ChromaIndex(url)
        with pytest.raises(StorageError):
            await asyncio.wait_for(asyncio.to_thread(index.acquire), 20)
    assert len(asked) == said + 1


@pytest.mark.parametrize(
    "url", ["ftp://host:1", "http://", "https://me:made-up-secret@host", "http://host/?a=b"]
)
def test_an_address_that_is_none_is_refused_without_being_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMA_URL", url)
    with pytest.raises(ValidationError, match=r"http://host:port|no user and no query") as caught:
        Settings()
    (error,) = caught.value.errors(include_input=False)
    assert "made-up-secret" not in error["msg"]


def test_addresses_are_completed() -> None:
    assert index_address(" http://host/ ") == "http://host:8000"
    assert index_address("https://host/a/") == "https://host/a"
    assert index_address(" some/folder ") == "some/folder"
    assert index_address("") == ""
    assert token_headers("") == {}


@pytest.mark.slow
async def test_a_server_that_dies_and_comes_back(tmp_path: Path) -> None:
    port = lasting_port()
    index = new_index(f"http://127.0.0.1:{port}")
    rag = LlamaIndexRAGService("one", WordVectors(), index)
    with chroma_server(tmp_path / "server", port):
        await rag.ingest(RECORDS)
        assert (await rag.retrieval()).model == "words"
    assert list(await rag.query("examplol")) == ["E1"]
    assert "The index of vectors cannot be read" in (await rag.retrieval()).lexical_because
    with chroma_server(tmp_path / "server", port):
        await rag.close()
        async with LlamaIndexRAGService("two", WordVectors(), index) as later:
            assert await later.ingest(RECORDS) == 1
            assert list(await later.query("examplol", method="dense")) == ["E1"]


async def test_rows_of_a_dead_run_go_when_no_run_can_last_so_long(chroma: str) -> None:
    index = new_index(chroma)
    died = LlamaIndexRAGService("died", WordVectors("made-up/left"), index)
    await died.ingest(RECORDS)
    assert died._rows is not None
    rows = died._rows.client
    async with LlamaIndexRAGService("two", WordVectors("made-up/left"), index) as two:
        await two.retrieval()
        assert await asyncio.to_thread(rows.count) == 1
    (row,) = (await asyncio.to_thread(rows.get))["ids"]
    long_ago = time.time() - 8 * 86_400
    await asyncio.to_thread(rows.update, [row], metadatas=[{"written_at": long_ago}])
    async with LlamaIndexRAGService("three", WordVectors("made-up/left"), index) as three:
        await three.retrieval()
        assert await asyncio.to_thread(rows.count) == 0


WORKER = """
import asyncio, sys
from tests.integration.test_chroma_server import worker
asyncio.run(worker(*sys.argv[2:]))
"""


async def worker(url: str, name: str) -> None:
    """A process that has vectors of its own in the collection of all."""
    index = ChromaIndex(url)
    async with LlamaIndexRAGService(name, WordVectors("made-up/many"), index) as rag:
        await rag.ingest({f"E{n}": make_evidence(f"{name} {n}", "examplol") for n in range(40)})
        found = await rag.query("examplol", 100, method="dense")
        told = (await rag.retrieval()).label, sorted({r.citation.title[:1] for r in found.values()})
        print(json.dumps([*told, len(found)]))  # noqa: T201 - for the one who started it
    await asyncio.to_thread(index.close)


async def test_processes_share_a_server_and_see_only_their_own(chroma: str) -> None:
    names = ("a", "b", "c")
    processes = [
        await asyncio.create_subprocess_exec(
            *(*forked_module(), "tests.servers.program", WORKER, chroma, name),
            cwd=ROOT,
            stdout=PIPE,
        )
        for name in names
    ]
    said = [json.loads((await process.communicate())[0]) for process in processes]
    assert said == [["hybrid (BM25 + many)", [name], 40] for name in names]


async def test_nothing_is_heard_of_a_server_without_it(unused_tcp_port: int) -> None:
    with pytest.raises(StorageError, match="No Chroma server answers at"):
        await asyncio.to_thread(ChromaIndex(f"http://127.0.0.1:{unused_tcp_port}").acquire)
