"""The Magentic team: its agents over one store, and its managers.

Code decides which agent speaks next, or a model within fences of code. The model names an agent
where several can act; everything else stays code: when research ends, that the report is written,
and what it says. An answer that cannot be followed is overruled, and a model that gives none, or
too many of those, is not asked again.
"""

from collections.abc import Awaitable, Callable, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple

from agent_framework import AgentResponse, AgentSession, BaseAgent, Message
from agent_framework.orchestrations import (
    MagenticBuilder,
    MagenticContext,
    MagenticProgressLedger,
    MagenticProgressLedgerItem,
    StandardMagenticManager,
)

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.errors import (
    ConfigurationError,
    DeepCriticalError,
    ReasoningError,
    StorageError,
)
from deepcritical.domain.run.budget import RunLimits
from deepcritical.domain.run.events import AgentCalled
from deepcritical.prompts import asks
from deepcritical.reasoning.base import ManagerModel
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import refine_question, stop_if_due

TEAM: tuple[ModuleType, ...] = (
    search_agent,
    hypothesis_agent,
    judge_agent,
    report_agent,
)
_STAGES = {agent.NAME: agent.STAGE for agent in TEAM}
"""The stage of a run while an agent has its turn."""
_FURTHER = tuple(agent.NAME for agent in TEAM[4:])
"""Agents beside the four. Each has one turn in a round, before the judge."""


class Progress(NamedTuple):
    """The state that decides the next agent."""

    failed: bool = False
    reported: bool = False
    stopped: bool = False
    searched: bool = False
    """The round's first search is done."""
    proposed: bool = False
    """The round's hypotheses are in."""
    untested: bool = False
    """Hypotheses suggest queries that have not been run."""
    targeted: bool = False
    """The round's search for the hypotheses is done."""
    judged: bool = False
    """An earlier round was judged, so that there are chains and gaps to go by."""
    further: str = ""
    """The next agent beside the four that had no turn in this round."""


class Decision(NamedTuple):
    """The next speaker, and its instruction; `speaker` is None when the run is over."""

    speaker: str | None
    instruction: str


_PLAN = "Search, propose hypotheses, search for each, judge; then another round, or the report."
_PROPOSE = Decision(hypothesis_agent.NAME, "Propose mechanism chains from the records.")
_JUDGE = Decision(judge_agent.NAME, "Score the evidence and name the gaps.")
_SEARCH_ON = Decision(search_agent.NAME, "Search for what the manager asks for.")


def decide_next(progress: Progress) -> Decision:
    """Search, hypotheses, a search for each of them, judge; then the report, or the next round."""
    if progress.failed or progress.reported:
        return Decision(None, "The run is over.")
    if progress.stopped:
        return Decision(report_agent.NAME, "Write the report from the store.")
    if not progress.searched:
        return Decision(search_agent.NAME, "Searching for studies")
    if not progress.proposed:
        return _PROPOSE
    if progress.untested and not progress.targeted:
        return Decision(search_agent.NAME, "Search for evidence on the edges that have none.")
    return Decision(progress.further, "Do your part.") if progress.further else _JUDGE


def choices(progress: Progress, last: str | None = None) -> dict[str, Decision]:
    """The agents among which the state leaves a choice; none where code alone decides.

    Every round is searched before it is judged, the first one has chains, and no agent speaks twice
    in a row: so every choice leads on, and a round has five turns at most.
    """
    if progress.failed or progress.reported or progress.stopped:
        return {}
    by_rule = decide_next(progress)
    possible = {by_rule.speaker: by_rule} if by_rule.speaker else {}
    if progress.searched and (progress.proposed or progress.judged):
        possible[judge_agent.NAME] = _JUDGE
    if progress.searched and progress.proposed and not progress.targeted:
        possible.setdefault(search_agent.NAME, _SEARCH_ON)
    if progress.targeted and last == search_agent.NAME:
        possible[hypothesis_agent.NAME] = _PROPOSE
    return possible


def max_rounds(limits: RunLimits) -> int:
    """The framework's round limit, a backstop only: more turns than an iteration has."""
    return (6 + len(_FURTHER)) * limits.max_iterations + 4


async def hand_turn(
    session: ResearchSession,
    decision: Decision,
    chosen_by: Literal["code", "model"] = "code",
    asked: str = "",
) -> MagenticProgressLedger:
    """The decision as the framework's ledger; the call of an agent is logged.

    A log that takes no event, as that of a run that was ended elsewhere, ends the team.

    Args:
        session: The run.
        decision: Whose turn it is; the log has its instruction, which is of code.
        chosen_by: Whose decision it is.
        asked: A model's own instruction to the agent.
    """
    session.store.instruction = asked
    try:
        if decision.speaker:
            called = AgentCalled(
                agent=decision.speaker,
                instruction=decision.instruction,
                iteration=session.iteration,
                chosen_by=chosen_by,
            )
            await session.emit(called, _STAGES[decision.speaker])
            session.spoken_in_round.add(decision.speaker)
    except StorageError as error:
        session.failure = error
        decision = decide_next(progress_of(session))
    return MagenticProgressLedger(
        is_request_satisfied=_item(decision.speaker is None),
        is_in_loop=_item(False),
        is_progress_being_made=_item(True),
        next_speaker=_item(decision.speaker or report_agent.NAME),
        instruction_or_question=_item(asked or decision.instruction),
    )


def _item(answer: str | bool) -> MagenticProgressLedgerItem:
    return MagenticProgressLedgerItem(reason="decided by the run's state", answer=answer)


def progress_of(session: ResearchSession) -> Progress:
    """The state of a run, as far as it decides who speaks."""
    suggested = {query.text for h in session.store.hypotheses for query in h.search_suggestions}
    return Progress(
        failed=session.failure is not None,
        reported=session.store.report is not None,
        stopped=session.stop_reason is not None,
        searched=session.searched_in_round,
        proposed=session.proposed_in_round,
        untested=bool(suggested - session.store.queries_run),
        targeted=session.targeted_in_round,
        judged=bool(session.store.assessments),
        further=next((name for name in _FURTHER if name not in session.spoken_in_round), ""),
    )


MOST_OVERRULED = 3
"""Answers that could not be followed after which code decides alone."""


class _Voice(BaseAgent):
    """The agent of the framework's manager: what it is asked goes to the run's model."""

    ask: Callable[[Sequence[str], str], Awaitable[str]]
    """In what form the next answer is asked for."""

    def __init__(self) -> None:
        super().__init__(id="ManagerModel", name="ManagerModel")

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


class TeamManager(StandardMagenticManager):
    """Hands the turns out by code, or by a model whose answer is bound to the run's state.

    It never raises a domain error and never rewrites the report.
    """

    def __init__(self, session: ResearchSession, model: ManagerModel | None) -> None:
        self._voice = _Voice()
        super().__init__(
            self._voice,
            task_ledger_facts_prompt=asks.FACTS,
            task_ledger_plan_prompt=asks.PLAN,
            progress_ledger_prompt=asks.LEDGER,
            progress_ledger_retry_count=1,
            max_stall_count=1,
            max_reset_count=1,
            max_round_count=max_rounds(session.limits),
        )
        self._session = session
        self._model = model
        """None where code decides alone, from the beginning or from then on."""
        self._overruled = 0
        self._last: str | None = None

    async def plan(self, magentic_context: MagenticContext) -> Message:
        """Facts and plan by the model, or the fixed plan."""
        if self._model:
            self._voice.ask = self._model.note
            try:
                return await super().plan(magentic_context)
            except DeepCriticalError as error:
                self._take_over(error)
        return await self.replan(magentic_context)

    async def replan(self, magentic_context: MagenticContext) -> Message:
        """The fixed plan: a new one would change nothing that code does not see."""
        return Message("assistant", [_PLAN])

    async def create_progress_ledger(
        self, magentic_context: MagenticContext
    ) -> MagenticProgressLedger:
        """The model's choice where it can be followed, else that of code."""
        stop_if_due(self._session)
        possible = choices(progress_of(self._session), self._last)
        open_to = self._model if len(possible) > 1 else None
        chosen = await self._chosen(open_to, magentic_context, possible) if open_to else None
        decision, asked = chosen or (decide_next(progress_of(self._session)), "")
        self._last = decision.speaker
        return await hand_turn(self._session, decision, "model" if chosen else "code", asked)

    async def prepare_final_answer(self, magentic_context: MagenticContext) -> Message:
        """The report's title; the report is read from the store, never from the chat."""
        report = self._session.store.report
        return Message("assistant", [report.title if report else "No report was written."])

    async def _chosen(
        self, model: ManagerModel, context: MagenticContext, possible: dict[str, Decision]
    ) -> tuple[Decision, str] | None:
        """The agent that the model names, if it can act, and the model's words to it."""
        self._voice.ask = model.ledger
        rounds = self._session.limits.max_iterations
        state = asks.tell_state(self._session.iteration, rounds, tuple(possible))
        context.chat_history.append(Message("user", [state]))
        try:
            ledger = await super().create_progress_ledger(context)
        except DeepCriticalError as error:
            self._take_over(error)
            return None
        named = str(ledger.next_speaker.answer)
        if ledger.is_request_satisfied.answer:
            await self._overrule(model, "it wanted to end before the rules of stopping do")
        elif named not in possible:
            await self._overrule(model, f"it named {named}, which could not act")
        else:
            asked = str(ledger.instruction_or_question.answer)
            return possible[named], asks.instruction(asked)
        return None

    async def _overrule(self, model: ManagerModel, why: str) -> None:
        self._overruled += 1
        if self._overruled >= MOST_OVERRULED:
            self._model, why = None, f"{why}; it is not asked any more"
        await model.overruled(why)

    def _take_over(self, error: DeepCriticalError) -> None:
        self._model = None
        if isinstance(error, ConfigurationError):
            self._session.failure = error


async def run_team(session: ResearchSession) -> None:
    """Run the team until there is a report in the session's store.

    Raises:
        DeepCriticalError: The question cannot be worked on, or the team stopped without a report.
    """
    await refine_question(session)
    agents = [agent.create(session) for agent in TEAM]
    # Code manages, or a model within the fences of code, if the run's reasoner has one.
    manager = TeamManager(session, session.reasoner.manager_model())
    workflow = MagenticBuilder(participants=agents, manager=manager).build()
    async for _ in workflow.run(session.text, stream=True):
        pass  # The framework's own events are bookkeeping; ours are in the log.
    if session.failure:
        raise session.failure
    if session.store.report is None:
        raise ReasoningError(
            "The team ended without a report.", "Please report this with the run's events.jsonl."
        )
