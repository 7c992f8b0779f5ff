"""A provider of OpenID Connect on loopback; each code that it gives counts once.

Who signs in is the cookie ``visitor`` of the browser, as if he were signed in there; without it he
says no.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

CLIENT, SECRET = "made-up-client", "made-up-secret-of-the-client"
SCOPES = "openid profile inference-api"
DESCRIPTION, TOKEN = "/.well-known/openid-configuration", "/oauth/token"


def token_of(visitor: str) -> str:
    """The access token of a visitor, as it is given."""
    return f"hf_oauth_of_{visitor}"


class Provider:
    """Hands out codes, and tokens for them."""

    def __init__(self) -> None:
        self.key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
        self.codes: dict[str, dict[str, str]] = {}
        self.nonce: str | None = None
        """Told in place of the one that was sent, as by whoever put another's answer there."""
        self.instead: dict[str, str] = {}
        """Bodies told at paths in place of the answer."""
        self.app = Starlette(
            routes=[
                Route(DESCRIPTION, self.describe),
                Route("/oauth/authorize", self.authorize),
                Route(TOKEN, self.token, methods=["POST"]),
                Route("/oauth/jwks", self.keys),
            ]
        )

    async def describe(self, request: Request) -> Response:
        if body := self.instead.get(DESCRIPTION):
            return PlainTextResponse(body)
        at = f"{request.base_url}oauth"
        return JSONResponse(
            {
                "issuer": str(request.base_url),
                "authorization_endpoint": f"{at}/authorize",
                "token_endpoint": f"{at}/token",
                "jwks_uri": f"{at}/jwks",
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )

    async def keys(self, _request: Request) -> Response:
        return JSONResponse({"keys": [self.key.as_dict(private=False)]})

    async def authorize(self, request: Request) -> Response:
        asked = request.query_params
        if asked["client_id"] != CLIENT or asked["response_type"] != "code":
            return PlainTextResponse("unknown client", 400)
        visitor = request.cookies.get("visitor", "")
        told = {"state": asked["state"], "error": "access_denied"}
        if visitor:
            code = secrets.token_urlsafe(16)
            self.codes[code] = {**asked, "visitor": visitor}
            told = {"state": asked["state"], "code": code}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(told)}", 302)

    async def token(self, request: Request) -> Response:
        if body := self.instead.get(TOKEN):
            return PlainTextResponse(body)
        form = await request.form()
        sent = base64.b64decode(request.headers["authorization"].partition(" ")[2]).decode()
        asked = self.codes.pop(str(form["code"]), None)
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            asked is None
            or sent != f"{CLIENT}:{SECRET}"
            or asked["redirect_uri"] != form["redirect_uri"]
            or asked["code_challenge"] != challenge
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        return JSONResponse(self._given(asked, str(request.base_url)))

    def _given(self, asked: dict[str, str], issuer: str) -> dict[str, Any]:
        visitor, now = asked["visitor"], int(time.time())
        claims = {
            "iss": issuer,
            "aud": CLIENT,
            "sub": f"sub-of-{visitor}",
            "iat": now,
            "exp": now + 3600,
            "nonce": self.nonce or asked["nonce"],
            "preferred_username": visitor,
        }
        return {
            "access_token": token_of(visitor),
            "token_type": "bearer",
            "expires_in": 3600,
            "scope": asked["scope"],
            "id_token": jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key),
        }


@contextmanager
def beside(app: ASGIApp) -> Iterator[str]:
    """Serve an app from a thread with a loop of its own; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
