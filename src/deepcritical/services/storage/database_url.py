"""Normalises addresses of databases."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

SQLITE = "sqlite:///"
POSTGRESQL = "postgresql+psycopg"
_POSTGRESQL_NAMES = ("postgres", "postgresql", POSTGRESQL)


def normalised_url(url: str) -> str:
    """The address with its driver, and with a file's place in full.

    Raises:
        ValueError: It is no address of SQLite or PostgreSQL. The message does not repeat it, for
            it may hold a password.
    """
    scheme, separator, rest = url.strip().partition("://")
    if separator and scheme == "sqlite":
        path = rest.removeprefix("/")
        if rest == path or not path or path.startswith(":"):
            raise ValueError("name a file, as in sqlite:///runs.sqlite or sqlite:////data/runs")
        return f"{SQLITE}{Path(path).expanduser().absolute()}"
    if separator and scheme in _POSTGRESQL_NAMES:
        parts = urlsplit(f"{POSTGRESQL}://{rest}")
        if not parts.path.strip("/"):
            raise ValueError("name the database, as in postgresql://user@host:5432/name")
        return f"{POSTGRESQL}://{rest}"
    raise ValueError("it must begin with sqlite:/// or postgresql://")


def sqlite_file(url: str) -> Path | None:
    """The file of a normalised address; None for a server."""
    return Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None
