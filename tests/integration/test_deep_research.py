"""The loop of a free question: over a snapshot, over live sources on loopback, with a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deepcritical.domain.appraisal.checklist import Coverage
from deepcritical.domain.appraisal.votes import Way
from deepcritical.domain.errors import (
    DeepCriticalError,
    QuestionError,
    ResearchCancelled,
    SearchError,
)
from deepcritical.domain.evidence.record import Evidence
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import StopReason
from deepcritical.jobs.runs import RunService
from deepcritical.orchestrators.magentic import run_team
from deepcritical.reasoning.base import ExtractiveReasoner, Reasoner
from deepcritical.research.answering import deep_research
from deepcritical.research.session import RunSources
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.tools.base import SourceOutcome, SourceQuery, SourceResult
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from deepcritical.writing.ledger.auditing import audit
from tests.conftest import as_they_stand, ended, of_type, opened, paper, run_service, snapshot
from tests.integration.answering import (
    QUESTION,
    answered,
    assert_sound,
    held,
    made_up_model,
    records,
)
from tests.servers.world import fast_tools, world

MESOTHELIOMA = Path(__file__).parents[2] / "benchmarks" / "question_sets" / "mesothelioma.jsonl"
METFORMIN = "Does metformin help in Alzheimer's disease?"


async def test_a_free_question_is_answered_with_both_sides(tmp_path: Path) -> None:
    source = records(tmp_path)
    events, answer = await answered(run_service(source))
    kinds: list[str] = [logged.event.type for logged in events]
    order = ("inquiry_refined", "checklist_made", "facts_mapped", "completeness_checked")
    assert [kinds.index(kind) for kind in order] == sorted(kinds.index(kind) for kind in order)
    assert kinds[-2:] == ["answer_written", "run_completed"]
    progress = [logged.progress for logged in events]
    assert progress == sorted(progress)
    await asyncio.to_thread(assert_sound, answer, held(source))
    assert answer.brief
    ways = {row.way for row in answer.brief.findings}
    assert {Way.BENEFIT, Way.NO_DIFFERENCE} <= ways
    titles = {reference.title for reference in answer.references}
    assert any(title.endswith("trial 1") for title in titles)
    assert any(title.endswith("trial 2") for title in titles)
    assert not any(title.endswith("trial 3") for title in titles)  # retracted
    assert any("1 retracted record" in line for line in answer.limitations)
    assert answer.support
    assert answer.support.cited == answer.support.borne_out


@pytest.mark.slow
async def test_latest_treatments_are_told_with_trials_harms_and_what_failed() -> None:
    question = "What are the latest treatments for mesothelioma?"
    _, answer = await answered(run_service(MESOTHELIOMA), question)
    covered = [one.coverage is Coverage.SATISFIED for one in answer.checklist]
    assert len(covered) >= 5
    assert sum(covered) >= len(covered) - 1
    await asyncio.to_thread(assert_sound, answer, held(MESOTHELIOMA))


async def test_every_round_is_told_and_the_last_one_ends_by_rule(tmp_path: Path) -> None:
    events, answer = await answered(run_service(records(tmp_path), max_iterations=4))
    checked = of_type(events, "completeness_checked")
    assert [event.iteration for event in checked] == list(range(1, len(checked) + 1))
    assert answer.search_iterations == len(checked)
    last = {one.item: one.coverage for one in checked[-1].items}
    assert [last[a.item.id] for a in answer.checklist] == [a.coverage for a in answer.checklist]
    (end,) = of_type(events, "run_completed")
    assert end.stop_reason is answer.stop_reason
    assert end.verdict == answer.headline


async def test_what_the_records_do_not_say_is_not_answered(tmp_path: Path) -> None:
    events, answer = await answered(
        run_service(records(tmp_path)), "Does metformin cause baldness?"
    )
    assert answer.references == ()
    assert answer.overview.startswith("No record found names metformin or baldness.")
    assert all(
        a.coverage is Coverage.UNSATISFIED for a in answer.checklist if "harm" not in a.reason
    )
    (end,) = of_type(events, "run_completed")
    assert end.stop_reason is StopReason.NO_EVIDENCE


async def test_harms_of_the_drug_are_no_answer_to_another_question(tmp_path: Path) -> None:
    _, answer = await answered(run_service(records(tmp_path)), "Does examplol cause baldness?")
    assert answer.overview.startswith("No record found names baldness.")
    assert {a.coverage for a in answer.checklist} == {Coverage.UNSATISFIED}


async def test_the_limit_of_rounds_is_kept_and_told(tmp_path: Path) -> None:
    runs = run_service(records(tmp_path))
    _, answer = await answered(runs, max_iterations=1)
    assert answer.search_iterations == 1
    assert answer.tool_output("t").status == "max_iterations_reached"
    assert any("limit of rounds" in line for line in answer.limitations)
    with pytest.raises(ValueError, match="max_iterations"):
        runs.ask(QUESTION, max_iterations=11)


async def test_writing_now_ends_the_search_after_the_round(tmp_path: Path) -> None:
    run = run_service(records(tmp_path)).ask(QUESTION)
    run.write_now()
    answer = await run.result()
    assert answer.stop_reason is StopReason.USER_STOP
    assert answer.search_iterations == 1
    assert answer.references


async def test_context_asks_for_more(tmp_path: Path) -> None:
    _, answer = await answered(run_service(records(tmp_path)), context="Which dose is used?")
    assert any("doses" in answered_.item.text for answered_ in answer.checklist)
    assert answer.context == "Which dose is used?"


async def test_a_question_that_names_nothing_ends_as_failed(tmp_path: Path) -> None:
    run = run_service(records(tmp_path)).ask("Why is it so?")
    events = await ended(run)
    assert events[-1].event.type == "run_failed"
    with pytest.raises(QuestionError):
        await run.result()


async def test_a_cancelled_run_has_no_answer(tmp_path: Path) -> None:
    run = run_service(records(tmp_path)).ask(QUESTION)
    run.cancel()
    events = await ended(run)
    assert events[-1].event.type == "run_cancelled"
    with pytest.raises(ResearchCancelled):
        await run.result()
    assert run.answer is None


class Failing:
    """A source that answers some queries from a snapshot's records and then fails."""

    def __init__(self, name: str, found: tuple[Evidence, ...], calls: int) -> None:
        self.name = name
        self._found = found
        self._calls = calls

    async def fetch(self, query: SourceQuery) -> SourceResult:
        self._calls -= 1
        if self._calls < 0:
            raise SearchError("made-up failure", "Try again later.")
        outcome = SourceOutcome.DATA
        return SourceResult(outcome=outcome, evidence=self._found, query_as_run=query.text)

    async def search(self, query: str, max_results: int = 10) -> list[Evidence]:
        result = await self.fetch(SourceQuery(text=query, max_results=max_results))
        return list(result.evidence)


async def test_no_source_at_all_is_a_clear_error() -> None:
    run = run_service([Failing("down", (), 0)]).ask(QUESTION)
    with pytest.raises(SearchError, match="No source could be read"):
        await run.result()


async def test_a_source_that_fails_later_costs_no_answer(tmp_path: Path) -> None:
    found = tuple(held(records(tmp_path)).values())
    events, answer = await answered(run_service([Failing("frail", found, 1)], max_iterations=2))
    assert answer.references
    assert any("frail was unavailable" in notice for notice in answer.notices)
    assert of_type(events, "run_completed")


@pytest.mark.parametrize("last_first", [False, True])
async def test_what_fits_alike_is_told_in_one_order_whatever_was_found_first(
    tmp_path: Path, last_first: bool
) -> None:
    text = (
        "Results: Adverse events of examplol in testitis were nausea and rash in 20 % of patients."
    )
    lines = [paper(n, title=f"Examplol in testitis {n}", text=text) for n in range(1, 9)]
    source = snapshot(tmp_path / "made.jsonl", *(reversed(lines) if last_first else lines))
    _, answer = await answered(run_service(source), "Which side effects has examplol in testitis?")
    _, usual = await answered(
        run_service(snapshot(tmp_path / "usual.jsonl", *lines)), answer.question
    )
    assert {r.title for r in answer.references} == {r.title for r in usual.references}


class Drifting(Failing):
    """A source that brings something new each time, of which little is on the question."""

    def __init__(self, found: tuple[Evidence, ...], beside: tuple[Evidence, ...]) -> None:
        super().__init__("drifting", found, 99)
        self._beside = list(beside)

    async def fetch(self, query: SourceQuery) -> SourceResult:
        self._found += (self._beside.pop(0),)
        return await super().fetch(query)


async def test_later_rounds_read_only_what_names_what_is_asked_about(tmp_path: Path) -> None:
    found = tuple(held(records(tmp_path)).values())
    beside = tuple(
        record.model_copy(
            update={
                "content": f"Number {n} is on other things.",
                "citation": record.citation.model_copy(update={"title": f"Other {n}", "url": ""}),
                "metadata": type(record.metadata)(),
            }
        )
        for n, record in enumerate(found * 8)
    )
    named = beside[-1].model_copy(update={"content": "Examplol did not improve it (p = 0.5)."})
    source = Drifting(found, (*beside[:12], named, *beside[13:]))
    events, answer = await answered(run_service([source], max_iterations=9))
    first, *later = [event.read for event in of_type(events, "facts_mapped")]
    assert first > len(found)
    assert set(later) <= {0, 1}
    assert answer.records_read == first + sum(later)
    assert answer.stop_reason is StopReason.NO_NEW_EVIDENCE
    assert later.index(0) == len(later) - 1  # the first round without a hit is the last one


class Stumbling(ExtractiveReasoner):
    """Fails at the second check of completeness."""

    checks = 0

    async def check_completeness(self, inquiry: Any, store: EvidenceStore) -> Any:
        self.checks += 1
        if self.checks > 1:
            raise DeepCriticalError("made-up failure", "None.")
        return await super().check_completeness(inquiry, store)


async def test_a_step_that_fails_on_the_way_leaves_an_answer_from_what_is_there(
    tmp_path: Path,
) -> None:
    _, answer = await answered(run_service(records(tmp_path), Stumbling()))
    assert answer.references
    assert any("stopped early" in notice for notice in answer.notices)


async def test_what_is_found_retracted_before_writing_supports_nothing(tmp_path: Path) -> None:
    looked_up: list[str] = []

    async def look_up(found: Sequence[Evidence], _within_s: float) -> tuple[Evidence, ...]:
        looked_up.extend(record.metadata.doi or "" for record in found)
        return tuple(
            record.model_copy(
                update={"metadata": record.metadata.model_copy(update={"integrity": "retracted"})}
            )
            for record in found
        )

    source = SnapshotSource(
        snapshot(tmp_path / "made.jsonl", paper(1, doi="10.1234/made-up"), paper(2))
    )

    @asynccontextmanager
    async def sources() -> AsyncIterator[RunSources]:
        yield RunSources(SearchHandler([source]), ("made",), look_up, look_up=as_they_stand)

    runs = RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=ExtractiveReasoner(),
        open_sources=sources,
        limits_for=lambda _depth: RunLimits(),
    )
    events, answer = await answered(runs)
    assert set(looked_up) == {"10.1234/made-up"}
    assert of_type(events, "integrity_checked")
    assert [reference.title[-7:] for reference in answer.references] == ["trial 2"]
    first = answer.checklist[0]
    assert first.coverage is Coverage.PARTIAL
    assert "1 study located; 2 are wanted" in first.reason
    assert any("found retracted" in notice for notice in answer.notices)


class Clock:
    """Seconds that pass by themselves, a little more with every look."""

    def __init__(self, step_s: float) -> None:
        self._now_s = 0.0
        self._step_s = step_s

    def __call__(self) -> float:
        self._now_s += self._step_s
        return self._now_s


async def test_the_deadline_leaves_time_for_the_answer(tmp_path: Path) -> None:
    source = records(tmp_path)
    runs = RunService(
        orchestrate=run_team,
        answering=deep_research,
        reasoner=ExtractiveReasoner(),
        open_sources=partial(opened, Failing("made", tuple(held(source).values()), 99)),
        limits_for=lambda _depth: RunLimits(deadline_s=100.0),
        clock=Clock(30.0),
    )
    _, answer = await answered(runs)
    assert answer.stop_reason is StopReason.DEADLINE
    assert answer.tool_output("t").status == "completed"
    assert answer.references


@asynccontextmanager
async def over_world(folder: Path, names: tuple[str, ...]) -> AsyncIterator[Any]:
    async with world(folder) as site, fast_tools(site, names) as tools:

        @asynccontextmanager
        async def sources() -> AsyncIterator[RunSources]:
            yield RunSources(SearchHandler(tools), names, look_up=as_they_stand)

        def service(reasoner: Reasoner) -> RunService:
            return RunService(
                orchestrate=run_team,
                answering=deep_research,
                reasoner=reasoner,
                open_sources=sources,
                limits_for=lambda _depth: RunLimits(deadline_s=60.0),
            )

        yield service


@pytest.mark.slow
@pytest.mark.parametrize("with_model", [False, True], ids=["rules", "model"])
async def test_live_sources_are_asked_in_their_own_language(
    tmp_path: Path, with_model: bool
) -> None:
    names = ("pubmed", "clinicaltrials", "europepmc")
    async with over_world(tmp_path, names) as service, made_up_model() as made:
        reasoner = made.reasoner if with_model else ExtractiveReasoner()
        events, answer = await answered(service(reasoner), METFORMIN, max_iterations=2)
    searched = of_type(events, "source_searched")
    assert {event.source for event in searched} == {"PubMed", "ClinicalTrials.gov", "Europe PMC"}
    asked = [event.query_as_run for event in searched if event.source == "PubMed"]
    assert all("metformin" in query.lower() for query in asked)
    assert any('"no effect"' in query for query in asked)
    # A registry is asked by names alone, and once.
    trials = [e for e in searched if e.source == "ClinicalTrials.gov"]
    assert len(trials) == 1
    assert (await asyncio.to_thread(audit, answer)).failed == ()
