"""Sends the page's document with one style sheet in place of one for each component.

The framework loads a sheet for each kind of component, unless the document names it already. Here
the document names them as disabled, so that no browser asks for them; one sheet holds them all.
"""

from __future__ import annotations

import re
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import gradio as gr
from starlette.datastructures import MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deepcritical.interfaces.page.parts import own_style

FILES = Path(gr.__file__).parent / "templates" / "frontend" / "assets"
_END = b"</head>"
_OWN_LINK = re.compile(rb'<link rel="stylesheet" crossorigin href="\./assets/index-[^"]+">')


def sheets_of(components: set[str]) -> list[str]:
    """Return the names of the framework's sheets for these kinds of components.

    None where the framework was built in another way: a browser then loads them one by one.
    """
    entry = _files_of(_script("index-*.js"))
    first, known = (
        _script(next(iter(n for n in entry if n.startswith(p)), "")) for p in ("Index-", "core-")
    )
    names, parts = _files_of(known), {*entry, *_files_of(first)}
    for kind in components:
        loads = re.search(rf"[{{,]{kind}:\{{(.*?import\.meta\.url\))\}}", known)
        numbers = re.findall(r"Deps\(\[([\d,]*)", loads[1] if loads else "")
        parts |= {names[int(number)] for number in ",".join(numbers).split(",") if number}
    sheets = (name for name in parts if name.endswith(".css") and (FILES / name).is_file())
    return sorted(sheets, key=lambda name: (not name.startswith("index-"), name))


def _script(pattern: str) -> str:
    found = next(FILES.glob(pattern), None) if pattern else None
    return found.read_text("utf-8") if found else ""


def _files_of(script: str) -> list[str]:
    """The files that a script may load, in the order by which it names them."""
    listed = script.partition("m.f=[")[2].partition("]")[0]
    return re.findall(r'"\./([^"]+)"', listed)


class Document:
    """Adds the sheet to the document of the page, and answers with the sheet itself."""

    def __init__(self, app: ASGIApp, page: gr.Blocks) -> None:
        self._app, self._page = app, page

    @cached_property
    def _names(self) -> list[str]:
        return sheets_of({block.get_block_name() for block in self._page.blocks.values()})

    @cached_property
    def _sheet(self) -> str:
        texts = ((FILES / name).read_text("utf-8") for name in self._names)
        return "\n".join([*texts, own_style()])

    @cached_property
    def _path(self) -> str:
        return f"/assets/page-{sha256(self._sheet.encode()).hexdigest()[:8]}.css"

    @cached_property
    def _links(self) -> bytes:
        disabled = (
            f'<link rel="stylesheet" href="./assets/{name}" disabled>' for name in self._names
        )
        return "".join([f'<link rel="stylesheet" href=".{self._path}">', *disabled]).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"] not in ("/", self._path):
            await self._app(scope, receive, send)
        elif scope["path"] == self._path:
            await Response(self._sheet, media_type="text/css")(scope, receive, send)
        else:
            await self._app(scope, receive, self._linked(send))

    def _linked(self, send: Send) -> Send:
        async def linked(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    del headers["content-length"]
            elif message["type"] == "http.response.body":
                body = message.get("body", b"")
                body = _OWN_LINK.sub(b"", body) if self._names else body
                body = body.replace(_END, self._links + _END, 1)
                message = {**message, "body": body}
            await send(message)

        return linked
