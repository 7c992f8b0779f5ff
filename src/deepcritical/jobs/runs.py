"""Submits a question as a run, and guarantees that its log ends with exactly one terminal event."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import SecretStr

from deepcritical.domain.answer import DeepAnswer
from deepcritical.domain.budget import Depth, RunLimits
from deepcritical.domain.documents import Document
from deepcritical.domain.errors import (
    CapacityError,
    ConfigurationError,
    PlanError,
    StorageError,
    TraceNotFoundError,
)
from deepcritical.domain.plan import Place, ResearchPlan, check_limits
from deepcritical.domain.question import checked_question
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.traces import LOCAL_USER, TraceSummary
from deepcritical.jobs.conduct import OpenSources, Orchestrate, Outcome, conduct
from deepcritical.jobs.endings import forget_causes, log_defect, within
from deepcritical.jobs.run import Run, RunOf
from deepcritical.jobs.stored_runs import RunView, open_stored
from deepcritical.reasoning.base import Reasoner, RunDesk
from deepcritical.research.planning import plan_research
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_writer import TraceWriter

__all__ = ["MAX_ACTIVE", "MAX_KEPT", "ChooseReasoner", "RunService"]

MAX_ACTIVE = 20
"""Runs of a service that may be under way at once."""
MAX_KEPT = 200
"""Runs that a service remembers; the oldest that have ended are forgotten first.

Of a run that is in the database nothing is remembered once it has ended.
"""
CLOSE_S = 10.0
"""How long runs that were stopped get to write their end."""
RESEARCH, DEEP_RESEARCH = "research", "deep_research"
"""What runs that end with a report, and with an answer, are called among the tools."""

ChooseReasoner = Callable[[str, SecretStr | None], Reasoner]
"""The reasoner for a model as ``provider:name``, '' for the service's own, and a user's key."""
Ended = TypeVar("Ended", bound=Document)


class RunService:
    """Starts runs as tasks of this process, and remembers them.

    Args:
        orchestrate: The schedule of steps for a report; it leaves it in the session's store.
        answering: The schedule of steps for a free question; it leaves the answer there.
        reasoner: Makes the judgements, unless a run has a model of its own.
        open_sources: Opens the sources of one run until the context ends.
        limits_for: Limits of a run of a depth.
        traces: Keeps the runs; None keeps them in memory only.
        clock: Monotonic seconds.
        choose_reasoner: Gives a run the reasoner of its own model; without it there are none.
        place: Where the sources search, as a plan names it.
    """

    def __init__(
        self,
        *,
        orchestrate: Orchestrate,
        answering: Orchestrate,
        reasoner: Reasoner,
        open_sources: OpenSources,
        limits_for: Callable[[Depth], RunLimits],
        traces: ToolTraceService | None = None,
        clock: Callable[[], float] = time.monotonic,
        choose_reasoner: ChooseReasoner | None = None,
        place: Place | None = None,
    ) -> None:
        self._orchestrate = orchestrate
        self._answering = answering
        self._reasoner = reasoner
        self._open_sources = open_sources
        self._limits_for = limits_for
        self._traces = traces
        self._clock = clock
        self._choose_reasoner = choose_reasoner
        self._place = place or Place()
        self._runs: dict[str, Run] = {}

    async def sources(self) -> tuple[str, ...]:
        """One line on each source."""
        async with self._open_sources() as sources:
            return sources.described

    @property
    def reasoner(self) -> str:
        """Name of the reasoner, as the reader is told."""
        return self._reasoner.name

    def reasoner_of(self, model: str = "", key: SecretStr | None = None) -> Reasoner:
        """The reasoner for a run with this model and key. Blocks: it may load libraries.

        Args:
            model: As ``provider:name``; '' is the service's own.
            key: The user's own key.

        Raises:
            ConfigurationError: There is none.
        """
        if self._choose_reasoner is None:
            if model:
                raise ConfigurationError("No other model can be chosen here.", "Leave it out.")
            return self._reasoner
        return self._choose_reasoner(model, key)

    async def warm_up(self) -> None:
        """Load what every run needs, so that the first one does not wait for it."""
        await self.sources()
        await self._reasoner.warm_up()

    async def find(self, run_id: str) -> RunView | None:
        """The run of that id: one of this process, or one that the database has.

        Raises:
            StorageError: The database cannot be read.
        """
        if run_id in self._runs or self._traces is None:
            return self._runs.get(run_id)
        return await open_stored(self._traces, run_id)

    async def cancel(self, run_id: str) -> None:
        """Stop a run; one that has ended stays as it is.

        Raises:
            TraceNotFoundError: There is no such run.
            StorageError: The database cannot be read or written.
        """
        if run := self._runs.get(run_id):
            run.cancel()
        elif self._traces:
            trace = await self._traces.get_trace(run_id)
            if not trace.status.ended:
                await self._traces.cancel_trace(run_id, user_id=trace.user_id)
        else:
            raise _unknown(run_id)

    async def write_now(self, run_id: str) -> None:
        """End the search of a run after its round, and have it write from what there is.

        Raises:
            TraceNotFoundError: There is no such run under way here.
        """
        run = self._runs.get(run_id)
        if run is None:
            raise _unknown(run_id)
        run.write_now()

    async def delete(self, run_id: str) -> None:
        """Delete a run that has ended.

        Raises:
            TraceNotFoundError: There is no such run.
            StorageError: It has not ended, or the database cannot be written.
        """
        run = self._runs.get(run_id)
        if run and not run.ended:
            raise StorageError(f"The run {run_id} has not ended.", "Cancel it first.")
        if self._traces:
            trace = await self._traces.get_trace(run_id)
            await self._traces.delete(run_id, user_id=trace.user_id)
        self._runs.pop(run_id, None)

    async def runs_of(
        self,
        user_id: str = LOCAL_USER,
        *,
        tool_name: str | None = None,
        most: int = 50,
        before: str | None = None,
    ) -> tuple[TraceSummary, ...]:
        """The runs that a user started, the newest first; none without a database.

        Args:
            user_id: The user.
            tool_name: Only runs of this tool.
            most: How many.
            before: Id of a run; only older ones.

        Raises:
            StorageError: The database cannot be read.
        """
        if self._traces is None:
            return ()
        return await self._traces.list_traces(user_id, tool_name, most=most, before=before)

    def cancel_all(self) -> None:
        """Stop every run that is under way."""
        for run in self._runs.values():
            if not run.ended:
                run.cancel()

    async def close(self) -> None:
        """Stop what is under way, and close the database when everything is written."""
        self.cancel_all()
        if under_way := [run.task for run in self._runs.values() if not run.task.done()]:
            await asyncio.wait(under_way, timeout=CLOSE_S)
        if self._traces:
            await self._traces.close()

    async def plan(
        self,
        question: str,
        *,
        depth: Depth = "standard",
        reasoner: Reasoner | None = None,
        model_api_key: SecretStr | None = None,
    ) -> ResearchPlan:
        """What a run of this question would do first, for a person to review.

        Nothing is searched and nothing is kept: the next run starts with what is given to `submit`.

        Raises:
            QuestionError: The question cannot be worked on.
            BudgetExceeded: It took longer than a run may.
        """
        text, log = checked_question(question), EventLog(str(uuid.uuid4()))
        session = self._session(text, self._limits_for(depth), log, reasoner)
        desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, model_api_key)
        async with within(session.limits), session.reasoner.for_run(desk) as session.reasoner:
            return await plan_research(session, self._place)

    def submit(
        self,
        question: str,
        *,
        depth: Depth = "standard",
        log_path: Path | None = None,
        reasoner: Reasoner | None = None,
        model_api_key: SecretStr | None = None,
        user_id: str = LOCAL_USER,
        plan: ResearchPlan | None = None,
    ) -> RunOf[ResearchReport]:
        """Start a run that ends with a report; must be called within a running event loop.

        Args:
            question: The question as the user wrote it.
            depth: How far the run may go.
            log_path: File to which events are also appended.
            reasoner: The run's own, of `reasoner_of`; without it the service's.
            model_api_key: The user's own key for the model; it is kept for this run only.
            user_id: Who asks.
            plan: What was reviewed; its limits hold, and `question` is the plan's.

        Raises:
            EmptyQuestionError, QuestionTooLongError, CapacityError: Nothing is started.
            PlanError: The plan is for another question or place, or goes beyond the limits.
        """
        text, run_id = checked_question(question), str(uuid.uuid4())
        if plan:
            self._check(plan, text)
        limits = plan.limits if plan else self._limits_for(depth)
        asked = {"question": text, "depth": depth}
        writer = self._writer(RESEARCH, run_id, asked, user_id)
        session = self._session(text, limits, EventLog(run_id, log_path, writer), reasoner, plan)
        return self._start(
            session, self._orchestrate, lambda store: store.report, model_api_key, writer, user_id
        )

    def ask(
        self,
        question: str,
        *,
        context: str = "",
        max_iterations: int | None = None,
        log_path: Path | None = None,
        reasoner: Reasoner | None = None,
        model_api_key: SecretStr | None = None,
        user_id: str = LOCAL_USER,
    ) -> RunOf[DeepAnswer]:
        """Start a run that ends with an answer; must be called within a running event loop.

        Args:
            question: Any biomedical question, as the user wrote it.
            context: What the user says beside it.
            max_iterations: Rounds of search at most, 1-10; None leaves it to the settings.
            log_path: File to which events are also appended.
            reasoner: As for `submit`.
            model_api_key: As for `submit`.
            user_id: Who asks.

        Raises:
            EmptyQuestionError, QuestionTooLongError, CapacityError: Nothing is started.
        """
        text, run_id = checked_question(question), str(uuid.uuid4())
        said = checked_question(context) if context.strip() else ""
        limits = self._limits_for("deep")
        if max_iterations is not None:
            limits = RunLimits(**{**dict(limits), "max_iterations": max_iterations})
        rounds = limits.max_iterations
        asked = {"question": text, "context": said, "max_iterations": rounds}
        writer = self._writer(DEEP_RESEARCH, run_id, asked, user_id)
        session = self._session(text, limits, EventLog(run_id, log_path, writer), reasoner)
        session.context = said
        return self._start(
            session, self._answering, lambda store: store.answer, model_api_key, writer, user_id
        )

    def _start(
        self,
        session: ResearchSession,
        schedule: Orchestrate,
        outcome: Outcome[Ended],
        key: SecretStr | None,
        writer: TraceWriter | None,
        user_id: str,
    ) -> RunOf[Ended]:
        self._make_room()
        conducted = conduct(session, schedule, outcome, self._open_sources, key, writer)
        task = asyncio.create_task(conducted)
        task.add_done_callback(log_defect)
        task.add_done_callback(forget_causes)
        tool = DEEP_RESEARCH if schedule is self._answering else RESEARCH
        run = RunOf(session, task, user_id, tool)
        task.add_done_callback(lambda _task: self._forget_stored(run.run_id, writer))
        self._runs[run.run_id] = run
        return run

    def _writer(
        self, tool: str, run_id: str, asked: Mapping[str, object], user_id: str
    ) -> TraceWriter | None:
        if self._traces is None:
            return None
        return TraceWriter(
            self._traces, run_id, tool_name=tool, input_params=asked, user_id=user_id
        )

    def _forget_stored(self, run_id: str, writer: TraceWriter | None) -> None:
        if writer is not None and writer.stored:
            self._runs.pop(run_id, None)

    def _session(
        self,
        text: str,
        limits: RunLimits,
        log: EventLog,
        reasoner: Reasoner | None = None,
        plan: ResearchPlan | None = None,
    ) -> ResearchSession:
        return ResearchSession(
            text=text,
            limits=limits,
            reasoner=reasoner or self._reasoner,
            log=log,
            clock=self._clock,
            searched_on=datetime.now(UTC).date().isoformat(),
            plan=plan,
        )

    def _check(self, plan: ResearchPlan, text: str) -> None:
        if checked_question(plan.question.text) != text:
            raise PlanError("The plan is for another question.", "Give the question of the plan.")
        if plan.place != self._place:
            raise PlanError(
                "The plan is for other sources than those that are searched here.",
                "Name the sources of the plan, or write a new one.",
            )
        check_limits(plan.limits, self._limits_for("deep"))

    def _make_room(self) -> None:
        ended = [run_id for run_id, run in self._runs.items() if run.ended]
        if len(self._runs) - len(ended) >= MAX_ACTIVE:
            raise CapacityError(
                f"{MAX_ACTIVE} runs are under way, and that is the limit.", "Try again in a minute."
            )
        for run_id in ended[: max(0, len(self._runs) - MAX_KEPT + 1)]:
            del self._runs[run_id]


def _unknown(run_id: str) -> TraceNotFoundError:
    return TraceNotFoundError(f"There is no run {run_id} under way here.", "Look up its id.")
