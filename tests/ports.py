"""Ports of loopback for servers that are stopped and come back."""

from __future__ import annotations

import secrets
import socket

FIRST, LAST = 20_000, 32_767
"""Below those that the system hands out: it would give one that is free for a moment to others."""


def lasting_port() -> int:
    """One that is free, and that nobody is given meanwhile."""
    while True:
        # By chance of its own: tests seed `random`, so that all processes would try the same.
        port = FIRST + secrets.randbelow(LAST + 1 - FIRST)
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                free.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
