"""A run in the hands of this process: one that it took in, one that it conducts, and its end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr

from deepcritical.domain.errors import ERRORS, DeepCriticalError
from deepcritical.domain.events import TERMINAL, LoggedEvent, RunCompleted, RunFailed
from deepcritical.domain.recipe import Recipe
from deepcritical.jobs.conduct import OpenSources
from deepcritical.jobs.run import open_stored
from deepcritical.research.session import ResearchSession
from deepcritical.services.study_readings import owner_of_run
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_writer import TraceWriter
from deepcritical.tools.snapshot import BUNDLED

__all__ = ["Held", "Hosted", "owner_of", "resolve", "settle", "show"]


def owner_of(recipe: Recipe, user_id: str, run_id: str) -> str:
    """Whose the readings of a run are.

    All share what the operator's own model reads in public records; what a user's key pays for, or
    what stands in a private snapshot, is his alone. What is read beside documents of his own is the
    run's, and is deleted with it.
    """
    if recipe.documents:
        return owner_of_run(run_id)
    place = recipe.place
    private = place.snapshot is not None and place.snapshot not in BUNDLED
    return user_id if recipe.own_key or private else ""


@dataclass
class Held:
    """A run that this process took in, with what no other process has."""

    session: ResearchSession
    open_sources: OpenSources
    writer: TraceWriter | None
    ending: asyncio.Future[Any]
    """Gets what the run ends with."""
    key: SecretStr | None = None
    own_key: bool = False
    followed: bool = False
    """Whether another worker has begun with it, so that its events are read from the database."""
    begun_here: bool = False
    cancelled: bool = False
    taken_in: bool = False
    """Whether another worker may know of it: before, nobody else can have begun with it."""


@dataclass
class Hosted:
    """A run that this process conducts."""

    task: asyncio.Task[Any]
    leaving: bool = False
    """Whether it goes on elsewhere or later."""
    stopped: bool = False
    """Whether its user stopped it before it began, which is being written."""
    write_now: bool = False
    session: ResearchSession | None = None
    writer: TraceWriter | None = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when nothing of it is done here any more."""

    def stop(self, *, leaving: bool) -> None:
        """Stop all that it does; once it is leaving, it cannot end here any more."""
        if self.leaving or (self.stopped and not leaving):
            return  # a second cancellation would cut short what it does to leave, or to end
        self.leaving = leaving
        self.task.cancel()


async def show(traces: ToolTraceService, held: Held, logged: LoggedEvent) -> None:
    """Tell whoever waits here the next event of a run, as it is in the database.

    What the run ends with is there before its end is told.
    """
    log, store = held.session.log, held.session.store
    completed = isinstance(logged.event, RunCompleted)
    if completed and (run := await open_stored(traces, log.run_id)):
        store.report, store.answer = run.report, run.answer
    if held.writer and isinstance(logged.event, TERMINAL):
        held.writer.stored = True
    await log.mirror(logged)


def settle(held: Held) -> None:
    """Hand on how a run ended whose last event came from the database."""
    last = held.session.log.events[-1].event
    document = held.session.store.report or held.session.store.answer
    if isinstance(last, RunCompleted) and document:
        if not held.ending.done():
            held.ending.set_result(document)
        return
    error = None
    if isinstance(last, RunFailed):
        error = ERRORS.get(last.error, DeepCriticalError)(last.message, last.advice)
    resolve(held.ending, error)


def resolve(ending: asyncio.Future[Any], error: BaseException | None) -> None:
    """End the wait for a run with this error, or as cancelled without one."""
    if ending.done():
        return
    if error is None:
        ending.cancel()
    else:
        ending.set_exception(error)
