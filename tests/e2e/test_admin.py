"""``deepcritical admin`` as a process: tables, JSON, exit codes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import QUESTION, paper, snapshot
from tests.servers.commands import forked_command

COMMAND = forked_command()
LOOKS = ("queue", "workers", "stuck", "counts")


def call(folder: Path, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {"DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}"}
    return subprocess.run(  # noqa: S603 - our own command
        [COMMAND, *args],
        cwd=folder,
        env=os.environ | kept | more,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of one completed run, and one whose worker is gone."""
    folder = tmp_path_factory.mktemp("home")
    source = str(snapshot(folder / "made.jsonl", paper(1), paper(2)))
    for _ in range(2):
        assert call(folder, "research", QUESTION, "--snapshot", source, "-q").returncode == 0
    with closing(sqlite3.connect(folder / "runs.sqlite")) as kept, kept:
        (run_id,) = kept.execute("SELECT id FROM tool_traces LIMIT 1").fetchone()
        kept.execute("UPDATE tool_traces SET status = 'in_progress' WHERE id = ?", [run_id])
        kept.execute("UPDATE jobs SET worker = 'gone' WHERE run_id = ?", [run_id])
        kept.execute("INSERT INTO workers (id, beat_at) VALUES ('made-up', unixepoch())")
    return folder


@pytest.mark.slow
def test_the_tables_have_a_header_and_a_row_for_each(home: Path) -> None:
    counts = call(home, "admin", "counts")
    assert (counts.returncode, counts.stderr) == (0, "")
    header, *rows = (line.split() for line in counts.stdout.splitlines())
    assert header == ["tool", "status", "runs"]
    assert rows == [["research", "completed", "1"], ["research", "in_progress", "1"]]
    assert "made-up" in call(home, "admin", "workers").stdout
    stuck = call(home, "admin", "stuck").stdout.splitlines()
    assert "lost" in stuck[1]
    assert "gone" in stuck[1]


@pytest.mark.parametrize("look", LOOKS)
def test_json_is_a_list_of_objects(home: Path, look: str) -> None:
    printed = call(home, "admin", look, "--json")
    assert printed.returncode == 0, printed.stderr
    rows = json.loads(printed.stdout)
    assert len(rows) == {"queue": 0, "workers": 1, "stuck": 1, "counts": 2}[look]


def test_nothing_to_show_is_said_on_stderr(home: Path) -> None:
    printed = call(home, "admin", "queue")
    assert (printed.returncode, printed.stdout) == (0, "")
    assert "No run waits." in printed.stderr


@pytest.mark.parametrize("look", LOOKS)
def test_a_missing_database_is_exit_code_11_and_is_not_made(tmp_path: Path, look: str) -> None:
    printed = call(tmp_path, "admin", look)
    assert printed.returncode == 11
    assert "There is no database" in printed.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_a_database_it_is_exit_code_9(tmp_path: Path) -> None:
    printed = call(tmp_path, "admin", "queue", DATABASE_URL="")
    assert printed.returncode == 9
    assert "DATABASE_URL" in printed.stderr


def test_a_wrong_option_is_exit_code_2(home: Path) -> None:
    assert call(home, "admin", "stuck", "--silent-s", "0").returncode == 2
