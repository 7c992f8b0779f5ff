"""SearchAgent: finds evidence in all sources, reads it and grades it."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import search_for_evidence

__all__ = ["NAME", "create"]

NAME = "SearchAgent"


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(
        NAME, "Finds evidence in all sources, reads it and grades it.", session, search_for_evidence
    )
