"""kill -9 in the middle of a run: another process ends it as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import QUESTION, ROOT, paper, snapshot, trial
from tests.databases import fresh_database
from tests.servers.commands import forked_module

TOOLS = ("research", "deep_research")
KILLS = (("before", 4), ("inside", 5), ("after", 7))
"""A step that begins, one that is done but not recorded, and one that is recorded."""
SAME = ("status", "stop_reason", "result", "steps", "events")


def outcomes(url: str, folder: Path, **order: Any) -> list[dict[str, Any]]:
    source = snapshot(folder / "made.jsonl", paper(1), paper(2), trial(3))
    order = {
        "url": url,
        "folder": str(folder),
        "question": QUESTION,
        "snapshot": str(source),
        **order,
    }
    done = subprocess.run(  # noqa: S603 - our own command
        [*forked_module(), "tests.killed"],
        cwd=ROOT,
        input=json.dumps(order),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_a_run_that_was_killed_ends_as_if_it_had_not_been(url: str, tmp_path: Path) -> None:
    kills = [(tool, *kill) for tool in TOOLS for kill in (("none", 0), *KILLS)]
    for whole, *killed in batched(outcomes(url, tmp_path, kills=kills), len(KILLS) + 1):
        assert whole["status"] == "completed"
        assert not whole["killed"]
        assert whole["losses"] == 0
        for run in killed:
            assert run["killed"], run
            assert run["losses"] == 1
            for name in SAME:
                assert run[name] == whole[name], (run["where"], run["at"], name, run["error"])
            assert run["repeated"] == (0 if run["where"] == "after" else 1)


def batched(runs: list[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    yield from (runs[start : start + size] for start in range(0, len(runs), size))


@pytest.mark.slow
def test_the_time_that_nobody_had_a_run_does_not_count_against_it(tmp_path: Path) -> None:
    def away(tool: str) -> list[dict[str, Any]]:
        folder = tmp_path / tool
        folder.mkdir()
        with fresh_database("sqlite", folder) as url:
            kills = [(tool, "inside", 5)]
            return outcomes(url, folder, kills=kills, deadline_s=10.0, away_s=10.0)

    with ThreadPoolExecutor() as pool:  # both are away at once
        runs = [run for runs in pool.map(away, TOOLS) for run in runs]
    assert len(runs) == len(TOOLS)
    for run in runs:
        assert run["killed"]
        assert run["status"] == "completed", run["error"]
        assert run["stop_reason"] != "deadline"
        assert run["repeated"] == 1
