"""Models of steps, fallback, temperature, effort, caching: what really goes to which server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from deepcritical.domain.errors import KeyRefusedError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import Event, Notice
from deepcritical.interfaces.render import describe
from deepcritical.models import metering
from deepcritical.models.answers import Plan
from deepcritical.models.asking import Asker, open_asker
from deepcritical.models.desk import RunDesk
from deepcritical.models.failing import NoAnswerError
from deepcritical.models.providers import ModelServer as Resolved
from deepcritical.models.providers import model_server
from deepcritical.prompts.asks import ask_plan
from deepcritical.reasoning.llm import LLMReasoner
from tests.conftest import QUESTION, ended, of_type, run_service
from tests.integration.model_reading import Recording
from tests.integration.modelled import records
from tests.servers.models import Asked, Fault, ModelServer
from tests.servers.running import running


@pytest.fixture(autouse=True)
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send no request again, so that no test waits between two."""
    monkeypatch.setattr(metering, "_LONGEST_WAIT_S", 0.0)


@asynccontextmanager
async def two() -> AsyncIterator[tuple[ModelServer, ModelServer, Resolved, Resolved]]:
    """Two servers, and the models at them; each has a key of its own."""
    one, other = ModelServer(), ModelServer()
    async with running(one.app) as first, running(other.app) as second:
        made = model_server(
            "openai-chat:gpt-4o", base_url=f"{first}v1", api_key="first", profile="large"
        )
        beside = model_server(
            "vllm:made-up", base_url=f"{second}v1", api_key="second", profile="medium"
        )
        yield one, other, made, beside


def telling(heard: list[Event]) -> RunDesk:
    async def tell(event: Event) -> None:
        heard.append(event)

    return RunDesk(RunLimits(), tell=tell)


async def ask(asker: Asker) -> Plan:
    return await asker.ask("question", ask_plan(QUESTION), Plan)


class TestSteps:
    async def test_reading_goes_to_its_own_model_and_the_rest_to_that_of_the_run(
        self, tmp_path: Path
    ) -> None:
        async with two() as (one, other, server, reader):
            server.steps = {"reader": reader}
            reasoner = LLMReasoner(server)
            run = run_service(records(tmp_path), reasoner, max_iterations=1).submit(QUESTION)
            events = await ended(run)
        assert set(other.tasks) == {"read_studies"}
        assert "read_studies" not in one.tasks
        assert {asked.key for asked in one.asked} == {"first"}
        assert {asked.key for asked in other.asked} == {"second"}
        spent = of_type(events, "judgement_made")[-1].spent
        assert spent.calls == len(one.asked) + len(other.asked)
        assert spent.tokens == one.tokens + other.tokens

    async def test_a_users_key_goes_to_the_model_of_the_run_alone(self) -> None:
        async with two() as (one, other, server, reader):
            server.steps = {"reader": reader}
            desk = RunDesk(RunLimits(), model_api_key=SecretStr("the-users-own"))
            async with open_asker(server, desk) as asker:
                await ask(asker)
                await asker.ask("reading", ask_plan(QUESTION), Plan)
        assert [asked.key for asked in one.asked] == ["the-users-own"]
        assert [asked.key for asked in other.asked] == ["second"]


class TestFallback:
    async def test_it_answers_where_the_server_fails_and_is_counted_and_told(
        self, tmp_path: Path
    ) -> None:
        async with two() as (one, other, server, beside):
            one.fault = lambda _asked: Fault(status=503)
            server.fallback = beside
            run = run_service(records(tmp_path), LLMReasoner(server), max_iterations=1)
            submitted = run.submit(QUESTION)
            events = await ended(submitted)
            report = await submitted.result()
        told = [n for n in report.notices if "fallback" in n]
        assert len(told) == 1
        assert "openai-chat:gpt-4o did not answer" in told[0]
        assert "vllm:made-up" in told[0]
        assert {event.made_by for event in of_type(events, "judgement_made")} == {"model"}
        last = of_type(events, "judgement_made")[-1]
        assert last.spent.by_fallback == last.spent.calls == len(other.asked)
        assert f"{last.spent.by_fallback} of them by the fallback model" in describe(last)
        assert last.spent.cost_usd == 0.0  # nothing was answered by the model with a price

    @pytest.mark.parametrize("how", ["prose", "refused question"])
    async def test_a_wrong_answer_is_no_reason_for_it(self, how: str) -> None:
        async with two() as (one, other, server, beside):
            if how == "prose":
                one.change = lambda *_: "I think it works very well."
            else:
                one.fault = lambda _asked: Fault(refusal="I cannot help with that.")
            server.fallback = beside
            async with open_asker(server, RunDesk()) as asker:
                with pytest.raises(NoAnswerError):
                    await ask(asker)
        assert other.asked == []

    async def test_a_wrong_key_ends_the_run_as_without_one(self) -> None:
        async with two() as (one, other, server, beside):
            one.fault = lambda _asked: Fault(status=401)
            server.fallback = beside
            async with open_asker(server, RunDesk()) as asker:
                with pytest.raises(KeyRefusedError):
                    await ask(asker)
        assert other.asked == []

    async def test_one_that_fails_itself_leaves_the_judgement_to_the_rules(self) -> None:
        heard: list[Event] = []
        async with two() as (one, other, server, beside):
            one.fault = other.fault = lambda _asked: Fault(status=503)
            server.fallback = beside
            async with open_asker(server, telling(heard)) as asker:
                for _ in range(4):
                    with pytest.raises(NoAnswerError):
                        await ask(asker)
                assert asker.purse.spent.calls == 0
        assert len([event for event in heard if isinstance(event, Notice)]) == 1
        assert len(one.asked) <= len(other.asked) + 2  # given up after three in a row


async def sent(
    spec: str,
    path: str = "v1",
    fault: Callable[[Asked], Fault | None] = lambda _asked: None,
    **more: Any,
) -> list[dict[str, Any]]:
    """The bodies of two questions for readings."""
    server = ModelServer()
    server.fault = fault
    recording = Recording(server.app)
    async with running(recording) as url:
        made = model_server(spec, base_url=f"{url}{path}", api_key="made-up", **more)
        async with open_asker(made, RunDesk()) as asker:
            for _ in range(2):
                await asker.ask("reading", ask_plan(QUESTION), Plan)
    return [json.loads(body) for body in recording.bodies]


class TestRequests:
    async def test_a_temperature_of_zero_is_sent(self) -> None:
        bodies = await sent("openai-chat:gpt-4o")
        assert [body["temperature"] for body in bodies] == [0.0, 0.0]

    @pytest.mark.parametrize("spec", ["openai-chat:o3", "anthropic:claude-opus-4-8"])
    async def test_none_is_sent_to_a_model_that_is_known_to_refuse_it(self, spec: str) -> None:
        bodies = await sent(spec, "" if spec.startswith("anthropic") else "v1")
        assert all("temperature" not in body for body in bodies)

    async def test_none_is_sent_any_more_once_a_server_refused_it(self) -> None:
        refusal = '{"error": {"message": "Unsupported value: \'temperature\' must be 1."}}'
        left = [Fault(status=400, body=refusal)]
        bodies = await sent("vllm:made-up", fault=lambda _asked: left.pop() if left else None)
        assert ["temperature" in body for body in bodies] == [True, False, False]

    async def test_the_shared_part_of_prompts_is_kept_by_a_server_that_offers_it(self) -> None:
        for body in await sent("anthropic:claude-opus-4-6", ""):
            assert body["system"][-1]["cache_control"]["type"] == "ephemeral"
            assert body["tools"][-1]["cache_control"]["type"] == "ephemeral"
            assert "cache_control" not in json.dumps(body["messages"])
        assert all("cache" not in json.dumps(body) for body in await sent("vllm:made-up"))

    async def test_an_effort_goes_to_models_that_think_with_room_for_it(self) -> None:
        (chat, _) = await sent("openai-chat:gpt-5", effort="low")
        assert chat["reasoning_effort"] == "low"
        (claude, _) = await sent("anthropic:claude-haiku-4-5", "", effort="high")
        assert claude["thinking"]["budget_tokens"] < claude["max_tokens"]
        assert "temperature" not in claude
        (plain, _) = await sent("openai-chat:gpt-4o", effort="low")
        assert "reasoning_effort" not in plain

    @pytest.mark.parametrize("spec", ["deepseek:made-up", "alibaba:made-up", "zai:x"])
    async def test_a_provider_of_the_library_is_asked_at_the_address_that_is_set(
        self, spec: str
    ) -> None:
        bodies = await sent(spec)
        assert [body["model"] for body in bodies] == [spec.partition(":")[2]] * 2
