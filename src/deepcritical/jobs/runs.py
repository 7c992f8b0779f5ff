"""Submits a question as a run, and guarantees that its log ends with exactly one terminal event."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from deepcritical.domain.budget import Depth, RunLimits
from deepcritical.domain.errors import (
    BudgetExceeded,
    CapacityError,
    DeepCriticalError,
    ResearchCancelled,
)
from deepcritical.domain.events import (
    Event,
    LoggedEvent,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    SourcesOpened,
    Stage,
    StopReason,
)
from deepcritical.domain.question import checked_question
from deepcritical.domain.report import ResearchReport
from deepcritical.reasoning.base import Reasoner, RunDesk
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.event_log import EventLog

__all__ = ["MAX_ACTIVE", "MAX_KEPT", "OpenSources", "Run", "RunService"]

MAX_ACTIVE = 20
"""Runs of a service that may be under way at once."""
MAX_KEPT = 200
"""Runs that a service remembers; the oldest that have ended are forgotten first."""

_LOG = logging.getLogger(__name__)

Orchestrate = Callable[[ResearchSession], Awaitable[None]]
OpenSources = Callable[[], AbstractAsyncContextManager[RunSources]]


class Run:
    """One submitted question."""

    def __init__(self, session: ResearchSession, task: asyncio.Task[ResearchReport]) -> None:
        self._session = session
        self._task = task

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self._session.log.run_id

    @property
    def question(self) -> str:
        """The question as asked."""
        return self._session.text

    @property
    def ended(self) -> bool:
        """Whether the terminal event is in the log."""
        return self._session.log.ended

    @property
    def report(self) -> ResearchReport | None:
        """The report; None before the run's end, and for a run that failed or was cancelled."""
        events = self._session.log.events
        completed = bool(events) and isinstance(events[-1].event, RunCompleted)
        return self._session.store.report if completed else None

    def evidence(self) -> bytes:
        """The records that the run has found so far, as a snapshot file."""
        return self._session.store.to_snapshot(self.run_id, self._session.searched_on)

    def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """The run's events as they come, up to the terminal one."""
        return self._session.log.tail(after)

    def cancel(self) -> None:
        """Stop the run; its log ends with `run_cancelled`."""
        # Not before the run's first step: a task cancelled earlier would never write its end.
        # By the loop, so that a signal handler may call this, too.
        self._task.get_loop().call_soon_threadsafe(self._task.cancel)

    async def result(self) -> ResearchReport:
        """The report.

        Raises:
            DeepCriticalError: The run failed.
            ResearchCancelled: The run was cancelled.
        """
        await asyncio.wait([self._task])
        if self._task.cancelled():
            raise ResearchCancelled
        return self._task.result()


class RunService:
    """Starts runs as tasks of this process, and remembers them.

    Args:
        orchestrate: The schedule of steps; it leaves the report in the session's store.
        reasoner: Makes the judgements.
        open_sources: Opens the sources of one run until the context ends.
        limits_for: Limits of a run of a depth.
        clock: Monotonic seconds.
    """

    def __init__(
        self,
        *,
        orchestrate: Orchestrate,
        reasoner: Reasoner,
        open_sources: OpenSources,
        limits_for: Callable[[Depth], RunLimits],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._orchestrate = orchestrate
        self._reasoner = reasoner
        self._open_sources = open_sources
        self._limits_for = limits_for
        self._clock = clock
        self._runs: dict[str, Run] = {}

    async def sources(self) -> tuple[str, ...]:
        """One line on each source."""
        async with self._open_sources() as sources:
            return sources.described

    @property
    def reasoner(self) -> str:
        """Name of the reasoner, as the reader is told."""
        return self._reasoner.name

    async def warm_up(self) -> None:
        """Load what every run needs, so that the first one does not wait for it."""
        await self.sources()
        await self._reasoner.warm_up()

    def get(self, run_id: str) -> Run | None:
        """The run of that id, if it is remembered."""
        return self._runs.get(run_id)

    def cancel_all(self) -> None:
        """Stop every run that is under way."""
        for run in self._runs.values():
            if not run.ended:
                run.cancel()

    def submit(
        self,
        question: str,
        *,
        depth: Depth = "standard",
        log_path: Path | None = None,
        model_api_key: SecretStr | None = None,
    ) -> Run:
        """Start a run; must be called within a running event loop.

        Args:
            question: The question as the user wrote it.
            depth: How far the run may go.
            log_path: File to which events are also appended.
            model_api_key: The user's own key for the model; it is kept for this run only.

        Raises:
            EmptyQuestionError, QuestionTooLongError, CapacityError: Nothing is started.
        """
        session = ResearchSession(
            text=checked_question(question),
            limits=self._limits_for(depth),
            reasoner=self._reasoner,
            log=EventLog(str(uuid.uuid4()), log_path),
            clock=self._clock,
            searched_on=datetime.now(UTC).date().isoformat(),
        )
        self._make_room()
        task = asyncio.create_task(self._run(session, model_api_key))
        task.add_done_callback(_log_defect)
        run = Run(session, task)
        self._runs[run.run_id] = run
        return run

    def _make_room(self) -> None:
        ended = [run_id for run_id, run in self._runs.items() if run.ended]
        if len(self._runs) - len(ended) >= MAX_ACTIVE:
            raise CapacityError(
                f"{MAX_ACTIVE} runs are under way, and that is the limit.", "Try again in a minute."
            )
        for run_id in ended[: max(0, len(self._runs) - MAX_KEPT + 1)]:
            del self._runs[run_id]

    async def _run(self, session: ResearchSession, key: SecretStr | None) -> ResearchReport:
        """Run to the end; whatever happens, the log gets its one terminal event."""
        ending: Event = RunFailed(
            error="InternalError",
            message="The run ended unexpectedly.",
            advice="Please report this with the run's events.",
        )
        try:
            report = await self._research(session, key)
            ending = _completed(session, report)
        except asyncio.CancelledError:
            ending = RunCancelled()
            raise
        except DeepCriticalError as error:
            ending = RunFailed(
                error=type(error).__name__, message=error.message, advice=error.advice
            )
            raise
        finally:
            # Shielded, so that a second cancellation cannot leave the log without its end.
            await asyncio.shield(session.emit(ending, Stage.DONE))
        return report

    async def _research(self, session: ResearchSession, key: SecretStr | None) -> ResearchReport:
        await session.emit(RunStarted(question=session.text, reasoner=self._reasoner.name))
        try:
            async with asyncio.timeout(session.limits.deadline_s) as deadline:
                await self._searching(session, key)
        except TimeoutError as error:
            if not deadline.expired():
                raise  # somebody else's time-out
            raise BudgetExceeded(
                f"The run did not end within {session.limits.deadline_s:g} s.",
                "Raise DEEPCRITICAL_DEADLINE_S, or ask at a lower depth.",
            ) from error
        if session.store.report is None:
            raise ValueError("the orchestrator returned without a report")
        return session.store.report

    async def _searching(self, session: ResearchSession, key: SecretStr | None) -> None:
        desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, key)
        async with (
            self._open_sources() as session.sources,
            self._reasoner.for_run(desk) as session.reasoner,
        ):
            await session.emit(SourcesOpened(sources=session.sources.described))
            await self._orchestrate(session)


def _log_defect(task: asyncio.Task[ResearchReport]) -> None:
    """Leave a trace of a defect of ours, for nobody may ask for the result of a failed run."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, DeepCriticalError):
        _LOG.error("a run failed by a defect", exc_info=error)


def _completed(session: ResearchSession, report: ResearchReport) -> RunCompleted:
    no_evidence = not report.references
    reason = (
        StopReason.NO_EVIDENCE
        if no_evidence
        else session.stop_reason or StopReason.SUFFICIENT_EVIDENCE
    )
    return RunCompleted(
        stop_reason=reason, verdict=report.verdict.label.value, references=len(report.references)
    )
