"""ReportAgent: writes the report and has it checked."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.domain.run.events import Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import write_report

NAME, STAGE = "ReportAgent", Stage.REPORT


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(NAME, "Writes the report and has it checked.", session, _write)


async def _write(session: ResearchSession) -> str:
    await write_report(session)
    return "the report is written"
