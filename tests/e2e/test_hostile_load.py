"""Runs over hostile records end within their limit, and the server answers meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.conftest import QUESTION, paper, snapshot
from tests.hostile import BY_HAND, hostile_texts
from tests.servers.commands import forked_command
from tests.servers.serving import serving

HEALTH_S = 0.5
DEADLINE_S = 60.0
RECORDS = 200
A_RUN = 20
"""Records of one run: what its queries find, so that each record is read by one of ten runs."""


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


def waits(address: str, ended: Future[tuple[str, int, float]]) -> Iterator[float]:
    """Seconds of each look at the server's health, until a run has ended."""
    with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
        while not ended.done():
            begun = time.perf_counter()
            client.get("/api/health").raise_for_status()
            yield time.perf_counter() - begun


def followed(address: str) -> tuple[str, int, float]:
    """How a run ended, how many records it ranked, and after how many seconds."""
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
    with serving(command, told) as served, ThreadPoolExecutor(1) as thread:
        ended = thread.submit(followed, served.address)
        took = list(waits(served.address, ended))
    how, ranked, seconds = ended.result()
    assert (how, ranked) == ("run_completed", A_RUN)
    assert seconds < DEADLINE_S
    assert max(took) < HEALTH_S
