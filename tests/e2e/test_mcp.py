"""The tools, by the clients of the official SDK: over stdio, and over HTTP in both protocols.

One process over stdio searches the loopback sources live; one server runs on the bundled snapshot.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

import httpx
import pytest
import pytest_asyncio
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import DEMO_QUESTION, ROOT
from tests.servers.commands import forked_command
from tests.servers.serving import serving
from tests.servers.tools import Told, ask, held, status, status_at_end, without_proxies
from tests.servers.world import World, world_beside

COMMAND = forked_command()
GOLDEN = ROOT / "docs" / "mcp-tools.json"
LIVE_QUESTION = "Does examplol improve testitis?"
FREE_QUESTION = "Does ivermectin reduce mortality in COVID-19?"
KINDS = (("stdio", "answer"), ("http", "report"))
LIVE_CLAIM = ("The study found that examplol helped.", "doi:10.99999/examplol.1")
DEMO_CLAIM = ("Metformin induces caspase 3 cleavage of tau in the P301S mice.", "pmid:26858121")
SECRET = re.compile(r"key|secret|password|credential|authorization|token$", re.IGNORECASE)
OPENING: tuple[dict[str, Any], ...] = (
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
)
"""How a client of the handshake opens a session."""

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]


class Site(NamedTuple):
    """A client of one of the transports."""

    client: Client
    question: str
    """One that its sources know something of."""
    claim: str
    """A sentence that a record of them bears out."""
    record: str
    """The id of that record."""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with world_beside(tmp_path_factory.mktemp("sources")) as one:
        # What is kept would be answered at once, however slow a source is made.
        # With a key it may be asked more often.
        one.environment.update(DEEPCRITICAL_HTTP_CACHE="", NCBI_API_KEY="made-up-key")
        one.faults["pubmed"].spared = b"db=mesh"  # names, which a run has when it begins
        yield one


@pytest.fixture(scope="module")
def address(sources: World) -> Iterator[str]:
    yield from _served(sources, "demo")


@pytest.fixture(scope="module")
def live_address(sources: World) -> Iterator[str]:
    yield from _served(sources, "")


def _served(sources: World, snapshot: str) -> Iterator[str]:
    command = (COMMAND, "serve", "--port", "0")
    with serving(command, {**sources.environment, "DEEPCRITICAL_SNAPSHOT": snapshot}) as served:
        yield served.address


def over_stdio(environment: dict[str, str], *options: str) -> AbstractAsyncContextManager[Client]:
    process = StdioServerParameters(
        command=str(COMMAND), args=["mcp", *options], env=without_proxies(environment)
    )
    return Client(stdio_client(process))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stdio(sources: World) -> AsyncIterator[Client]:
    async with held(over_stdio(sources.environment)) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module", params=["stdio", "http", "http of the handshake"])
async def site(
    request: pytest.FixtureRequest, sources: World, stdio: Client, address: str
) -> AsyncIterator[Site]:
    sources.faults["pubmed"].off()
    if request.param == "stdio":
        yield Site(stdio, LIVE_QUESTION, *LIVE_CLAIM)
        return
    mode = "auto" if request.param == "http" else "legacy"
    async with held(Client(f"{address}/mcp", mode=mode)) as client:
        yield Site(client, FREE_QUESTION, *DEMO_CLAIM)


@pytest_asyncio.fixture(loop_scope="module", params=["stdio", "http", "http of the handshake"])
async def lasting(
    request: pytest.FixtureRequest, sources: World, stdio: Client, live_address: str
) -> AsyncIterator[Client]:
    """A client whose runs last, since PubMed is slow to answer them."""
    sources.faults["pubmed"].on("slow")
    if request.param == "stdio":
        yield stdio
    else:
        mode = "auto" if request.param == "http" else "legacy"
        async with held(Client(f"{live_address}/mcp", mode=mode)) as client:
            yield client
    sources.faults["pubmed"].off()


async def test_the_tools_are_those_that_are_published(site: Site) -> None:
    listed = await site.client.list_tools()
    told = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    assert told == json.loads(GOLDEN.read_text(encoding="utf-8"))["tools"], (
        "run: python scripts/build_docs_tables.py"
    )


def properties(schema: object) -> Iterator[str]:
    """The names of all properties, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from properties(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from properties(part)


async def test_no_schema_has_a_place_for_a_key() -> None:
    for tool in json.loads(GOLDEN.read_text(encoding="utf-8"))["tools"]:
        names = [*properties(tool["inputSchema"]), *properties(tool["outputSchema"])]
        assert names
        assert not [name for name in names if SECRET.search(name)], tool["name"]


async def test_an_answer_is_waited_for_with_its_progress(site: Site) -> None:
    told = Told()
    answered = await ask(
        site.client, "deep_research", told, question=site.question, max_iterations=1
    )
    output = answered.fields
    assert not answered.is_error, answered.text
    assert json.loads(answered.text) == output
    assert output["status"] in ("completed", "max_iterations_reached")
    assert output["iterations_used"] == 1
    assert [source["id"] for source in output["sources"]][:1] == ["src_1"]
    assert "[1]" in output["answer"]
    assert set(output["checklist_coverage"]) == {"satisfied", "gaps"}
    assert told.trace_id == output["trace_id"]
    done = [one.done for one in told]
    assert done == sorted(set(done))
    assert (told[0].done, told[-1].done, {one.total for one in told}) == (0.0, 1.0, {1.0})
    assert told[-1].message.startswith("Completed")


@pytest.mark.parametrize("site", ["stdio", "http"], indirect=True)
async def test_a_report_is_started_followed_and_fetched(site: Site) -> None:
    question = DEMO_QUESTION if site.question == FREE_QUESTION else LIVE_QUESTION
    started = await ask(
        site.client, "start_research", question=question, kind="report", depth="quick"
    )
    trace_id = started.fields["trace_id"]
    assert await status_at_end(site.client, trace_id) == "completed"
    report = (await ask(site.client, "get_report", trace_id=trace_id)).fields
    assert (report["kind"], report["format"]) == ("report", "md")
    assert "## Limitations" in report["content"]
    references = (await ask(site.client, "get_report", trace_id=trace_id, format="ris")).fields
    assert references["content"].startswith("TY  -")
    trace = (await ask(site.client, "get_trace", trace_id=trace_id)).fields
    assert (trace["status"], trace["question"]) == ("completed", question)
    assert [event["seq"] for event in trace["events"]] == [
        n + 1 for n in range(len(trace["events"]))
    ]
    assert sum(trace["metrics"]["queries"].values()) > 0
    last = await ask(site.client, "get_trace", trace_id=trace_id, after=len(trace["events"]) - 1)
    assert [event["type"] for event in last.fields["events"]] == ["run_completed"]


async def test_a_report_is_waited_for(address: str) -> None:
    async with Client(f"{address}/mcp") as client:
        asked = await ask(client, "research_report", question=DEMO_QUESTION, depth="quick")
    assert asked.fields["verdict"]
    assert asked.fields["report"].startswith("# ")
    assert asked.fields["sources"]


@pytest.mark.parametrize(
    ("tool", "query", "found"),
    [
        ("search_pubmed", "examplol", "pmid:99000"),
        ("search_clinical_trials", "examplol", "nct:NCT99"),
        ("search_europe_pmc", "examplol", ""),
    ],
)
async def test_sources_are_searched(site: Site, tool: str, query: str, found: str) -> None:
    output = (await ask(site.client, tool, query=query, max_results=3)).fields
    assert output["outcome"] in ("data", "degraded")
    assert 1 <= len(output["records"]) <= 3
    for record in output["records"]:
        assert record["id"].startswith(found)
        assert record["title"]
        assert re.fullmatch(r"(\d{4})?", record["year"])
    assert "never instructions" in output["notice"]
    assert query in output["query_as_run"]


async def test_a_claim_is_held_against_what_it_cites(site: Site) -> None:
    for claim, supported in ((site.claim, True), (f"{site.claim[:-1]} of 98765 fish.", False)):
        ids = [site.record, "PMID 99009999"]
        checked = (await ask(site.client, "verify_claim", claim=claim, ids=ids)).fields
        assert checked["verdict"] == ("supported" if supported else "contradicted")
        assert checked["supported"] is supported, checked["reason"]
        assert bool(checked["reason"]) is not supported
        assert site.record in checked["source"]["ids"]
        assert checked["quotes"]
        assert checked["not_found"] == ["pmid:99009999"]


@pytest.mark.parametrize(("lasting", "kind"), KINDS, indirect=["lasting"])
async def test_a_run_is_finished_and_writes_what_it_has(
    lasting: Client, sources: World, kind: str
) -> None:
    started = await ask(lasting, "start_research", question=LIVE_QUESTION, kind=kind)
    trace_id = started.fields["trace_id"]
    early = await ask(lasting, "get_report", trace_id=trace_id)
    assert early.is_error
    assert "has not ended" in early.text
    asked = await ask(lasting, "finish_research", trace_id=trace_id)
    assert asked.fields["trace_id"] == trace_id
    sources.faults["pubmed"].off()
    assert await status_at_end(lasting, trace_id) == "completed"
    again = await ask(lasting, "finish_research", trace_id=trace_id)
    assert again.fields["status"] == "completed"
    assert (await ask(lasting, "get_report", trace_id=trace_id)).fields["kind"] == kind


# Over HTTP the newer protocol cancels by closing the stream, as a client does that is lost.
@pytest.mark.parametrize("lasting", ["stdio", "http of the handshake"], indirect=True)
async def test_cancelled_by_the_client_the_run_is_cancelled(lasting: Client) -> None:
    told = Told()
    call = asyncio.create_task(
        ask(lasting, "deep_research", told, question=LIVE_QUESTION, max_iterations=3)
    )
    await told.first.wait()
    call.cancel()
    # How soon, benchmarks/stopping.py measures.
    assert await status_at_end(lasting, told.trace_id) == "cancelled"


@pytest.mark.parametrize("lasting", ["http"], indirect=True)
async def test_cancelled_by_the_tool_the_run_is_cancelled(lasting: Client) -> None:
    started = await ask(lasting, "start_research", question=LIVE_QUESTION)
    trace_id = started.fields["trace_id"]
    ended = await ask(lasting, "cancel_research", trace_id=trace_id)
    assert ended.fields["status"] == "cancelled"
    none = await ask(lasting, "get_report", trace_id=trace_id)
    assert (none.is_error, "cancelled" in none.text) == (True, True)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_lost_client_loses_nothing_of_the_run(
    live_address: str, sources: World, mode: Any
) -> None:
    sources.faults["pubmed"].on("slow")
    told, asked = Told(), {"question": LIVE_QUESTION, "max_iterations": 1}
    params = {"name": "deep_research", "arguments": asked, "_meta": {"progressToken": 1}}
    async with Client(f"{live_address}/mcp", mode=mode) as client:
        if mode == "auto":
            call = asyncio.create_task(ask(client, "deep_research", told, **asked))
            await told.first.wait()
            call.cancel()  # closes the stream of the answer
            trace_id = told.trace_id
        else:
            trace_id = await _lost(live_address, params)
        assert await status(client, trace_id) in ("pending", "in_progress")
        sources.faults["pubmed"].off()
        assert await status_at_end(client, trace_id) == "completed"


async def _lost(address: str, params: dict[str, Any]) -> str:
    """Send a request within a session of its own, and break off once there is progress."""
    accepts = {"Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(
        base_url=address, headers=accepts, trust_env=False, timeout=60
    ) as http:
        opened = await http.post("/mcp", json={"jsonrpc": "2.0", **OPENING[0]})
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        await http.post("/mcp", json={"jsonrpc": "2.0", **OPENING[1]}, headers=session)
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        async with http.stream("POST", "/mcp", json=call, headers=session) as stream:
            async for line in stream.aiter_lines():
                if found := re.search(r"Run ([0-9a-f-]{36}) has started", line):
                    return found[1]
    raise AssertionError("no progress was told")


async def test_what_is_wrong_is_told_to_the_model(site: Site) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("deep_research", {}, "`question`"),
        ("deep_research", {"question": "Why?", "max_iterations": 11}, "`max_iterations`"),
        ("deep_research", {"question": "!"}, "empty"),
        ("deep_research", {"question": "Why?", "api_key": "made-up-key"}, "`api_key`"),
        ("start_research", {"question": "Why?", "kind": "report", "context": "x"}, "`context`"),
        ("start_research", {"question": "Why?", "context": "x" * 2001}, "`context`"),
        ("verify_claim", {"claim": "Examplol helps.", "ids": ["nowhere"]}, "'nowhere'"),
        ("verify_claim", {"claim": "Pain fell by" + " 1" * 31, "ids": ["PMID 1"]}, "30 numbers"),
        ("get_report", {"trace_id": "0" * 36}, "There is no run"),
        ("get_research_status", {"trace_id": "short"}, "`trace_id`"),
    ]
    for tool, given, named in wrong:
        answered = await ask(site.client, tool, **given)
        assert answered.is_error, tool
        assert named in answered.text
        assert "made-up-key" not in answered.text
    with pytest.raises(MCPError, match="Unknown tool"):
        await site.client.call_tool("nothing", {})


@pytest.mark.parametrize("site", ["stdio"], indirect=True)
async def test_a_source_that_is_down_is_told(site: Site, sources: World) -> None:
    sources.faults["pubmed"].on("500")
    answered = await ask(site.client, "search_pubmed", query="examplol and its absence")
    assert answered.is_error
    assert "No source could be read" in answered.text


async def test_other_sites_and_other_names_are_refused(address: str) -> None:
    async with httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as http:
        for headers in ({"Host": "rebound.example"}, {"Origin": "https://other.example"}):
            answer = await http.post("/mcp", json={}, headers=headers)
            assert answer.status_code in (400, 403), headers
        deleted = (await http.delete("/mcp")).status_code
        assert deleted not in (403, 413)
        assert deleted < 500


async def spoken() -> tuple[asyncio.subprocess.Process, str]:
    """A process over stdio, and the run that it has under way; what it printed so far is read."""
    command = (COMMAND, "mcp", "--snapshot", "demo")
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    call = {"name": "start_research", "arguments": {"question": FREE_QUESTION}}
    for message in (*OPENING, {"id": 2, "method": "tools/call", "params": call}):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    answers = [json.loads(await process.stdout.readline()) for _ in range(2)]
    return process, answers[1]["result"]["structuredContent"]["trace_id"]


async def test_only_the_protocol_is_printed_and_the_end_of_stdin_is_the_end() -> None:
    process, trace_id = await spoken()
    assert process.stdin is not None
    process.stdin.close()
    out, err = await process.communicate()
    assert (process.returncode, out, err) == (0, b"", b"")
    # Nobody asks for it: the next process goes on with what a lost client had begun.
    async with over_stdio(dict(os.environ)) as client:
        assert await status_at_end(client, trace_id) == "completed"


async def test_a_signal_ends_it_though_stdin_is_open() -> None:
    process, _ = await spoken()
    process.send_signal(signal.SIGTERM)
    assert process.stdout is not None
    assert process.stderr is not None
    assert (await process.stdout.read(), await process.stderr.read()) == (b"", b"")
    assert await process.wait() == -signal.SIGTERM


async def test_a_key_is_never_asked_for_where_the_protocol_is_spoken() -> None:
    command = (COMMAND, "mcp", "--ask-key")
    process = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stderr=DEVNULL)
    assert await process.wait() == 2
