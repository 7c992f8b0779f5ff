"""``deepcritical research`` with a model on loopback, by settings alone."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import deepcritical
from tests.conftest import QUESTION
from tests.integration.modelled import records
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

COMMAND = Path(sys.executable).with_name("deepcritical")
KEY = "made-up-key"


async def research(server: ModelServer, snapshot: Path, *options: str) -> tuple[int, str, str]:
    """Exit code, report and progress of the command."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("DEEPCRITICAL_")}
    async with running(server.app) as url:
        process = await asyncio.create_subprocess_exec(
            COMMAND,
            *("research", QUESTION, "--snapshot", str(snapshot), "--json", *options),
            env={
                **kept,
                "DEEPCRITICAL_MODEL": "openai-chat:made-up",
                "DEEPCRITICAL_MODEL_BASE_URL": f"{url}v1",
                "DEEPCRITICAL_MODEL_API_KEY": KEY,
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


async def test_the_model_of_the_settings_writes_the_report(tmp_path: Path) -> None:
    server = ModelServer()
    code, out, err = await research(server, records(tmp_path), "--depth", "quick")
    assert code == 0, err
    report: dict[str, Any] = json.loads(out)
    assert report["written_by"] == "model openai-chat:made-up"
    assert {asked.key for asked in server.asked} == {KEY}
    assert "Reading by model" in err
    assert "at most 20 calls" in err
    assert KEY not in out + err


async def test_a_wrong_key_ends_the_command_as_a_wrong_setting(tmp_path: Path) -> None:
    server = ModelServer()
    server.fault = lambda _asked: Fault(status=401)
    code, out, err = await research(server, records(tmp_path))
    assert (code, out) == (9, "")
    assert "refused the key" in err
    assert "DEEPCRITICAL_MODEL_API_KEY" in err
    assert len(server.asked) == 1


async def test_the_face_can_be_called_twice_each_time_in_a_loop_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, path = ModelServer(), str(records(tmp_path))
    async with running(server.app) as url:
        monkeypatch.setenv("DEEPCRITICAL_MODEL", "vllm:made-up")
        monkeypatch.setenv("DEEPCRITICAL_MODEL_BASE_URL", f"{url}v1")
        first, second = [
            await asyncio.to_thread(deepcritical.research, QUESTION, snapshot=path)
            for _ in range(2)
        ]
    assert first == second
    assert first.written_by == "model vllm:made-up"
