"""SearchAgent: finds evidence in all sources, reads it and grades it."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.domain.run.events import Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import search_for_evidence

NAME, STAGE = "SearchAgent", Stage.SEARCH


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(
        NAME, "Finds evidence in all sources, reads it and grades it.", session, _search
    )


async def _search(session: ResearchSession) -> str:
    searched, included = len(session.store.searches), set(session.store.included)
    await search_for_evidence(session)
    runs, now = session.store.searches[searched:], set(session.store.included)
    found, new = sum(run.identified for run in runs), sum(run.new for run in runs)
    on = f"on the question: {len(now)}, new: {len(now - included)}"
    return f"records found: {found}, new: {new}; {on}"
