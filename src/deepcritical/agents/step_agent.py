"""Runs one step of research as an agent of the framework, and never raises a domain error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agent_framework import (
    AgentResponse,
    AgentResponseUpdate,
    AgentSession,
    BaseAgent,
    Message,
    ResponseStream,
)

from deepcritical.domain.errors import ConfigurationError, DeepCriticalError
from deepcritical.domain.run.events import StopReason
from deepcritical.reasoning.judging import open_gaps
from deepcritical.research.session import ResearchSession
from deepcritical.services.tasks import calculated

Step = Callable[[ResearchSession], Awaitable[str]]
"""Does the work on the session's store, and returns the counts of what it did."""

_GAPS_NAMED = 10


class StepAgent(BaseAgent):
    """Runs one step on the shared session.

    Its reply is one line of counts and open gaps, and holds no evidence; the results are in the
    store. A domain error becomes a typed stop in the session, because the framework would end the
    run on a raising agent.

    Args:
        name: The agent's name in the team.
        description: What it does, for the team's list.
        session: The run.
        step: The step to run.
    """

    def __init__(self, name: str, description: str, session: ResearchSession, step: Step) -> None:
        super().__init__(id=name, name=name, description=description)
        self._research = session
        self._step = step

    def run(
        self,
        messages: Any = None,
        *,
        stream: bool = False,
        session: AgentSession | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run the step; what the manager asks of it stands in the store, not in the messages."""
        if not stream:
            return self._respond()
        return ResponseStream(self._updates(), finalizer=AgentResponse.from_updates)

    async def _updates(self) -> Any:
        response = await self._respond()
        yield AgentResponseUpdate(
            contents=response.messages[0].contents, role="assistant", author_name=self.name
        )

    async def _respond(self) -> AgentResponse[Any]:
        try:
            said = await self._step(self._research) + await _gaps(self._research)
        except DeepCriticalError as error:
            said = f"stopped: {error.message}"
            settled = isinstance(error, ConfigurationError) or not self._research.store.drugs
            if self._research.stop_reason or settled:
                self._research.failure = error
            else:
                # What was found and read so far is still worth a report.
                self._research.stop_reason = StopReason.NO_NEW_EVIDENCE
                self._research.cut_short = f"{self.name} failed"
                await self._research.notify(f"{self.name} stopped: {error}")
        return AgentResponse(
            messages=[Message("assistant", [said], author_name=self.name)], response_id=self.id
        )


async def _gaps(session: ResearchSession) -> str:
    """The open gaps, once chains were proposed, without which every mechanism is a gap."""
    store = session.store
    if store.report or not (session.proposed_in_round or store.assessments):
        return ""
    if store.assessments and not session.searched_in_round:
        gaps = store.assessments[-1].gaps
    else:
        by_rule = await calculated(open_gaps, session.understood, store)
        gaps = tuple(gap.text for gap in by_rule)
    return f"; gaps open: {len(gaps)}. {' '.join(gaps[:_GAPS_NAMED])}".rstrip()
