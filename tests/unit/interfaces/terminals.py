"""Programs that run with a terminal of a width, for what a person sees."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping

from tests.conftest import ROOT
from tests.servers.commands import forked_module


def command(code: str) -> list[str]:
    """Return the command line that runs a Python program, in a process that has all loaded."""
    return [*map(str, forked_module()), "tests.servers.program", code]


def seen(code: str, columns: int = 100, env: Mapping[str, str] | None = None) -> str:
    """Return a Python program's output to a terminal that is its input and both its outputs."""
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    own = {"TERM": "xterm-256color", **(env or {})}
    with subprocess.Popen(  # noqa: S603 - our own code
        command(code),
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=_environment() | own,
    ) as process:
        os.close(terminal)
        written = b""
        try:
            while chunk := os.read(ours, 4096):
                written += chunk
        except OSError:
            pass  # Linux ends the reading of a closed terminal with an error
    os.close(ours)
    assert process.returncode == 0, written.decode()
    return written.decode().replace("\r\n", "\n")


def piped(code: str) -> str:
    """Return a program's output to a pipe."""
    done = subprocess.run(command(code), capture_output=True, check=True, env=_environment())  # noqa: S603
    return done.stdout.decode()


def _environment() -> dict[str, str]:
    colours = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")
    kept = {name: value for name, value in os.environ.items() if name not in colours}
    return kept | {"PYTHONPATH": str(ROOT)}
