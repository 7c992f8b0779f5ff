"""Conducts one run to its end: whatever happens, its log gets exactly one terminal event."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from pydantic import SecretStr

from deepcritical.domain.documents import Document
from deepcritical.domain.errors import DeepCriticalError
from deepcritical.domain.events import (
    Event,
    RunCancelled,
    RunFailed,
    RunStarted,
    SourcesOpened,
    Stage,
)
from deepcritical.jobs.endings import as_result, completed, within
from deepcritical.reasoning.base import RunDesk
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.evidence_store import EvidenceStore
from deepcritical.services.trace_writer import TraceWriter

__all__ = ["OpenSources", "Orchestrate", "Outcome", "conduct"]

Orchestrate = Callable[[ResearchSession], Awaitable[None]]
OpenSources = Callable[[], AbstractAsyncContextManager[RunSources]]
Ended = TypeVar("Ended", bound=Document)
Outcome = Callable[[EvidenceStore], Ended | None]
"""Where a schedule of steps leaves what it ends with."""


async def conduct(
    session: ResearchSession,
    schedule: Orchestrate,
    outcome: Outcome[Ended],
    open_sources: OpenSources,
    key: SecretStr | None,
    writer: TraceWriter | None,
) -> Ended:
    """Run to the end; whatever happens, the log gets its one terminal event."""
    ending: Event = RunFailed(
        error="InternalError",
        message="The run ended unexpectedly.",
        advice="Please report this with the run's events.",
    )
    try:
        await session.emit(RunStarted(question=session.text, reasoner=session.reasoner.name))
        async with within(session.limits):
            await _searching(session, schedule, open_sources, key)
        ended = outcome(session.store)
        if ended is None:
            raise ValueError("the schedule ended without a report")
        if writer:
            writer.result = await asyncio.to_thread(as_result, ended)
        ending = completed(session, ended)
    except asyncio.CancelledError:
        ending = RunCancelled()
        raise
    except DeepCriticalError as error:
        ending = RunFailed(error=type(error).__name__, message=error.message, advice=error.advice)
        raise
    finally:
        # Shielded, so that a second cancellation cannot leave the log without its end.
        await asyncio.shield(session.emit(ending, Stage.DONE))
    return ended


async def _searching(
    session: ResearchSession,
    schedule: Orchestrate,
    open_sources: OpenSources,
    key: SecretStr | None,
) -> None:
    desk = RunDesk(session.limits, lambda: session.elapsed_s, session.hear, key)
    without_key = session.reasoner
    try:
        async with (
            open_sources() as session.sources,
            without_key.for_run(desk) as session.reasoner,
        ):
            await session.emit(SourcesOpened(sources=session.sources.described))
            await schedule(session)
    finally:
        # The session is remembered after the run, and no key may be.
        session.reasoner = without_key
