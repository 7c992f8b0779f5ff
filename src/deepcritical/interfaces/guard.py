"""What every request has to pass, and what every answer carries."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["MAX_BODY_BYTES", "SECURITY_HEADERS", "Guard"]

SECURITY_HEADERS = {
    # The page's framework evaluates templates in the browser; everything else is our own.
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
        "connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'self'; "
        "form-action 'self'; frame-ancestors 'self' https://huggingface.co"
    ),
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
MAX_BODY_BYTES = 65_536
"""Largest body of a request: a question is at most a fraction of it."""
NOT_SERVED = ("/gradio_api/upload", "/gradio_api/mcp", "/gradio_api/proxy=")
"""Doors of the page's framework that no part of our page uses."""


class Guard:
    """Refuses what no part of the page sends, and adds `SECURITY_HEADERS` to every answer.

    A site that the user visits may send a form to a server on loopback without asking; such a
    request names its origin, and a request with the origin of another host is refused.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = _refused(scope)
        app = self._app if refused is None else refused
        await app(scope, receive, secured)


def _refused(scope: Scope) -> PlainTextResponse | None:
    headers = Headers(scope=scope)
    if scope["path"].startswith(NOT_SERVED):
        return PlainTextResponse("There is nothing here.", 404)
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return None
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != headers.get("host"):
        return PlainTextResponse("Requests of other sites are not answered.", 403)
    # Without either header there is no body, as with DELETE.
    length = "" if "transfer-encoding" in headers else headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        return PlainTextResponse(f"A body has at most {MAX_BODY_BYTES} bytes.", 413)
    return None
