"""``deepcritical research --plan`` and ``--from-plan`` as processes, with an edit between them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import QUESTION, paper, snapshot
from tests.environment import without_settings
from tests.servers.commands import forked_command

COMMAND = forked_command()


def command(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    kept = without_settings()
    return subprocess.run(  # noqa: S603 - our own command
        [COMMAND, "research", *args],
        cwd=folder,
        env=kept,
        capture_output=True,
        encoding="utf-8",
        timeout=150,
        check=False,
    )


def test_a_plan_is_written_edited_and_run(tmp_path: Path) -> None:
    snapshot(tmp_path / "made.jsonl", paper())
    options = ("--snapshot", "made.jsonl", "--plan", "plan.json")
    written = command(tmp_path, QUESTION, *options)
    assert (written.returncode, written.stdout) == (0, ""), written.stderr
    assert "Nothing was searched" in written.stderr
    path = tmp_path / "plan.json"
    plan = json.loads(path.read_text(encoding="utf-8"))
    plan["queries"] = [{"text": "examplol testitis made-up outcome"}]
    plan["limits"]["max_iterations"] = 1
    path.write_text(json.dumps(plan), encoding="utf-8")
    again = command(tmp_path, QUESTION, *options)
    assert again.returncode == 16
    assert "exists already" in again.stderr
    assert json.loads(path.read_text(encoding="utf-8")) == plan
    run = command(tmp_path, "--from-plan", "plan.json", "--json", "-q")
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    assert report["searches"][0]["query"] == "examplol testitis made-up outcome"
    assert "reviewed" in report["methodology"]["content"]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("--from-plan", "nowhere.json"), 16, "nowhere.json"),
        (("--from-plan", "plan.json"), 16, "is not a plan that can be run"),
        ((QUESTION, "--from-plan", "plan.json"), 2, "not together with QUESTION"),
        ((QUESTION, "--plan", "new.json", "--out", "folder"), 2, "not together with --out"),
        ((QUESTION, "--plan", "nowhere/new.json", "--snapshot", "made.jsonl"), 11, "nowhere"),
        ((QUESTION, "--manager", "standard", "--snapshot", "demo"), 9, "DEEPCRITICAL_MODEL"),
        ((QUESTION, "--manager", "magic"), 2, "magic"),
    ],
)
def test_what_cannot_be_run_says_why(
    tmp_path: Path, args: tuple[str, ...], code: int, said: str
) -> None:
    snapshot(tmp_path / "made.jsonl", paper())
    (tmp_path / "plan.json").write_text('{"question": "Why?"}', encoding="utf-8")
    ended = command(tmp_path, *args)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
