"""``deepcritical chat``, and former runs of similar questions, as processes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from deepcritical.bootstrap import build_runs
from deepcritical.settings import Settings
from tests.conftest import paper, snapshot
from tests.databases import fresh_database
from tests.servers.commands import forked_command
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

COMMAND = forked_command()
ASKED = "Does examplol improve testitis symptoms?"
SAME = "Can examplol improve testitis symptoms?"
Outcome = subprocess.CompletedProcess[str]


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test has runs of its own."""
    with fresh_database("any", tmp_path) as url:
        monkeypatch.setenv("DATABASE_URL", url)
        yield


def own_settings(cwd: Path) -> dict[str, str]:
    return {
        "DEEPCRITICAL_SNAPSHOT": str(snapshot(cwd / "made.jsonl", paper(1), paper(2))),
        "DEEPCRITICAL_EMBEDDING_MODEL": "",
    }


def run(*args: str, cwd: Path, lines: str = "") -> Outcome:
    return subprocess.run(  # noqa: S603 - our own command
        [COMMAND, *args],
        cwd=cwd,
        env=os.environ | own_settings(cwd),
        input=lines,
        capture_output=True,
        encoding="utf-8",
        timeout=110,
        check=False,
    )


@pytest.mark.slow
def test_lines_are_answered_one_by_one_and_research_waits_for_a_yes(tmp_path: Path) -> None:
    talk = run(
        "chat", cwd=tmp_path, lines=f"PMID 99000001\n{ASKED}\nyes\nIs it tolerated?\n/quit\n"
    )
    assert talk.returncode == 0, talk.stderr
    said = ("1 found for pmid:99000001", "Answer yes", "Questions from here", "tolerated.")
    places = [talk.stdout.rindex(text) for text in said]
    assert places == sorted(places)
    assert "Tool research_report, chosen by user" in talk.stderr


@pytest.mark.slow
def test_a_script_gets_events_and_exit_codes(tmp_path: Path) -> None:
    offer = run("chat", ASKED, "--json", cwd=tmp_path)
    assert offer.returncode == 0
    assert [json.loads(line)["type"] for line in offer.stdout.splitlines()] == ["research_offered"]
    accepted = run("chat", ASKED, "--yes", "--json", cwd=tmp_path)
    last = json.loads(accepted.stdout.splitlines()[-1])
    assert last["type"] == "research_ended"
    follow = run(
        "chat", "Does examplol cause hair loss?", "--run", last["run_id"][:8], cwd=tmp_path
    )
    assert (follow.returncode, follow.stdout[:23]) == (3, "I couldn't find that in")
    assert run("chat", "PMID 99000009", cwd=tmp_path).returncode == 3
    assert run("chat", ASKED, "--run", "ffff", cwd=tmp_path).returncode == 14
    assert run("chat", "?", cwd=tmp_path).returncode == 4
    assert run("chat", "--yes", cwd=tmp_path).returncode == 2


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in (("MODEL", "openai-chat:made-up"), ("MODEL_API_KEY", "made-up-key")):
        monkeypatch.setenv(f"DEEPCRITICAL_{name}", value)
    return monkeypatch


@pytest.mark.slow
async def test_a_key_that_is_refused_ends_a_chat_as_a_wrong_setting(
    tmp_path: Path, with_model: pytest.MonkeyPatch
) -> None:
    server = ModelServer()
    server.fault = lambda _asked: Fault(status=401)
    async with running(server.app) as url:
        with_model.setenv("DEEPCRITICAL_MODEL_BASE_URL", f"{url}v1")
        asked = partial(run, "chat", cwd=tmp_path)
        once = await asyncio.to_thread(run, "chat", ASKED, cwd=tmp_path)
        lines = await asyncio.to_thread(asked, lines=f"{ASKED}\n{SAME}\n")
    for ended in (once, lines):
        assert ended.returncode == 9
        assert "refused the key" in ended.stderr
        assert "made-up-key" not in ended.stdout + ended.stderr
    assert len(server.asked) == 2  # no second question is put to it


@pytest.mark.slow
def test_a_model_that_is_away_is_told_though_nothing_else_is_wanted(
    tmp_path: Path, with_model: pytest.MonkeyPatch
) -> None:
    # Port 1 is privileged, and nothing listens there.
    with_model.setenv("DEEPCRITICAL_MODEL_BASE_URL", "http://127.0.0.1:1/v1")
    for command in (("research", ASKED), ("ask", ASKED, "--max-iterations", "1")):
        ended = run(*command, "--quiet", cwd=tmp_path)
        assert ended.returncode == 0
        assert "the connection to the model server failed" in ended.stderr
        assert "Question:" not in ended.stderr
    offered = run("chat", ASKED, "--quiet", cwd=tmp_path)
    assert offered.returncode == 0
    assert "the connection to the model server failed" in offered.stdout


@contextmanager
def talking(*args: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """A chat that is under way, with its stdin open."""
    with subprocess.Popen(  # noqa: S603 - our own command
        [COMMAND, "chat", *args],
        cwd=cwd,
        env=os.environ | own_settings(cwd),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def told_to_end(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str]:
    """The exit code, and what was said on stderr."""
    process.send_signal(how)
    code = process.wait(timeout=60)  # not `communicate`, which would end its stdin
    assert process.stderr
    return code, process.stderr.read()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_research_under_way_is_cancelled_with_its_chat(tmp_path: Path, how: signal.Signals) -> None:
    with talking(ASKED, "--yes", "--json", cwd=tmp_path) as process:
        assert process.stdout
        told = (json.loads(line) for line in process.stdout)
        run_id = next(e["progress"]["data"]["run_id"] for e in told if e["type"] == "tool_told")
        code, said = told_to_end(process, how)
    assert (code, said.splitlines()[-1]) == (130, "Interrupted.")
    shown = run("traces", "show", run_id, "--json", cwd=tmp_path)
    assert json.loads(shown.stdout)["status"] == "cancelled"


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_chat_ends_though_it_waits_for_a_line(tmp_path: Path, how: signal.Signals) -> None:
    with talking("--quiet", cwd=tmp_path) as process:
        said_to(process, "PMID 99000001\n", "1 found for")
        assert told_to_end(process, how) == (130, "Interrupted.\n")


@pytest.mark.slow
async def test_a_chat_that_waits_for_a_line_goes_on_with_runs_that_wait(tmp_path: Path) -> None:
    settings = {"snapshot": str(snapshot(tmp_path / "made.jsonl", paper(1), paper(2)))}
    made = Settings.model_validate({"embedding_model": "", **settings})
    with talking("--quiet", cwd=tmp_path) as process:
        await asyncio.to_thread(said_to, process, f"{ASKED}\nyes\n", "Questions from here on")
        # A server that leaves its runs to workers.
        runs = await asyncio.to_thread(build_runs, made, serves=True, conducts=False)
        async with asyncio.timeout(60):
            answer = await runs.ask(SAME).result()
        assert answer.references
        await runs.close()


def said_to(process: subprocess.Popen[str], lines: str, until: str) -> None:
    """Say something, and read up to what it answers."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(lines)
    process.stdin.flush()
    while until not in (line := process.stdout.readline()):
        assert line


@pytest.mark.slow
def test_a_similar_run_is_told_in_a_script_and_printed_only_on_demand(tmp_path: Path) -> None:
    first = run("ask", ASKED, "--json", cwd=tmp_path)
    run_id = json.loads(first.stdout)["trace_id"]
    assert "Similar" not in first.stderr
    anew = run("ask", SAME, "--json", cwd=tmp_path)
    assert f"(run {run_id[:8]}): “{ASKED}”" in anew.stderr
    assert "No new records" in anew.stderr
    assert json.loads(anew.stdout)["trace_id"] != run_id
    quiet = run("ask", SAME, "--no-similar", cwd=tmp_path)
    assert "Similar" not in quiet.stderr
    reused = run("ask", SAME, "--reuse", run_id[:8], "--json", "--out", "kept", cwd=tmp_path)
    assert json.loads(reused.stdout) == json.loads(first.stdout)
    assert (tmp_path / "kept" / "answer.html").is_file()
    assert run("ask", SAME, "--reuse", "ffff", cwd=tmp_path).returncode == 14
    assert run("research", SAME, "--reuse", run_id[:8], cwd=tmp_path).returncode == 11


@pytest.mark.slow
def test_a_report_is_offered_for_the_same_repurposing_question(tmp_path: Path) -> None:
    question = "Can examplol be repurposed for testitis?"
    first = run("research", question, cwd=tmp_path)
    told = re.search(r"deepcritical (research --reuse \w+ --full)", first.stdout)
    assert told
    assert "## How this was assessed" in run(*told[1].split(), cwd=tmp_path).stdout
    again = run("research", "Is examplol useful in testitis?", cwd=tmp_path)
    assert "Similar" not in first.stderr
    assert f"“{question}”" in again.stderr
    assert again.returncode == 0
    deeper = run("research", question, "--depth", "quick", cwd=tmp_path)
    assert "Similar" not in deeper.stderr
