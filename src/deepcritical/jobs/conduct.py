"""Conducts one run to its end: whatever happens, its log gets exactly one terminal event."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from pydantic import SecretStr

from deepcritical.domain.answer import Document
from deepcritical.domain.budget import RunLimits
from deepcritical.domain.errors import (
    BudgetExceeded,
    DeepCriticalError,
    ResearchCancelled,
    TraceTakenError,
)
from deepcritical.domain.events import (
    Event,
    RunCancelled,
    RunCompleted,
    RunFailed,
    RunStarted,
    SourcesOpened,
    Stage,
    StopReason,
)
from deepcritical.domain.traces import TraceResult, knowledge_of
from deepcritical.jobs.durable import DurableReasoner, durable_sources
from deepcritical.jobs.recorder import Host, Recorder
from deepcritical.models.desk import RunDesk
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.finishing import to_the_end
from deepcritical.services.trace_writer import TraceWriter

_LOG = logging.getLogger(__name__)

Orchestrate = Callable[[ResearchSession], Awaitable[None]]
OpenSources = Callable[[], AbstractAsyncContextManager[RunSources]]
Ended = TypeVar("Ended", bound=Document)
Outcome = Callable[[EvidenceStore], Ended | None]
"""Where a schedule of steps leaves what it ends with."""

_HERE = Host()
DEFECT = RunFailed(
    error="InternalError",
    message="The run ended unexpectedly.",
    advice="Please report this with the run's events.",
)
"""The end of a run by a defect of ours."""


async def conduct(
    session: ResearchSession,
    schedule: Orchestrate,
    outcome: Outcome[Ended],
    open_sources: OpenSources,
    key: SecretStr | None,
    writer: TraceWriter | None,
    host: Host = _HERE,
) -> Ended:
    """Run to the end, from where the journal of a former process ends; see the module.

    Raises:
        DeepCriticalError: The run failed; TraceTakenError: another worker has it.
        ResearchCancelled, CancelledError: It was stopped; the log gets no end if the host lets go.
    """
    recorder = Recorder(session, host)
    ending: Event | None = DEFECT
    try:
        with host.telemetry.of_run(session.log.run_id):
            await _run(session, schedule, open_sources, key, recorder)
        ended = outcome(session.store)
        if ended is None:
            raise ValueError("the schedule ended without a report")
        if writer:
            writer.result = await calculated(_as_result, ended)
        ending = _completed(session, ended)
    except TraceTakenError:
        ending = None  # the other worker writes the end
        raise
    except (asyncio.CancelledError, ResearchCancelled):
        ending = None if host.lets_go() else RunCancelled()
        raise
    except DeepCriticalError as error:
        ending = failed(error)
        raise
    finally:
        if ending:
            await _tell(session, ending)
            recorder.ended(ending)
    return ended


async def _tell(session: ResearchSession, ending: Event) -> None:
    """Store the end before anything else: a cancellation from now on is too late."""
    with contextlib.suppress(asyncio.CancelledError):
        await to_the_end(session.emit(ending, Stage.DONE))
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
    await session.emit(RunStarted(question=session.text, reasoner=session.reasoner.name))
    desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, key, recorder.telemetry)
    without_key = session.reasoner
    try:
        async with (
            within(session.limits, recorder.left_s) as recorder.deadline,
            open_sources() as sources,
            DurableReasoner(without_key, recorder).for_run(desk) as session.reasoner,
        ):
            session.sources = durable_sources(sources, recorder)
            await session.emit(SourcesOpened(sources=session.sources.described))
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
        raise BudgetExceeded(
            f"The run did not end within {limits.deadline_s:g} s.",
            "Raise DEEPCRITICAL_DEADLINE_S, or ask at a lower depth.",
        ) from error


def failed(error: DeepCriticalError) -> RunFailed:
    """Return the terminal event of a run that ends with this error."""
    return RunFailed(error=type(error).__name__, message=error.message, advice=error.advice)


def _as_result(ended: Document) -> TraceResult:
    return TraceResult(ended.model_dump(mode="json"), knowledge_of(ended))


def _completed(session: ResearchSession, ended: Document) -> RunCompleted:
    reason = session.stop_reason or StopReason.SUFFICIENT_EVIDENCE
    if not ended.references and reason is not StopReason.USER_STOP:
        reason = StopReason.NO_EVIDENCE
    return RunCompleted(
        stop_reason=reason, verdict=ended.headline, references=len(ended.references)
    )


def log_defect(task: asyncio.Future[Any]) -> None:
    """Log a defect of ours, because nobody may ask for the result of a failed run."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, (DeepCriticalError, ResearchCancelled)):
        _LOG.error("a run failed by a defect", exc_info=error)


def forget_causes(task: asyncio.Future[Any]) -> None:
    """Drop the causes and frames of a failed run's error: they hold the user's key."""
    error = None if task.cancelled() else task.exception()
    if error is None:
        return
    # The frames are cleared, not dropped: the task keeps them for whoever asks for its result.
    traceback.clear_frames(error.__traceback__)
    error.__cause__ = error.__context__ = None
