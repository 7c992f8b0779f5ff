"""Fixtures that the tests of commands share."""

from __future__ import annotations

import subprocess

import pytest

from tests.servers.commands import forked_command


@pytest.fixture(autouse=True, scope="session")
def loaded_command() -> None:
    """Wait until the process that commands are forked from has loaded everything."""
    subprocess.run([forked_command(), "--version"], check=True, capture_output=True)  # noqa: S603
