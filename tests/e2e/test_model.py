"""``deepcritical research`` with a model on loopback, by settings alone."""

from __future__ import annotations

import asyncio
import json
import os
import pty
from pathlib import Path
from typing import Any

import pytest

import deepcritical
from tests.conftest import QUESTION
from tests.environment import without_settings
from tests.integration.modelled import records
from tests.servers.commands import forked_command
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

COMMAND = forked_command()
KEY = "made-up-key"


async def research(server: ModelServer, snapshot: Path, *options: str) -> tuple[int, str, str]:
    """Exit code, report and progress of the command."""
    kept = without_settings()
    async with running(server.app) as url:
        process = await asyncio.create_subprocess_exec(
            COMMAND,
            *("research", QUESTION, "--snapshot", str(snapshot), "--json", *options),
            env={
                **kept,
                "DEEPCRITICAL_MODEL": "openai-chat:made-up",
                "DEEPCRITICAL_MODEL_BASE_URL": f"{url}v1",
                "DEEPCRITICAL_MODEL_API_KEY": KEY,
                # Its own 60 s may go by on a busy machine while libraries are loaded.
                "DEEPCRITICAL_DEADLINE_S": "300",
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.slow
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


@pytest.mark.slow
async def test_a_wrong_key_ends_the_command_as_a_wrong_setting(tmp_path: Path) -> None:
    server = ModelServer()
    server.fault = lambda _asked: Fault(status=401)
    code, out, err = await research(server, records(tmp_path))
    assert (code, out) == (9, "")
    assert "refused the key" in err
    assert "DEEPCRITICAL_MODEL_API_KEY" in err
    assert len(server.asked) == 1


RESEARCH = ("research", QUESTION, "--json", "--depth", "quick")


async def called(
    *options: str, typed: str | None = None, command: tuple[str, ...] = RESEARCH, **more: str
) -> tuple[int, str, str]:
    """Exit code, output and progress of a command with a key typed into its pipe."""
    kept = without_settings()
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        *(*command, *options),
        env=kept | more,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate(None if typed is None else typed.encode())
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.slow
async def test_options_choose_the_model_and_the_key_comes_by_a_pipe(tmp_path: Path) -> None:
    server = ModelServer()
    async with running(server.app) as url:
        code, out, err = await called(
            *("--snapshot", str(records(tmp_path)), "--model", "openai-chat:gpt-4o", "--ask-key"),
            *("--model-base-url", f"{url}v1"),
            typed=f"{KEY}\n",
            DEEPCRITICAL_MODEL="vllm:another",
            DEEPCRITICAL_MODEL_API_KEY="for-the-other-one",
        )
    assert code == 0, err
    assert json.loads(out)["written_by"] == "model openai-chat:gpt-4o"
    assert {asked.key for asked in server.asked} == {KEY}
    assert KEY not in out + err
    assert "about" in err
    assert "so far" in err
    assert err.count("$0.") >= 2  # the estimate and the running total


@pytest.mark.slow
async def test_any_question_may_be_asked_with_a_model_of_the_call(tmp_path: Path) -> None:
    server = ModelServer()
    async with running(server.app) as url:
        code, out, err = await called(
            *("--snapshot", str(records(tmp_path)), "--model", "openai-chat:gpt-4o", "--ask-key"),
            *("--model-base-url", f"{url}v1"),
            typed=f"{KEY}\n",
            command=("ask", QUESTION, "--json", "--max-iterations", "1"),
        )
    assert code == 0, err
    assert json.loads(out)["sources"]
    assert {asked.key for asked in server.asked} == {KEY}
    assert KEY not in out + err


@pytest.mark.slow
async def test_a_key_that_was_set_for_one_service_is_sent_to_no_other(tmp_path: Path) -> None:
    server = ModelServer()
    async with running(server.app) as url:
        code, _, err = await called(
            *("--snapshot", str(records(tmp_path))),
            *("--model", "vllm:made-up", "--model-base-url", f"{url}v1"),
            DEEPCRITICAL_MODEL="anthropic:made-up",
            DEEPCRITICAL_MODEL_API_KEY="for-the-other-one",
            OPENAI_API_KEY="for-openai-alone",
        )
    assert code == 0, err
    assert {asked.key for asked in server.asked} == {"none"}


async def test_no_key_in_the_pipe_and_no_such_model_are_clear_errors(tmp_path: Path) -> None:
    path = str(records(tmp_path))
    code, _, err = await called("--snapshot", path, "--model", "vllm:x", "--ask-key", typed="\n")
    assert (code, "No key was given" in err) == (9, True)
    code, _, err = await called("--snapshot", path, "--model", "nobody:x")
    assert (code, "provider:name" in err) == (9, True)
    code, _, err = await called("--snapshot", path, "--ask-key", typed=f"{KEY}\n")
    assert (code, "no model" in err) == (9, True)
    assert KEY not in err


@pytest.mark.slow
async def test_an_empty_model_asks_none(tmp_path: Path) -> None:
    code, out, err = await called(
        *("--snapshot", str(records(tmp_path)), "--model", ""),
        DEEPCRITICAL_MODEL="vllm:made-up",
        DEEPCRITICAL_MODEL_BASE_URL="http://127.0.0.1:1/v1",
    )
    assert code == 0, err
    assert json.loads(out)["written_by"] == "extractive (no model)"


def test_a_key_that_is_typed_is_not_shown() -> None:
    """At a terminal: the question is asked, and what is typed is not echoed."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["DEEPCRITICAL_MODEL"] = "nobody:x"  # ends right after the key was asked for
        os.execl(COMMAND, COMMAND, "research", QUESTION, "--ask-key")  # noqa: S606 - our own
    shown = b""
    try:
        while b"Key of the model:" not in shown:
            shown += os.read(terminal, 1000)
        os.write(terminal, f"{KEY}\n".encode())
        while chunk := os.read(terminal, 1000):
            shown += chunk
    except OSError:
        pass  # Linux ends the reading of a closed terminal with an error
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 9
    assert b"names no model" in shown
    assert KEY.encode() not in shown


@pytest.mark.slow
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
