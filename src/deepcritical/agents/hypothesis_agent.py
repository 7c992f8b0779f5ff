"""HypothesisAgent: proposes mechanism chains from drug to condition."""

from __future__ import annotations

from deepcritical.agents.step_agent import StepAgent
from deepcritical.domain.run.events import Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import propose_hypotheses

NAME, STAGE = "HypothesisAgent", Stage.HYPOTHESES


def create(session: ResearchSession) -> StepAgent:
    """The agent on one run."""
    return StepAgent(NAME, "Proposes mechanism chains from drug to condition.", session, _propose)


async def _propose(session: ResearchSession) -> str:
    await propose_hypotheses(session)
    chains = session.store.hypotheses
    return f"chains: {len(chains)}, without a gap: {sum(chain.complete for chain in chains)}"
