"""The guided Magentic manager: code decides which agent speaks next, by the run's state."""

from __future__ import annotations

from typing import Literal, NamedTuple

from agent_framework import Message
from agent_framework.orchestrations import (
    MagenticContext,
    MagenticManagerBase,
    MagenticProgressLedger,
    MagenticProgressLedgerItem,
)

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.errors import StorageError
from deepcritical.domain.events import AgentCalled, Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import stop_if_due

_STAGES = {
    search_agent.NAME: Stage.SEARCH,
    hypothesis_agent.NAME: Stage.HYPOTHESES,
    judge_agent.NAME: Stage.JUDGEMENT,
    report_agent.NAME: Stage.REPORT,
}
"""Where a run is while an agent has the turn."""


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


class Decision(NamedTuple):
    """Who speaks next, with what instruction; `speaker` is None when the run is over."""

    speaker: str | None
    instruction: str


_PROPOSE = Decision(hypothesis_agent.NAME, "Propose mechanism chains from the records.")
_JUDGE = Decision(judge_agent.NAME, "Score the evidence and name the gaps.")


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
    return _JUDGE


def choices(progress: Progress, last: str | None = None) -> dict[str, Decision]:
    """The agents among which the state leaves a choice; none where code alone decides.

    Every round is searched before it is judged, the first one has chains, and no agent speaks twice
    in a row: so every choice leads on, and a round has five turns at most.

    Args:
        progress: The state of the run.
        last: The agent that spoke last.
    """
    if progress.failed or progress.reported or progress.stopped:
        return {}
    by_rule = decide_next(progress)
    possible = {by_rule.speaker: by_rule} if by_rule.speaker else {}
    if progress.searched and (progress.proposed or progress.judged):
        possible[judge_agent.NAME] = _JUDGE
    if progress.targeted and last == search_agent.NAME:
        possible[hypothesis_agent.NAME] = _PROPOSE
    return possible


def max_rounds(limits: RunLimits) -> int:
    """The framework's round limit, a backstop only: six turns an iteration, and the report."""
    return 6 * limits.max_iterations + 4


class GuidedManager(MagenticManagerBase):
    """Speaks to the framework in its own terms.

    It never raises a domain error and never rewrites the report.

    Args:
        session: The run.
    """

    def __init__(self, session: ResearchSession) -> None:
        super().__init__(
            max_stall_count=1, max_reset_count=1, max_round_count=max_rounds(session.limits)
        )
        self._session = session

    async def plan(self, magentic_context: MagenticContext) -> Message:
        """The fixed plan."""
        return fixed_plan()

    async def replan(self, magentic_context: MagenticContext) -> Message:
        """The plan is the same: the state decides."""
        return await self.plan(magentic_context)

    async def create_progress_ledger(
        self, magentic_context: MagenticContext
    ) -> MagenticProgressLedger:
        """The decision as the framework's ledger; the call of an agent is logged."""
        stop_if_due(self._session)
        return await hand_turn(self._session, decide_next(progress_of(self._session)))

    async def prepare_final_answer(self, magentic_context: MagenticContext) -> Message:
        """Out of the store."""
        return final_answer(self._session)


def fixed_plan() -> Message:
    """The plan that code follows."""
    said = "Search, propose hypotheses, search for each, judge; then another round, or the report."
    return Message("assistant", [said])


def final_answer(session: ResearchSession) -> Message:
    """The report's title; the report itself is read from the store, never from the chat."""
    report = session.store.report
    return Message("assistant", [report.title if report else "No report was written."])


async def hand_turn(
    session: ResearchSession, decision: Decision, chosen_by: Literal["code", "model"] = "code"
) -> MagenticProgressLedger:
    """The decision as the framework's ledger; the call of an agent is logged.

    A log that takes no event, as that of a run that was ended elsewhere, ends the team.
    """
    try:
        await _log_call(session, decision, chosen_by)
    except StorageError as error:
        session.failure = error
        decision = decide_next(progress_of(session))
    return MagenticProgressLedger(
        is_request_satisfied=_item(decision.speaker is None),
        is_in_loop=_item(False),
        is_progress_being_made=_item(True),
        next_speaker=_item(decision.speaker or report_agent.NAME),
        instruction_or_question=_item(decision.instruction),
    )


async def _log_call(
    session: ResearchSession, decision: Decision, chosen_by: Literal["code", "model"]
) -> None:
    if decision.speaker:
        called = AgentCalled(
            agent=decision.speaker,
            instruction=decision.instruction,
            iteration=session.iteration,
            chosen_by=chosen_by,
        )
        await session.emit(called, _STAGES[decision.speaker])


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
    )
