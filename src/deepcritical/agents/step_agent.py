"""What the four agents share: a framework agent that runs one step.

It never raises a domain error.
"""

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
from deepcritical.domain.events import StopReason
from deepcritical.research.session import ResearchSession

__all__ = ["StepAgent"]

Step = Callable[[ResearchSession], Awaitable[None]]


class StepAgent(BaseAgent):
    """Runs one step on the shared session.

    What it answers in the chat is bookkeeping; the results are in the store. A domain error becomes
    a typed stop in the session, because the framework would end the run on a raising agent.

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
        """Run the step; the messages carry no evidence and are not read."""
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
            await self._step(self._research)
            said = "done"
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
