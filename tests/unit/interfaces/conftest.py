"""Fixtures that the tests of what a terminal shows share."""

from __future__ import annotations

import pytest

from tests.unit.interfaces.terminals import piped


@pytest.fixture(scope="session")
def loaded_program() -> None:
    """Wait until the process that programs are forked from has loaded everything."""
    piped("")
