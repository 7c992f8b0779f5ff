"""Makes and checks share links; each lets others read one private run until it expires."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import urlencode

from pydantic import SecretStr
from starlette.requests import HTTPConnection
from starlette.responses import Response

SHARE = "share"
"""The parameter of an address that holds the signature of a link."""
DEFAULT_HOURS, MAX_HOURS = 168, 2160
"""Lifetime of a link: a week, and at most 90 days."""
_COOKIE = "deepcritical_share_"
"""Begins the name of a cookie that holds the signature; the id of the run follows."""
_SIGNATURE_CHARS = 43
_MAX_RUN_ID_CHARS = 64


class ShareLink(NamedTuple):
    """A link that lets others read a run."""

    run_id: str
    value: str
    """The time at which it expires, and the signature of both."""
    expires_at: datetime

    @property
    def query(self) -> str:
        """Return the query string of an address: what follows the ``?``."""
        return urlencode({"run": self.run_id, SHARE: self.value})


class ShareLinks:
    """Makes links and checks them; nothing is stored, so that a link ends only by its expiry.

    Without a `secret` they are signed with a random one, and end with the process.
    """

    def __init__(
        self, secret: SecretStr | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._secret = secret.get_secret_value().encode() if secret else secrets.token_bytes(32)
        self._clock = clock

    def make(self, run_id: str, hours: int = DEFAULT_HOURS) -> ShareLink:
        """Return a link to a run that lasts this long."""
        expires = int(self._clock()) + hours * 3600
        value = f"{expires:x}.{self._signature(run_id, expires)}"
        return ShareLink(run_id, value, datetime.fromtimestamp(expires, UTC))

    def covers(self, connection: HTTPConnection, run_id: str) -> bool:
        """Return whether a request comes with a link to this run that has not expired."""
        sent = connection.query_params.get(SHARE) or connection.cookies.get(f"{_COOKIE}{run_id}")
        return self._lasts_s(run_id, sent or "") > 0

    def opened(self, connection: HTTPConnection) -> tuple[str, str, int] | None:
        """Return run, value and remaining seconds of a valid link that is opened as an address."""
        run_id = connection.query_params.get("run", "")
        value = connection.query_params.get(SHARE, "")
        lasts_s = self._lasts_s(run_id, value)
        return (run_id, value, lasts_s) if lasts_s > 0 else None

    def remembers(self, connection: HTTPConnection) -> bool:
        """Return whether a browser has opened a link, to whichever run, that has not expired."""
        return any(
            self._lasts_s(name.removeprefix(_COOKIE), value) > 0
            for name, value in connection.cookies.items()
            if name.startswith(_COOKIE)
        )

    def _lasts_s(self, run_id: str, value: str) -> int:
        """Return the seconds that a link still lasts; 0 for one that is invalid or has expired."""
        written, _, signature = value.partition(".")
        if len(run_id) > _MAX_RUN_ID_CHARS or len(signature) != _SIGNATURE_CHARS:
            return 0
        if not written.isalnum() or len(written) > 10:
            return 0
        try:
            expires = int(written, 16)
        except ValueError:
            return 0
        signed = self._signature(run_id, expires)
        if not hmac.compare_digest(signed.encode(), signature.encode()):
            return 0
        return max(0, expires - int(self._clock()))

    def _signature(self, run_id: str, expires: int) -> str:
        text = f"share:{run_id}:{expires}".encode()
        digest = hmac.new(self._secret, text, hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def set_cookie(response: Response, opened: tuple[str, str, int], frames: str) -> None:
    """Let a browser that opened a link read the run by it, as the page itself sends no link."""
    run_id, value, lasts_s = opened
    cookie = f"{_COOKIE}{run_id}={value}; Max-Age={lasts_s}; Path=/; HttpOnly; {frames}"
    response.headers.append("Set-Cookie", cookie)
