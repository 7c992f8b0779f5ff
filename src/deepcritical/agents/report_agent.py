"""ReportAgent: writes the report and has it checked."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import write_report

__all__ = ["NAME", "create"]

NAME = "ReportAgent"


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(NAME, "Writes the report and has it checked.", session, write_report)
