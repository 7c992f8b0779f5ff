"""``deepcritical traces`` as a process, over the runs that another process has kept."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from deepcritical.domain.run.events import LoggedEvent
from deepcritical.export.formats import ANSWER_FORMATS, FORMATS
from tests.conftest import QUESTION, paper, snapshot
from tests.servers.commands import forked_command
from tests.servers.models import silent_model
from tests.servers.serving import get, refusing, serving

COMMAND = forked_command()
FAILED = "Can metformin be repurposed for asthma?"
OTHER = "Can examplol be repurposed for asthma?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of two runs: one with a report, one that failed."""
    folder = tmp_path_factory.mktemp("home")
    source = str(snapshot(folder / "made.jsonl", paper(1), paper(2)))
    assert call(folder, "research", QUESTION, "--snapshot", source, "--json").returncode == 0
    with refusing() as address:
        live = {"DEEPCRITICAL_PUBMED_URL": address, "DEEPCRITICAL_DRUG_FACTS": "off"}
        failed = call(folder, "research", FAILED, "--sources", "pubmed", **live)
    assert failed.returncode == 10, failed.stderr
    return folder


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


def printed(folder: Path, *args: str) -> str:
    done = call(folder, "traces", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run_id(home: Path) -> str:
    listed = json.loads(printed(home, "list", "--json"))
    return next(str(run["id"]) for run in listed if run["status"] == "completed")


@pytest.mark.slow
def test_runs_are_listed_newest_first(home: Path, run_id: str) -> None:
    failed, completed = printed(home, "list").splitlines()
    assert re.search(rf"  failed +research  {re.escape(FAILED)}$", failed)
    assert completed.startswith(run_id)
    assert completed.endswith(f"  research  {QUESTION}")
    assert printed(home, "list", "--max", "1").splitlines() == [failed]
    assert printed(home, "list", "--tool", "deep_research") == ""


def test_a_run_is_shown_for_people_and_as_json(home: Path, run_id: str) -> None:
    told = printed(home, "show", run_id[:8])
    for line in (f"Run        {run_id}", f"Question   {QUESTION}", "Status     completed"):
        assert line in told.splitlines()
    trace = json.loads(printed(home, "show", run_id, "--json"))
    assert trace["id"] == run_id
    assert trace["state"]["knowledge_base"]["sources"]
    assert trace["result"]["research_question"] == QUESTION


def test_a_failed_run_tells_its_error(home: Path) -> None:
    failed = json.loads(printed(home, "list", "--json"))[0]["id"]
    told = printed(home, "show", failed)
    assert re.search(r"^Status     failed$", told, re.MULTILINE)
    assert re.search(r"^Error      \S", told, re.MULTILINE)
    exported = call(home, "traces", "export", failed)
    assert exported.returncode == 11
    assert "has no report: it is failed" in exported.stderr


def test_events_are_told_for_people_and_as_json(home: Path, run_id: str) -> None:
    lines = printed(home, "tail", run_id).splitlines()
    assert f"Question: {QUESTION}" in lines[0]
    assert "Completed" in lines[-1]
    events = [
        LoggedEvent.model_validate_json(line)
        for line in printed(home, "tail", run_id, "--json", "--after", "3").splitlines()
    ]
    assert [logged.seq for logged in events] == list(range(4, len(lines) + 1))


def test_the_report_is_printed_as_it_was(home: Path, run_id: str) -> None:
    assert printed(home, "export", run_id).startswith("# Examplol for testitis")
    report = json.loads(printed(home, "export", run_id, "--format", "json"))
    assert report["run_id"] == run_id
    assert call(home, "traces", "export", run_id, "--format", "docx").returncode == 2


def test_a_folder_gets_every_format(home: Path, run_id: str, tmp_path: Path) -> None:
    printed(home, "export", run_id, "--out", str(tmp_path / "new" / "folder"))
    written = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert written == {*(f"report.{suffix}" for suffix in FORMATS), "events.jsonl"}
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")
    assert call(home, "traces", "export", run_id, "--out", str(taken)).returncode == 11


def test_an_output_that_takes_nothing_is_an_error(home: Path, run_id: str) -> None:
    kept = os.environ | {"DATABASE_URL": f"sqlite:///{home / 'runs.sqlite'}"}
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(  # noqa: S603 - our own command
            [COMMAND, "traces", "export", run_id, "--format", "pdf"],
            stdout=full, stderr=subprocess.PIPE, env=kept, encoding="utf-8", check=False,
        )  # fmt: skip
    assert done.returncode == 11
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


@pytest.mark.parametrize("command", ["show", "tail", "export", "delete"])
def test_a_run_that_is_not_there_has_its_exit_code(home: Path, command: str) -> None:
    done = call(home, "traces", command, "ffffffff")
    assert (done.returncode, done.stdout) == (14, "")
    assert "There is no run ffffffff" in done.stderr


def test_without_a_database_there_is_nothing_to_list(home: Path) -> None:
    done = call(home, "traces", "list", DATABASE_URL="")
    assert done.returncode == 9
    assert "DATABASE_URL" in done.stderr


def test_an_address_that_is_none_is_a_wrong_setting(home: Path) -> None:
    for command in (("traces", "list"), ("research", QUESTION)):
        done = call(home, *command, DATABASE_URL="mysql://ada:made-up-secret@host/name")
        assert done.returncode == 9
        assert "DATABASE_URL" in done.stderr
        assert "made-up-secret" not in done.stderr


def test_a_database_that_cannot_be_written_is_told_before_the_research(home: Path) -> None:
    done = call(home, "research", QUESTION, DATABASE_URL=f"sqlite:///{home / 'made.jsonl'}")
    assert (done.returncode, done.stdout) == (18, "")
    assert "DATABASE_URL" in done.stderr


def test_without_a_database_research_works_as_ever(home: Path, tmp_path: Path) -> None:
    source = str(home / "made.jsonl")
    done = call(tmp_path, "research", QUESTION, "--snapshot", source, DATABASE_URL="")
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_deleting_is_for_good(home: Path) -> None:
    source = str(home / "made.jsonl")
    call(home, "research", OTHER, "--snapshot", source)
    listed = json.loads(printed(home, "list", "--json"))
    newest = next(run["id"] for run in listed if run["input_params"]["question"] == OTHER)
    assert printed(home, "delete", newest) == f"Deleted: {newest}\n"
    assert OTHER not in printed(home, "list")
    assert call(home, "traces", "show", newest).returncode == 14


def test_a_restarted_server_shows_a_run_of_the_command(home: Path, run_id: str) -> None:
    kept = {"DATABASE_URL": f"sqlite:///{home / 'runs.sqlite'}"}
    with serving([COMMAND, "serve", "--port", "0"], kept) as served:
        path = f"{served.address}/api/runs/{run_id}"
        run = get(path).json()
        assert (run["id"], run["question"], run["ended"]) == (run_id, QUESTION, True)
        events = get(f"{path}/events").text
        assert '"type": "run_completed"' in events
        exported = get(f"{path}/export/md").text
        assert exported == printed(home, "export", run_id)


def test_a_run_that_is_interrupted_is_kept_as_cancelled(home: Path) -> None:
    kept = {"DATABASE_URL": f"sqlite:///{home / 'runs.sqlite'}"}
    with silent_model() as settings:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [COMMAND, "research", QUESTION, "--snapshot", "demo"],
            cwd=home,
            env=os.environ | kept | settings,
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            encoding="utf-8",
        )
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
    newest = json.loads(printed(home, "list", "--json"))[0]
    assert (newest["status"], newest["input_params"]["question"]) == ("cancelled", QUESTION)


@pytest.mark.slow
def test_a_tail_follows_a_run_of_another_process(home: Path) -> None:
    kept = os.environ | {"DATABASE_URL": f"sqlite:///{home / 'runs.sqlite'}"}
    question = "Can metformin be repurposed for Alzheimer's disease?"
    with subprocess.Popen(  # noqa: S603 - our own command
        [COMMAND, "research", question, "--snapshot", "demo", "-q"],
        cwd=home,
        env=kept,
        stdout=subprocess.DEVNULL,
    ) as running:
        while not (run := _of(home, question)):
            time.sleep(0.1)
        lines = printed(home, "tail", run).splitlines()
        assert running.wait(timeout=60) == 0
    assert "Completed" in lines[-1]
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))


def _of(home: Path, question: str) -> str:
    listed = json.loads(printed(home, "list", "--json"))
    found = [run["id"] for run in listed if run["input_params"]["question"] == question]
    return str(found[0]) if found else ""


@pytest.mark.slow
def test_a_free_question_is_kept_with_its_checklist_and_its_answer(tmp_path: Path) -> None:
    source = str(snapshot(tmp_path / "made.jsonl", paper(1), paper(2)))
    assert call(tmp_path, "ask", "Does examplol help in testitis?", "--snapshot", source).stdout
    (kept,) = json.loads(printed(tmp_path, "list", "--tool", "deep_research", "--json"))
    trace = json.loads(printed(tmp_path, "show", kept["id"], "--json"))
    items = trace["state"]["checklist"]
    assert [item["text"] for item in items] == [
        answered["item"]["text"] for answered in trace["result"]["checklist"]
    ]
    assert all(item["coverage"] and item["reason"] for item in items)
    assert trace["state"]["iterations"] == trace["result"]["search_iterations"]
    told = printed(tmp_path, "show", kept["id"])
    assert re.search(r"^Checklist +\d of \d items satisfied$", told, re.MULTILINE)
    assert printed(tmp_path, "export", kept["id"]).startswith("# Does examplol help in testitis")
    refused = call(tmp_path, "traces", "export", kept["id"], "--format", "pdf")
    assert refused.returncode == 2
    printed(tmp_path, "export", kept["id"], "--out", str(tmp_path / "out"))
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {*(f"answer.{suffix}" for suffix in ANSWER_FORMATS), "events.jsonl"}
