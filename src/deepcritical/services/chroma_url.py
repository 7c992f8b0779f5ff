"""Where the index of vectors is, as people write it; and the token that a server of it wants."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

__all__ = ["TokenHeader", "index_address", "is_server", "token_headers"]

TokenHeader = Literal["Authorization", "X-Chroma-Token"]
"""The headers in which Chroma's own client sends a token."""
_PORT = 8000


def index_address(text: str) -> str:
    """Empty for memory, the path of a folder, or the full address of a server.

    Raises:
        ValueError: It is an address, and not one of a server. The message does not repeat it, for
            it may hold a password.
    """
    if "://" not in text:
        return text.strip()
    address = text.strip().rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("a server of Chroma is http://host:port or https://host:port")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("name no user and no query in it; a token has a setting of its own")
    if parts.port is None and parts.scheme == "http":
        return parts._replace(netloc=f"{parts.netloc}:{_PORT}").geturl()
    return address


def is_server(address: str) -> bool:
    """Whether the index is on a server."""
    return urlsplit(address).scheme in ("http", "https")


def token_headers(token: str, header: TokenHeader = "Authorization") -> dict[str, str]:
    """The header that carries a token; none without one."""
    if not token:
        return {}
    return {header: f"Bearer {token}" if header == "Authorization" else token}
