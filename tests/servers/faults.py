"""Faults of real services, to be switched on round any app of a test.

A fault holds for the next `times` requests, for all when that is None; then the app answers again.
"""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from typing import Literal

from starlette.types import ASGIApp, Message, Receive, Scope, Send

Fault = Literal[
    "429",
    "429 after",
    "500",
    "slow",
    "truncated",
    "half",
    "wrong type",
    "huge",
    "html",
    "reset",
    "empty",
    "hour",
    "redirect",
    "told",
    "bomb",
    "xml bomb",
]
"""``truncated`` breaks off below its announced length, ``half`` is whole but for its data, ``hour``
is a 429 that asks for an hour, ``told`` an error message with status 200, ``bomb`` a body that
unpacks to 300 MB, ``xml bomb`` one whose entities do."""
HUGE_BYTES = 50_000_000
_CHUNK = b" " * 1_000_000
_XML_BOMB = b"""<?xml version="1.0"?><!DOCTYPE PubmedArticleSet [<!ENTITY a "aaaaaaaaaaaaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;">]>
<PubmedArticleSet><PubmedArticle>&e;&e;&e;&e;&e;</PubmedArticle></PubmedArticleSet>"""
_PAGE = b"<!DOCTYPE html><html><body><h1>Service temporarily unavailable</h1></body></html>"


class Faults:
    """An app that fails as it is told to.

    Args:
        app: Answers when no fault is on.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._fault: Fault | None = None
        self._left: int | None = None
        self._before = 0
        self.retry_after = "0"
        """Header of the fault ``429 after``: seconds or a date."""
        self.drip_s = 0.2
        """Seconds between two bytes of the fault ``slow``."""
        self.spared = b""
        """Requests with this in their query are answered whatever is on; all fail alike if ''."""
        self.times_off = 0
        """How often all faults were switched off."""
        self.requests = 0
        """Requests that have arrived."""
        self.arrived = asyncio.Event()
        """Set once a request has arrived."""

    def on(self, fault: Fault, times: int | None = None, after: int = 0) -> None:
        """Switch a fault on, for so many requests, after so many that are answered."""
        self._fault, self._left, self._before = fault, times, after

    def off(self) -> None:
        """Switch all off; an answer that drips is ended, and has nothing in it."""
        self._fault = None
        self.times_off += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        self.requests += 1
        self.arrived.set()
        is_spared = self.spared and self.spared in scope["query_string"]
        fault = None if is_spared else self._next()
        if fault is None:
            await self._app(scope, receive, send)
        elif fault in ("truncated", "half", "wrong type"):
            await self._bent(fault, scope, receive, send)
        else:
            await self._failed(fault, send)

    def _next(self) -> Fault | None:
        if self._before:
            self._before -= 1
            return None
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._fault, self._left = None, None
        return self._fault

    async def _failed(self, fault: Fault, send: Send) -> None:
        if fault == "reset":
            # uvicorn closes the connection of an app that ends before the announced body.
            await send(_start(200, "application/json", (b"content-length", b"1000")))
            await send({"type": "http.response.body", "body": b"{", "more_body": True})
            raise ConnectionResetError("a fault that the test asked for")
        for message in _ANSWERS[fault](self):
            if fault == "slow":
                await asyncio.sleep(self.drip_s)
            await send(message)

    async def _bent(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        """The app's own answer, cut in half or under another type."""

        async def bent(message: Message) -> None:
            if message["type"] == "http.response.start" and fault != "truncated":
                kind = "image/png" if fault == "wrong type" else "application/json"
                message = _start(message["status"], kind)
            elif "body" in message and fault != "wrong type":
                message = _body(message["body"][: len(message["body"]) // 2])
            await send(message)

        await self._app(scope, receive, bent)


def _start(status: int, kind: str, *headers: tuple[bytes, bytes]) -> Message:
    named = [(b"content-type", kind.encode()), *headers]
    return {"type": "http.response.start", "status": status, "headers": named}


def _body(content: bytes, *, more: bool = False) -> Message:
    return {"type": "http.response.body", "body": content, "more_body": more}


def _refused(faults: Faults, *, telling: bool) -> Iterator[Message]:
    after = (b"retry-after", faults.retry_after.encode())
    yield _start(429, "application/json", *([after] if telling else []))
    yield _body(b'{"error": "too many requests"}')


def _broken(_: Faults) -> Iterator[Message]:
    yield _start(500, "text/plain")
    yield _body(b"Internal Server Error")


def _dripping(faults: Faults) -> Iterator[Message]:
    yield _start(200, "application/json")
    begun = faults.times_off
    for _byte in range(100):
        if faults.times_off == begun:
            yield _body(b" ", more=True)
    yield _body(b"{}")


def _huge(_: Faults) -> Iterator[Message]:
    yield _start(200, "application/json")
    for _chunk in range(HUGE_BYTES // len(_CHUNK)):
        yield _body(_CHUNK, more=True)
    yield _body(b"")


def _page(_: Faults) -> Iterator[Message]:
    yield _start(200, "text/html")
    yield _body(_PAGE)


def _nothing(_: Faults) -> Iterator[Message]:
    yield _start(200, "application/json")
    yield _body(b"")


def _wait_an_hour(_: Faults) -> Iterator[Message]:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    yield _start(429, "application/json", (b"retry-after", in_an_hour.encode()))
    yield _body(b"{}")


def _elsewhere(_: Faults) -> Iterator[Message]:
    yield _start(302, "text/plain", (b"location", b"http://127.0.0.1:9/elsewhere"))
    yield _body(b"")


def _told(_: Faults) -> Iterator[Message]:
    yield _start(200, "application/json")
    yield _body(b'{"status": "error", "message": "made-up failure", "error": "made-up failure"}')


@cache
def _packed() -> bytes:
    return gzip.compress(b" " * 300_000_000, 1)


def _bomb(_: Faults) -> Iterator[Message]:
    yield _start(200, "application/json", (b"content-encoding", b"gzip"))
    yield _body(_packed())


def _xml_bomb(_: Faults) -> Iterator[Message]:
    yield _start(200, "text/xml")
    yield _body(_XML_BOMB)


_ANSWERS = {
    "429": lambda faults: _refused(faults, telling=False),
    "429 after": lambda faults: _refused(faults, telling=True),
    "500": _broken,
    "slow": _dripping,
    "huge": _huge,
    "html": _page,
    "empty": _nothing,
    "hour": _wait_an_hour,
    "redirect": _elsewhere,
    "told": _told,
    "bomb": _bomb,
    "xml bomb": _xml_bomb,
}
