"""Middleware: checks every request, and adds headers to every response."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deepcritical.domain.errors import AuthenticationError
from deepcritical.interfaces.access import Access, address_of, set_cookies
from deepcritical.interfaces.problems import problem_response
from deepcritical.tools.documents import MAX_BYTES

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
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""Content security policy of a report opened in the browser: it can load and send nothing."""
MAX_BODY_BYTES = 65_536
"""Largest body of a request: a question is at most a fraction of it."""
MAX_UPLOAD_BYTES = MAX_BYTES + MAX_BODY_BYTES
"""Largest body of a request that uploads documents, with the form around them."""
UPLOADS = ("/api/documents", "/api/documents/folder")
NOT_SERVED = (
    "/gradio_api/upload",
    "/gradio_api/mcp",
    "/gradio_api/proxy=",
    "/gradio_api/deep_link",  # it would write what a session has typed, its key too, into a file
)
"""Doors of the page's framework that no part of our page uses."""
ASSETS = "/assets/"
HASHED_NAME = re.compile(r"-[\w-]{8}\.(?:js|css|woff2?|svg|png)\Z")
"""Files of the page's framework whose name changes with what is in them."""
KEPT_FOR_GOOD = "public, max-age=31536000, immutable"
OWN_RULES = ("/api", "/mcp")
"""Paths that check access by themselves, with all below them; all other paths are the page."""
MOST_OPEN, MOST_OPEN_LOCAL = 200, 1000
"""Requests of one address that may be open at once, and where everybody is the local user."""
CROWDED = problem_response(
    429,
    "Too many requests of this address are open.",
    "Close some of the pages or streams that follow runs.",
    headers={"Retry-After": "10"},
)
CHALLENGE = {"WWW-Authenticate": 'Basic realm="DeepCritical: any name, the token as password"'}


def report_html(html: str, headers: Mapping[str, str] = MappingProxyType({})) -> HTMLResponse:
    """The answer with a report, or a part of one, that can load and send nothing."""
    return HTMLResponse(html, headers={"Content-Security-Policy": REPORT_POLICY, **headers})


class Guard:
    """Refuses what no part of the page sends, and adds `SECURITY_HEADERS` to every answer.

    A browser may keep a file of `ASSETS` with a `HASHED_NAME` for good.

    A site that the user visits may send a form to a server on loopback without asking; such a
    request names its origin, and a request with another origin is refused. Pages of another origin
    may read no answer, whatever the page's framework allows them.

    Pages of `own`, the origins of proxies in front, are this server's.
    """

    def __init__(self, app: ASGIApp, own: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._own = own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_own = _is_own(scope, self._own)

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in headers.keys() if not is_own else ():
                    if name.startswith("access-control-"):
                        del headers[name]
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                asset = scope["path"].startswith(ASSETS) and HASHED_NAME.search(scope["path"][-16:])
                if message["status"] == 200 and asset:
                    headers["Cache-Control"] = KEPT_FOR_GOOD
            await send(message)

        refused = _refused(scope, is_own)
        app = self._app if refused is None else refused
        await app(scope, receive, secured)


class Crowd:
    """Refuses an address that has too many requests open at once: streams, above all."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._open: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = address_of(HTTPConnection(scope))
        app: ASGIApp = self._app if self._open[address] < self._most else CROWDED
        self._open[address] += 1
        try:
            await app(scope, receive, send)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]


class PageGate:
    """Gives the page to whoever may use it, and to a new anonymous user a token as a cookie.

    A browser asks for the token as for a password, and sends it with everything that the page
    fetches. Who opens a share link gets the page, too, and the link as a cookie.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or "/" + scope["path"][1:].partition("/")[0] in OWN_RULES:
            await self._app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        shares, caller = self._access.shares, None
        try:
            caller = self._access.identify(asked)
        except AuthenticationError as error:
            # The page of a shared run: whatever else it shows asks for the token.
            if not (shares.remembers(asked) or shares.opened(asked)):
                refused = problem_response(401, error.message, error.advice, headers=CHALLENGE)
                await refused(scope, receive, send)
                return
        told = Response()
        set_cookies(told, caller, asked, shares)
        cookies = [header for header in told.raw_headers if header[0] == b"set-cookie"]

        async def remembered(message: Message) -> None:
            # With the page alone: what it fetches at once would be given a token each.
            if message["type"] == "http.response.start" and scope["path"] == "/":
                message["headers"] = [*message.get("headers", ()), *cookies]
            await send(message)

        await self._app(scope, receive, remembered)


def _is_own(scope: Scope, own: frozenset[str]) -> bool:
    """Return True if a request has the origin of this server, or none.

    A proxy may add HTTPS without being believed, so HTTPS passes at the host that is asked. The
    scheme of the request passes, too, unless `own` names this host.
    """
    headers = Headers(scope=scope)
    origin, host = headers.get("origin"), headers.get("host", "")
    named = host in {urlsplit(known).netloc for known in own}
    schemes = ("https",) if named else (scope["scheme"], "https")
    return origin is None or origin in own | {f"{scheme}://{host}" for scheme in schemes}


def _refused(scope: Scope, is_own: bool) -> Response | None:
    headers = Headers(scope=scope)
    if scope["path"].startswith(NOT_SERVED):
        return problem_response(404, "There is nothing here.")
    if scope["method"] in ("GET", "HEAD", "OPTIONS"):
        return None
    if not is_own:
        return problem_response(403, "Requests of other sites are not answered.")
    if "transfer-encoding" in headers:
        return problem_response(411, "The length of the body is not said.", "Send Content-Length.")
    length = headers.get("content-length", "0")
    most = MAX_UPLOAD_BYTES if scope["path"] in UPLOADS else MAX_BODY_BYTES
    if not length.isdecimal() or int(length) > most:
        return problem_response(413, f"A body has at most {most} bytes.", "Send less.")
    return None
