"""``POST /api/runs/ID/verdict``: the verdict without some of a report's studies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.integration.test_api import served

NULL = paper(
    2,
    text=(
        "Design: Randomised placebo-controlled trial in 40 patients with testitis. "
        "Results: Examplol did not improve testitis symptoms compared with placebo (p = 0.6)."
    ),
)


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, str]]:
    runs = run_service(snapshot(tmp_path / "records.jsonl", paper(1), NULL))
    async with served(runs) as site:
        run = runs.submit(QUESTION)
        await run.result()
        yield site.client, f"/api/runs/{run.run_id}/verdict"


async def label(client: httpx.AsyncClient, path: str, **changed: Any) -> str:
    answer = await client.post(path, json=changed)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["label"])


async def test_a_study_is_left_out_by_the_id_of_a_record(
    site: tuple[httpx.AsyncClient, str],
) -> None:
    client, path = site
    assert await label(client, path) == "mixed"
    assert await label(client, path, without=["pmid:99000001"]) == "unsupported"
    assert await label(client, path, without=["pmid:99000002"]) == "promising"
    assert await label(client, path, only="randomised") == "mixed"
    assert await label(client, path, only="uncontrolled") == "insufficient evidence"


async def test_a_record_that_the_report_does_not_have_is_named(
    site: tuple[httpx.AsyncClient, str],
) -> None:
    client, path = site
    answer = await client.post(path, json={"without": ["pmid:1"]})
    assert (answer.status_code, "pmid:1" in answer.text) == (422, True)
    assert (await client.post(path, json={"only": "blinded"})).status_code == 422
