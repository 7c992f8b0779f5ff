"""Clients of the tools: real ones, to a process over stdio or to a server over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NamedTuple

from mcp import Client
from mcp.types import CallToolResult, TextContent


class Progress(NamedTuple):
    done: float
    total: float | None
    message: str


class Told(list[Progress]):
    def __init__(self) -> None:
        self.first = asyncio.Event()
        """Set once the client was told of something."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.append(Progress(progress, total, message or ""))
        self.first.set()

    @property
    def trace_id(self) -> str:
        """The run that the first message names."""
        return self[0].message.split()[1]


class Answered(NamedTuple):
    """The result of a call of a tool."""

    fields: dict[str, Any]
    text: str
    is_error: bool


async def ask(client: Client, tool: str, told: Told | None = None, /, **given: Any) -> Answered:
    """Call a tool; the client checks what comes against the schema that it was listed with."""
    result = await client.call_tool(tool, given, progress_callback=told)
    assert isinstance(result, CallToolResult)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return Answered(result.structured_content or {}, content.text, result.is_error)


async def status(client: Client, trace_id: str) -> str:
    answered = await ask(client, "get_research_status", trace_id=trace_id)
    return str(answered.fields["status"])


async def status_at_end(client: Client, trace_id: str) -> str:
    found = ""
    while found in ("", "pending", "in_progress"):
        await asyncio.sleep(0.05)
        found = await status(client, trace_id)
    return found


@asynccontextmanager
async def held(connecting: AbstractAsyncContextManager[Client]) -> AsyncIterator[Client]:
    """A client that may be opened in one task and closed in another, as fixtures are."""
    ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        try:
            async with connecting as client:
                ready.set_result(client)
                await done.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)

    task = asyncio.create_task(hold())
    try:
        yield await ready
    finally:
        done.set()
        await task


def without_proxies(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which loopback is reached directly."""
    return {n: v for n, v in environment.items() if not n.upper().endswith("_PROXY")}
