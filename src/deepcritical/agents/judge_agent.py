"""JudgeAgent: scores the evidence and names its gaps."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.domain.run.events import Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import assess_evidence

NAME, STAGE = "JudgeAgent", Stage.JUDGEMENT


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(NAME, "Scores the evidence and names its gaps.", session, _judge)


async def _judge(session: ResearchSession) -> str:
    await assess_evidence(session)
    last = session.store.assessments[-1]
    return f"mechanism {last.mechanism_score}/10, clinical {last.clinical_score}/10"
