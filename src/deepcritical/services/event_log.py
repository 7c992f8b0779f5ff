"""The append-only log of one run, in the process that runs it.

Whatever shows the run here tails it; the database holds the same events for everybody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from deepcritical.domain.errors import (
    StorageError,
    TraceEndedError,
    TraceNotFoundError,
    TraceTakenError,
)
from deepcritical.domain.run.events import (
    TERMINAL,
    Event,
    EventKeys,
    KeyedEvent,
    LoggedEvent,
    Notice,
    Stage,
)
from deepcritical.domain.tool.traces import LOCAL_USER, TraceResult
from deepcritical.services.storage.tool_trace_service import ToolTraceService


class EventLog:
    """Events in order, kept in memory and, if they are given, in a JSONL file and a trace.

    Args:
        run_id: The run that the events belong to.
        path: File to append to, or None.
        writer: Writes them to the database, or None.
        told: The events that another process told of this run, all that are in the database. What
            is told again is recognised, see `EventKeys`, and changes nothing.
    """

    def __init__(
        self,
        run_id: str,
        path: Path | None = None,
        writer: TraceWriter | None = None,
        told: Sequence[LoggedEvent] = (),
    ) -> None:
        self.run_id = run_id
        self._path = path
        self._writer = writer
        self._events = list(told)
        self._keys, keys = EventKeys(), EventKeys()
        self._told = {keys.of(logged.event.model_dump(mode="json")): logged for logged in told}
        self._left = False
        # Guards the order of the file's lines: a writer to disk may be overtaken while it waits.
        self._writing = asyncio.Lock()
        self._grown = asyncio.Condition()

    @property
    def events(self) -> tuple[LoggedEvent, ...]:
        """All events so far."""
        return tuple(self._events)

    @property
    def ended(self) -> bool:
        """Return whether the terminal event is in."""
        return bool(self._events) and isinstance(self._events[-1].event, TERMINAL)

    async def append(self, event: Event, stage: Stage, progress: float) -> LoggedEvent:
        """Add an event. Progress never goes back: a lower figure is raised to the last one.

        One that was told before the run was taken up is given back as it was told then. Where the
        database does not take the run's end, a notice before the end says so.

        Raises:
            StorageError: The run has ended already, here or elsewhere, or the file cannot be
                written; whoever tails the log sees the event even then.
            TraceTakenError: Another process goes on with the run; its end is not told.
        """
        # Shielded, so that a writer that is cancelled leaves no line that the log does not know.
        return await asyncio.shield(self._append(event, stage, progress))

    async def _append(self, event: Event, stage: Stage, progress: float) -> LoggedEvent:
        async with self._writing:
            key = self._keys.of(event.model_dump(mode="json"))
            if key in self._told:
                return self._told[key]
            if self.ended:
                raise StorageError(
                    f"The log of run {self.run_id} has ended; "
                    "nothing can follow its terminal event."
                )
            logged = self._next(event, stage, progress)
            # Before anybody is told of the end, it is in the database.
            if isinstance(event, TERMINAL) and not await self._kept_whole(KeyedEvent(key, logged)):
                logged = self._next(event, stage, progress)
            await self._publish(KeyedEvent(key, logged))
        return logged

    async def _kept_whole(self, end: KeyedEvent) -> bool:
        """Return whether a database, if any, stored the run to its end; else a notice."""
        try:
            if self._writer:
                await self._writer.end(end)
        except TraceTakenError:
            raise
        except StorageError as error:
            self._writer = None
            notice = Notice(message=f"This run is not kept in the database. {error}")
            kept_by = self._keys.of(notice.model_dump(mode="json"))
            logged = self._next(notice, end.logged.stage, end.logged.progress)
            await self._publish(KeyedEvent(kept_by, logged))
            return False
        return True

    def _next(self, event: Event, stage: Stage, progress: float) -> LoggedEvent:
        last = self._events[-1].progress if self._events else 0.0
        return LoggedEvent(
            run_id=self.run_id,
            seq=len(self._events) + 1,
            at=datetime.now(UTC),
            stage=stage,
            progress=max(last, progress),
            event=event,
        )

    async def _publish(self, keyed: KeyedEvent) -> None:
        logged = keyed.logged
        self._events.append(logged)
        async with self._grown:
            self._grown.notify_all()
        if self._writer and not isinstance(logged.event, TERMINAL):
            self._writer.put(keyed)
        if self._path:
            await asyncio.to_thread(_append_line, self._path, logged.model_dump_json())

    async def mirror(self, logged: LoggedEvent) -> None:
        """Take in the next event of a run of another process, as it is in the database."""
        async with self._writing:
            number = len(self._events) + 1
            # What was told here last may be missing there; the end is told in any case.
            if logged.seq == number or (isinstance(logged.event, TERMINAL) and not self.ended):
                self._writer = None
                await self._publish(KeyedEvent("", logged.model_copy(update={"seq": number})))

    async def leave(self) -> None:
        """Let go of a run that goes on elsewhere: whoever tails it here is told no more."""
        self._left = True
        async with self._grown:
            self._grown.notify_all()

    async def tail(self, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """Events with a sequence number above `after`, as they come, up to the terminal one.

        It ends before that where the run is let go of; the database then has what follows.
        """
        seen = after
        while True:
            async with self._grown:
                while len(self._events) <= seen and not (self.ended or self._left):
                    await self._grown.wait()
            for logged in self._events[seen:]:
                seen = logged.seq
                yield logged
            if (self.ended or self._left) and seen >= len(self._events):
                return


def _append_line(path: Path, line: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        raise StorageError(
            f"The run's log {path} cannot be written: {error.strerror}.",
            "Choose another folder with --out.",
        ) from error


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
        """The result of the run; to be set before its terminal event."""
        self.worker: str | None = None
        """The worker that must have the run, so that what it writes is taken; None for any.

        A worker's run is in the database before it begins: if it is not there, it was deleted.
        """
        self.may_leave = False
        """True if the run can end later, where the database is away when it is to end."""
        self.stored = False
        """True if everything is in the database, the end included."""
        self._traces = traces
        self._run_id = run_id
        self._create = partial(
            traces.create_trace, tool_name, input_params, user_id=user_id, trace_id=run_id
        )
        self._request = input_params.get("request")
        self._created = False
        self._pending: list[KeyedEvent] = []
        self._writing: asyncio.Task[None] | None = None
        self._refused: StorageError | None = None

    async def make(self) -> None:
        """Make the trace, unless it is there.

        Raises:
            TraceEndedError: Another request with the same key began the run of this trace.
            StorageError: It cannot be written.
        """
        if self._created:
            return
        trace = await self._create()
        if trace.input_params.get("request") != self._request:
            told = f"Another request with the same key began the run {self._run_id}."
            raise TraceEndedError(told, "Send this one with a new key.")
        self._created = True

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
        if self.worker is None:
            await self.make()
        while self._pending:
            batch = tuple(self._pending)
            await self._traces.append_events(self._run_id, batch, result, self.worker)
            del self._pending[: len(batch)]
