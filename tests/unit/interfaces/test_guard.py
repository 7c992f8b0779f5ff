"""Tests which origins a request that changes something may have."""

from __future__ import annotations

import httpx
import pytest
from starlette.responses import Response

from deepcritical.interfaces.guard import Guard


@pytest.mark.parametrize(
    ("address", "passing"),
    [
        ("http://answers.example", {"http", "https"}),
        ("https://answers.example", {"https"}),
    ],
)
async def test_a_proxy_may_add_https_to_an_address_and_takes_it_from_none(
    address: str, passing: set[str]
) -> None:
    app = httpx.ASGITransport(Guard(Response(), frozenset({address})))
    origins = {s: f"{s}://answers.example" for s in ("http", "https", "ftp")} | {"null": "null"}
    async with httpx.AsyncClient(transport=app, base_url="http://answers.example") as client:
        answers = {s: await client.post("/", headers={"Origin": o}) for s, o in origins.items()}
    assert {s for s, answer in answers.items() if answer.status_code == 200} == passing
