"""The agent that CONTRIBUTING.md adds as its example, taken from there."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from tests.conftest import QUESTION
from tests.integration.modelled import records
from tests.packages import changed_file, example, printed, with_files
from tests.servers.models import ModelServer
from tests.servers.running import running

NAME = "dose_agent"


def with_the_example(folder: Path) -> Path:
    """The package with one file more and its entry in the team."""
    team = changed_file(
        "orchestrators/magentic.py",
        (
            "from deepcritical.agents import hypothesis_agent",
            f"from deepcritical.agents import {NAME}, hypothesis_agent",
        ),
        ("    report_agent,\n)", f"    report_agent,\n    {NAME},\n)"),
    )
    module = example("CONTRIBUTING.md", NAME)
    return with_files(folder, {f"agents/{NAME}.py": module, "orchestrators/magentic.py": team})


def test_the_example_is_short() -> None:
    module = example("CONTRIBUTING.md", NAME)
    assert len([line for line in module.splitlines() if line.strip()]) < 30


@pytest.mark.slow
async def test_a_file_and_a_line_add_an_agent(tmp_path: Path) -> None:
    package, server, out = with_the_example(tmp_path / "made"), ModelServer(), tmp_path / "out"
    async with running(server.app) as url:
        model = {
            "DEEPCRITICAL_MODEL": "openai-chat:made-up",
            "DEEPCRITICAL_MODEL_BASE_URL": f"{url}v1",
            "DEEPCRITICAL_MODEL_API_KEY": "made-up-key",
            "DEEPCRITICAL_MODEL_PROFILE": "large",
            "DEEPCRITICAL_EMBEDDING_MODEL": "",
        }
        source = ("--snapshot", str(records(tmp_path)), "--out", str(out))
        await printed(package, "research", QUESTION, *source, "--manager", "standard", **model)
    lines = (out / "events.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line)["event"] for line in lines]
    turns = [event["agent"] for event in events if event["type"] == "agent_called"]
    assert ("DoseAgent", "JudgeAgent") in itertools.pairwise(turns)
    searched = [event["query"] for event in events if event["type"] == "source_searched"]
    assert searched.count("examplol testitis low dose against high dose") == 1
    prompts = server.prompts("team_ledger")
    assert all("- DoseAgent: Searches for comparisons of doses." in p for p in prompts)
    assert "DoseAgent: new records: " in prompts[-1]
