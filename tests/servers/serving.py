"""A process that serves the page, and how to reach it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import httpx

from tests.conftest import ROOT
from tests.environment import without_settings

START_S = 90
"""Within which a server answers, however busy the machine is."""
get = partial(httpx.get, trust_env=False, timeout=60)
post = partial(httpx.post, trust_env=False, timeout=60)


class Served(NamedTuple):
    """A server that runs."""

    address: str
    """Such as ``http://127.0.0.1:45678``."""
    process: subprocess.Popen[str]
    said: str
    """What it said until then."""


@contextmanager
def serving(
    command: Sequence[str | Path], more: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """Start a command that prints its address, and stop it in the end."""
    kept = without_settings()
    process = subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=ROOT,
        env={**kept, "DEEPCRITICAL_SNAPSHOT": "demo", **(more or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    try:
        served = _listening(process)
        # It says its address before it is prepared; until then a request waits.
        get(f"{here(served)}/api/health", timeout=START_S).raise_for_status()
        yield served
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=60)
        assert "Traceback" not in said, said


@contextmanager
def refusing() -> Iterator[str]:
    """The address of a source that refuses each request for good, so that none is sent again."""

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(403)

        do_POST = do_GET  # noqa: N815 - the names of the standard library

        def log_message(self, format: str, *args: object) -> None:
            """Be quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def here(served: Served) -> str:
    """The address by which this machine reaches it, wherever it listens."""
    return f"http://127.0.0.1:{served.address.rpartition(':')[2]}"


def _listening(process: subprocess.Popen[str]) -> Served:
    assert process.stdout is not None
    said = []
    for line in process.stdout:  # ends when the process does
        said.append(line)
        found = re.search(r"http://\S+:\d+", line)
        if found:
            return Served(found.group(), process, "".join(said))
    raise AssertionError(f"the server ended: {''.join(said)}")
