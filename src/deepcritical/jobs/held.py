"""A run in the hands of this process: one that it took in, one that it conducts, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import SecretStr

from deepcritical.domain.answer import Document
from deepcritical.domain.errors import ERRORS, DeepCriticalError
from deepcritical.domain.events import TERMINAL, LoggedEvent, RunCompleted, RunFailed
from deepcritical.domain.recipe import Recipe
from deepcritical.jobs.conduct import OpenSources, Orchestrate, Outcome, conduct
from deepcritical.jobs.recorder import Host
from deepcritical.jobs.run import open_stored
from deepcritical.reasoning.base import Reasoner
from deepcritical.research.session import ResearchSession
from deepcritical.services.event_log import EventLog
from deepcritical.services.study_readings import owner_of_run
from deepcritical.services.telemetry import OFF, Telemetry
from deepcritical.services.tool_trace_service import ToolTraceService
from deepcritical.services.trace_writer import TraceWriter
from deepcritical.tools.snapshot import BUNDLED


class Tool(NamedTuple):
    """How the runs of one tool are conducted."""

    schedule: Orchestrate
    outcome: Outcome[Any]
    telemetry: Telemetry = OFF


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
        sources, key, writer = self.open_sources, self.key, self.writer
        ended: Document = await conduct(
            self.session, tool.schedule, tool.outcome, sources, key, writer, host
        )
        resolve(self.ending, ended)


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


async def show(traces: ToolTraceService, held: Held, logged: LoggedEvent) -> None:
    """Log the next event of a run as the database has it; the document is set before its end."""
    log, store = held.session.log, held.session.store
    completed = isinstance(logged.event, RunCompleted)
    if completed and (run := await open_stored(traces, log.run_id)):
        store.report, store.answer = run.report, run.answer
    if held.writer and isinstance(logged.event, TERMINAL):
        held.writer.stored = True
    await log.mirror(logged)


def settle(held: Held) -> None:
    """Resolve the ending of a run whose last event came from the database."""
    last, store = held.session.log.events[-1].event, held.session.store
    outcome: Document | DeepCriticalError | None = None
    if isinstance(last, RunCompleted):
        outcome = store.report or store.answer
    elif isinstance(last, RunFailed):
        outcome = ERRORS.get(last.error, DeepCriticalError)(last.message, last.advice)
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
