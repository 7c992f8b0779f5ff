"""The framework's standard manager, which asks a model who speaks next, within fences of code.

The model names an agent where several can act; everything else stays code: when research ends, that
the report is written, and what it says. An answer that cannot be followed is overruled, and a model
that gives none, or too many of those, is not asked again.
"""

from __future__ import annotations

from typing import Any

from agent_framework import AgentResponse, AgentSession, BaseAgent, Message
from agent_framework.orchestrations import (
    MagenticContext,
    MagenticProgressLedger,
    StandardMagenticManager,
)

from deepcritical.domain.errors import ConfigurationError, DeepCriticalError
from deepcritical.orchestrators.manager import (
    Decision,
    choices,
    decide_next,
    final_answer,
    fixed_plan,
    hand_turn,
    max_rounds,
    progress_of,
)
from deepcritical.prompts import managing
from deepcritical.reasoning.base import ManagerModel
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import stop_if_due

MOST_OVERRULED = 3
"""Answers that could not be followed after which code decides alone."""


class _Voice(BaseAgent):
    """The agent of the framework's manager: what it is asked goes to the run's model."""

    def __init__(self, model: ManagerModel) -> None:
        super().__init__(id="ManagerModel", name="ManagerModel")
        self.ask = model.note
        """In what form the next answer is asked for."""

    def run(
        self,
        messages: Any = None,
        *,
        stream: bool = False,
        session: AgentSession | None = None,
        **kwargs: Any,
    ) -> Any:
        """Ask the model; the last message is the request, those before are the conversation."""
        return self._respond(messages)

    async def _respond(self, messages: list[Message]) -> AgentResponse[Any]:
        *said, request = messages
        lines = [f"{message.author_name or message.role}: {message.text}" for message in said]
        text = await self.ask(lines, request.text)
        return AgentResponse(messages=[Message("assistant", [text])], response_id=self.id)


class ModelManager(StandardMagenticManager):
    """Asks a model, and binds its answer to the run's state. It never raises a domain error.

    Args:
        session: The run.
        model: What it speaks through.
    """

    def __init__(self, session: ResearchSession, model: ManagerModel) -> None:
        self._voice = _Voice(model)
        super().__init__(
            self._voice,
            task_ledger_facts_prompt=managing.FACTS,
            task_ledger_plan_prompt=managing.PLAN,
            progress_ledger_prompt=managing.LEDGER,
            max_stall_count=1,
            max_reset_count=1,
            max_round_count=max_rounds(session.limits),
        )
        self._session = session
        self._model = model
        self._alone = False
        self._overruled = 0
        self._last: str | None = None

    async def plan(self, magentic_context: MagenticContext) -> Message:
        """Facts and plan by the model, or the fixed plan."""
        self._voice.ask = self._model.note
        try:
            return await super().plan(magentic_context)
        except DeepCriticalError as error:
            self._take_over(error)
            return fixed_plan()

    async def replan(self, magentic_context: MagenticContext) -> Message:
        """The fixed plan: a new one would change nothing that code does not see."""
        return fixed_plan()

    async def create_progress_ledger(
        self, magentic_context: MagenticContext
    ) -> MagenticProgressLedger:
        """The model's choice where it can be followed, else that of code."""
        stop_if_due(self._session)
        possible = choices(progress_of(self._session), self._last)
        open_ = len(possible) > 1 and not self._alone
        agent = await self._chosen(magentic_context, possible) if open_ else None
        decision = possible[agent] if agent else decide_next(progress_of(self._session))
        self._last = decision.speaker
        return await hand_turn(self._session, decision, "model" if agent else "code")

    async def prepare_final_answer(self, magentic_context: MagenticContext) -> Message:
        """Out of the store; no model is asked."""
        return final_answer(self._session)

    async def _chosen(self, context: MagenticContext, possible: dict[str, Decision]) -> str | None:
        """The agent that the model names, if it can act."""
        self._voice.ask = self._model.ledger
        context.chat_history.append(Message("user", [self._state(possible)]))
        try:
            ledger = await super().create_progress_ledger(context)
        except DeepCriticalError as error:
            self._take_over(error)
            return None
        named = str(ledger.next_speaker.answer)
        if ledger.is_request_satisfied.answer:
            await self._overrule("it wanted to end before the rules of stopping do")
        elif named not in possible:
            await self._overrule(f"it named {named}, which could not act")
        else:
            return named
        return None

    def _state(self, possible: dict[str, Decision]) -> str:
        session = self._session
        return managing.tell_state(
            session.store, session.iteration, session.limits.max_iterations, tuple(possible)
        )

    async def _overrule(self, why: str) -> None:
        self._overruled += 1
        self._alone = self._overruled >= MOST_OVERRULED
        await self._model.overruled(f"{why}; it is not asked any more" if self._alone else why)

    def _take_over(self, error: DeepCriticalError) -> None:
        self._alone = True
        if isinstance(error, ConfigurationError):
            self._session.failure = error
