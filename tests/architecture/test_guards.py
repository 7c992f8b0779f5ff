"""The guards of conftest bite."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest
from blockbuster import BlockingError
from pytest_socket import SocketConnectBlockedError

from deepcritical.tools.snapshot import SnapshotSource, parse
from tests.conftest import DEMO, ROOT
from tests.environment import LEXICAL


async def test_reading_a_file_on_the_event_loop_fails() -> None:
    from deepcritical.tools import snapshot

    with pytest.raises(BlockingError):
        snapshot._Index.read(DEMO)


async def test_reading_it_in_a_thread_does_not() -> None:
    assert (await SnapshotSource(DEMO).describe()).startswith("snapshot demo")


def test_a_test_that_is_not_async_may_read() -> None:
    assert parse(DEMO.read_bytes(), "demo").records


def test_no_setting_and_no_checkout_is_near() -> None:
    assert {name for name in os.environ if name.startswith("DEEPCRITICAL_")} == LEXICAL.keys()
    assert not Path.cwd().is_relative_to(ROOT)
    assert not Path(".env").exists()


def test_the_network_is_out_of_reach() -> None:
    with (
        socket.socket() as outside,
        pytest.warns(UserWarning, match="tried to use"),
        pytest.raises(SocketConnectBlockedError),
    ):
        outside.connect(("192.0.2.1", 80))


async def test_the_event_loop_itself_works() -> None:
    await asyncio.sleep(0)
