"""A plan ends one job, and what a person made of it starts the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.errors import ConfigurationError, PlanError, QuestionError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.plan import Place, PlannedQuery, ResearchPlan
from deepcritical.jobs.runs import RunService
from deepcritical.models.providers import model_server
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.reasoning.llm import LLMReasoner
from deepcritical.research.answering import deep_research
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import QUESTION, ended, opened
from tests.integration.modelled import many, records
from tests.servers.models import Fault, ModelServer
from tests.servers.running import running

HERE = Place(snapshot="made")


def service(
    source: Path, reasoner: Reasoner | None = None, place: Place = HERE, **limits: Any
) -> RunService:
    path = source if source.is_file() else records(source)
    return RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=reasoner or ExtractiveReasoner(),
        open_sources=partial(opened, SnapshotSource(path)),
        limits_for=lambda _depth: RunLimits(**limits),
        place=place,
    )


def edited(plan: ResearchPlan) -> ResearchPlan:
    """The plan in which a person took one search out and put another in."""
    kept = [query for query in plan.queries if "safety" not in query.text]
    added = PlannedQuery(text="examplol testitis made up outcome")
    return plan.model_copy(update={"queries": (*kept, added)})


async def test_the_searches_of_the_plan_are_those_of_the_first_round(tmp_path: Path) -> None:
    runs = service(tmp_path, max_iterations=1)
    plan = edited(await runs.plan(QUESTION))
    run = runs.submit(QUESTION, plan=plan)
    report = await run.result()
    first = list(dict.fromkeys(search.query for search in report.searches))
    planned = [query.text for query in plan.queries]
    assert first[: len(planned)] == planned
    assert "reviewed" in report.methodology.content
    (notice,) = [n for n in report.notices if "reviewed plan" in n]
    assert "without 1 of the" in notice
    assert "safety adverse events" in notice


async def test_a_plan_that_is_left_as_it_is_changes_nothing_but_the_methodology(
    tmp_path: Path,
) -> None:
    runs = service(tmp_path)
    planned = await runs.submit(QUESTION, plan=await runs.plan(QUESTION)).result()
    unplanned = await runs.submit(QUESTION).result()
    assert "reviewed" not in unplanned.methodology.content
    fields = {"methodology": unplanned.methodology}
    assert planned.model_copy(update=fields) == unplanned


@pytest.mark.parametrize(("deadline_s", "paced"), [(180.0, True), (60.0, False)])
async def test_a_time_that_a_person_wrote_into_it_follows_no_speed(
    tmp_path: Path, deadline_s: float, paced: bool
) -> None:
    runs = service(tmp_path, deadline_s=180.0, paced=True)
    plan = await runs.plan(QUESTION)
    limits = plan.limits.model_copy(update={"deadline_s": deadline_s})
    run = runs.submit(QUESTION, plan=plan.model_copy(update={"limits": limits}))
    assert (run.session.limits.deadline_s, run.session.limits.paced) == (deadline_s, paced)
    await run.result()


async def test_its_limits_hold(tmp_path: Path) -> None:
    runs = service(tmp_path)
    plan = await runs.plan(QUESTION)
    assert plan.limits.max_iterations > 1
    limits = plan.limits.model_copy(update={"max_iterations": 1})
    report = await runs.submit(QUESTION, plan=plan.model_copy(update={"limits": limits})).result()
    assert report.search_iterations == 1


async def test_a_synonym_that_was_added_is_recognised(tmp_path: Path) -> None:
    runs = service(tmp_path, max_iterations=1)
    plan = await runs.plan("Can wizardol be repurposed for testitis?")
    assert plan.question.drug
    drug = plan.question.drug.model_copy(update={"synonyms": ("examplol",)})
    changed = plan.question.model_copy(update={"drug": drug})
    bare = await runs.submit(plan.question.text, plan=plan).result()
    report = await runs.submit(
        plan.question.text, plan=plan.model_copy(update={"question": changed})
    ).result()
    assert not bare.references
    assert report.references


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: {"place": Place(sources=("pubmed",))}, "other sources"),
        (lambda p: {"limits": p.limits.model_copy(update={"max_calls": 61})}, "max_calls"),
        (lambda p: {"question": p.question.model_copy(update={"text": "Other?"})}, "another"),
    ],
)
async def test_a_plan_that_does_not_go_with_the_run_starts_nothing(
    tmp_path: Path, change: Callable[[ResearchPlan], dict[str, Any]], said: str
) -> None:
    runs = service(tmp_path)
    plan = await runs.plan(QUESTION)
    with pytest.raises(PlanError, match=said):
        runs.submit(QUESTION, plan=plan.model_copy(update=change(plan)))


async def test_a_question_that_is_not_understood_has_no_plan(tmp_path: Path) -> None:
    with pytest.raises(QuestionError):
        await service(tmp_path).plan("xyzzy")


async def test_a_model_adds_searches_to_the_plan_and_is_not_asked_for_them_again(
    tmp_path: Path,
) -> None:
    server = ModelServer()
    async with running(server.app) as url:
        resolved = model_server("vllm:made-up", base_url=f"{url}v1", profile="large")
        runs = service(tmp_path, LLMReasoner(resolved), max_iterations=1)
        plan = await runs.plan(QUESTION)
        assert server.tasks == ["plan"]
        assert "examplol testitis quality of life" in [query.text for query in plan.queries]
        report = await runs.submit(QUESTION, plan=plan).result()
    assert server.tasks.count("plan") == 1
    assert "read_studies" in server.tasks
    assert report.written_by == "model vllm:made-up"


@pytest.mark.parametrize("manages", [False, True])
async def test_a_wrong_key_ends_a_planned_run_at_its_first_call(
    tmp_path: Path, manages: bool
) -> None:
    server = ModelServer()
    server.fault = lambda _asked: Fault(status=401)
    plan = await service(tmp_path).plan(QUESTION)
    async with running(server.app) as url:
        resolved = model_server("vllm:made-up", base_url=f"{url}v1", profile="large")
        run = service(tmp_path, LLMReasoner(resolved, manages=manages)).submit(QUESTION, plan=plan)
        events = await ended(run)
        with pytest.raises(ConfigurationError, match="refused the key"):
            await run.result()
    assert events[-1].event.type == "run_failed"
    assert len(server.asked) == 1


@pytest.mark.slow
async def test_a_run_of_a_plan_finds_out_once_how_the_server_answers(tmp_path: Path) -> None:
    """Its first questions are batches that are asked at once."""
    server = ModelServer()
    server.latency_s = 0.1
    server.fault = lambda asked: Fault(status=500) if asked.mode == "tool" else None
    async with running(server.app) as url:

        def fresh() -> RunService:
            resolved = model_server("compatible:made-up", base_url=f"{url}v1", profile="large")
            return service(many(tmp_path), LLMReasoner(resolved), max_iterations=1)

        plan = await fresh().plan(QUESTION)
        server.asked.clear()
        await fresh().submit(QUESTION, plan=plan).result()
    assert server.tasks.count("read_studies") > 2
    assert [asked.mode for asked in server.asked].count("tool") == 1
