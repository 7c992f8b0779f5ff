"""Conducts one run to its end: whatever happens, its log gets exactly one terminal event."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from deepcritical.domain import errors, events
from deepcritical.domain.answer import Document
from deepcritical.domain.events import StopReason
from deepcritical.domain.traces import TraceResult, knowledge_of
from deepcritical.jobs.durable import DurableReasoner, durable_sources
from deepcritical.jobs.recorder import Host, Recorder
from deepcritical.jobs.run import RunOf
from deepcritical.models.desk import RunDesk
from deepcritical.research.session import ResearchSession
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.finishing import to_the_end, within
from deepcritical.services.telemetry import OFF, Telemetry

Orchestrate = Callable[[ResearchSession], Awaitable[None]]
Close = Callable[[ResearchSession, errors.DeepCriticalError], Awaitable[None]]

_HERE = Host()
DEFECT = events.RunFailed(
    error="InternalError",
    message="The run ended unexpectedly.",
    advice="Please report this with the run's events.",
)
"""The end of a run by a defect of ours."""


class Tool(NamedTuple):
    """The way that the runs of one tool are conducted."""

    schedule: Orchestrate
    closing: Close
    """Writes by rules, from what is there, where the deadline ends the schedule."""
    outcome: Callable[[EvidenceStore], Document | None]
    """Function that reads what the schedule ends with from where it leaves it."""
    telemetry: Telemetry = OFF


async def conduct(run: RunOf[Any], tool: Tool, host: Host = _HERE) -> None:
    """Run to the end, from where the journal of a former process ends; see the module.

    Raises:
        DeepCriticalError: The run failed; TraceTakenError: another worker has it.
        ResearchCancelled, CancelledError: It was stopped; the log gets no end if the host lets go.
    """
    session = run.session
    recorder = Recorder(session, host)
    ending: events.Event | None = DEFECT
    try:
        with host.telemetry.of_run(run.run_id):
            await _schedule(run, tool, recorder)
        ended: Document | None = tool.outcome(session.store)
        if ended is None:
            raise ValueError("the schedule ended without a report")
        if run.writer:
            run.writer.result = await calculated(_as_result, ended)
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
    run.resolve(ended)


async def _tell(session: ResearchSession, ending: events.Event) -> None:
    """Store the end before anything else: a cancellation from now on is too late."""
    with contextlib.suppress(asyncio.CancelledError):
        await to_the_end(session.emit(ending, events.Stage.DONE))
    if not session.log.ended:  # the loop is closing, and the write with it
        raise asyncio.CancelledError


async def _schedule(run: RunOf[Any], tool: Tool, recorder: Recorder) -> None:
    """Follow the schedule; at the deadline, close it with what was found.

    The close is on no record: another process that takes the run up has the report's time anew.
    """
    session = run.session
    await recorder.begin()
    await session.emit(events.RunStarted(question=session.text, reasoner=session.reasoner.name))
    told = recorder.telemetry
    desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, run.key, told)
    without_key = session.reasoner
    try:
        async with (
            within(lambda: session.limits, recorder.left_s) as recorder.deadline,
            run.open_sources() as sources,
            DurableReasoner(without_key, recorder).for_run(desk) as session.reasoner,
        ):
            session.sources = durable_sources(sources, recorder)
            await session.emit(events.SourcesOpened(sources=session.sources.described))
            await tool.schedule(session)
    except errors.BudgetExceeded as error:
        if not (recorder.deadline and recorder.deadline.expired() and session.store.evidence):
            raise
        session.reasoner = without_key.by_rules()
        await tool.closing(session, error)
    finally:
        # The session outlives the run in memory; a key must not.
        session.reasoner = without_key


def failed(error: errors.DeepCriticalError) -> events.RunFailed:
    """Return the terminal event of a run that ends with this error."""
    return events.RunFailed(error=type(error).__name__, message=error.message, advice=error.advice)


def _as_result(ended: Document) -> TraceResult:
    return TraceResult(ended.model_dump(mode="json"), knowledge_of(ended))


def _completed(session: ResearchSession, ended: Document) -> events.RunCompleted:
    reason = session.stop_reason or StopReason.SUFFICIENT_EVIDENCE
    if not ended.references and reason not in (StopReason.USER_STOP, StopReason.DEADLINE):
        reason = StopReason.NO_EVIDENCE
    return events.RunCompleted(
        stop_reason=reason, verdict=ended.headline, references=len(ended.references)
    )
