"""The real Magentic team, through the run service, on the bundled snapshot."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.appraisal.verdict import VerdictLabel
from deepcritical.domain.report.claims import claim_holds
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import TERMINAL, LoggedEvent
from deepcritical.domain.study.identity import canonical_ids
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.research.steps import refine_question
from deepcritical.services.event_log import EventLog
from deepcritical.services.evidence_store import EvidenceStore, as_snapshot
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource, parse
from tests.conftest import (
    DEMO,
    DEMO_QUESTION,
    QUESTION,
    as_they_stand,
    ended,
    of_type,
    paper,
    run_service,
    snapshot,
)
from tests.integration.modelled import records

SEARCH, HYPOTHESES = "SearchAgent", "HypothesisAgent"
JUDGE, REPORT = "JudgeAgent", "ReportAgent"
CANDIDATES_QUESTION = "What could be repurposed for Alzheimer's disease?"
HYPOTHESIS_QUESTION = "Does metformin slow Alzheimer's through AMPK and tau?"

Done = tuple[list[LoggedEvent], ResearchReport]


async def answered(question: str, source: Path = DEMO, rounds: int = 3) -> Done:
    run = run_service(source, max_iterations=rounds).submit(question)
    return await ended(run), await run.result()


_ANSWERS: dict[str, Done] = {}


@pytest.fixture(params=[DEMO_QUESTION, CANDIDATES_QUESTION, HYPOTHESIS_QUESTION])
async def done(request: pytest.FixtureRequest) -> Done:
    """One run of each form of question, shared by the tests that only look."""
    if request.param not in _ANSWERS:
        _ANSWERS[request.param] = await answered(request.param)
    return _ANSWERS[request.param]


class TestEvents:
    @pytest.mark.slow
    def test_there_is_one_terminal_event_and_it_is_the_last(self, done: Done) -> None:
        events, _ = done
        assert [isinstance(e.event, TERMINAL) for e in events] == [False] * (len(events) - 1) + [
            True
        ]
        assert events[0].event.type == "run_started"

    def test_numbers_have_no_gap_and_progress_never_goes_back(self, done: Done) -> None:
        events, _ = done
        assert [e.seq for e in events] == list(range(1, len(events) + 1))
        assert all(a.progress <= b.progress for a, b in itertools.pairwise(events))
        assert all(e.progress < 1 for e in events[:-1])
        assert events[-1].progress == 1

    def test_the_agents_speak_in_rounds_and_the_reporter_last(self, done: Done) -> None:
        events, report = done
        called = [(e.iteration, e.agent) for e in of_type(events, "agent_called")]
        assert called[-1][1] == REPORT
        rounds = itertools.groupby(called[:-1], key=lambda call: call[0])
        for expected, (iteration, calls) in enumerate(rounds, 1):
            assert iteration == expected
            assert [agent for _, agent in calls] in (
                [SEARCH, HYPOTHESES, JUDGE],
                [SEARCH, HYPOTHESES, SEARCH, JUDGE],
            )
        assert report.search_iterations == called[-2][0]

    def test_no_query_is_run_twice_against_a_source(self, done: Done) -> None:
        events, report = done
        run = [(e.source, e.query) for e in of_type(events, "source_searched")]
        assert len(set(run)) == len(run)
        asked = [s for s in report.searches if s.outcome != "not_applicable"]
        assert [(s.source, s.query) for s in asked] == run

    def test_the_terminal_event_tells_what_the_report_says(self, done: Done) -> None:
        events, report = done
        ending = events[-1].event
        assert ending.type == "run_completed"
        assert (ending.verdict, ending.references) == (
            report.verdict.label.value,
            len(report.references),
        )


class TestReport:
    def test_every_reference_is_a_record_of_the_snapshot(self, done: Done) -> None:
        _, report = done
        known = {i for r in parse(DEMO.read_bytes(), "demo").records for i in canonical_ids(r)}
        assert report.references
        for reference in report.references:
            assert set(reference.ids) <= known

    def test_every_claim_holds_in_its_record(self, done: Done) -> None:
        _, report = done
        records = EvidenceStore()
        records.add(parse(DEMO.read_bytes(), "demo").records)
        by_id = {i: r for r in records.evidence.values() for i in canonical_ids(r)}
        cited = {r.evidence_id: by_id[r.ids[0]] for r in report.references}
        assert report.claims
        assert all(claim_holds(claim, cited) for claim in report.claims)

    def test_every_included_record_is_a_reference_or_named_as_unused(self, done: Done) -> None:
        _, report = done
        cited = {reference.title for reference in report.references}
        listed = report.methodology.content.split("Retrieved but not used:")[-1]
        more = [int(n) for n in re.findall(r"^- and (\d+) more$", listed, re.MULTILINE)]
        unused = listed.count("\n- ") + sum(more) - len(more)
        assert len(cited) + unused == report.total_papers_reviewed

    def test_no_reference_and_no_sentence_is_taken_out(self, done: Done) -> None:
        events, _ = done
        (validated,) = of_type(events, "references_validated")
        assert validated.removed == ()
        (checked,) = of_type(events, "claims_checked")
        assert checked.failed == ()

    def test_the_verdict_names_the_records_that_decided_it(self, done: Done) -> None:
        _, report = done
        cited = {r.evidence_id for r in report.references}
        assert report.verdict.rule
        assert report.verdict.deciding_ids
        assert set(report.verdict.deciding_ids) <= cited
        for candidate in report.drug_candidates:
            assert set(candidate.verdict.deciding_ids) <= cited

    def test_an_edge_without_a_record_says_so(self, done: Done) -> None:
        _, report = done
        for edge in (edge for h in report.hypotheses_tested for edge in h.edges):
            assert bool(edge.evidence_ids) is (
                "no evidence in the records found" not in edge.finding
            )


async def test_a_question_on_a_condition_gives_candidates_with_a_verdict_each() -> None:
    _, report = _ANSWERS.get(CANDIDATES_QUESTION) or await answered(CANDIDATES_QUESTION)
    assert 1 < len(report.drug_candidates) <= 5
    assert len({c.name for c in report.drug_candidates}) == len(report.drug_candidates)
    assert all(c.verdict.rule for c in report.drug_candidates)


async def test_a_hypothesis_is_judged_through_the_terms_it_names() -> None:
    _, report = _ANSWERS.get(HYPOTHESIS_QUESTION) or await answered(HYPOTHESIS_QUESTION)
    chains = [" ".join(h.chain).lower() for h in report.hypotheses_tested]
    assert any("ampk" in chain for chain in chains)
    assert any("tau" in chain for chain in chains)


async def test_the_same_question_twice_gives_the_same_report() -> None:
    first = _ANSWERS.get(DEMO_QUESTION) or await answered(DEMO_QUESTION)
    second = await answered(DEMO_QUESTION)
    assert first[1].model_dump_json() == second[1].model_dump_json()
    assert [e.event for e in first[0]] == [e.event for e in second[0]]


async def test_no_record_on_the_question_is_a_finding_with_no_reference() -> None:
    events, report = await answered(QUESTION)
    assert (report.references, report.claims) == ((), ())
    assert report.verdict.label.value == "insufficient evidence"
    ending = events[-1].event
    assert ending.type == "run_completed"
    assert ending.stop_reason == "no_evidence"
    notices = [e.message for e in of_type(events, "notice")]
    assert any("examplol" in notice for notice in notices)
    assert all(notice in report.notices for notice in notices)


async def test_runs_at_once_on_one_service_do_not_mix_their_stores(tmp_path: Path) -> None:
    mine = paper(1)
    yours = {key: str(value).replace("xamplol", "therol") for key, value in paper(2).items()}
    runs = run_service(snapshot(tmp_path / "made.jsonl", mine, yours), results_per_query=1)
    questions = (QUESTION, QUESTION.replace("examplol", "etherol"))
    both = [runs.submit(question) for question in questions]
    first, second = await asyncio.gather(*(run.result() for run in both))
    assert [r.title for r in first.references] == [mine["title"]]
    assert [r.title for r in second.references] == [yours["title"]]
    logs = [await ended(run) for run in both]
    assert [{e.run_id for e in log} for log in logs] == [{run.run_id} for run in both]


async def test_a_bad_line_of_the_snapshot_is_named_to_the_reader(tmp_path: Path) -> None:
    events, report = await answered(QUESTION, snapshot(tmp_path / "made.jsonl", paper(), "{"))
    (notice,) = [e.message for e in of_type(events, "notice") if "line 2" in e.message]
    assert "degraded" in notice
    assert notice in report.notices
    assert report.references


async def test_what_an_expression_of_concern_stands_against_supports_nothing(
    tmp_path: Path,
) -> None:
    sound = run_service(snapshot(tmp_path / "sound.jsonl", paper(1)))
    (record,) = parse((tmp_path / "sound.jsonl").read_bytes(), "sound").records
    concern = record.metadata.model_copy(update={"integrity": "concern"})
    doubtful = as_snapshot([record.model_copy(update={"metadata": concern})], "doubted")
    (tmp_path / "doubted.jsonl").write_bytes(doubtful)
    doubted = run_service(tmp_path / "doubted.jsonl")
    before = await sound.submit(QUESTION).result()
    after = await doubted.submit(QUESTION).result()
    assert before.verdict.label is VerdictLabel.PROMISING
    assert after.verdict.label is VerdictLabel.INSUFFICIENT
    assert any("expression of concern" in cap for cap in after.verdict.caps)
    assert after.brief
    assert any("expression of concern" in text for text in after.brief.missing)


async def test_writing_now_ends_the_search_with_the_turn_in_hand() -> None:
    run = run_service().submit(DEMO_QUESTION)
    async for logged in run.tail():
        if logged.event.type == "agent_called":
            run.write_now()
            break
    events, report = await ended(run), await run.result()
    assert [event.agent for event in of_type(events, "agent_called")] == [SEARCH, REPORT]
    (end,) = of_type(events, "run_completed")
    assert end.stop_reason == "user_stop"
    assert report.references
    assert "the user wanted the report from what there was" in report.to_markdown()


CREATE = {
    "search": search_agent.create,
    "hypotheses": hypothesis_agent.create,
    "judge": judge_agent.create,
    "report": report_agent.create,
}


async def called(folder: Path, order: Sequence[str]) -> ResearchSession:
    """A run in which the agents spoke in this order."""
    source = SnapshotSource(records(folder))
    session = ResearchSession(
        text=QUESTION,
        limits=RunLimits(),
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=time.monotonic,
        searched_on="2999-01-01",
        sources=RunSources(SearchHandler([source]), ("made",), look_up=as_they_stand),
    )
    await refine_question(session)
    for name in order:
        await CREATE[name](session).run()
    return session


@pytest.mark.parametrize(
    "order",
    [
        ("report",),
        ("judge", "report"),
        ("hypotheses", "report"),
        ("hypotheses", "judge", "search", "report"),
        ("search",) * 20 + ("report",),
        ("search", "report", "report"),
        ("search", "judge", "judge", "judge", "judge", "report"),
        ("search", "report", "search", "judge"),
    ],
    ids=lambda order: f"{len(order)} turns, {order[0]} first",
)
async def test_every_order_leaves_a_report(tmp_path: Path, order: tuple[str, ...]) -> None:
    session = await called(tmp_path, order)
    assert session.failure is None
    assert session.cut_short == ""
    assert session.store.report
    searched = "search" in order[: order.index("report")]
    assert bool(session.store.report.references) is searched
    run = [(search.source, search.query) for search in session.store.searches]
    assert len(set(run)) == len(run)
