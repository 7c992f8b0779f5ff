"""A chat over REST, over real HTTP: what is answered, offered, started, refused and forgotten."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from deepcritical.bootstrap import build_runs
from deepcritical.domain.question.question import MAX_QUESTION_CHARS
from deepcritical.interfaces.access import TURNS_PER_RUN, Access, Mode
from deepcritical.interfaces.guard import MAX_BODY_BYTES
from deepcritical.interfaces.rest.chat import ChatSessions
from deepcritical.models import providers
from deepcritical.settings import Settings
from tests.conftest import QUESTION, paper, run_service, snapshot
from tests.databases import fresh_database, raw_text
from tests.integration.chats import chats_over
from tests.integration.modelled import records
from tests.integration.test_api import Served, served
from tests.integration.test_own_key import held
from tests.servers.models import ModelServer
from tests.servers.running import running

HARD = "Does examplol help in testitis?"
LOOK_UP = "find papers on examplol"
KEY = "made-up-key-that-nobody-may-keep"
ADA, BEN = "made-up-token-of-ada", "made-up-token-of-ben"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "records.jsonl", paper(1), paper(2))


@pytest.fixture
async def site(source: Path) -> AsyncIterator[Served]:
    runs = run_service(source, max_iterations=1)
    async with served(runs, chats=chats_over(source, runs)) as site:
        yield site


async def opened(site: Served, *, headers: Mapping[str, str] | None = None, **asked: str) -> str:
    """The address of a new chat."""
    answer = await site.client.post("/api/chats", json=asked, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["links"]["self"])


async def post(
    site: Served, path: str, headers: Mapping[str, str] | None = None, **sent: str
) -> httpx.Response:
    return await site.client.post(path, json=sent, headers=headers)


async def turn(site: Served, at: str, message: str, **headers: str) -> list[dict[str, Any]]:
    answer = await post(site, f"{at}/messages", headers, message=message)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events(answer.text)


def events(body: str) -> list[dict[str, Any]]:
    """The events of a stream; each has words for people beside it."""
    blocks = [block.removeprefix("data: ") for block in body.split("\n\n") if block]
    told = [json.loads(block) for block in blocks if not block.startswith(":")]
    assert all(one["text"] for one in told)
    return [one["event"] for one in told]


def started(told: list[dict[str, Any]]) -> str:
    return str(next(e for e in told if e["type"] == "tool_told")["progress"]["data"]["run_id"])


async def test_a_look_up_is_answered_by_the_events_of_its_turn(site: Served) -> None:
    told = await turn(site, await opened(site), LOOK_UP)
    assert [event["type"] for event in told] == ["tool_called", "tool_told", "chat_answer"]
    assert len(told[-1]["references"]) == 2


async def test_research_is_offered_and_starts_only_when_it_is_accepted(site: Served) -> None:
    at = await opened(site)
    (offered,) = await turn(site, at, HARD)
    assert (offered["type"], offered["question"]) == ("research_offered", HARD)
    accepted = await post(site, f"{at}/accept", offer_id=offered["offer_id"])
    told = events(accepted.text)
    run = (await site.client.get(f"/api/runs/{started(told)}")).json()
    assert (run["status"], run["question"]) == ("completed", HARD)
    assert told[-1]["type"] == "research_ended"
    again = await post(site, f"{at}/accept", offer_id=offered["offer_id"])
    assert events(again.text)[-1]["error"] == "OfferLapsed"


async def test_a_plain_yes_accepts_too(site: Served) -> None:
    at = await opened(site)
    await turn(site, at, HARD)
    assert (await turn(site, at, "yes"))[-1]["type"] == "research_ended"
    follow_up = (await turn(site, at, "Is examplol well tolerated?"))[-1]
    assert all("tolerated" in said["text"] for said in follow_up["sentences"])


async def test_a_finished_run_is_asked_and_nothing_else(site: Served) -> None:
    run = site.runs.submit(QUESTION)
    await run.result()
    at = await opened(site, run_id=run.run_id)
    answer = (await turn(site, at, "Is examplol well tolerated?"))[-1]
    for said in answer["sentences"]:
        reference = answer["references"][said["number"] - 1]
        assert reference["text"][said["start"] : said["end"]] == said["quote"]
    assert answer["sentences"]
    missing = (await turn(site, at, "Does examplol cause hair loss?"))[-1]
    assert missing["head"].startswith("I couldn't find that in")
    assert (missing["in_evidence"], missing["sentences"]) == (False, [])
    for look_up in (LOOK_UP, "Which trials were stopped?", "PMID 999"):
        told = await turn(site, at, look_up)
        assert [event["tool"] for event in told if event["type"] == "tool_called"] == ["rag"]


async def test_who_leaves_in_the_middle_of_a_turn_can_go_on(site: Served) -> None:
    at = await opened(site)
    (offered,) = await turn(site, at, HARD)
    sent = {"offer_id": offered["offer_id"]}
    async with site.client.stream("POST", f"{at}/accept", json=sent) as answer:
        blocks = answer.aiter_lines()
        while '"run_id"' not in (line := await anext(blocks)):
            pass
    run = await site.runs.find(json.loads(line[6:])["event"]["progress"]["data"]["run_id"])
    assert run
    async with asyncio.timeout(60):
        assert [logged async for logged in run.tail()][-1].event.type == "run_completed"
    last = (await turn(site, at, LOOK_UP))[-1]
    assert last["type"] == "chat_answer", last


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"message": ""}, 422),
        ({"message": "x" * (MAX_QUESTION_CHARS + 1)}, 422),
        ({"message": "x" * MAX_BODY_BYTES}, 413),
        ({"message": LOOK_UP, "key": "at the wrong place"}, 422),
        ({}, 422),
    ],
)
async def test_a_message_has_its_limits(site: Served, sent: dict[str, str], status: int) -> None:
    answer = await site.client.post(f"{await opened(site)}/messages", json=sent)
    assert answer.status_code == status
    assert answer.json()["advice"]
    assert "wrong place" not in answer.text


async def test_a_chat_that_is_closed_or_unknown_is_not_there(site: Served) -> None:
    at = await opened(site)
    assert (await site.client.delete(at)).status_code == 204
    for path in (at, "/api/chats/nobody"):
        refused = await post(site, f"{path}/messages", message=LOOK_UP)
        assert refused.status_code == 404
        assert "Open a new one" in refused.json()["detail"]


async def test_a_chat_is_its_users_alone(source: Path) -> None:
    users = {"ada": SecretStr(ADA), "ben": SecretStr(BEN)}
    runs = run_service(source)
    async with served(runs, Access(Mode.TOKENS, users), chats=chats_over(source, runs)) as site:
        ada, ben = ({"Authorization": f"Bearer {token}"} for token in (ADA, BEN))
        at = await opened(site, headers=ada)
        assert (await post(site, f"{at}/messages", message=LOOK_UP)).status_code == 401
        assert (await post(site, f"{at}/messages", ben, message=LOOK_UP)).status_code == 404
        assert (await post(site, f"{at}/messages", ada, message=LOOK_UP)).status_code == 200
        assert (await site.client.post("/api/chats", json={})).status_code == 401


async def test_the_public_has_a_quota_of_messages_and_of_runs(source: Path) -> None:
    runs = run_service(source)
    access = Access(Mode.PUBLIC, runs_per_hour=1)
    async with served(runs, access, chats=chats_over(source, runs)) as site:
        opening = await site.client.post("/api/chats", json={})
        site.client.cookies.clear()
        token = {"Authorization": f"Bearer {opening.json()['owner_token']}"}
        for _ in range(2):
            at = await opened(site, headers=token)
            await turn(site, at, HARD, **token)
            answer = await post(site, f"{at}/messages", token, message="yes")
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) > 0
        for _ in range(TURNS_PER_RUN - 4):
            await turn(site, at, LOOK_UP, **token)
        refused = await post(site, f"{at}/messages", token, message=LOOK_UP)
        assert (refused.status_code, "messages" in refused.json()["detail"]) == (429, True)


@pytest.mark.slow
async def test_an_own_key_is_sent_to_its_model_alone_and_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ModelServer()
    source = await asyncio.to_thread(records, tmp_path)
    with fresh_database("sqlite", tmp_path) as url:
        made = {"snapshot": str(source), "embedding_model": "", "database_url": url}
        settings = Settings.model_validate(made)
        runs = await asyncio.to_thread(build_runs, settings)
        async with (
            running(model.app) as hosted,
            served(runs, chats=chats_over(source, runs)) as site,
        ):
            here = providers.PROVIDERS["openai-chat"]._replace(base_url=f"{hosted}v1")
            monkeypatch.setitem(providers.PROVIDERS, "openai-chat", here)
            at = await opened(site, model="openai-chat:chosen")
            unkeyed = await post(site, f"{at}/messages", message=LOOK_UP)
            assert unkeyed.status_code == 422
            answer = await post(site, f"{at}/messages", {"X-Model-Key": KEY}, message=HARD)
            assert events(answer.text)[-1]["written_by"] == "model openai-chat:chosen"
            assert {one.key for one in model.asked} == {KEY}
            assert KEY not in answer.text
            assert held(KEY, site.runs) == []
            lone = await post(
                site, f"{await opened(site)}/messages", {"X-Model-Key": KEY}, message=LOOK_UP
            )
            assert lone.status_code == 422
            assert KEY not in lone.text
        assert KEY not in raw_text(url)


class TestSessions:
    async def test_of_a_user_and_of_all_the_longest_unused_goes_first(self, source: Path) -> None:
        runs = run_service(source)
        async with chats_over(source, runs) as chats:
            chat = await asyncio.to_thread(chats.chat)
        sessions = ChatSessions()
        first, second = sessions.add(chat, "ada"), sessions.add(chat, "ada")
        assert sessions.used(first, "ada")
        for _ in range(ChatSessions.MOST_OF_USER - 1):
            sessions.add(chat, "ada")
        assert sessions.used(second, "ada") is None
        assert sessions.used(first, "ada")
        for number in range(ChatSessions.MOST):
            sessions.add(chat, f"user{number}")
        assert sessions.used(first, "ada") is None

    async def test_a_chat_that_is_not_used_is_forgotten(self, source: Path) -> None:
        runs = run_service(source)
        async with chats_over(source, runs) as chats:
            chat = await asyncio.to_thread(chats.chat)
        now = [0.0]
        sessions = ChatSessions(lambda: now[0])
        used, idle = sessions.add(chat, "ada"), sessions.add(chat, "ada")
        now[0] = ChatSessions.IDLE_S - 1
        assert sessions.used(used, "ada")
        now[0] += 2
        assert sessions.used(idle, "ada") is None
        assert sessions.used(used, "ada")
