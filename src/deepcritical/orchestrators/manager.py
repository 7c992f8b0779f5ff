"""The guided Magentic manager: code decides which agent speaks next, by the run's state."""

from __future__ import annotations

from typing import NamedTuple

from agent_framework import Message
from agent_framework.orchestrations import (
    MagenticContext,
    MagenticManagerBase,
    MagenticProgressLedger,
    MagenticProgressLedgerItem,
)

from deepcritical.agents import hypothesis_agent, judge_agent, report_agent, search_agent
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.events import AgentCalled, Stage
from deepcritical.research.session import ResearchSession
from deepcritical.research.steps import stop_if_late

__all__ = ["Decision", "GuidedManager", "Progress", "decide_next", "max_rounds"]

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


class Decision(NamedTuple):
    """Who speaks next, with what instruction; `speaker` is None when the run is over."""

    speaker: str | None
    instruction: str


def decide_next(progress: Progress) -> Decision:
    """Search, hypotheses, a search for each of them, judge; then the report, or the next round."""
    if progress.failed or progress.reported:
        return Decision(None, "The run is over.")
    if progress.stopped:
        return Decision(report_agent.NAME, "Write the report from the store.")
    if not progress.searched:
        return Decision(
            search_agent.NAME, "Search for what is asked, or for the gaps of the last judgement."
        )
    if not progress.proposed:
        return Decision(hypothesis_agent.NAME, "Propose mechanism chains from the records.")
    if progress.untested and not progress.targeted:
        return Decision(search_agent.NAME, "Search for evidence on the edges that have none.")
    return Decision(judge_agent.NAME, "Score the evidence and name the gaps.")


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
        return Message(
            "assistant",
            [
                "Search, propose hypotheses, search for each, judge; "
                "then another round, or the report."
            ],
        )

    async def replan(self, magentic_context: MagenticContext) -> Message:
        """The plan is the same: the state decides."""
        return await self.plan(magentic_context)

    async def create_progress_ledger(
        self, magentic_context: MagenticContext
    ) -> MagenticProgressLedger:
        """The decision as the framework's ledger; the call of an agent is logged."""
        stop_if_late(self._session)
        decision = decide_next(_progress(self._session))
        if decision.speaker:
            await self._session.emit(
                AgentCalled(
                    agent=decision.speaker,
                    instruction=decision.instruction,
                    iteration=self._session.iteration,
                ),
                _STAGES[decision.speaker],
            )
        return MagenticProgressLedger(
            is_request_satisfied=_item(decision.speaker is None),
            is_in_loop=_item(False),
            is_progress_being_made=_item(True),
            next_speaker=_item(decision.speaker or report_agent.NAME),
            instruction_or_question=_item(decision.instruction),
        )

    async def prepare_final_answer(self, magentic_context: MagenticContext) -> Message:
        """The report's title out of the store.

        The report itself is read from the store, never from the chat.
        """
        report = self._session.store.report
        return Message("assistant", [report.title if report else "No report was written."])


def _item(answer: str | bool) -> MagenticProgressLedgerItem:
    return MagenticProgressLedgerItem(reason="decided by the run's state", answer=answer)


def _progress(session: ResearchSession) -> Progress:
    suggested = {query.text for h in session.store.hypotheses for query in h.search_suggestions}
    return Progress(
        failed=session.failure is not None,
        reported=session.store.report is not None,
        stopped=session.stop_reason is not None,
        searched=session.searched_in_round,
        proposed=session.proposed_in_round,
        untested=bool(suggested - session.store.queries_run),
        targeted=session.targeted_in_round,
    )
