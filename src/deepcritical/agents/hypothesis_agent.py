"""HypothesisAgent: proposes mechanism chains from drug to condition."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import propose_hypotheses

__all__ = ["NAME", "create"]

NAME = "HypothesisAgent"


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(
        NAME, "Proposes mechanism chains from drug to condition.", session, propose_hypotheses
    )
