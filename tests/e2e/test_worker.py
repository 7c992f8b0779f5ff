"""``deepcritical worker`` and ``serve --no-worker`` as processes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.conftest import QUESTION, paper, snapshot
from tests.databases import fresh_database
from tests.servers.commands import forked_command
from tests.servers.serving import serving

COMMAND = forked_command()


@contextmanager
def worker(settings: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """One that is ready to conduct runs."""
    with subprocess.Popen(  # noqa: S603 - our own command
        [COMMAND, "worker"],
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout
        assert "up to 20 runs at once" in process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture(params=["sqlite", "postgresql"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    source = snapshot(tmp_path / "made.jsonl", paper(1), paper(2))
    with fresh_database(request.param, tmp_path) as url:
        yield {"DATABASE_URL": url, "DEEPCRITICAL_SNAPSHOT": str(source)}


@pytest.mark.slow
def test_what_a_server_takes_in_a_worker_conducts(settings: dict[str, str]) -> None:
    with (
        serving([COMMAND, "serve", "--no-worker", "--port", "0"], settings) as served,
        httpx.Client(base_url=f"{served.address}/api", trust_env=False, timeout=60) as client,
    ):
        run_id = client.post("/runs", json={"tool": "research", "question": QUESTION}).json()["id"]
        while (shown := client.get(f"/runs/{run_id}").json())["queue_position"] is None:
            assert shown["status"] == "pending"  # the database is about to know it
        assert (shown["queue_position"], shown["no_worker"]) == (1, True)
        with worker(settings) as process:
            events = client.get(f"/runs/{run_id}/events").text  # ends with the run
            assert "run_completed" in events
            assert client.get(f"/runs/{run_id}").json()["status"] == "completed"
            assert client.get(f"/runs/{run_id}/export/md").text.startswith("# ")
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=30)
            assert (process.returncode, said) == (0, "")


def test_a_worker_without_a_database_says_what_to_set() -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        [COMMAND, "worker"],
        env={**os.environ, "DATABASE_URL": ""},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 9
    assert "Set DATABASE_URL" in done.stderr
