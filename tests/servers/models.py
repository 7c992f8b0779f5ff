"""A model's server on loopback: OpenAI chat and responses, Anthropic messages, and faults.

It answers with what stands in the prompt (tests/servers/answers.py), unless it is told to fail.
"""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.servers import answers

Change = Callable[[str, answers.Answer], Any]
"""The task and the sane answer to what is answered instead; text is sent as prose."""


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    task: str
    system: str
    prompt: str
    key: str
    mode: str
    at_s: float
    chars: int
    """Characters of the whole request, schema included."""


@dataclass(frozen=True)
class Fault:
    """The fault that the server shows to one request."""

    status: int = 200
    body: str | None = None
    """Sent as it is; None answers."""
    headers: tuple[tuple[str, str], ...] = ()
    reset: bool = False
    """Break the connection off behind the headers."""
    drip_s: float = 0.0
    """Send the answer in single bytes, so far apart."""
    wait_s: float = 0.0
    finish: str = ""
    """The reason for which the answer ends, instead of its being complete."""
    refusal: str = ""
    tool: str = ""
    """Call this tool instead of the one that was offered."""
    cut: bool = False
    """Break the answer off in its middle, as when the limit of tokens is met."""


class ModelServer:
    """Answers both APIs, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.arrived = asyncio.Event()
        """Set once a request has arrived."""
        self.tokens = 0
        """Tokens told in all answers."""
        self.told: Callable[[int], int] = lambda tokens: tokens
        """What is told of a number of tokens."""
        self.latency_s = 0.0
        self.spans: list[tuple[float, float]] = []
        """When each request came and was answered, or left, in seconds since 1970."""
        self.change: Change = lambda _task, sane: sane
        self.fault: Callable[[Asked], Fault | None] = lambda _asked: None
        routes = [
            Route("/v1/chat/completions", self._chat, methods=["POST"]),
            Route("/v1/messages", self._messages, methods=["POST"]),
            Route("/v1/responses", self._responses, methods=["POST"]),
        ]
        self.app = Starlette(routes=routes)

    @property
    def tasks(self) -> list[str]:
        """The tasks of the requests, in order."""
        return [asked.task for asked in self.asked]

    def prompts(self, task: str) -> list[str]:
        return [asked.prompt for asked in self.asked if asked.task == task]

    async def _chat(self, request: Request) -> Response:
        body = await request.json()
        texts = [(m["role"], _text(m["content"])) for m in body["messages"] if m.get("content")]
        system = "\n".join(text for role, text in texts if role in ("system", "developer"))
        users = [text for role, text in texts if role == "user"]
        tools = [tool["function"]["name"] for tool in body.get("tools", ())]
        kind = body.get("response_format", {}).get("type", "")
        mode = "tool" if tools else "native" if kind == "json_schema" else "prompted"
        key = _key(request)
        asked = self._keep(system, users, key, mode, len(json.dumps(body)))
        return await self._answered(asked, body, tools, _chat_body)

    async def _messages(self, request: Request) -> Response:
        body = await request.json()
        users = [_text(m["content"]) for m in body["messages"] if m["role"] == "user"]
        tools = [tool["name"] for tool in body.get("tools", ())]
        mode = "tool" if tools else "native" if "output_config" in body else "prompted"
        system = _text(body.get("system", ""))
        asked = self._keep(system, users, _key(request), mode, len(json.dumps(body)))
        return await self._answered(asked, body, tools, _messages_body)

    async def _responses(self, request: Request) -> Response:
        body = await request.json()
        said = [(m.get("role"), _text(m.get("content", ""))) for m in body["input"]]
        users = [text for role, text in said if role == "user"]
        tools = [tool["name"] for tool in body.get("tools", ())]
        kind = body.get("text", {}).get("format", {}).get("type", "")
        mode = "tool" if tools else "native" if kind == "json_schema" else "prompted"
        key = _key(request)
        asked = self._keep(body.get("instructions") or "", users, key, mode, len(json.dumps(body)))
        return await self._answered(asked, body, tools, _responses_body)

    def _keep(self, system: str, users: list[str], key: str, mode: str, chars: int) -> Asked:
        prompt = next((text for text in users if "Task: " in text), users[-1])
        now = asyncio.get_running_loop().time()
        asked = Asked(answers.task_of(prompt), system, prompt, key, mode, now, chars)
        self.asked.append(asked)
        self.arrived.set()
        return asked

    async def _answered(
        self,
        asked: Asked,
        body: dict[str, Any],
        tools: list[str],
        form: Callable[[Any, str, int, int, Fault], dict[str, Any]],
    ) -> Response:
        fault = self.fault(asked) or Fault()
        arrived = time.time()
        try:
            await asyncio.sleep(self.latency_s + fault.wait_s)
        finally:
            self.spans.append((arrived, time.time()))
        if fault.reset:
            return StreamingResponse(_broken(), media_type="application/json")
        if fault.body is not None or fault.status != 200:
            text = fault.body if fault.body is not None else '{"error": {"message": "made up"}}'
            return Response(text, fault.status, dict(fault.headers), "application/json")
        sane = answers.answer(asked.prompt)
        given = sane if isinstance(sane, str) else self.change(asked.task, sane)
        read, written = len(json.dumps(body)) // 4, len(json.dumps(given)) // 4
        self.tokens += read + written
        tool = fault.tool or next(iter(tools), "")
        formed = form(given, tool, self.told(read), self.told(written), fault)
        if fault.drip_s:
            return StreamingResponse(_dripping(formed, fault.drip_s), media_type="application/json")
        return JSONResponse(formed)


@contextmanager
def silent_model() -> Iterator[dict[str, str]]:
    """The settings of a model that never answers, so that a run lasts until it is stopped."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield {
            "DEEPCRITICAL_MODEL": "openai-chat:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"http://127.0.0.1:{listening.getsockname()[1]}/v1",
            "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
        }


def _key(request: Request) -> str:
    sent = request.headers.get("authorization", "").removeprefix("Bearer ")
    return request.headers.get("x-api-key", sent)


async def _broken() -> Any:
    yield b"{"
    raise ConnectionResetError("a fault that the test asked for")


async def _dripping(formed: dict[str, Any], drip_s: float) -> Any:
    for char in json.dumps(formed):
        yield char.encode()
        await asyncio.sleep(drip_s)


def _cut(text: str, fault: Fault) -> str:
    return text[: len(text) // 2] if fault.cut else text


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content if "text" in part)


def _chat_body(given: Any, tool: str, read: int, written: int, fault: Fault) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    reason = fault.finish or "stop"
    if fault.refusal:
        message["refusal"] = fault.refusal
    elif isinstance(given, str):
        message["content"] = given
    elif tool:
        function = {"name": tool, "arguments": _cut(json.dumps(given), fault)}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
        reason = fault.finish or "tool_calls"
    else:
        message["content"] = _cut(json.dumps(given), fault)
    reason = "length" if fault.cut else reason
    usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return {
        "id": "made-up",
        "object": "chat.completion",
        "created": 1,
        "model": "made-up",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage,
    }


def _responses_body(given: Any, tool: str, read: int, written: int, _: Fault) -> dict[str, Any]:
    called = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": tool}
    return {
        "id": "made-up",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "made-up",
        "output": [called | {"arguments": json.dumps(given), "status": "completed"}],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + written,
        },
    }


def _messages_body(given: Any, tool: str, read: int, written: int, fault: Fault) -> dict[str, Any]:
    content: list[dict[str, Any]]
    if isinstance(given, str) or fault.refusal:
        content = [{"type": "text", "text": fault.refusal or given}]
    elif tool:
        whole = {} if fault.cut else given
        content = [{"type": "tool_use", "id": "toolu_1", "name": tool, "input": whole}]
    else:
        content = [{"type": "text", "text": _cut(json.dumps(given), fault)}]
    ended = "max_tokens" if fault.cut else fault.finish
    stop = ended or ("tool_use" if content[0]["type"] == "tool_use" else "end_turn")
    stop = "refusal" if fault.refusal and not fault.finish else stop
    return {
        "id": "made-up",
        "type": "message",
        "role": "assistant",
        "model": "made-up",
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": read, "output_tokens": written},
    }
