"""Servers of Chroma for tests, and indexes that end with their test."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepcritical.services.chroma import ChromaIndex
from tests.ports import lasting_port

_made: list[ChromaIndex] = []


@contextmanager
def chroma_server(folder: Path, port: int = 0) -> Iterator[str]:
    """The address of a server of Chroma in a process of its own, on loopback."""
    port = port or lasting_port()
    process = subprocess.Popen(  # noqa: S603 - our own command
        [
            *(Path(sys.executable).with_name("chroma"), "run", "--host", "127.0.0.1"),
            *("--port", str(port), "--path", folder),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert process.poll() is None, "the server of Chroma ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server of Chroma does not answer")


def new_index(url: str | None = None) -> ChromaIndex:
    """An index that is closed after the test; where the tests' indexes are, if not at a URL."""
    _made.append(ChromaIndex(os.environ.get("CHROMA_URL", "") if url is None else url))
    return _made[-1]


def close_indexes() -> None:
    """Close those that were made; their connections would outlast the test."""
    while _made:
        _made.pop().close()
