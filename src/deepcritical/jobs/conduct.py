"""Conducts one run to its end: whatever happens, its log gets exactly one terminal event."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from pydantic import SecretStr

from deepcritical.domain.documents import Document
from deepcritical.domain.errors import DeepCriticalError, ResearchCancelled, TraceTakenError
from deepcritical.domain.events import (
    Event,
    RunCancelled,
    RunFailed,
    RunStarted,
    SourcesOpened,
    Stage,
)
from deepcritical.jobs.durable import DurableReasoner, durable_sources
from deepcritical.jobs.endings import as_result, completed, failed, within
from deepcritical.jobs.recorder import Host, Recorder
from deepcritical.models.desk import RunDesk
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.calculating import calculated
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.finishing import to_the_end
from deepcritical.services.trace_writer import TraceWriter

__all__ = ["DEFECT", "OpenSources", "Orchestrate", "Outcome", "conduct"]

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
    """Run to the end; whatever happens, the log gets its one terminal event.

    A run that another process began goes on where its journal ends, with the log of what was told.

    Raises:
        DeepCriticalError: The run failed; TraceTakenError: another worker goes on with it.
        ResearchCancelled, CancelledError: It was stopped; without an end where the host let it go.
    """
    recorder = Recorder(session, host)
    ending: Event | None = DEFECT
    try:
        with host.telemetry.of_run(session.log.run_id):
            await _in_time(session, schedule, open_sources, key, recorder)
        ended = await _handed_out(outcome(session.store), writer)
        ending = completed(session, ended)
    except TraceTakenError:
        ending = None  # whoever has the run tells it
        raise
    except (asyncio.CancelledError, ResearchCancelled):
        ending = None if host.lets_go() else RunCancelled()
        raise
    except DeepCriticalError as error:
        ending = failed(error)
        raise
    finally:
        if ending:
            await _told(session, ending)
            recorder.ended(ending)
    return ended


async def _told(session: ResearchSession, ending: Event) -> None:
    """Tell the end, and go on when it is stored: who stops the run now is too late."""
    with contextlib.suppress(asyncio.CancelledError):
        await to_the_end(session.emit(ending, Stage.DONE))
    if not session.log.ended:  # the loop is ending, and with it the telling
        raise asyncio.CancelledError


async def _handed_out(ended: Ended | None, writer: TraceWriter | None) -> Ended:
    if ended is None:
        raise ValueError("the schedule ended without a report")
    if writer:
        writer.result = await calculated(as_result, ended)
    return ended


async def _in_time(
    session: ResearchSession,
    schedule: Orchestrate,
    open_sources: OpenSources,
    key: SecretStr | None,
    recorder: Recorder,
) -> None:
    await recorder.begin()
    await session.emit(RunStarted(question=session.text, reasoner=session.reasoner.name))
    async with within(session.limits, recorder.left_s) as recorder.deadline:
        await _searching(session, schedule, open_sources, key, recorder)


async def _searching(
    session: ResearchSession,
    schedule: Orchestrate,
    open_sources: OpenSources,
    key: SecretStr | None,
    recorder: Recorder,
) -> None:
    desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, key, recorder.telemetry)
    without_key = session.reasoner
    try:
        async with (
            open_sources() as sources,
            DurableReasoner(without_key, recorder).for_run(desk) as session.reasoner,
        ):
            session.sources = durable_sources(sources, recorder)
            await session.emit(SourcesOpened(sources=session.sources.described))
            await schedule(session)
    finally:
        # The session is remembered after the run, and no key may be.
        session.reasoner = without_key
