"""SearchAgent: finds evidence in all sources, reads it and grades it."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.domain.events import Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import search_for_evidence

NAME, STAGE = "SearchAgent", Stage.SEARCH


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(
        NAME, "Finds evidence in all sources, reads it and grades it.", session, _search
    )


async def _search(session: ResearchSession) -> str:
    before = len(session.store.searches)
    await search_for_evidence(session)
    runs = session.store.searches[before:]
    found, new = sum(run.identified for run in runs), sum(run.new for run in runs)
    return f"records found: {found}, new: {new}, in all: {len(session.store.evidence)}"
