"""The real team with a made-up model on loopback: prompts, path, budgets, keys, ways of asking."""

from __future__ import annotations

import asyncio
import itertools
import time
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import RunLimits
from deepcritical.models.profiles import LARGE, SMALL
from deepcritical.models.providers import model_server
from deepcritical.prompts.evidence import estimated_tokens
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.tools.snapshot import parse
from tests.conftest import DEMO, DEMO_QUESTION, QUESTION, ended, of_type, run_service
from tests.integration.modelled import ADDRESSES, Modelled, assert_sound, many, modelled, records
from tests.servers.answers import cited_from, findings_of, records_of, studies_of
from tests.servers.models import Asked, Fault, ModelServer
from tests.servers.running import running

TASKS = ("assess_evidence",)
"""What the agents ask with records, beside the reading of studies."""


def path_length(server: ModelServer, latency_s: float) -> int:
    """Calls that had to wait for one another: those that arrived while another was out go along."""
    waves: list[float] = []
    for asked in sorted(server.asked, key=lambda one: one.at_s):
        if not waves or asked.at_s >= waves[-1] + 0.9 * latency_s:
            waves.append(asked.at_s)
    return len(waves)


def told(record: Evidence, profile: str) -> str:
    """Return a record's part in a prompt: for a small model its text, else its reading."""
    return record.content if profile == "small" else f">\n{record.citation.title}"


class TestPrompts:
    @pytest.mark.parametrize("profile", ["large", "small"])
    async def test_every_agents_prompt_holds_ids_and_text_of_the_store_within_the_context(
        self, tmp_path: Path, profile: str
    ) -> None:
        path = records(tmp_path)
        run = await modelled(path, profile=profile, max_iterations=1)
        stored = [r for r in parse(path.read_bytes(), "made").records if r.content]
        allowed = LARGE if profile == "large" else SMALL
        for task in TASKS:
            prompts = run.server.prompts(task)
            shown = [*prompts, *(text for p in prompts for text in records_of(p).values())]
            ids = {i for p in prompts for i in (*records_of(p), *cited_from(p))}
            assert ids, task
            assert {i.removeprefix("E") for i in ids} <= {f"{n + 1}" for n in range(len(stored))}
            assert any(told(record, profile) in " ".join(shown) for record in stored), task
            for prompt in prompts:
                assert estimated_tokens(prompt) <= allowed.context_tokens + 1_000
        assert all("never" in asked.system and "data" in asked.system for asked in run.server.asked)

    async def test_a_reader_is_shown_numbered_sentences_by_ids_of_the_question_alone(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(records(tmp_path), max_iterations=1)
        (prompt,) = run.server.prompts("read_studies")
        shown = studies_of(prompt)
        assert list(shown) == [f"R{number}" for number in range(1, len(shown) + 1)]
        assert {told[0] for told in shown.values()} >= {"Examplol in testitis: made-up trial 1"}
        assert any(
            "Examplol significantly improved" in t for told in shown.values() for t in told.values()
        )
        assert "E1" not in prompt

    async def test_a_writer_is_shown_the_sentences_of_records_and_its_own_are_judged(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(records(tmp_path), max_iterations=1)
        prompt, *_ = run.server.prompts("write_report")
        told = findings_of(prompt)
        assert len(told) > len(cited_from(prompt)) > 1
        judged = run.server.prompts("verify")
        assert run.report
        assert run.report.brief
        own = [s for s in run.report.brief.synthesis if s.origin == "model"]
        assert {s.text for s in own} <= set(told.values())
        assert own
        assert all(any(s.text in prompt for prompt in judged) for s in own)

    async def test_what_speaks_against_the_drug_is_in_the_judges_prompt_with_design(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(records(tmp_path), max_iterations=1)
        (prompt,) = run.server.prompts("assess_evidence")
        assert "results, a = A, b = - unless told:\n1. symptoms: no difference shown" in prompt
        assert "stopped because: Futility at the interim analysis" in prompt
        assert "read as: randomised controlled trial" in prompt

    @pytest.mark.slow
    async def test_a_small_models_requests_fit_into_4096_tokens_with_a_usual_answer(self) -> None:
        run = await modelled(
            DEMO,
            question=DEMO_QUESTION,
            profile="small",
            max_iterations=3,
            results_per_query=10,
            max_calls=200,
        )
        assert run.server.prompts("assess_evidence")
        longest = max(asked.chars for asked in run.server.asked)
        usual_answer, chars_per_token = 900, 3.5
        assert longest / chars_per_token + usual_answer <= 4_096

    async def test_a_small_model_is_asked_in_fewer_words_and_smaller_batches(
        self, tmp_path: Path
    ) -> None:
        small = await modelled(records(tmp_path), profile="small", max_iterations=1)
        large = await modelled(records(tmp_path), profile="large", max_iterations=1)
        batches = [len(studies_of(p)) for p in small.server.prompts("read_studies")]
        assert batches
        assert max(batches) <= SMALL.batch_records
        assert len(small.server.asked[0].system) < len(large.server.asked[0].system) / 2
        assert small.report
        assert large.report
        assert small.report.verdict == large.report.verdict


class TestPath:
    @pytest.mark.slow
    @pytest.mark.parametrize(("rounds", "most"), [(1, 6), (2, 9)])
    async def test_few_calls_wait_for_one_another(
        self, tmp_path: Path, rounds: int, most: int
    ) -> None:
        latency_s = 2.0  # calls that are sent together arrive long before that

        def slow(server: ModelServer) -> None:
            server.latency_s = latency_s

        run = await modelled(
            many(tmp_path), slow, timeout_s=20, max_iterations=rounds, results_per_query=40
        )
        assert run.report
        assert run.made_by.keys() >= {"question", "reading", "assessment", "report"}
        assert path_length(run.server, latency_s) <= most


class TestBudget:
    @pytest.mark.parametrize("max_calls", [0, 1, 2, 3, 5, 8, 13, 40])
    async def test_no_number_of_calls_is_exceeded(self, tmp_path: Path, max_calls: int) -> None:
        await self._within(tmp_path, RunLimits(max_iterations=1, max_calls=max_calls))

    @pytest.mark.parametrize("max_tokens", [0, 500, 9_000, 20_000, 40_000, 80_000, 400_000])
    async def test_no_number_of_tokens_is_exceeded(self, tmp_path: Path, max_tokens: int) -> None:
        await self._within(tmp_path, RunLimits(max_iterations=1, max_tokens=max_tokens))

    async def _within(self, tmp_path: Path, limits: RunLimits) -> None:
        path = records(tmp_path)
        run = await modelled(path, **limits.model_dump())
        stored = {str(n): r for n, r in enumerate(parse(path.read_bytes(), "made").records)}
        assert_sound(run, limits, stored)
        assert run.report
        assert run.report.references
        by_rule = [who for who in run.made_by.values() if who != {"model"}]
        told = [n for n in run.report.notices if "budget for it is used up" in n]
        assert bool(by_rule) is bool(told)
        if limits.max_calls == 0 or limits.max_tokens == 0:
            assert run.report.written_by.startswith("extractive (no model)")
            assert not run.server.asked

    @pytest.mark.slow
    async def test_the_caps_take_reading_first_then_hypotheses_and_keep_the_report(
        self, tmp_path: Path
    ) -> None:
        taken = {}
        for max_calls in range(2, 12):
            run = await modelled(records(tmp_path), max_iterations=1, max_calls=max_calls)
            by_model = {j for j, who in run.made_by.items() if who & {"model", "model in part"}}
            taken[max_calls] = by_model
        assert "report" in set.intersection(*taken.values())
        assert all("hypotheses" in done for done in taken.values() if "reading" in done)

    async def test_the_estimate_comes_first_and_the_running_total_rises(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(records(tmp_path), max_iterations=1)
        planned, with_reading = of_type(run.events, "budget_planned")
        assert (planned.new_records, with_reading.new_records > 0) == (0, True)
        assert with_reading.estimate.calls > planned.estimate.calls
        kinds = [e.event.type for e in run.events]
        assert kinds.index("budget_planned") < kinds.index("judgement_made")
        assert 0 < planned.estimate.calls <= planned.limits.max_calls
        totals = [e.spent for e in of_type(run.events, "judgement_made")]
        assert all(a.tokens <= b.tokens for a, b in itertools.pairwise(totals))
        assert totals[-1].calls == len(run.server.asked)
        assert totals[-1].tokens == run.server.tokens

    @pytest.mark.slow
    async def test_calls_at_once_wait_for_the_budget_instead_of_giving_up(
        self, tmp_path: Path
    ) -> None:
        def slow(server: ModelServer) -> None:
            server.latency_s = 0.1

        run = await modelled(
            many(tmp_path), slow, max_iterations=1, max_tokens=110_000, results_per_query=40
        )
        assert len(run.server.prompts("read_studies")) > 2
        assert run.made_by["reading"] == {"model"}
        assert run.server.tokens <= 110_000

    async def test_a_limit_in_dollars_without_a_price_is_said_to_be_none(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(records(tmp_path), max_iterations=1, max_cost_usd=0.01)
        assert run.report
        assert any("price of openai-chat:made-up is not known" in n for n in run.report.notices)

    @pytest.mark.slow
    async def test_a_server_that_takes_long_leaves_time_for_the_report(
        self, tmp_path: Path
    ) -> None:
        def slow(server: ModelServer) -> None:
            server.latency_s = 8.0

        run = await modelled(
            records(tmp_path), slow, timeout_s=20, deadline_s=20.0, max_iterations=3
        )
        assert run.report
        assert run.report.references

    @pytest.mark.slow
    async def test_a_default_deadline_waits_for_a_slow_model(self, tmp_path: Path) -> None:
        def slow(server: ModelServer) -> None:
            server.latency_s = 1.5

        run = await modelled(records(tmp_path), slow, deadline_s=8.0, paced=True, max_iterations=1)
        (moved,) = of_type(run.events, "deadline_moved")
        assert moved.deadline_s > 8.0
        assert run.made_by["assessment"] == {"model"}
        assert run.events[-1].at - run.events[0].at < timedelta(seconds=moved.deadline_s)

    @pytest.mark.slow
    async def test_a_deadline_moves_while_a_call_is_under_way_and_a_plan_keeps_the_default(
        self, tmp_path: Path
    ) -> None:
        server = ModelServer()
        server.latency_s = 1.0
        async with running(server.app) as url:
            model = model_server("vllm:made-up", base_url=f"{url}v1", profile="small")
            runs = run_service(
                many(tmp_path), LLMReasoner(model), deadline_s=6.0, paced=True, max_iterations=1
            )
            plan = await runs.plan(QUESTION)
            assert (plan.limits.deadline_s, plan.limits.paced) == (6.0, True)
            events = await ended(runs.submit(QUESTION, plan=plan))
        (moved,) = of_type(events, "deadline_moved")
        assert moved.deadline_s > 6.0
        by_model = [e.judgement for e in of_type(events, "judgement_made") if e.made_by != "rules"]
        assert "reading" in by_model

    @pytest.mark.parametrize("max_cost_usd", [0.0, 0.02, 0.1, 0.2, 0.5, 5.0])
    async def test_no_number_of_dollars_is_exceeded(
        self, tmp_path: Path, max_cost_usd: float
    ) -> None:
        run = await modelled(
            records(tmp_path), name="gpt-4o", max_iterations=1, max_cost_usd=max_cost_usd
        )
        assert run.report
        spent = [e.spent.cost_usd for e in of_type(run.events, "judgement_made")]
        assert spent[-1] <= max_cost_usd
        assert bool(run.server.asked) is (max_cost_usd >= 0.1)


class TestCancel:
    async def test_a_run_that_waits_for_the_model_stops_at_once(self, tmp_path: Path) -> None:
        server = ModelServer()
        server.latency_s = 60.0
        async with running(server.app) as url:
            resolved = model_server("vllm:made-up", base_url=f"{url}v1")
            runs = run_service(records(tmp_path), LLMReasoner(resolved))
            run = runs.submit(QUESTION)
            async with asyncio.timeout(60):
                await server.arrived.wait()
            asked_s = time.monotonic()
            run.cancel()
            events = await ended(run)
            assert time.monotonic() - asked_s < 10
        assert events[-1].event.type == "run_cancelled"


class TestWaysOfAsking:
    @pytest.mark.parametrize("api", ADDRESSES)
    async def test_every_api_is_spoken(self, tmp_path: Path, api: str) -> None:
        run = await modelled(records(tmp_path), api=api, max_iterations=1)
        assert run.report
        assert run.report.written_by == f"model {api}:made-up"
        assert {asked.key for asked in run.server.asked} == {"made-up-key"}

    async def test_a_server_without_tools_is_asked_with_a_schema_and_that_is_remembered(
        self, tmp_path: Path
    ) -> None:
        await self._asked_as(tmp_path, "native", unable=("tool",))

    async def test_the_last_way_is_words(self, tmp_path: Path) -> None:
        await self._asked_as(tmp_path, "prompted", unable=("tool", "native"))

    async def _asked_as(self, tmp_path: Path, mode: str, unable: tuple[str, ...]) -> None:
        def refuse(asked: Asked) -> Fault | None:
            return Fault(status=500) if asked.mode in unable else None

        server = ModelServer()
        server.fault = refuse
        async with running(server.app) as url:
            resolved = model_server("vllm:made-up", base_url=f"{url}v1", profile="large")
            runs = run_service(records(tmp_path), LLMReasoner(resolved), max_iterations=1)
            first, second = [await runs.submit(QUESTION).result() for _ in range(2)]
        refused = [asked for asked in server.asked if asked.mode in unable]
        assert [asked.mode for asked in refused] == list(unable)
        assert {asked.mode for asked in server.asked} == {*unable, mode}
        assert first == second
        assert first.written_by == "model vllm:made-up"


class TestKeys:
    async def test_each_run_sends_its_own_key_and_shows_it_nowhere(self, tmp_path: Path) -> None:
        server = ModelServer()
        async with running(server.app) as url:
            resolved = model_server("openai-chat:made-up", base_url=f"{url}v1", api_key="house-key")
            runs = run_service(records(tmp_path), LLMReasoner(resolved), max_iterations=1)
            mine = runs.submit(QUESTION, model_api_key=SecretStr("my-own-key"))
            house = runs.submit(QUESTION)
            reports = await asyncio.gather(mine.result(), house.result())
            logs = [await ended(mine), await ended(house)]
        keys = {asked.key for asked in server.asked}
        assert keys == {"my-own-key", "house-key"}
        told = "".join(e.model_dump_json() for log in logs for e in log)
        told += "".join(report.model_dump_json() for report in reports)
        assert not [key for key in keys if key in told]


async def test_the_model_adds_what_the_rules_cannot_read_and_takes_nothing_back(
    tmp_path: Path,
) -> None:
    with_model = await modelled(records(tmp_path), max_iterations=1)
    without: Modelled = await modelled(records(tmp_path), max_iterations=1, max_calls=0)
    assert with_model.report
    assert without.report
    assert {c.quote for c in without.report.claims} <= {c.quote for c in with_model.report.claims}
