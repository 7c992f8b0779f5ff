"""The REST API over real HTTP: what is started, followed, stopped, read and deleted."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import jsonschema
import pytest

from deepcritical.bootstrap import build_runs
from deepcritical.domain.appraisal.checklist import Inquiry
from deepcritical.domain.base import attribute_docstrings
from deepcritical.domain.errors import ReasoningError
from deepcritical.domain.question.frame import QuestionFrame
from deepcritical.domain.report.claims import MAX_CLAIM_NUMBERS, MAX_TEXT_NUMBERS
from deepcritical.export.formats import ANSWER_FORMATS, FORMATS
from deepcritical.interfaces.guard import MAX_BODY_BYTES
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.services.storage.database import Database
from deepcritical.services.storage.tool_trace_service import ToolTraceService
from deepcritical.settings import Settings
from tests.conftest import QUESTION, ROOT, paper, run_service, snapshot
from tests.databases import fresh_database, raw_text
from tests.integration.modelled import records
from tests.integration.test_api import Served, gated, messages, served
from tests.servers.models import ModelServer
from tests.servers.running import running

KEY = "sk-made-up-key-that-nobody-may-keep"
RESEARCH = {"tool": "research", "question": QUESTION}
DEEP = {"tool": "deep_research", "question": "Does examplol help in testitis?"}
JSON = {"Accept": "application/json"}
CLAIM = "Examplol significantly improved testitis symptoms compared with placebo."


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Served]:
    with fresh_database("any", tmp_path) as url:
        source = snapshot(tmp_path / "records.jsonl", paper(1), paper(2))
        runs = run_service(source, traces=ToolTraceService(Database(url)))
        async with served(runs) as site:
            yield site
            await runs.close()


async def start(client: httpx.AsyncClient, asked: dict[str, Any], **headers: str) -> str:
    """The address of a run that was started."""
    answer = await client.post("/api/runs", json=asked, headers=headers)
    assert answer.status_code == 202, answer.text
    UUID(answer.json()["id"], version=4)
    assert answer.headers["location"] == answer.json()["links"]["self"]
    return str(answer.headers["location"])


async def finished(client: httpx.AsyncClient, asked: dict[str, Any]) -> dict[str, Any]:
    """A run as it stands once its stream has ended."""
    at = await start(client, asked)
    await client.get(f"{at}/events")
    shown: dict[str, Any] = (await client.get(at)).json()
    return shown


class TestRuns:
    @pytest.mark.slow
    async def test_a_question_becomes_a_report_in_every_format(self, site: Served) -> None:
        run = await finished(site.client, RESEARCH | {"depth": "quick"})
        assert (run["tool"], run["question"], run["status"]) == ("research", QUESTION, "completed")
        assert (run["progress"], run["stage"], run["ended"]) == (1.0, "done", True)
        assert run["stop_reason"]
        assert run["outcome"]
        assert run["error"] == ""
        assert run["metrics"]["iterations"] >= 1
        assert set(run["files"]) == set(FORMATS)
        for suffix, path in run["files"].items():
            answer = await site.client.get(path)
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].endswith(f'"report.{suffix}"')
        refused = await site.client.get(run["links"]["output"])
        assert refused.status_code == 409

    @pytest.mark.slow
    async def test_a_free_question_becomes_an_answer_in_every_format(self, site: Served) -> None:
        run = await finished(site.client, DEEP | {"context": "In adults.", "max_iterations": 2})
        assert set(run["files"]) == set(ANSWER_FORMATS)
        for suffix, path in run["files"].items():
            answer = await site.client.get(path)
            assert answer.status_code == 200
            assert answer.headers["content-disposition"].endswith(f'"answer.{suffix}"')
        assert (await site.client.get(f"{run['links']['self']}/export/pdf")).status_code == 404
        written = (await site.client.get(run["files"]["json"])).json()
        schema = await asyncio.to_thread((ROOT / "docs" / "answer.schema.json").read_text, "utf-8")
        jsonschema.validate(written, json.loads(schema))

    @pytest.mark.slow
    async def test_the_output_is_that_of_the_tool(self, site: Served) -> None:
        run = await finished(site.client, DEEP)
        output = (await site.client.get(run["links"]["output"])).json()
        view = await site.runs.find(run["id"])
        assert view is not None
        assert view.answer is not None
        assert output == view.answer.tool_output(run["id"]).model_dump(mode="json")
        assert output["trace_id"] == run["id"]
        assert output["sources"][0]["id"] == "src_1"

    @pytest.mark.slow
    async def test_events_can_be_had_as_json_from_any_number_on(self, site: Served) -> None:
        run = await finished(site.client, RESEARCH)
        path = run["links"]["events"]
        streamed = messages((await site.client.get(path)).text)
        page = (await site.client.get(path, headers=JSON)).json()
        assert [event["seq"] for event in page["events"]] == [one["seq"] for one in streamed]
        assert [event["text"] for event in page["events"]] == [one["text"] for one in streamed]
        assert (page["ended"], page["next"]) == (True, len(streamed))
        rest = (await site.client.get(path, headers=JSON, params={"after": 3})).json()
        assert rest["events"] == page["events"][3:]
        none = (await site.client.get(path, headers=JSON, params={"after": 999})).json()
        assert none == {"events": [], "ended": True, "next": 999}

    @pytest.mark.slow
    async def test_own_runs_are_listed_page_by_page(self, site: Served) -> None:
        begun = [(await finished(site.client, RESEARCH))["id"] for _ in range(3)]
        begun.append((await finished(site.client, DEEP))["id"])
        listed, following = [], "/api/runs?limit=3"
        while following:
            page = (await site.client.get(following)).json()
            listed += [run["id"] for run in page["runs"]]
            following = page["next"]
        assert listed == begun[::-1]
        deep = (await site.client.get("/api/runs", params={"tool": "deep_research"})).json()
        assert [run["id"] for run in deep["runs"]] == begun[3:]
        assert deep["next"] is None

    @pytest.mark.slow
    async def test_a_run_that_has_ended_can_be_deleted(self, site: Served) -> None:
        run = await finished(site.client, RESEARCH)
        assert (await site.client.delete(run["links"]["self"])).status_code == 204
        assert (await site.client.get(run["links"]["self"])).status_code == 404
        assert (await site.client.delete(run["links"]["self"])).status_code == 404
        assert (await site.client.get("/api/runs")).json()["runs"] == []

    @pytest.mark.slow
    async def test_a_repeated_start_begins_one_run(self, site: Served) -> None:
        sent = {"Idempotency-Key": "made-up-1"}
        first = await start(site.client, RESEARCH, **sent)
        assert await start(site.client, RESEARCH, **sent) == first
        assert await start(site.client, RESEARCH) != first
        other = await site.client.post("/api/runs", json=DEEP, headers=sent)
        assert other.status_code == 422
        assert "Idempotency-Key" in other.json()["detail"]

    async def test_what_answers_is_told(self, site: Served) -> None:
        told = (await site.client.get("/api/sources")).json()
        assert told["reasoner"] == site.runs.reasoner.name
        assert told["sources"] == list(await site.runs.sources())


class TestUnderWay:
    async def test_how_it_stands_is_told_and_nothing_is_there_to_read(self, tmp_path: Path) -> None:
        runs, gate = gated(tmp_path)
        async with served(runs) as site:
            at = await start(site.client, RESEARCH)
            async with site.client.stream("GET", f"{at}/events") as answer:
                lines = answer.aiter_lines()
                while '"question_refined"' not in await anext(lines):
                    pass
                run = (await site.client.get(at)).json()
                assert (run["status"], run["ended"], run["files"]) == ("in_progress", False, {})
                assert 0 <= run["progress"] < 1
                page = (await site.client.get(f"{at}/events", headers=JSON)).json()
                assert page["ended"] is False
                for path in ("output", "export/md"):
                    assert (await site.client.get(f"{at}/{path}")).status_code == 409
                assert (await site.client.delete(at)).status_code == 409
                gate.set()

    async def test_stopped_it_ends_and_every_follower_hears_it(self, tmp_path: Path) -> None:
        runs, _ = gated(tmp_path)
        async with served(runs) as site:
            at = await start(site.client, RESEARCH)
            following = asyncio.create_task(site.client.get(f"{at}/events"))
            await asyncio.sleep(0.1)
            async with asyncio.timeout(20):  # its gate stays shut
                assert (await site.client.post(f"{at}/cancel")).status_code == 202
                assert messages((await following).text)[-1]["event"]["type"] == "run_cancelled"
            assert (await site.client.get(at)).json()["status"] == "cancelled"
            assert (await site.client.post(f"{at}/cancel")).status_code == 202
            assert (await site.client.post(f"{at}/write-now")).status_code == 409

    async def test_told_to_write_now_it_answers_from_what_there_is(self, tmp_path: Path) -> None:
        source = snapshot(tmp_path / "records.jsonl", paper(1))
        async with served(run_service(source, max_iterations=10)) as site:
            at = await start(site.client, DEEP)
            answer = await site.client.post(f"{at}/write-now")
            assert answer.status_code == 202, answer.text
            await site.client.get(f"{at}/events")
            run = (await site.client.get(at)).json()
            assert (run["status"], run["stop_reason"]) == ("completed", "user_stop")
            assert run["metrics"]["iterations"] == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("asked", "pointer"),
        [
            ({}, "#"),
            ([], "#"),
            ({"tool": "research"}, "#/research/question"),
            (RESEARCH | {"question": ""}, "#/research/question"),
            (RESEARCH | {"question": "x" * 2001}, "#/research/question"),
            (RESEARCH | {"question": 3}, "#/research/question"),
            (RESEARCH | {"depth": "bottomless"}, "#/research/depth"),
            (RESEARCH | {"max_iterations": 3}, "#/research/max_iterations"),
            (RESEARCH | {"key": KEY}, "#/research/key"),
            (RESEARCH | {"tool": "elsewhere"}, "#"),
            (DEEP | {"max_iterations": 11}, "#/deep_research/max_iterations"),
            (DEEP | {"context": "x" * 2001}, "#/deep_research/context"),
        ],
    )
    async def test_what_cannot_be_used_is_named_and_not_repeated(
        self, site: Served, asked: object, pointer: str
    ) -> None:
        answer = await site.client.post("/api/runs", json=asked)
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert (problem["status"], problem["title"]) == (422, HTTPStatus(422).phrase)
        assert pointer in [error["pointer"] for error in problem["errors"]]
        assert problem["advice"]
        assert KEY not in answer.text

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            (RESEARCH | {"question": "   "}, "question"),
            (RESEARCH | {"model": "anthropic:made-up"}, "model"),
        ],
    )
    async def test_what_the_service_refuses_comes_with_advice(
        self, site: Served, asked: dict[str, Any], words: str
    ) -> None:
        answer = await site.client.post("/api/runs", json=asked)
        assert answer.status_code == 422
        assert words in answer.json()["detail"]
        assert answer.json()["advice"]

    async def test_bodies_have_a_length_and_a_limit(self, site: Served) -> None:
        large = RESEARCH | {"question": "x" * MAX_BODY_BYTES}
        assert (await site.client.post("/api/runs", json=large)).status_code == 413

        async def unsaid() -> AsyncIterator[bytes]:
            yield json.dumps(RESEARCH).encode()

        kind = {"Content-Type": "application/json"}
        answer = await site.client.post("/api/runs", content=unsaid(), headers=kind)
        assert answer.status_code == 411
        as_form = await site.client.post("/api/runs", data=RESEARCH)
        assert as_form.status_code == 422
        broken = await site.client.post("/api/runs", content=b'{"tool":', headers=kind)
        assert broken.status_code == 422

    @pytest.mark.parametrize("path", ["/api/nothing", "/api/runs/nobody", "/api/docs"])
    async def test_what_is_not_there_is_a_problem_too(self, site: Served, path: str) -> None:
        answer = await site.client.get(path)
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["advice"]

    async def test_another_site_cannot_start_a_run(self, site: Served) -> None:
        elsewhere = {"Origin": "https://other.example"}
        answer = await site.client.post("/api/runs", json=RESEARCH, headers=elsewhere)
        assert answer.status_code == 403

    async def test_a_full_server_says_when_to_try_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("deepcritical.jobs.known_runs.MAX_ACTIVE", 1)
        runs, gate = gated(tmp_path)
        async with served(runs) as site:
            await start(site.client, RESEARCH)
            answer = await site.client.post("/api/runs", json=RESEARCH)
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) > 0
            gate.set()


async def test_a_free_question_without_an_answer_has_the_tools_output_all_the_same(
    tmp_path: Path,
) -> None:
    class Failing(ExtractiveReasoner):
        async def refine_inquiry(self, frame: QuestionFrame, context: str = "") -> Inquiry:
            raise ReasoningError(f"Not to be read: {frame.text} {context}")

    source = snapshot(tmp_path / "records.jsonl", paper(1))
    async with served(run_service(source, Failing())) as site:
        run = await finished(site.client, DEEP)
        assert run["status"] == "failed"
        output = (await site.client.get(run["links"]["output"])).json()
        assert (output["trace_id"], output["status"]) == (run["id"], "error")
        assert (output["answer"], output["sources"]) == (run["error"], [])


class TestVerify:
    async def verified(self, site: Served, **given: Any) -> httpx.Response:
        reference = {"title": paper()["title"], "text": paper()["text"], "pmid": paper()["pmid"]}
        body = {"claim": CLAIM, "references": [reference]} | given
        return await site.client.post("/api/verify", json=body)

    async def test_a_claim_is_held_against_what_it_cites(self, site: Served) -> None:
        holds = (await self.verified(site)).json()
        assert (holds["verdict"], holds["supported"]) == ("supported", True)
        turned = (await self.verified(site, claim=CLAIM.replace("improved", "worsened"))).json()
        assert (turned["verdict"], turned["supported"]) == ("contradicted", False)
        told = (await self.verified(site, claim="It was of some help to many.")).json()
        assert (told["verdict"], told["supported"]) == ("cannot tell", False)
        assert any(check["outcome"] == "failed" for check in turned["checks"])

    async def test_a_record_that_is_not_there_bears_nothing(self, site: Served) -> None:
        assert (await self.verified(site, claim=f"{CLAIM} [E7]")).json()["supported"] is False
        assert (await self.verified(site, references=[])).status_code == 422

    @pytest.mark.slow
    async def test_what_would_take_long_is_refused(self, site: Served) -> None:
        many = {"title": "Made up", "text": "1 " * (MAX_TEXT_NUMBERS + 1)}
        assert (await self.verified(site, references=[many])).status_code == 422
        claim = "1 " * (MAX_CLAIM_NUMBERS + 1)
        assert (await self.verified(site, claim=claim)).status_code == 422
        most = many | {"text": "1 " * MAX_TEXT_NUMBERS}
        answer = await self.verified(site, references=[most], claim="1 " * MAX_CLAIM_NUMBERS)
        assert answer.status_code == 200


@pytest.mark.slow
async def test_a_key_goes_to_the_model_and_nowhere_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server, seen = ModelServer(), []
    path = await asyncio.to_thread(records, tmp_path)
    with fresh_database("any", tmp_path) as url:
        async with running(server.app) as model:
            made = {"snapshot": str(path), "embedding_model": "", "max_iterations": 1}
            own = {"model": "vllm:servers", "model_base_url": f"{model}v1", "DATABASE_URL": url}
            settings = Settings.model_validate(made | own)
            runs = await asyncio.to_thread(build_runs, settings)
            async with served(runs) as site:

                async def noted(answer: httpx.Response) -> None:
                    await answer.aread()
                    seen.append(f"{answer.headers} {answer.text}")

                site.client.event_hooks["response"].append(noted)
                at = await start(site.client, RESEARCH, **{"X-Model-Key": KEY})
                await site.client.get(f"{at}/events")
                run = (await site.client.get(at)).json()
                assert run["status"] == "completed"
                paths = (*run["files"].values(), "/api/runs", "/api/openapi.json")
                for one in paths:
                    await site.client.get(one)
                await runs.close()
        assert {asked.key for asked in server.asked} == {KEY}
        assert KEY not in await asyncio.to_thread(raw_text, url)
    assert KEY not in "".join(seen)
    assert KEY not in caplog.text


async def test_the_description_is_complete_and_asks_for_no_key_in_a_body(site: Served) -> None:
    attribute_docstrings.cache_clear()  # so that the sources are read, beside the loop
    at_once = (site.client.get("/api/openapi.json") for _ in range(20))
    first, *others = [answer.json() for answer in await asyncio.gather(*at_once)]
    assert all(other == first for other in others)
    described = first
    assert described["servers"] == [{"url": "/api"}]
    assert set(described["paths"]) == {
        *("/health", "/sources", "/verify", "/runs", "/runs/{run_id}", "/runs/{run_id}/events"),
        "/runs/{run_id}/verdict",
        *("/similar", "/runs/{run_id}/cancel", "/runs/{run_id}/write-now", "/runs/{run_id}/output"),
        "/runs/{run_id}/export/{suffix}",
        *("/runs/{run_id}/resume", "/runs/{run_id}/share", "/runs/{run_id}/again"),
        *("/chats", "/chats/{chat_id}", "/chats/{chat_id}/messages", "/chats/{chat_id}/accept"),
        *("/documents", "/documents/folder", "/documents/{document_id}"),
    }
    for name, schema in described["components"]["schemas"].items():
        for field in schema.get("properties", {}):
            assert "key" not in field.replace("key_terms", ""), f"{name}.{field}"
    for methods in described["paths"].values():
        for operation in methods.values():
            problem = operation["responses"]["4XX"]["content"]
            assert list(problem) == ["application/problem+json"]
