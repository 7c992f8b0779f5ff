"""Runs that are read from the database: of other processes, and of former ones."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Protocol

from pydantic import ValidationError

from deepcritical.domain.answer import ChecklistCoverage, DeepAnswer, ToolOutput
from deepcritical.domain.checklist import Coverage
from deepcritical.domain.documents import Document, read_document
from deepcritical.domain.errors import StorageError, TraceNotFoundError
from deepcritical.domain.events import LoggedEvent
from deepcritical.domain.report import ResearchReport
from deepcritical.domain.traces import ToolTrace, fold
from deepcritical.services.tool_trace_service import ToolTraceService

__all__ = ["RunView", "StoredRun", "document_of", "failed_output", "open_stored"]


class RunView(Protocol):
    """Protocol: what can be seen of a run, wherever it runs or ran."""

    @property
    def run_id(self) -> str:
        """Id of the run."""

    @property
    def question(self) -> str:
        """The question as asked."""

    @property
    def user_id(self) -> str:
        """Who asked."""

    @property
    def tool_name(self) -> str:
        """What was asked for: ``research`` or ``deep_research``."""

    @property
    def ended(self) -> bool:
        """Whether the run has ended."""

    @property
    def ended_at(self) -> datetime:
        """When the run ended (UTC); before its end, when it was last heard of."""

    @property
    def report(self) -> ResearchReport | None:
        """The report; None before the run's end, and for a run without one."""

    @property
    def answer(self) -> DeepAnswer | None:
        """The answer to a free question; None as for the report."""

    async def events(self, after: int = 0) -> tuple[LoggedEvent, ...]:
        """The run's events so far with a number above `after`."""

    def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """The run's events as they come, up to the terminal one."""


class StoredRun:
    """A run as the database has it; see `RunView`."""

    def __init__(
        self, traces: ToolTraceService, trace: ToolTrace, ended_with: Document | None
    ) -> None:
        self._traces = traces
        self.run_id = trace.id
        self.question = str(trace.input_params.get("question", ""))
        self.user_id = trace.user_id
        self.tool_name = trace.tool_name
        self.ended = trace.status.ended
        self.ended_at = trace.completed_at or trace.started_at or trace.created_at
        self.report = ended_with if isinstance(ended_with, ResearchReport) else None
        self.answer = ended_with if isinstance(ended_with, DeepAnswer) else None

    async def events(self, after: int = 0) -> tuple[LoggedEvent, ...]:
        """The run's events so far with a number above `after`."""
        return await self._traces.events(self.run_id, after)

    def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """The run's events as any process writes them, up to the terminal one."""
        return self._traces.tail(self.run_id, after)


async def open_stored(traces: ToolTraceService, run_id: str) -> StoredRun | None:
    """The run of that id, if the database has it.

    Raises:
        StorageError: The database or its report cannot be read.
    """
    try:
        trace = await traces.get_trace(run_id)
    except TraceNotFoundError:
        return None
    return StoredRun(traces, trace, await asyncio.to_thread(document_of, trace))


def document_of(trace: ToolTrace) -> Document | None:
    """The report or the answer of a trace, if it has one.

    Raises:
        StorageError: Another version wrote it.
    """
    if trace.result is None:
        return None
    try:
        return read_document(trace.result)
    except ValidationError as error:
        raise StorageError(
            f"The report of the run {trace.id} was written by another version.",
            "Read it with that one, or ask the question again.",
        ) from error


async def failed_output(run: RunView, why: str = "") -> ToolOutput:
    """What `deep_research` returns of a run that ended without an answer: how far it had come.

    Args:
        run: The run.
        why: Why it has none; '' for what its events say.

    Raises:
        StorageError: The database cannot be read.
    """
    told = fold(await run.events())
    items = told.state.checklist
    covered = ChecklistCoverage(
        satisfied=tuple(item.text for item in items if item.coverage is Coverage.SATISFIED),
        gaps=tuple(item.text for item in items if item.coverage is not Coverage.SATISFIED),
    )
    why = why or told.error_message or f"It was {told.status.value}."
    return ToolOutput.failed(run.run_id, why, covered, told.state.iterations)
