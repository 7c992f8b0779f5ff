"""The standard manager with a made-up model on loopback: it names agents, code decides."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from deepcritical.domain.budget import RunLimits
from deepcritical.models.profiles import LARGE
from deepcritical.orchestrators.manager import MOST_OVERRULED
from deepcritical.prompts.evidence import estimated_tokens
from deepcritical.tools.snapshot_records import parse
from tests.conftest import DEMO, DEMO_QUESTION, of_type
from tests.integration.modelled import Modelled, assert_sound, modelled, records
from tests.servers.answers import Answer
from tests.servers.models import ModelServer

LIMITS = RunLimits(max_iterations=3, deadline_s=40, max_calls=60, max_tokens=600_000)
SEARCH, HYPOTHESES = "SearchAgent", "HypothesisAgent"
JUDGE, REPORT = "JudgeAgent", "ReportAgent"


def naming(name: Callable[[str], str], *, done: bool = False) -> Callable[[ModelServer], None]:
    """A model whose ledger names an agent of its own liking, out of the prompt."""
    server_of: list[ModelServer] = []

    def change(task: str, sane: Answer) -> Answer:
        if task != "team_ledger":
            return sane
        prompt = server_of[0].asked[-1].prompt
        return {**sane, "next_agent": name(prompt), "request_satisfied": done}

    def prepare(server: ModelServer) -> None:
        server_of.append(server)
        server.change = change

    return prepare


def called(run: Modelled) -> list[tuple[str, str]]:
    return [(event.agent, event.chosen_by) for event in of_type(run.events, "agent_called")]


async def managed(
    folder: Path, prepare: Callable[[ModelServer], object] = lambda _: None, **limits: object
) -> Modelled:
    """A run with a model manager that is sound, whatever it says."""
    path = records(folder)
    chosen = LIMITS.model_copy(update=limits)
    run = await modelled(path, prepare, manages=True, **chosen.model_dump())
    stored = {str(n): r for n, r in enumerate(parse(path.read_bytes(), "made").records)}
    assert_sound(run, chosen, stored)
    assert run.report
    assert run.report.references
    assert called(run)[-1] == (REPORT, "code")
    return run


class TestSane:
    async def test_the_model_names_the_agents_and_code_the_report(self, tmp_path: Path) -> None:
        run = await managed(tmp_path)
        assert run.made_by["manager"] == {"model"}
        assert {by for _, by in called(run)} == {"code", "model"}
        chosen = sum(by == "model" for _, by in called(run))
        assert run.server.tasks.count("team_ledger") == chosen
        assert run.server.tasks.count("team_note") == 2
        assert run.report
        assert run.report.written_by == "model openai-chat:made-up"

    @pytest.mark.slow
    async def test_its_choice_changes_who_speaks(self, tmp_path: Path) -> None:
        def last_possible(prompt: str) -> str:
            (*_, line) = [p for p in prompt.splitlines() if p.startswith("Agents that can act")]
            return line.rstrip(".").rpartition(" ")[2]

        first = [agent for agent, _ in called(await managed(tmp_path))]
        last = [agent for agent, _ in called(await managed(tmp_path, naming(last_possible)))]
        assert first != last
        assert first[:4] == [SEARCH, HYPOTHESES, SEARCH, JUDGE]
        assert last[:3] == [SEARCH, HYPOTHESES, JUDGE]

    @pytest.mark.slow
    async def test_its_prompts_stay_within_the_context_and_show_where_the_run_stands(self) -> None:
        run = await modelled(
            DEMO, question=DEMO_QUESTION, manages=True, max_iterations=3, results_per_query=10
        )
        prompts = run.server.prompts("team_note") + run.server.prompts("team_ledger")
        assert all(estimated_tokens(p) <= LARGE.context_tokens + 1_000 for p in prompts)
        assert "Round 1 of 3 at most." in run.server.prompts("team_ledger")[0]
        assert "Last judgement: mechanism" in run.server.prompts("team_ledger")[-1]
        assert not [p for p in prompts if "<record" in p]

    @pytest.mark.slow
    async def test_its_calls_are_in_the_estimate(self, tmp_path: Path) -> None:
        planned = [
            of_type(run.events, "budget_planned")[0].estimate.calls
            for run in (await managed(tmp_path), await modelled(records(tmp_path)))
        ]
        assert planned[0] > planned[1]

    async def test_a_small_model_manages_nothing_and_the_reader_is_told(
        self, tmp_path: Path
    ) -> None:
        run = await modelled(records(tmp_path), manages=True, profile="small", max_iterations=1)
        assert run.report
        assert "team_ledger" not in run.server.tasks
        assert any("no model manager" in notice for notice in run.report.notices)


class TestOutOfOrder:
    @pytest.mark.parametrize("agent", [SEARCH, HYPOTHESES, JUDGE, REPORT])
    async def test_an_agent_that_is_named_for_ever_speaks_where_it_can_and_then_code_decides(
        self, tmp_path: Path, agent: str
    ) -> None:
        run = await managed(tmp_path, naming(lambda _: agent))
        speakers = [speaker for speaker, _ in called(run)]
        assert all(a != b for a, b in itertools.pairwise(speakers))
        assert speakers[:2] == [SEARCH, HYPOTHESES]
        assert {speaker for speaker, by in called(run) if by == "model"} <= {agent}
        assert run.report
        overruled = [n for n in run.report.notices if f"it named {agent}, which could not act" in n]
        assert bool(overruled) is (agent != JUDGE)

    @pytest.mark.slow
    async def test_done_at_once_ends_nothing(self, tmp_path: Path) -> None:
        run = await managed(tmp_path, naming(lambda _: REPORT, done=True))
        guided = await modelled(records(tmp_path), **LIMITS.model_dump())
        searched = [{e.query for e in of_type(r.events, "source_searched")} for r in (run, guided)]
        assert searched[0] == searched[1]
        assert run.server.tasks.count("team_ledger") == MOST_OVERRULED
        assert run.report
        assert any("it is not asked any more" in notice for notice in run.report.notices)
        assert "managing the team, in part" in run.report.written_by


class TestBudget:
    @pytest.mark.parametrize("max_calls", [0, 1, 2, 4, 8, 16, 30])
    async def test_no_number_of_calls_is_exceeded_and_the_report_keeps_its_share(
        self, tmp_path: Path, max_calls: int
    ) -> None:
        run = await managed(tmp_path, max_calls=max_calls, max_iterations=1)
        if max_calls >= 8:
            assert "write_report" in run.server.tasks
