"""Stores traces of tools: the request, the events, and the result.

Who may read a trace is decided by the interfaces; only its user lists, cancels or deletes it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from deepcritical.domain.errors import StorageError, TraceNotFoundError
from deepcritical.domain.run.events import LoggedEvent, RunCancelled, RunFailed
from deepcritical.domain.tool.traces import LOCAL_USER, ToolTrace, TraceSummary
from deepcritical.services.imports import Later
from deepcritical.services.storage.database import Database, Stored, writes

if TYPE_CHECKING:
    from deepcritical.services.storage import trace_queries
else:  # a process that only shows itself must not wait for the database's library
    trace_queries = Later("deepcritical.services.storage.trace_queries")

POLL_S = 0.1
"""Seconds between two look-ups of another process's run."""
_ID = re.compile(r"[0-9a-f-]{36}")
_BEGINNING = re.compile(r"[0-9a-f-]{4,36}")


class ToolTraceService(Stored):
    """Writes and reads traces. Every method may be called from any event loop.

    What is not there, or is not the user's, raises TraceNotFoundError.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._ending = False

    def end_tails(self) -> None:
        """Have every tail end where it is, because the process is ending.

        A signal handler may call it.
        """
        self._ending = True

    async def create_trace(
        self,
        tool_name: str,
        input_params: Mapping[str, Any],
        *,
        user_id: str = LOCAL_USER,
        trace_id: str | None = None,
    ) -> ToolTrace:
        """A new trace, pending; one of this id that is there already is returned as it is.

        What the tool was asked is kept as JSON, and never holds a key.
        """
        trace = ToolTrace(
            id=trace_id or str(uuid4()),
            user_id=user_id,
            tool_name=tool_name,
            input_params=dict(input_params),
            created_at=datetime.now(UTC),
        )
        return await self.database.write(lambda c: trace_queries.insert_trace(c, trace))

    append_events = writes(trace_queries.append)
    append_event = writes(trace_queries.append_next)

    async def fail_trace(self, trace_id: str, error: str, message: str, advice: str = "") -> None:
        """End a trace without a result; `error` is the name of the kind of error."""
        await self.append_event(trace_id, RunFailed(error=error, message=message, advice=advice))

    async def cancel_trace(self, trace_id: str, *, user_id: str = LOCAL_USER) -> None:
        """End a trace because its user wants so."""
        await self.get_trace(trace_id, user_id=user_id)
        await self.append_event(trace_id, RunCancelled())

    async def get_trace(self, trace_id: str, *, user_id: str | None = None) -> ToolTrace:
        """The trace of an id; with a user, only if it is his."""
        known = _checked(trace_id)
        trace = await self.database.read(lambda c: trace_queries.select_trace(c, known))
        if user_id not in (None, trace.user_id):
            raise _unknown(trace_id)
        return trace

    async def list_traces(
        self,
        user_id: str = LOCAL_USER,
        tool_name: str | None = None,
        *,
        most: int = 50,
        before: str | None = None,
        words: Sequence[str] = (),
    ) -> tuple[TraceSummary, ...]:
        """A user's traces older than the one of id `before`, newest first; see `select_traces`."""
        return await self.database.read(
            lambda c: trace_queries.select_traces(c, user_id, tool_name, most, before, words)
        )

    async def find_trace(self, beginning: str, *, user_id: str = LOCAL_USER) -> ToolTrace:
        """A user's trace by its id, or by the first four or more characters of it."""
        ids: tuple[str, ...] = ()
        if _BEGINNING.fullmatch(beginning):
            ids = await self.database.read(
                lambda c: trace_queries.select_matching(c, user_id, beginning)
            )
        if len(ids) > 1:
            raise TraceNotFoundError(
                f"Several runs begin with {beginning}.", "Give more of the id."
            )
        if not ids:
            raise _unknown(beginning)
        return await self.get_trace(ids[0], user_id=user_id)

    async def events(self, trace_id: str, after: int = 0) -> tuple[LoggedEvent, ...]:
        """The events of a trace with a number above `after`, in order."""
        return (await self._news(trace_id, after))[0]

    async def tail(self, trace_id: str, after: int = 0) -> AsyncIterator[LoggedEvent]:
        """Events above `after` as any process writes them, up to the terminal one.

        They end sooner where this process does, see `end_tails`.
        """
        while True:
            news, ended = await self._news(trace_id, after)
            for logged in news:
                after = logged.seq
                yield logged
            if ended or self._ending:
                return
            await asyncio.sleep(POLL_S)

    async def _news(self, trace_id: str, after: int) -> tuple[tuple[LoggedEvent, ...], bool]:
        known = _checked(trace_id)
        return await self.database.read(lambda c: trace_queries.select_events(c, known, after))

    async def delete(
        self, trace_id: str, *, user_id: str = LOCAL_USER, under_way: bool = False
    ) -> None:
        """Remove a user's trace with its events.

        One that has not ended only if it may be `under_way`; a run that still writes it then fails.

        Raises:
            TraceNotFoundError: There is none.
            StorageError: It has not ended.
        """
        trace = await self.get_trace(trace_id, user_id=user_id)
        if not (trace.status.ended or under_way):
            raise StorageError(f"The run {trace_id} has not ended.", "Delete it with --force.")
        await self.database.write(lambda c: trace_queries.delete_trace(c, trace_id))


def _checked(trace_id: str) -> str:
    if not _ID.fullmatch(trace_id):
        raise _unknown(trace_id)
    return trace_id


def _unknown(trace_id: str) -> TraceNotFoundError:
    return TraceNotFoundError(
        f"There is no run {trace_id}.", "`deepcritical traces list` shows those that are kept."
    )
