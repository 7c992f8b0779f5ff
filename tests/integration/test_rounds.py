"""Rounds in which sources fail, or tell more of a record than an earlier one did."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from deepcritical.domain.errors import SearchError
from deepcritical.domain.run.budget import RunLimits
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research import processing, steps
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.event_log import EventLog
from deepcritical.tools.base import SourceQuery, SourceResult
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import (
    QUESTION,
    as_they_stand,
    ended,
    of_type,
    paper,
    queries,
    run_service,
    snapshot,
)


class Leaving(SnapshotSource):
    """A snapshot that cannot be read after so many queries, for so many, and then can again."""

    def __init__(self, path: Path, after: int, times: int) -> None:
        super().__init__(path)
        self._down = range(after, after + times)
        self._asked = 0

    async def fetch(self, query: SourceQuery) -> SourceResult:
        self._asked += 1
        if self._asked - 1 in self._down:
            raise SearchError("It is down.", "Try again later.")
        return await super().fetch(query)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return snapshot(tmp_path / "made.jsonl", paper(1), paper(2))


async def test_a_round_without_any_source_is_not_read_as_nothing_new(made: Path) -> None:
    source = Leaving(made, after=9, times=1000)  # the first round has nine queries
    run = run_service([source]).submit(QUESTION)
    events = await ended(run)
    report = await run.result()
    assert report.references
    (ending,) = of_type(events, "run_completed")
    assert ending.stop_reason == "max_iterations_reached"
    assert "brought nothing new" not in report.to_markdown()
    assert report.search_iterations == 3


async def test_a_query_that_failed_is_asked_again_in_the_next_round(made: Path) -> None:
    run = run_service([Leaving(made, after=1, times=1)]).submit(QUESTION)
    events = await ended(run)
    asked = [(s.query, s.outcome) for s in of_type(events, "source_searched")]
    ((failed, _),) = [call for call in asked if call[1] == "unavailable"]
    first_rounds = ["examplol testitis", "examplol testitis systematic review meta-analysis"]
    assert [(failed, "unavailable"), (failed, "data")] == [c for c in asked if c[0] == failed]
    assert set(first_rounds) < {query for query, _ in asked}


async def test_a_retraction_that_a_later_source_tells_takes_the_support_away(
    made: Path, tmp_path: Path
) -> None:
    later = snapshot(
        tmp_path / "later.jsonl", paper(1, pub_types=["Retracted Publication"]), paper(2)
    )
    session = ResearchSession(
        text=QUESTION,
        limits=RunLimits(),
        reasoner=ExtractiveReasoner(),
        log=EventLog("made"),
        clock=time.monotonic,
        searched_on="2999-01-01",
    )
    session.sources = RunSources(SearchHandler([SnapshotSource(made)]), (), look_up=as_they_stand)
    await steps.refine_question(session)
    for path, retracted in ((made, [False, False]), (later, [True, False])):
        session.sources = RunSources(
            SearchHandler([SnapshotSource(path)]), (), look_up=as_they_stand
        )
        await steps.execute_searches(session, queries("examplol testitis"))
        await processing.process_results(session)
        graded = sorted(session.store.appraisals("examplol").values(), key=lambda a: a.evidence_id)
        found = {
            session.store.evidence[a.evidence_id].metadata.pmid: a.grade.retracted for a in graded
        }
        assert [found["99000001"], found["99000002"]] == retracted
