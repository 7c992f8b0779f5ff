"""Processes that share a database: what one of them had read, no other one asks a model for."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import QUESTION
from tests.integration.modelled import records
from tests.servers.commands import forked_command
from tests.servers.models import ModelServer
from tests.servers.running import running

COMMAND = forked_command()
SECOND = "Does examplol improve testitis?"
"""Another question on the same topic."""


async def research(question: str, snapshot: Path, database: str, model: str) -> dict[str, Any]:
    """Return the report of a process of its own."""
    kept = {name: v for name, v in os.environ.items() if not name.startswith("DEEPCRITICAL_")}
    process = await asyncio.create_subprocess_exec(
        COMMAND,
        *("research", question, "--snapshot", str(snapshot), "--depth", "quick", "--json"),
        env={
            **kept,
            "DATABASE_URL": database,
            "DEEPCRITICAL_MODEL": "openai-chat:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"{model}v1",
            "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
            # Its own 60 s may go by on a busy machine while libraries are loaded.
            "DEEPCRITICAL_DEADLINE_S": "300",
        },
        stdout=PIPE,
        stderr=PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    report: dict[str, Any] = json.loads(out)
    assert report["written_by"] == "model openai-chat:made-up"
    return report


@pytest.mark.slow
async def test_a_second_question_on_the_same_topic_reads_nothing_again(
    tmp_path: Path, url: str
) -> None:
    server, snapshot = ModelServer(), await asyncio.to_thread(records, tmp_path)
    async with running(server.app) as model:
        first = await research(QUESTION, snapshot, url, model)
        begun = len(server.asked)
        assert len(server.prompts("read_studies")) == 1
        second = await research(SECOND, snapshot, url, model)
    later = [asked.task for asked in server.asked[begun:]]
    assert later
    assert "read_studies" not in later
    titles = [{r["title"] for r in report["references"]} for report in (first, second)]
    assert titles[0] == titles[1]
    assert first["verdict"] == second["verdict"]


@pytest.mark.slow
async def test_processes_that_ask_at_once_read_each_record_once(tmp_path: Path, url: str) -> None:
    server, snapshot = ModelServer(), await asyncio.to_thread(records, tmp_path)
    server.latency_s = 1.0
    async with running(server.app) as model:
        reports = await asyncio.gather(
            *(research(question, snapshot, url, model) for question in (QUESTION, SECOND) * 2)
        )
    assert len(server.prompts("read_studies")) == 1
    assert all(report["verdict"] == reports[0]["verdict"] for report in reports)


@pytest.mark.slow
async def test_another_database_has_no_readings(tmp_path: Path) -> None:
    server, snapshot = ModelServer(), await asyncio.to_thread(records, tmp_path)
    async with running(server.app) as model:
        for name in ("one", "other"):
            await research(QUESTION, snapshot, f"sqlite:///{tmp_path / name}.sqlite", model)
    assert len(server.prompts("read_studies")) == 2
