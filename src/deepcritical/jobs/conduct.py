"""Conducts one run to its end: whatever happens, its log gets exactly one terminal event."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import SecretStr

from deepcritical.domain import errors, events
from deepcritical.domain.answer import Document
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.recipe import Recipe
from deepcritical.domain.traces import TraceResult, knowledge_of
from deepcritical.jobs.durable import DurableReasoner, durable_sources
from deepcritical.jobs.recorder import Host, Recorder
from deepcritical.jobs.run import open_stored
from deepcritical.models.desk import RunDesk
from deepcritical.reasoning.base import Reasoner
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.calculating import calculated
from deepcritical.services.event_log import EventLog
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.finishing import to_the_end
from deepcritical.services.study_readings import owner_of_run
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_writer import TraceWriter
from deepcritical.tools.snapshot import BUNDLED

_LOG = logging.getLogger(__name__)

Orchestrate = Callable[[ResearchSession], Awaitable[None]]
OpenSources = Callable[[], AbstractAsyncContextManager[RunSources]]

_HERE = Host()
DEFECT = events.RunFailed(
    error="InternalError",
    message="The run ended unexpectedly.",
    advice="Please report this with the run's events.",
)
"""The end of a run by a defect of ours."""


class Tool(NamedTuple):
    """How the runs of one tool are conducted."""

    schedule: Orchestrate
    outcome: Callable[[EvidenceStore], Document | None]
    """Where the schedule leaves what it ends with."""
    telemetry: Telemetry = OFF


async def conduct(
    session: ResearchSession,
    tool: Tool,
    open_sources: OpenSources,
    key: SecretStr | None,
    writer: TraceWriter | None,
    host: Host = _HERE,
) -> Document:
    """Run to the end, from where the journal of a former process ends; see the module.

    Raises:
        DeepCriticalError: The run failed; TraceTakenError: another worker has it.
        ResearchCancelled, CancelledError: It was stopped; the log gets no end if the host lets go.
    """
    recorder = Recorder(session, host)
    ending: events.Event | None = DEFECT
    try:
        with host.telemetry.of_run(session.log.run_id):
            await _run(session, tool.schedule, open_sources, key, recorder)
        ended: Document | None = tool.outcome(session.store)
        if ended is None:
            raise ValueError("the schedule ended without a report")
        if writer:
            writer.result = await calculated(_as_result, ended)
        ending = _completed(session, ended)
    except errors.TraceTakenError:
        ending = None  # the other worker writes the end
        raise
    except (asyncio.CancelledError, errors.ResearchCancelled):
        ending = None if host.lets_go() else events.RunCancelled()
        raise
    except errors.DeepCriticalError as error:
        ending = failed(error)
        raise
    finally:
        if ending:
            await _tell(session, ending)
            recorder.ended(ending)
    return ended


async def _tell(session: ResearchSession, ending: events.Event) -> None:
    """Store the end before anything else: a cancellation from now on is too late."""
    with contextlib.suppress(asyncio.CancelledError):
        await to_the_end(session.emit(ending, events.Stage.DONE))
    if not session.log.ended:  # the loop is closing, and the write with it
        raise asyncio.CancelledError


async def _run(
    session: ResearchSession,
    schedule: Orchestrate,
    open_sources: OpenSources,
    key: SecretStr | None,
    recorder: Recorder,
) -> None:
    await recorder.begin()
    await session.emit(events.RunStarted(question=session.text, reasoner=session.reasoner.name))
    desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, key, recorder.telemetry)
    without_key = session.reasoner
    try:
        async with (
            within(session.limits, recorder.left_s) as recorder.deadline,
            open_sources() as sources,
            DurableReasoner(without_key, recorder).for_run(desk) as session.reasoner,
        ):
            session.sources = durable_sources(sources, recorder)
            await session.emit(events.SourcesOpened(sources=session.sources.described))
            await schedule(session)
    finally:
        # The session outlives the run in memory; a key must not.
        session.reasoner = without_key


@contextlib.asynccontextmanager
async def within(limits: RunLimits, left_s: float | None = None) -> AsyncIterator[asyncio.Timeout]:
    """Yield the deadline of a run, which may be rescheduled; `left_s` None is the whole time.

    Raises:
        BudgetExceeded: The deadline has passed.
    """
    try:
        async with asyncio.timeout(limits.deadline_s if left_s is None else left_s) as deadline:
            yield deadline
    except TimeoutError as error:
        if not deadline.expired():
            raise  # somebody else's time-out
        raise errors.BudgetExceeded(
            f"The run did not end within {limits.deadline_s:g} s.",
            "Raise DEEPCRITICAL_DEADLINE_S, or ask at a lower depth.",
        ) from error


def failed(error: errors.DeepCriticalError) -> events.RunFailed:
    """Return the terminal event of a run that ends with this error."""
    return events.RunFailed(error=type(error).__name__, message=error.message, advice=error.advice)


def _as_result(ended: Document) -> TraceResult:
    return TraceResult(ended.model_dump(mode="json"), knowledge_of(ended))


def _completed(session: ResearchSession, ended: Document) -> events.RunCompleted:
    reason = session.stop_reason or events.StopReason.SUFFICIENT_EVIDENCE
    if not ended.references and reason is not events.StopReason.USER_STOP:
        reason = events.StopReason.NO_EVIDENCE
    return events.RunCompleted(
        stop_reason=reason, verdict=ended.headline, references=len(ended.references)
    )


def log_defect(task: asyncio.Future[Any]) -> None:
    """Log a defect of ours, because nobody may ask for the result of a failed run."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(
        error, (errors.DeepCriticalError, errors.ResearchCancelled)
    ):
        _LOG.error("a run failed by a defect", exc_info=error)


def forget_causes(task: asyncio.Future[Any]) -> None:
    """Drop the causes and frames of a failed run's error: they hold the user's key."""
    error = None if task.cancelled() else task.exception()
    if error is None:
        return
    # The frames are cleared, not dropped: the task keeps them for whoever asks for its result.
    traceback.clear_frames(error.__traceback__)
    error.__cause__ = error.__context__ = None


def session_of(
    recipe: Recipe, log: EventLog, reasoner: Reasoner, clock: Callable[[], float], user_id: str
) -> ResearchSession:
    """Return the session of a run before its first step, or before it is replayed."""
    return ResearchSession(
        text=recipe.question,
        limits=recipe.limits,
        reasoner=reasoner,
        log=log,
        clock=clock,
        searched_on=recipe.searched_on,
        context=recipe.context,
        owner=owner_of(recipe, user_id, log.run_id),
        plan=recipe.plan,
    )


def owner_of(recipe: Recipe, user_id: str, run_id: str) -> str:
    """Return the owner of a run's readings; '' shares them with all users.

    Readings of public records by the operator's model are shared. Those that a user's key pays for,
    or of a private snapshot, are the user's. Those made beside a user's own documents are the
    run's, and are deleted with it.
    """
    if recipe.documents:
        return owner_of_run(run_id)
    place = recipe.place
    private = place.snapshot is not None and place.snapshot not in BUNDLED
    return user_id if recipe.own_key or private else ""


@dataclass
class Held:
    """A run that this process took in, with what no other process has."""

    recipe: Recipe
    user_id: str
    session: ResearchSession
    open_sources: OpenSources
    writer: TraceWriter | None
    ending: asyncio.Future[Any]
    """Receives the document that the run ends with."""
    key: SecretStr | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the tool, as the trace keeps them."""
    followed: bool = False
    """Whether another worker has begun with it, so that its events are read from the database."""
    begun_here: bool = False
    cancelled: bool = False
    taken_in: bool = False
    """Whether another worker may know of it: before, nobody else can have begun with it."""

    @property
    def run_id(self) -> str:
        """Id of the run."""
        return self.session.log.run_id

    async def conduct(self, tool: Tool, host: Host) -> None:
        """Conduct the run to its end; see `jobs.conduct`."""
        own = self.open_sources, self.key, self.writer
        resolve(self.ending, await conduct(self.session, tool, *own, host))


@dataclass
class Hosted:
    """A run that this process conducts."""

    task: asyncio.Task[Any]
    leaving: bool = False
    """Whether it continues elsewhere or later."""
    stopped: bool = False
    """Whether its user stopped it before it began, so that its end is being written."""
    write_now: bool = False
    session: ResearchSession | None = None
    writer: TraceWriter | None = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when nothing of it is done here any more."""

    def stop(self, *, leaving: bool) -> None:
        """Cancel its task; once it is leaving, it cannot end here any more."""
        if self.leaving or (self.stopped and not leaving):
            return  # a second cancellation would cut short what it does to leave, or to end
        self.leaving = leaving
        self.task.cancel()


async def show(traces: ToolTraceService, held: Held, logged: events.LoggedEvent) -> None:
    """Log the next event of a run as the database has it; the document is set before its end."""
    log, store = held.session.log, held.session.store
    completed = isinstance(logged.event, events.RunCompleted)
    if completed and (run := await open_stored(traces, log.run_id)):
        store.report, store.answer = run.report, run.answer
    if held.writer and isinstance(logged.event, events.TERMINAL):
        held.writer.stored = True
    await log.mirror(logged)


def settle(held: Held) -> None:
    """Resolve the ending of a run whose last event came from the database."""
    last, store = held.session.log.events[-1].event, held.session.store
    outcome: Document | errors.DeepCriticalError | None = None
    if isinstance(last, events.RunCompleted):
        outcome = store.report or store.answer
    elif isinstance(last, events.RunFailed):
        outcome = errors.ERRORS.get(last.error, errors.DeepCriticalError)(last.message, last.advice)
    resolve(held.ending, outcome)


def resolve(ending: asyncio.Future[Any], outcome: Document | BaseException | None) -> None:
    """End the wait for a run with a document or an error; None cancels it."""
    if ending.done():
        return
    if outcome is None:
        ending.cancel()
    elif isinstance(outcome, BaseException):
        ending.set_exception(outcome)
    else:
        ending.set_result(outcome)
