"""The account of a visitor who signed in, as his session names it."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import HTTPConnection

ACCOUNT = "account"
"""Where a session has who signed in."""


class Account(NamedTuple):
    """A visitor who signed in."""

    user_id: str
    """The owner of his runs: no user of a token, and no anonymous user, has a colon in it."""
    name: str
    key: str
    """By which his token is found."""


def account_of(connection: HTTPConnection) -> Account | None:
    """Return the account of a request's session; None where nobody signed in."""
    kept = connection.scope.get("session", {}).get(ACCOUNT)
    return Account(*kept) if kept else None
