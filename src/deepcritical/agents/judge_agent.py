"""JudgeAgent: scores the evidence and names its gaps."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import assess_evidence

__all__ = ["NAME", "create"]

NAME = "JudgeAgent"


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(NAME, "Scores the evidence and names its gaps.", session, assess_evidence)
