"""The Magentic team: its agents and a manager over one store."""

from agent_framework.orchestrations import MagenticBuilder

from deepcritical.domain.errors import ReasoningError
from deepcritical.orchestrators.manager import TEAM, GuidedManager, ModelManager
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import refine_question


async def run_team(session: ResearchSession) -> None:
    """Run the team until there is a report in the session's store.

    Raises:
        DeepCriticalError: The question cannot be worked on, or the team stopped without a report.
    """
    await refine_question(session)
    agents = [agent.create(session) for agent in TEAM]
    # Code manages, or a model within the fences of code, if the run's reasoner has one.
    model = session.reasoner.manager_model()
    manager = ModelManager(session, model) if model else GuidedManager(session)
    workflow = MagenticBuilder(participants=agents, manager=manager).build()
    async for _ in workflow.run(session.text, stream=True):
        pass  # The framework's own events are bookkeeping; ours are in the log.
    if session.failure:
        raise session.failure
    if session.store.report is None:
        raise ReasoningError(
            "The team ended without a report.", "Please report this with the run's events.jsonl."
        )
