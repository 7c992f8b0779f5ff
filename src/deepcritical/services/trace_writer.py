"""Writes the events of one run to its trace while the run goes on.

The run does not wait for the database: what is told while a transaction is under way goes into the
next one. Only its end waits until everything is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

from deepcritical.domain.errors import (
    StorageError,
    TraceEndedError,
    TraceNotFoundError,
    TraceTakenError,
)
from deepcritical.domain.events import KeyedEvent
from deepcritical.domain.traces import LOCAL_USER, TraceResult
from deepcritical.services.tool_trace_service import ToolTraceService


class TraceWriter:
    """Events of one run on their way to the database, in order.

    What cannot be written is kept, and tried again with the next event.
    """

    def __init__(
        self,
        traces: ToolTraceService,
        run_id: str,
        *,
        tool_name: str,
        input_params: Mapping[str, Any],
        user_id: str = LOCAL_USER,
    ) -> None:
        self.result: TraceResult | None = None
        """What the run is completed with; to be set before its terminal event."""
        self.worker: str | None = None
        """The worker that must have the run, so that what it writes is taken; None for any.

        A worker's run is in the database before it begins: if it is not there, it was deleted.
        """
        self.may_leave = False
        """Whether the run can end later, where the database is away when it is to end."""
        self.stored = False
        """Whether everything is in the database, the end included."""
        self._traces = traces
        self._run_id = run_id
        self._create = partial(
            traces.create_trace, tool_name, input_params, user_id=user_id, trace_id=run_id
        )
        self._created = False
        self._pending: list[KeyedEvent] = []
        self._writing: asyncio.Task[None] | None = None
        self._refused: StorageError | None = None

    def put(self, keyed: KeyedEvent) -> None:
        """Take in the next event; returns at once.

        Raises:
            TraceEndedError, TraceNotFoundError: The trace was ended, taken over or deleted
                elsewhere, so that the run has nothing to go on for.
        """
        if self._refused is not None:
            raise self._refused
        self._pending.append(keyed)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_behind())

    async def end(self, keyed: KeyedEvent) -> None:
        """Write the terminal event with the result, after all that is still to be written.

        Raises:
            TraceTakenError: The database is away, and the run ends when it is back.
            StorageError: They cannot be written.
        """
        if self._writing is not None:
            await self._writing
        self._pending.append(keyed)
        try:
            await self._write(self.result)
        except (TraceEndedError, TraceNotFoundError):
            raise
        except StorageError as error:
            if not self.may_leave:
                raise
            if not await self._traces.database.answers():
                raise TraceTakenError("The run ends when the database is back.") from error
            await self._write(self.result)  # it was away for a moment only, or it refuses
        self.stored = True

    async def flush(self) -> None:
        """Wait for what is being written, so that another process can go on behind it."""
        if self._writing is not None:
            await self._writing

    async def _write_behind(self) -> None:
        try:
            await self._write()
        except (TraceEndedError, TraceNotFoundError) as error:
            self._refused = error
        except StorageError:
            return  # what is pending is tried again with the next event, and at last by `end`

    async def _write(self, result: TraceResult | None = None) -> None:
        if not self._created and self.worker is None:
            await self._create()
            self._created = True
        while self._pending:
            batch = tuple(self._pending)
            await self._traces.append_events(self._run_id, batch, result, self.worker)
            del self._pending[: len(batch)]
