"""The four agents, called in an order that no manager should take: every run can still end well."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.budget import RunLimits
from deepcritical.reasoning.base import ExtractiveReasoner
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.research.steps import refine_question
from deepcritical.services.event_log import EventLog
from deepcritical.tools.search_handler import SearchHandler
from deepcritical.tools.snapshot import SnapshotSource
from tests.conftest import QUESTION, as_they_stand
from tests.integration.modelled import records

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
