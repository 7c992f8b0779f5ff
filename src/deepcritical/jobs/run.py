"""One question as a run: submitted here, or read from the database."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeAlias, TypeVar, cast

from pydantic import SecretStr, ValidationError

from deepcritical.domain import errors
from deepcritical.domain.report.answer import DeepAnswer, Document, read_document
from deepcritical.domain.report.report import ResearchReport
from deepcritical.domain.run.events import TERMINAL, LoggedEvent, RunCompleted, RunFailed
from deepcritical.domain.run.recipe import RUN_READINGS, RUN_RECORDS, Once, Recipe
from deepcritical.domain.tool.traces import LOCAL_USER, ToolTrace
from deepcritical.research.session import ResearchSession, RunSources
from deepcritical.services.event_log import TraceWriter
from deepcritical.services.evidence_store import as_snapshot
from deepcritical.services.storage.tool_trace_service import ToolTraceService

_LOG = logging.getLogger(__name__)

OpenSources = Callable[[], AbstractAsyncContextManager[RunSources]]
Ended_co = TypeVar("Ended_co", bound=Document, covariant=True)


@dataclass(kw_only=True, eq=False)
class RunOf(Generic[Ended_co]):
    """A run with what only this process has of it; it ends with a report or with an answer."""

    recipe: Recipe
    session: ResearchSession
    open_sources: OpenSources
    ending: asyncio.Future[Ended_co]
    """Receives the document that the run ends with; cancelled with the run."""
    writer: TraceWriter | None = None
    stop: Callable[[], object] = lambda: None
    user_id: str = LOCAL_USER
    asked: Mapping[str, Any] = field(default_factory=dict)
    """The parameters of the tool, as the trace keeps them."""
    once: Once | None = None
    key: SecretStr | None = None
    """The user's own for the model, until the run has ended."""
    followed: bool = False
    """True where another worker has begun with it: its events are read from the database."""
    begun_here: bool = False
    cancelled: bool = False
    taken_in: bool = False
    """True where another worker may know of it: before, nobody else can have begun with it."""

    def __post_init__(self) -> None:
        self.ending.add_done_callback(self._ended)

    def _ended(self, ending: asyncio.Future[Ended_co]) -> None:
        """Log a defect of ours, for which nobody may ask, and drop what holds the key."""
        self.key = None
        error = None if ending.cancelled() else ending.exception()
        if error is None:
            return
        if not isinstance(error, (errors.DeepCriticalError, errors.ResearchCancelled)):
            _LOG.error("a run failed by a defect", exc_info=error)
        # The frames are cleared, not dropped: they are kept for whoever asks for the result.
        traceback.clear_frames(error.__traceback__)
        error.__cause__ = error.__context__ = None

    @property
    def tool_name(self) -> str:
        """``research`` or ``deep_research``."""
        return self.recipe.tool

    @property
    def run_id(self) -> str:
        """Its id."""
        return self.session.log.run_id

    @property
    def question(self) -> str:
        """The question as the user wrote it."""
        return self.session.text

    @property
    def former(self) -> str:
        """Id of the run whose question this one asks again; '' for none."""
        return former_of(self.asked)

    @property
    def ended(self) -> bool:
        """Return whether the terminal event is in the log."""
        return self.session.log.ended

    @property
    def ended_at(self) -> datetime:
        """Return when the last event so far was logged (UTC)."""
        return self.session.log.events[-1].at

    @property
    def report(self) -> ResearchReport | None:
        """The report; None before the run's end, and for a run that failed or was cancelled."""
        return self.session.store.report if self._completed else None

    @property
    def answer(self) -> DeepAnswer | None:
        """The answer to a free question; None as for the report."""
        return self.session.store.answer if self._completed else None

    @property
    def _completed(self) -> bool:
        events = self.session.log.events
        return bool(events) and isinstance(events[-1].event, RunCompleted)

    def evidence(self) -> bytes:
        """Return the records found so far as a snapshot file."""
        records = self.session.store.evidence.values()
        return as_snapshot(records, self.run_id, self.session.searched_on)

    def files(self) -> dict[str, bytes]:
        """Return the files exported beside the report: the records and their readings."""
        readings = self.session.store.readings.values()
        lines = (reading.model_dump_json(exclude_defaults=True) for reading in readings)
        told = "".join(f"{line}\n" for line in lines).encode()
        return {RUN_RECORDS: self.evidence(), **({RUN_READINGS: told} if told else {})}

    async def events(self, after: int = 0) -> tuple[LoggedEvent, ...]:
        """Return the events so far with a number above `after`."""
        return tuple(logged for logged in self.session.log.events if logged.seq > after)

    def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """Yield the events as they are logged, up to the terminal one."""
        return self.session.log.tail(after)

    def cancel(self) -> None:
        """Stop the run; its log ends with `run_cancelled`."""
        # Not before the run's first step: a task cancelled earlier would never write its end.
        # By the loop, so that a signal handler may call this, too.
        self.ending.get_loop().call_soon_threadsafe(self.stop)

    def write_now(self) -> None:
        """End the search after the current step, and write from what was found."""
        self.session.stop_asked = True

    async def result(self) -> Ended_co:
        """Return the report or the answer when the run has ended.

        Raises:
            DeepCriticalError: The run failed.
            ResearchCancelled: The run was cancelled.
        """
        await asyncio.wait([self.ending])
        if self.ending.cancelled():
            raise errors.ResearchCancelled
        return self.ending.result()

    async def mirror(self, traces: ToolTraceService, logged: LoggedEvent) -> None:
        """Log the next event as the database has it; the document is there before the end."""
        store = self.session.store
        completed = isinstance(logged.event, RunCompleted)
        if completed and (run := await open_stored(traces, self.run_id)):
            store.report, store.answer = run.report, run.answer
        if self.writer and isinstance(logged.event, TERMINAL):
            self.writer.stored = True
        await self.session.log.mirror(logged)

    def settle(self) -> None:
        """Resolve the ending from the last event, which came from the database."""
        last, store = self.session.log.events[-1].event, self.session.store
        outcome: Document | errors.DeepCriticalError | None = None
        if isinstance(last, RunCompleted):
            outcome = store.report or store.answer
        elif isinstance(last, RunFailed):
            outcome = errors.ERRORS.get(last.error, errors.DeepCriticalError)(
                last.message, last.advice
            )
        self.resolve(outcome)

    def resolve(self, outcome: Document | BaseException | None) -> None:
        """End the wait for the run with a document or an error; None cancels it."""
        if self.ending.done():
            return
        if outcome is None:
            self.ending.cancel()
        elif isinstance(outcome, BaseException):
            self.ending.set_exception(outcome)
        else:
            self.ending.set_result(cast("Ended_co", outcome))


Run = RunOf[Document]
"""A run of this process, whatever it ends with."""


class StoredRun:
    """A run read from the database: of another process, or of a former one."""

    def __init__(
        self, traces: ToolTraceService, trace: ToolTrace, ended_with: Document | None
    ) -> None:
        self._traces = traces
        self.run_id = trace.id
        self.question = str(trace.input_params.get("question", ""))
        self.user_id = trace.user_id
        self.tool_name = trace.tool_name
        self.asked: Mapping[str, Any] = trace.input_params
        self.former = former_of(self.asked)
        self.ended = trace.status.ended
        self.ended_at = trace.completed_at or trace.started_at or trace.created_at
        self.report = ended_with if isinstance(ended_with, ResearchReport) else None
        self.answer = ended_with if isinstance(ended_with, DeepAnswer) else None

    async def events(self, after: int = 0) -> tuple[LoggedEvent, ...]:
        """Return the events so far with a number above `after`."""
        return await self._traces.events(self.run_id, after)

    def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """Yield the events as any process writes them, up to the terminal one."""
        return self._traces.tail(self.run_id, after)


def former_of(asked: Mapping[str, Any]) -> str:
    """Return the id of the run whose question these parameters ask again; '' for none."""
    return str(asked.get("former", ""))


RunView: TypeAlias = RunOf[Any] | StoredRun
"""A run, wherever it runs or ran."""


async def open_stored(traces: ToolTraceService, run_id: str) -> StoredRun | None:
    """Return the run of that id if the database has it.

    Raises:
        StorageError: The database or its report cannot be read.
    """
    try:
        trace = await traces.get_trace(run_id)
    except errors.TraceNotFoundError:
        return None
    return StoredRun(traces, trace, await asyncio.to_thread(document_of, trace))


def document_of(trace: ToolTrace) -> Document | None:
    """Return the report or the answer of a trace, if it has one.

    Raises:
        StorageError: Another version wrote it.
    """
    if trace.result is None:
        return None
    try:
        return read_document(trace.result)
    except ValidationError as error:
        raise errors.StorageError(
            f"The report of the run {trace.id} was written by another version.",
            "Read it with that one, or ask the question again.",
        ) from error
