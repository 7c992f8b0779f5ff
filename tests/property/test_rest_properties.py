"""Whatever is sent to the REST API, it answers as its description says, and by no defect."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from deepcritical.interfaces.access import Access
from deepcritical.interfaces.rest.api import build_api
from tests.conftest import QUESTION, none_similar, paper, run_service, snapshot
from tests.integration.chats import chats_over
from tests.integration.test_api import served

RUNS = run_service()
SCHEMA = schemathesis.openapi.from_dict(build_api(RUNS, Access(), none_similar(RUNS)).openapi())
OPERATIONS = {
    f"{one.method.upper()} {one.path}": one
    for one in (found.ok() for found in SCHEMA.get_all_operations() if isinstance(found, Ok))
    if one.body or any(one.iter_parameters())
}
"""Those that take anything."""
CHECKS = (content_type_conformance, response_schema_conformance, status_code_conformance)
FULL = 503
"""What a server with 20 runs under way answers; no defect."""


class Site(NamedTuple):
    """A server in a thread of its own, a run of it that has ended, and a chat over that."""

    address: str
    run_id: str
    chat_id: str


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    source = snapshot(tmp_path_factory.mktemp("site") / "records.jsonl", paper(1))
    found: list[Site] = []
    ready, over = threading.Event(), threading.Event()

    async def serve() -> None:
        runs = run_service(source)
        async with served(runs, chats=chats_over(source, runs)) as site:
            run = site.runs.submit(QUESTION)
            await run.result()
            chat = await site.client.post("/api/chats", json={"run_id": run.run_id})
            address = str(site.client.base_url).rstrip("/")  # or every path is another one
            found.append(Site(address, run.run_id, chat.json()["id"]))
            ready.set()
            await asyncio.to_thread(over.wait)
            await site.runs.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(60)
    yield found[0]
    over.set()
    thread.join(20)


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_request_is_answered_as_described(
    site: Site, name: str, mode: GenerationMode
) -> None:
    @given(OPERATIONS[name].as_strategy(generation_mode=mode), st.booleans())
    @settings(
        max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    def answered(case: Case[Any], of_a_run: bool) -> None:
        if of_a_run and "run_id" in case.path_parameters and case.method != "DELETE":
            case.path_parameters["run_id"] = site.run_id
        if of_a_run and "chat_id" in case.path_parameters and case.method != "DELETE":
            case.path_parameters["chat_id"] = site.chat_id
        # Hypothesis takes "Host" from any loaded module; the server refuses others before the API.
        case.headers.pop("Host", None)
        answer = case.call(base_url=f"{site.address}/api")
        assert answer.status_code < 500 or answer.status_code == FULL, answer.text
        case.validate_response(answer, checks=list(CHECKS))

    answered()


def test_the_server_lives_on(site: Site) -> None:
    shown = httpx.get(f"{site.address}/api/runs/{site.run_id}", trust_env=False)
    assert shown.json()["status"] == "completed"
