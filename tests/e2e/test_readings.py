"""``deepcritical readings`` as operators run it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.servers.commands import forked_command

CURATED = ROOT / "src" / "deepcritical" / "data" / "readings" / "demo.jsonl"
LINE = next(line for line in CURATED.read_text("utf-8").splitlines() if "pmid:" in line)
RECORD = LINE.partition('"record_id":"pmid:')[2].partition('"')[0]


class Operator:
    """Runs the commands against one database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._settings = {"DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite'}"}

    def __call__(self, *args: str, says: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - our own command
            [forked_command(), "readings", *args],
            capture_output=True,
            encoding="utf-8",
            check=False,
            input=says,
            env=os.environ | self._settings | more,
        )


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    (tmp_path / "readings.jsonl").write_text(f"{LINE}\n\n", encoding="utf-8")
    return Operator(tmp_path)


def test_what_is_imported_waits_until_it_is_accepted(operator: Operator) -> None:
    assert operator("show", RECORD).stdout == f"No reading of pmid:{RECORD} is kept.\n"
    taken = operator("import", str(operator.folder / "readings.jsonl"))
    assert (taken.returncode, taken.stderr) == (0, "")
    assert "(waits to be accepted)" in operator("show", RECORD).stdout
    assert operator("accept", says="n\n").returncode == 1
    assert "(waits to be accepted)" in operator("show", RECORD).stdout
    assert "1 readings are used from now on." in operator("accept", says="y\n").stdout
    shown = operator("show", f"pmid:{RECORD}").stdout
    assert shown.startswith(f"pmid:{RECORD}, read by curated on ")
    assert "waits" not in shown
    assert operator("show", RECORD, "--json").stdout.strip() == LINE
    assert operator("accept").stdout == "No reading waits.\n"


def test_a_line_that_is_no_reading_is_named_and_nothing_is_taken_in(operator: Operator) -> None:
    file = operator.folder / "readings.jsonl"
    file.write_text(f'{LINE}\n{{"schema_version": 9}}\n', encoding="utf-8")
    refused = operator("import", str(file))
    assert refused.returncode == 2
    assert "Line 2 of" in refused.stderr
    assert operator("accept").stdout == "No reading waits.\n"


def test_a_file_that_is_not_there_is_wrong_usage(operator: Operator) -> None:
    assert operator("import", str(operator.folder / "none.jsonl")).returncode == 2


def test_without_a_database_nothing_is_kept(operator: Operator) -> None:
    ran = operator("show", RECORD, DATABASE_URL="")
    assert ran.returncode == 9
    assert "Set DATABASE_URL" in ran.stderr


def understood(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own command
        [forked_command(), "understand", *args], capture_output=True, encoding="utf-8", check=False
    )


def test_a_question_is_printed_as_it_is_read() -> None:
    ran = understood("Does metformin slow cognitive decline in people with T2DM?")
    assert (ran.returncode, ran.stderr) == (0, "")
    frame = json.loads(ran.stdout)
    assert (frame["kind"], frame["drugs"][0]["name"]) == ("efficacy", "metformin")


def test_what_is_no_question_says_why() -> None:
    frame = json.loads(understood("What is the capital of France?").stdout)
    assert (frame["kind"], frame["declined"]) == ("declined", "not_biomedical")


def test_an_empty_question_is_exit_code_4() -> None:
    assert understood("").returncode == 4
