"""Signs visitors in with Hugging Face by OpenID Connect; their tokens stay in memory.

The cookie of a session is signed and names the account; it holds no token. A token is found by a
random key in that cookie, until it expires, the visitor signs out, or the process ends.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections import OrderedDict
from html import escape
from traceback import format_tb
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from fastapi import APIRouter, FastAPI, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from joserfc.errors import JoseError
from pydantic import SecretStr
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import HTTPConnection

from deepcritical.interfaces.accounts import ACCOUNT, Account, account_of

_LOG = logging.getLogger(__name__)

COOKIE = "deepcritical_session"
"""The session's cookie; over HTTPS behind `__Host-`, so that no other host can set it."""
SCOPES = ("openid", "profile")
"""The scopes that are always asked for: who the visitor is."""
INFERENCE = "inference-api"
"""The scope by which a token is a key for models at Hugging Face."""
TOKEN_S = 3600
"""Time that a token is kept whose expiry the provider does not tell."""
MOST_TOKENS = 10_000
"""Tokens in memory; further ones take the place of the oldest."""
WAIT_S = 10
"""Within which the provider must answer."""
OVER = (
    "It has ended already, was begun again in another tab, or was begun in another browser. Begin "
    "again, in one tab."
)
DENIED = "Access was refused at Hugging Face. Begin again if you want to sign in."
UNCONFIRMED = (
    "Hugging Face did not confirm who you are. Begin again. If that does not help, tell the "
    "operator of this server."
)
UNKNOWN = (
    "Hugging Face refused the request of this server. Tell the operator of this server to check "
    "its application at Hugging Face and its OAUTH_ settings."
)
AWAY = (
    "Hugging Face gave no answer that can be used. Try again in a few minutes. If that does not "
    "help, tell the operator of this server."
)
REFUSALS = {
    "access_denied": (400, DENIED),
    "server_error": (502, AWAY),
    "temporarily_unavailable": (502, AWAY),
}
"""Status and text for an error code of the provider (RFC 6749, 4.1.2.1)."""
UNREADABLE = (
    *(httpx2.HTTPError, httpx2.InvalidURL, ArithmeticError, AttributeError),
    *(LookupError, RuntimeError, TypeError, ValueError),
)
"""Errors of the library if the provider's answer is missing, no JSON, or of another shape."""

router = APIRouter(include_in_schema=False)


class SignIn:
    """The client of the provider, and the tokens that it gave.

    Args:
        address: Where visitors reach the server: the provider sends them back to it.
        client_id: That of the application as the provider knows it.
        secret: The provider's secret for the application; the cookie is signed by its hash.
        scopes: What is asked for beside `SCOPES`.
        provider: The address of the provider.
    """

    def __init__(
        self, address: str, client_id: str, secret: SecretStr, scopes: str, provider: str
    ) -> None:
        self.address = address.rstrip("/")
        known = secret.get_secret_value()
        self._cookie_secret = hashlib.sha256(f"session:{known}".encode()).hexdigest()
        self._tokens: OrderedDict[str, tuple[SecretStr, float]] = OrderedDict()
        asked = " ".join(dict.fromkeys([*SCOPES, *scopes.split()]))
        self.client: Any = OAuth().register(
            "huggingface",
            client_id=client_id,
            client_secret=known,
            server_metadata_url=f"{provider.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={"scope": asked, "code_challenge_method": "S256", "timeout": WAIT_S},
        )

    def join(self, app: FastAPI) -> None:
        """Add the addresses of the sign-in, and the session to what is in the app until now.

        Over HTTPS the cookie is sent within the frame of a Space, too: `Guard` refuses whatever
        another site sends to change anything.
        """
        https = self.address.startswith("https://")
        app.include_router(router)
        app.add_middleware(
            SessionMiddleware,
            secret_key=self._cookie_secret,
            session_cookie=f"__Host-{COOKIE}" if https else COOKIE,
            same_site="none" if https else "lax",
            https_only=https,
        )

    def enter(self, given: dict[str, Any]) -> Account:
        """Return the account of what the provider gave, and keep its token if it opens models.

        Tokens that have expired are forgotten.
        """
        now = time.time()
        self._tokens = OrderedDict((k, kept) for k, kept in self._tokens.items() if kept[1] > now)
        who = given["userinfo"]
        digest = hashlib.sha256(f"{who['iss']} {who['sub']}".encode()).hexdigest()[:32]
        name = str(who.get("preferred_username") or who.get("name") or "Signed in")[:80]
        account = Account(f"hf:{digest}", name, secrets.token_urlsafe(32))
        if INFERENCE in str(given.get("scope") or "").split():
            expires = float(given.get("expires_at") or now + TOKEN_S)
            self._tokens[account.key] = SecretStr(given["access_token"]), expires
            if len(self._tokens) > MOST_TOKENS:
                self._tokens.popitem(last=False)
        return account

    def token_of(self, connection: HTTPConnection) -> SecretStr | None:
        """Return the token that opens models for a signed-in visitor; None without one."""
        account = account_of(connection)
        token, expires = self._tokens.get(account.key if account else "", (None, 0.0))
        return token if expires > time.time() else None

    def leave(self, connection: HTTPConnection) -> None:
        """Forget the token of a visitor who signs out."""
        if account := account_of(connection):
            self._tokens.pop(account.key, None)


def _of(request: Request) -> SignIn:
    found: SignIn = request.app.state.access.sign_in
    return found


def _failed(sign_in: SignIn, status: int, why: str) -> Response:
    """Return the page of a sign-in that failed; it shows nothing that anybody else wrote."""
    at = escape(sign_in.address)
    again = f'<a href="{at}/login/huggingface">Begin again</a>'
    shown = f'<p>The sign-in failed. {why}</p><p>{again} · <a href="{at}/">Back to the page</a></p>'
    return HTMLResponse(shown, status, headers={"Content-Security-Policy": "default-src 'none'"})


def _unanswered(sign_in: SignIn, error: Exception) -> Response:
    """Return the page for an answer of the provider that signs nobody in.

    The log tells the place of the error without its message, which may quote the answer.
    """
    where = "".join(format_tb(error.__traceback__, -1))
    _LOG.warning("The provider's answer signs nobody in: %s\n%s", type(error).__name__, where)
    if isinstance(error, AuthlibBaseError | JoseError):
        return _failed(sign_in, 400, UNCONFIRMED)
    # Else a bad description of the provider would be kept until the process ends.
    sign_in.client.server_metadata = {}
    return _failed(sign_in, 502, AWAY)


@router.get("/login/huggingface")
async def begin(
    request: Request, run: Annotated[str, Query(max_length=64)] = "", here: bool = False
) -> Response:
    """Send a visitor to the provider; he comes back to the run that he has open.

    The cookie must be set at the host to which the provider sends him back, so a visitor of
    another host is sent there first. `here` says that he was: a proxy may send its own `Host`.
    """
    sign_in = _of(request)
    if not here and request.headers.get("host") != urlsplit(sign_in.address).netloc:
        asked = urlencode({"run": run, "here": "1"})
        return RedirectResponse(f"{sign_in.address}/login/huggingface?{asked}", 302)
    try:
        redirect: Response = await sign_in.client.authorize_redirect(
            request, f"{sign_in.address}/login/callback"
        )
    except (AuthlibBaseError, *UNREADABLE) as error:
        return _unanswered(sign_in, error)
    request.session["run"] = run
    return redirect


@router.get("/login/callback")
async def come_back(request: Request) -> Response:
    """Sign in who comes back from the provider, in the browser in which he began."""
    sign_in, told = _of(request), request.query_params
    begun = sign_in.client.framework.get_state_data(request.session, told.get("state", ""))
    if not await begun:
        return _failed(sign_in, 400, OVER)
    if error_code := told.get("error"):
        return _failed(sign_in, *REFUSALS.get(error_code, (400, UNKNOWN)))
    try:
        given = await sign_in.client.authorize_access_token(request)
        account = sign_in.enter(given)
    except (AuthlibBaseError, JoseError, *UNREADABLE) as error:
        return _unanswered(sign_in, error)
    sign_in.leave(request)
    run = request.session.pop("run", "")
    request.session[ACCOUNT] = account
    return RedirectResponse(f"/?{urlencode({'run': run})}" if run else "/", 303)


@router.post("/logout", status_code=204)
async def leave(request: Request) -> None:
    """Sign out in this browser; a request of another site is refused by its origin."""
    _of(request).leave(request)
    request.session.clear()
