"""A model server that answers from a recording, so that anyone can repeat a table without a key.

It speaks Chat Completions. What is recorded is answered at once; what is not is asked at another
server and recorded, or refused with 503 where none is given. A recording holds a hash of each
request (model, messages, tools, form of the answer) with the message that answered it, and no text
that was read. A change of a prompt makes its answers unknown.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

_ASKED = ("model", "messages", "tools", "response_format")
PATIENCE_S = 3_600.0
"""For an answer that is still to be recorded."""


def key_of(body: Mapping[str, Any]) -> str:
    """The hash of a request by what decides its answer."""
    told = json.dumps({name: body.get(name) for name in _ASKED}, sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:20]


class RecordedModel:
    """Answers from a recording, and adds to it what another server answers.

    Args:
        path: The recording; it need not be there yet.
        base_url: Where an unknown request is asked; '' for nowhere.
        key_of: What a request is known by.
    """

    def __init__(
        self,
        path: Path,
        base_url: str = "",
        key_of: Callable[[Mapping[str, Any]], str] = key_of,
    ) -> None:
        self._path = path
        self._base_url = base_url
        self._key_of = key_of
        self.refused = 0
        """Requests that were not known."""
        self.calls = 0
        """Requests that were answered."""
        self.tokens = 0
        """Tokens of these, read and written, at four characters each."""
        self._known: dict[str, dict[str, Any]] = {}
        self._used: set[str] = set()
        self._asking: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        if path.exists():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                self._known = {row["key"]: row["message"] for row in map(json.loads, lines)}
        self.app = Starlette(
            routes=[
                Route("/v1/models", self._models),
                Route("/v1/chat/completions", self._chat, methods=["POST"]),
            ]
        )

    def save(self, *, used_alone: bool) -> None:
        """Write the recording, or of it only the answers that were asked for."""
        kept = sorted(self._used if used_alone else self._known)
        lines = (json.dumps({"key": key, "message": self._known[key]}) + "\n" for key in kept)
        self._path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))

    async def _models(self, _request: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": "recorded", "object": "model"}]})

    async def _chat(self, request: Request) -> JSONResponse:
        body = await request.json()
        body.pop("stream", None)
        key = self._key_of(body)
        async with self._asking[key]:
            message = self._known.get(key) or await self._asked(key, body)
        if message is None:
            self.refused += 1
            error = {"message": f"no answer is recorded: {key}", "type": "server_error"}
            return JSONResponse({"error": error}, 503)
        self._used.add(key)
        read, written = len(json.dumps(body["messages"])) // 4, len(json.dumps(message)) // 4
        self.calls += 1
        self.tokens += read + written
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
        finish = "tool_calls" if message.get("tool_calls") else "stop"
        choice = {"index": 0, "message": message, "finish_reason": finish}
        head = {"id": f"chatcmpl-{key}", "created": 0, "model": body.get("model", "")}
        told = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return JSONResponse(told)

    async def _asked(self, key: str, body: dict[str, Any]) -> dict[str, Any] | None:
        if not self._base_url:
            return None
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            url = f"{self._base_url.rstrip('/')}/chat/completions"
            answer = await client.post(url, json=body)
        if answer.is_error:
            return None
        message: dict[str, Any] = answer.json()["choices"][0]["message"]
        self._known[key] = message
        return message
