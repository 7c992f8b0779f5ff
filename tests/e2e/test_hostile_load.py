"""Runs over hostile records end within their limit, and the server answers meanwhile."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.conftest import QUESTION, paper, snapshot
from tests.hostile import BY_HAND, hostile_texts
from tests.servers.commands import forked_command
from tests.servers.serving import serving
from tests.slow import REFERENCE_S, work_s

PAUSE_S = 0.03
"""Between two looks at a server: more of them would be most of its work."""
HEALTH_S = 0.5 - PAUSE_S
"""By how much longer than an idle server on the same machine the busy one may take to answer.

What holds it up for half a second is seen, even if it begins between two looks. On a machine that
is slower at the same work it may be longer.
"""
DEADLINE_S = 60.0
RECORDS = 200
A_RUN = 25
"""Records of one run: no more than a query finds, so that each is read by one run."""


@pytest.fixture(scope="module")
def texts() -> list[str]:
    found = hostile_texts(RECORDS)
    assert len(set(found)) == RECORDS
    assert len(BY_HAND) == 50
    return found


def hostile_snapshot(folder: Path, texts: list[str]) -> Path:
    lines = (
        paper(number, text=text, title=f"Examplol in testitis {number}")
        for number, text in enumerate(texts, 1)
    )
    return snapshot(folder / "hostile.jsonl", *lines)


class Look(NamedTuple):
    """One look at a server: when it was begun, and when the answer was there."""

    begun: float
    ended: float

    @property
    def took(self) -> float:
        return self.ended - self.begun


def looks(url: str, ended: Future[tuple[str, int, float]]) -> list[Look]:
    """Each look at an address, one after the other, until a run has ended."""
    found = []
    with httpx.Client(trust_env=False, timeout=60) as client:
        while not ended.done():
            begun = time.perf_counter()
            client.get(url).raise_for_status()
            found.append(Look(begun, time.perf_counter()))
            time.sleep(PAUSE_S)
    return found


def held_up(busy: Sequence[Look], idle: Sequence[Look]) -> Iterator[float]:
    """Seconds of each look at the busy server beyond those of the idle one at the same time.

    A machine that stands still, or is shared, holds up both; work within the server only its own.
    """
    for one in busy:
        beside = (i.took for i in idle if i.begun < one.ended and one.begun < i.ended)
        yield one.took - max(beside, default=0.0)


@contextmanager
def idle_server(folder: Path) -> Iterator[str]:
    """The address of a process that does nothing but answer."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            said = process.stdout.readline() if process.stdout else ""
            yield re.findall(r"http://[\d.:]+/", said)[0]
        finally:
            process.terminate()


def followed(address: str) -> tuple[str, int, float]:
    """Return the end of a run, the number of records it ranked, and its seconds."""
    begun = time.monotonic()
    with httpx.Client(base_url=address, trust_env=False, timeout=300) as client:
        asked = {"tool": "research", "question": QUESTION, "depth": "standard"}
        links = client.post("/api/runs", json=asked).raise_for_status().json()["links"]
        with client.stream("GET", links["events"]) as stream:
            data = [line[6:] for line in stream.iter_lines() if line.startswith("data: ")]
    events = [json.loads(line)["event"] for line in data]
    ranked = max(event["records"] for event in events if event["type"] == "records_ranked")
    return events[-1]["type"], ranked, time.monotonic() - begun


@pytest.mark.slow
@pytest.mark.parametrize("part", range(RECORDS // A_RUN))
def test_a_run_over_hostile_records_ends_in_time_and_holds_up_nobody(
    texts: list[str], tmp_path: Path, part: int
) -> None:
    told = {
        "DEEPCRITICAL_SNAPSHOT": str(
            hostile_snapshot(tmp_path, texts[part * A_RUN : (part + 1) * A_RUN])
        ),
        "DEEPCRITICAL_EMBEDDING_MODEL": "",
        "DEEPCRITICAL_DEADLINE_S": str(DEADLINE_S),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'runs.sqlite'}",
    }
    command = (forked_command(), "serve", "--port", "0")
    (tmp_path / "idle").mkdir()
    with (
        serving(command, told) as served,
        idle_server(tmp_path / "idle") as idle,
        ThreadPoolExecutor(2) as threads,
    ):
        ended = threads.submit(followed, served.address)
        beside = threads.submit(looks, idle, ended)
        busy = looks(f"{served.address}/api/health", ended)
    how, ranked, seconds = ended.result()
    assert (how, ranked) == ("run_completed", A_RUN)
    assert seconds < DEADLINE_S
    slower = max(1.0, min(work_s() for _ in range(3)) / REFERENCE_S)
    assert max(held_up(busy, beside.result())) < HEALTH_S * slower


def test_what_holds_up_the_whole_machine_is_not_counted_and_all_else_is() -> None:
    idle = [Look(0.0, 0.1), Look(1.0, 1.9), Look(5.0, 5.1)]
    busy = [Look(0.05, 0.15), Look(1.2, 2.2), Look(3.0, 4.0)]
    assert [round(s, 2) for s in held_up(busy, idle)] == [0.0, 0.1, 1.0]
